"""Looks at the vault, at regular intervals and when something changed, and queues what to do."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from vaultd.core.ignore import Fate, Rules
from vaultd.core.reconcile import held_back
from vaultd.core.settle import INCOMPLETE_LIMIT, FileStat, Trace, follow, settled
from vaultd.errors import DiskFullError, OutsideVaultError, PermanentError, TransientError
from vaultd.model.paths import Clock
from vaultd.store import files, problems
from vaultd.store.database import Database
from vaultd.store.files import KnownFile
from vaultd.vault.files import Vault
from vaultd.vault.notices import Notices
from vaultd.vault.scan import Content, Sighting, read_content, scan
from vaultd.watcher import arrivals
from vaultd.watcher.arrivals import Arrival
from vaultd.watcher.view import compare, conflicts_text, folders_above, loss_text

log = structlog.get_logger()

POLL_SECONDS = 5.0  # between looks where no notices come
QUIET_SECONDS = 0.2  # a burst of notices is one look
REST_FACTOR = 4  # a look may take a fifth of the time, whatever happens in the vault
BATCH = 256  # files read in one go and taken in one transaction, of no more bytes than these
BATCH_BYTES = 8 * 1024 * 1024
STALE_SECONDS = 30.0  # a look this late means that the watcher is stuck
SLOWEST_READ = 1024 * 1024  # bytes a second; slower is a wedged read
READ_SECONDS = 30.0
FULL_WAIT = 30.0
UNREADABLE_SECONDS = 60.0  # before a file that may not be read is tried again


@dataclass(frozen=True, slots=True)
class Look:
    """What one look found. `pending` files are not settled yet, `due` seconds from settling.

    `fresh` of them differ for the first time.
    """

    seen: int = 0
    fresh: int = 0
    taken: int = 0
    pending: int = 0
    due: float | None = None
    problem: str = ""


class Watcher:
    """Follows the files of one vault.

    `settle` and `rescan` are seconds. `rules` is asked at every look, since `.vaultdignore`
    may change. `tell` is called after work was queued. `notices` is None where only regular
    looks are trusted.
    """

    def __init__(
        self,
        vault: Vault,
        db: Database,
        rules: Callable[[], Rules],
        clock: Clock,
        *,
        settle: float,
        rescan: float,
        tell: Callable[[], None],
    ) -> None:
        self.vault, self.db, self.rules, self.clock = vault, db, rules, clock
        self.settle = settle
        self.rescan = rescan
        self.grace = 2 * max(settle, rescan)
        self.tell = tell
        self.monotonic: Callable[[], float] = time.monotonic
        self.notices: Notices | None = None
        self.last_look = self.monotonic()
        self._woken = asyncio.Event()
        self._traces: dict[str, Trace] = {}
        self._put_off: dict[str, tuple[FileStat, float]] = {}
        self._scan_seconds = 0.0
        self._looks = 0
        self._stopping = False

    def watch_natively(self, notices: Callable[[Callable[[], None]], Notices]) -> None:
        """Use notices of the system as hints; `notices` builds them around a wake-up."""
        loop = asyncio.get_running_loop()

        def ring() -> None:
            loop.call_soon_threadsafe(self._woken.set)

        self.notices = notices(ring)

    def wake(self) -> None:
        """Look soon."""
        self._woken.set()

    def healthy(self) -> bool:
        """Tell whether looks happen when they should."""
        return self.monotonic() - self.last_look < self.rescan + STALE_SECONDS

    async def run(self) -> None:
        """Look for ever, until cancelled."""
        try:
            while True:
                await self._rest(await self._look_safely())
        finally:
            self._stopping = True
            if self.notices is not None:
                await asyncio.to_thread(self.notices.stop)  # waits for its threads

    async def _look_safely(self) -> Look:
        """Look; whatever the disk refuses meanwhile, there is a next look."""
        try:
            return await self._look_watching()
        except (DiskFullError, TransientError) as error:
            log.warning("look not recorded", reason=str(error))
            return Look(due=FULL_WAIT)

    async def _look_watching(self) -> Look:
        """Look, and doubt a watch that rang no bell for something new."""
        if self.notices is not None:
            await asyncio.to_thread(self.notices.keep_alive, self.monotonic())
            await self._report("watch", self.notices.problem)
        rung = self._woken.is_set() or self._looks == 0
        self._woken.clear()
        look = await self.look()
        if look.fresh and not (rung or self._woken.is_set()) and self.notices:
            self.notices.suspect()
        return look

    async def _rest(self, look: Look) -> None:
        blind = self.notices is None or self.notices.polling
        longest = min(self.rescan, POLL_SECONDS) if blind else self.rescan
        if look.due is not None:
            longest = min(longest, max(look.due, QUIET_SECONDS))
        try:
            await asyncio.wait_for(self._woken.wait(), longest)
            await asyncio.sleep(QUIET_SECONDS)
        except TimeoutError:
            pass
        await asyncio.sleep(min(self._scan_seconds * REST_FACTOR, self.rescan))

    async def look(self) -> Look:
        """Look at the whole vault once and queue what has settled."""
        started = self.monotonic()
        sightings = await asyncio.to_thread(self._sightings)
        self.last_look = self.monotonic()
        self._scan_seconds = self.last_look - started
        self._looks += 1
        await self._report("root_missing", "" if sightings is not None else self._missing_text())
        if sightings is None:
            return Look(problem="root_missing")
        if self._looks == 1:
            await self.db.run(arrivals.look_for_strays)
        view = compare(await self.db.read(files.all_files), sightings)
        if view.back:  # an idle vault causes no write
            await self.db.run(files.found_again, view.back)
        fresh = sum(each.path not in self._traces for each in view.changed)
        ready, pending, due = self._settled(view.changed)
        await self._record_states(sightings, pending)
        taken = await self._take(ready, view.absent)
        held = await self._lose(view.absent, sightings, tell=not pending)
        await self._report("conflicts", conflicts_text(sightings))
        problem = "mass_loss" if held else ""
        return Look(len(sightings), fresh, taken, len(pending), due, problem)

    def _sightings(self) -> list[Sighting] | None:
        """Return what is in the vault, None while the vault itself is away."""
        root = self.vault.root
        if not (_is_folder(root / "raw") and _is_folder(root / ".llm-wiki")):
            return None
        return list(scan(self.vault, self.rules()))

    def _missing_text(self) -> str:
        return (
            f"{self.vault.root} or its folder raw/ or .llm-wiki/ is not there (not mounted?). "
            "Nothing is deleted; work on files goes on when it is back."
        )

    def _settled(
        self, changed: Iterable[Sighting]
    ) -> tuple[list[Sighting], list[Sighting], float | None]:
        """Return the files that kept still, those that did not yet, and when to look again."""
        now, ready, pending = self.monotonic(), [], []
        traces: dict[str, Trace] = {}
        due: float | None = None
        for each in changed:
            trace = follow(self._traces.get(each.path), each.stat, now)
            traces[each.path] = trace
            put_off = self._is_put_off(each, now)
            if settled(trace, now, self.settle) and not put_off:
                ready.append(each)
                continue
            pending.append(each)
            if each.stat.size > 0 and not put_off:
                left = max(trace.since + self.settle - now, QUIET_SECONDS)
                due = left if due is None else min(due, left)
        self._traces = traces
        self._put_off = {p: until for p, until in self._put_off.items() if p in traces}
        return ready, pending, due

    def _is_put_off(self, sighting: Sighting, now: float) -> bool:
        stat, until = self._put_off.get(sighting.path, (None, 0.0))
        return stat == sighting.stat and now < until

    def _refused(self, sighting: Sighting, code: str, until: float) -> Arrival:
        """Leave a file alone until it changes or `until` comes."""
        self._put_off[sighting.path] = (sighting.stat, until)
        return Arrival(sighting.path, sighting.fate, "", sighting.stat, code)

    async def _record_states(
        self, sightings: Sequence[Sighting], pending: Sequence[Sighting]
    ) -> None:
        """Store why files below raw/ are not taken; only what differs from last time."""
        shown = await self.db.read(arrivals.shown_states)
        change = arrivals.state_changes(shown, sightings, pending)
        if change.skipped or change.gone:
            await self.db.run(arrivals.record_states, change, now=self.clock())

    async def _take(self, ready: Sequence[Sighting], absent: dict[str, KnownFile]) -> int:
        taken = 0
        for batch in _batches(sorted(ready)):  # the same order in every run
            arrived = await self._read(batch)
            if arrived:
                moved = await self.db.run(arrivals.take, arrived, absent, now=self.clock())
                for old in moved:
                    del absent[old]
                taken += sum(bool(each.sha256) for each in arrived)
                self.tell()
        return taken

    async def _read(self, batch: Sequence[Sighting]) -> list[Arrival]:
        """Return those files, with their hashes, that are to be taken now.

        A read that does not come to an end is left behind; what follows it waits for the next look.
        """
        found: list[Content | Exception | None] = []
        stuck = False

        def read_all() -> None:
            for each in batch:
                content = self._content(each)
                if stuck:
                    return
                found.append(content)

        reading = asyncio.get_running_loop().run_in_executor(None, read_all)
        slowest = READ_SECONDS + max(each.stat.size for each in batch) / SLOWEST_READ
        while not (reading.done() or stuck):
            before = len(found)
            await asyncio.wait({reading}, timeout=slowest)
            stuck = not reading.done() and len(found) == before
        arrived = [self._arrival(*each) for each in zip(batch, found, strict=False)]
        if stuck:
            arrived.append(self._refused(batch[len(found)], "unreadable", float("inf")))
        else:
            await reading  # raises what nobody expected
        return [each for each in arrived if each is not None]

    def _content(self, sighting: Sighting) -> Content | Exception | None:
        try:
            return read_content(self.vault, sighting.path, lambda: self._stopping)
        except (OSError, OutsideVaultError, PermanentError) as error:
            log.warning("file not readable", path=sighting.path, error=type(error).__name__)
            return error

    def _arrival(self, sighting: Sighting, content: Content | Exception | None) -> Arrival | None:
        if isinstance(content, Exception):
            return self._refused(sighting, "unreadable", self.monotonic() + UNREADABLE_SECONDS)
        trace = self._traces[sighting.path]
        if content is None or follow(trace, content.stat, self.monotonic()) is not trace:
            return None
        whole_by = trace.since + INCOMPLETE_LIMIT
        if sighting.fate is Fate.SOURCE and not content.complete and self.monotonic() < whole_by:
            return self._refused(sighting, "incomplete", whole_by)
        del self._traces[sighting.path]
        self._put_off.pop(sighting.path, None)
        return Arrival(sighting.path, sighting.fate, content.sha256, content.stat)

    async def _lose(
        self, absent: dict[str, KnownFile], sightings: Sequence[Sighting], *, tell: bool
    ) -> bool:
        """Note what is missing; act on what has been missing long enough, unless it is held.

        `tell` is false while files are settling: what is missing may be on its way elsewhere.
        """
        known = await self.db.read(files.paths_by_role) if absent else {}
        held: set[str] = set()
        emptied = await asyncio.to_thread(self._emptied, absent, sightings)
        for role, paths in known.items():
            missing = {path for path, file in absent.items() if file.role == role}
            held |= held_back(paths, missing, emptied)
        if tell or not held:
            await self._report("mass_loss", loss_text(held))
        lost = [path for path in absent if path not in held]
        if lost:
            await self.db.run(arrivals.lose, lost, grace=self.grace, now=self.clock())
            self.tell()
        return bool(held)

    def _emptied(self, absent: Iterable[str], sightings: Sequence[Sighting]) -> frozenset[str]:
        """Return the folders above absent files that exist and hold nothing we know."""
        above = {folder for path in absent for folder in folders_above(path)}
        filled = {folder for each in sightings for folder in folders_above(each.path)}
        return frozenset(f for f in above - filled if _is_folder(self.vault.root / f))

    async def _report(self, code: str, text: str) -> None:
        known = {each.code: each.text for each in await self.db.read(problems.all_problems)}
        if known.get(code, "") != text:
            await self.db.run(problems.report, code, text, now=self.clock())


def _is_folder(place: Path) -> bool:
    """Tell whether there is a folder; a disk that does not answer has none."""
    try:
        return place.is_dir()
    except OSError:
        return False


def _batches(ready: Iterable[Sighting]) -> Iterator[list[Sighting]]:
    """Cut into parts of few files and few bytes; a large file is a part of its own."""
    batch: list[Sighting] = []
    size = 0
    for each in ready:
        if batch and (len(batch) == BATCH or size + each.stat.size > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(each)
        size += each.stat.size
    if batch:
        yield batch
