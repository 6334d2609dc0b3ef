"""The daemon, one pass over a vault, and single requests: each builds all parts once."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import structlog

from vaultd.core.timing import stamp
from vaultd.daemon.bridging import make_bridge
from vaultd.daemon.memory import give_back, settle
from vaultd.daemon.parts import Parts, build
from vaultd.daemon.patience import Patience, gave_up
from vaultd.daemon.place import open_beside, open_for_work
from vaultd.errors import DiskFullError, TransientError, VaultdError
from vaultd.model.jobs import JobKind, JobState, NewJob
from vaultd.model.paths import Clock
from vaultd.schedule import Chore, Schedule
from vaultd.settings import Settings
from vaultd.status import is_degraded
from vaultd.store import events, joblist, jobs, nodes, pauses
from vaultd.store.database import Database
from vaultd.store.events import Event
from vaultd.store.joblist import JobRow

log = structlog.get_logger()

DONE, DEGRADED, INTERRUPTED = 0, 3, 130
STOP_SECONDS, TELL_SECONDS = 3.5, 0.2  # a stop takes less than five, whatever hangs
ONCE_HORIZON = timedelta(seconds=60)  # one pass waits for what is due within that time
FOLLOWING = timedelta(seconds=10)  # what a request brings about is done with it: index, folders
TICK = timedelta(seconds=1)  # how fast requests of other processes are noticed
FOLLOW_SECONDS = 0.2
SWEEP = timedelta(minutes=1)  # how soon a source that is parked asks, and a settled question goes
SECOND_LANGUAGE = timedelta(seconds=3)  # how soon one that a vault has got is translated
BREATH = timedelta(minutes=5)  # between times that freed memory is given back
DAY = timedelta(days=1)
OVER = frozenset({JobState.DONE, JobState.CANCELLED})
SETTLED = OVER | {JobState.PARKED, JobState.PAUSED, JobState.WAITING}

Tell = Callable[[Event], None]


async def run_daemon(
    root: Path, settings: Settings, clock: Clock, begun: Callable[[], None]
) -> int:
    """Work on the vault until a signal comes; return the exit code.

    `begun` is called once the vault is this process's to work on.
    The first SIGTERM or SIGINT ends it within 5 s, and lets running jobs end that can by then;
    a second one ends at once: everything stored is whole at any moment.
    """
    stop = _Stop(at_term=DONE)
    async with (
        stop.on_signals(),
        open_for_work(root, settings, clock) as place,
        build(place) as parts,
    ):
        begun()
        await _look_at_folders(parts, lately=_age(parts))
        await _embed_the_rest(parts)
        async with _working(parts) as tasks:
            bridge = make_bridge(parts) if settings.bridge.enabled else None
            if bridge is not None:
                tasks.create_task(bridge.run())
            keep = [
                tasks.create_task(parts.watcher.run()),
                tasks.create_task(_schedule(parts).run()),
                tasks.create_task(_warmed(parts)),
            ]
            await stop.wanted.wait()
            log.info("stopping", signal=stop.name)
            if bridge is not None:
                bridge.stop()
            for task in keep:
                task.cancel()
    return stop.code


async def run_once(root: Path, settings: Settings, clock: Clock, tell: Tell | None = None) -> int:
    """Look, do everything that is due within a minute, and end.

    Returns 0, or 3 when something waits, is paused or parked, or a problem was found. It ends
    within minutes also where work is tried again and again and does not get on.
    """
    async with open_for_work(root, settings, clock) as place, build(place) as parts:
        cursor = await place.db.read(events.latest)
        stop = _Stop()
        await _look_at_folders(parts, lately=_age(parts))
        await _embed_the_rest(parts)
        async with _working(parts), stop.on_signals(), _telling(parts, cursor, tell):
            whole = await stop.or_end_of(_pass(parts))
        if whole is None:
            return INTERRUPTED
        await _leave_off(parts, tell, whole=whole)
        degraded = await place.db.read(is_degraded)
        return DONE if whole and not degraded else DEGRADED


async def _pass(parts: Parts) -> bool:
    """Look until nothing settles any more, and work until nothing is due.

    Returns false where patience ran out first.
    """
    patience = Patience(parts.place.db)
    while True:
        look = await parts.watcher.look()
        while look.due is not None and not await patience.is_over():
            await asyncio.sleep(look.due)
            look = await parts.watcher.look()
        if not await parts.worker.idle_until(ONCE_HORIZON, patience.is_over):
            return False
        await parts.sweep.run()
        await parts.indexer.translate()
        again = await parts.watcher.look()  # what came while we worked
        if again.due is None and not again.taken:
            return await parts.worker.idle_until(ONCE_HORIZON, patience.is_over)
        if look.due is not None:
            return False


async def _leave_off(parts: Parts, tell: Tell | None, *, whole: bool) -> None:
    """Have what is to be tried again wait for its time, and say so where it was given up."""
    now = parts.place.clock()
    await parts.place.db.run(pauses.put_off, now=now)
    if not whole and tell is not None:
        tell(gave_up(await parts.place.db.read(events.latest), stamp(now)))


async def run_jobs(
    root: Path, settings: Settings, clock: Clock, new: Sequence[NewJob], tell: Tell
) -> list[JobRow]:
    """Queue the jobs and work until each is over, parked, paused or waiting; return them.

    A job that is tried again and again without getting on waits in the end.

    Raises:
        VaultLockedError: another process works on the vault; use `follow_jobs`.
    """
    async with open_for_work(root, settings, clock) as place, build(place) as parts:
        cursor = await place.db.read(events.latest)
        stop = _Stop()
        async with _working(parts), stop.on_signals(), _telling(parts, cursor, tell):
            ids = await place.db.run(jobs.enqueue_all, new, now=clock())
            parts.worker.ring()
            whole = await stop.or_end_of(_over(parts, ids))
        if whole is not None:
            await _leave_off(parts, tell, whole=whole)
        return await _rows(place.db, ids)


async def _over(parts: Parts, ids: Iterable[int]) -> bool:
    """Work until the jobs are over or cannot go on; false where patience ran out first."""
    patience = Patience(parts.place.db)
    while True:
        await parts.worker.tick()
        settled = _are_settled(await _rows(parts.place.db, ids))
        if settled or await patience.is_over():
            whole = await parts.worker.idle_until(FOLLOWING, patience.is_over)
            if settled:
                await parts.sweep.run()
            if settled or not whole:
                return whole or settled
        await asyncio.sleep(FOLLOW_SECONDS)


async def _rows(db: Database, ids: Iterable[int]) -> list[JobRow]:
    return [row for id_ in ids if (row := await db.read(joblist.find, id_))]


def _waiting(row: JobRow) -> JobRow:
    return row if row.state in SETTLED else replace(row, state=JobState.WAITING)


def _are_settled(rows: Iterable[JobRow]) -> bool:
    return all(row.state in SETTLED for row in rows)


async def follow_jobs(
    root: Path, settings: Settings, clock: Clock, new: Sequence[NewJob], tell: Tell
) -> list[JobRow]:
    """Queue the jobs beside a running daemon and follow its events until each is over.

    One that the daemon tries again and again without getting on is returned as waiting.
    """
    db = open_beside(root, settings)
    patience = Patience(db)
    try:
        cursor = await db.read(events.latest)
        ids = await db.run(jobs.enqueue_all, new, now=clock())
        while True:
            page = await db.read(events.since, cursor)
            cursor = page.cursor
            for event in page.events:
                tell(event)
            rows = await _rows(db, ids)
            if _are_settled(rows):
                return rows
            if all(row.state in SETTLED or row.code for row in rows) and await patience.is_over():
                tell(gave_up(cursor, stamp(clock())))
                return [_waiting(row) for row in rows]
            await asyncio.sleep(FOLLOW_SECONDS)
    finally:
        db.close()


@asynccontextmanager
async def _working(parts: Parts) -> AsyncIterator[asyncio.TaskGroup]:
    """Run the worker's lanes; at the end they stop cleanly. The one task group of a process.

    What was raised on purpose comes out as itself, so that its sentence reaches the person.
    """
    try:
        async with asyncio.TaskGroup() as tasks:
            for lane in parts.worker.lanes():
                tasks.create_task(lane)
            try:
                yield tasks
            finally:
                parts.worker.stop()
    except BaseExceptionGroup as group:
        told, bugs = group.split(VaultdError)
        if told is None or bugs is not None:
            raise
        raise _first(told) from group


def _first(group: BaseExceptionGroup[VaultdError]) -> VaultdError:
    """Return the first error in `group`, however deep."""
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first


@asynccontextmanager
async def _telling(parts: Parts, cursor: int, tell: Tell | None) -> AsyncIterator[None]:
    """Hand new events to `tell` while something works."""
    if tell is None:
        yield
        return
    telling = asyncio.ensure_future(_tell_for_ever(parts, cursor, tell))
    try:
        yield
        await asyncio.sleep(FOLLOW_SECONDS)
    finally:
        telling.cancel()
        with suppress(asyncio.CancelledError):
            await telling


async def _tell_for_ever(parts: Parts, cursor: int, tell: Tell) -> None:
    while True:
        page = await parts.place.db.read(events.since, cursor)
        cursor = page.cursor
        for event in page.events:
            tell(event)
        await asyncio.sleep(FOLLOW_SECONDS / 2)


def _schedule(parts: Parts) -> Schedule:
    """Return the clock of a running daemon: it only wakes and queues."""
    schedule = Schedule()
    schedule.every(TICK, _patiently(parts.worker.tick))
    schedule.every(SWEEP, _patiently(parts.sweep.run))
    schedule.every(SECOND_LANGUAGE, _patiently(parts.indexer.translate))
    schedule.every(_age(parts), _patiently(lambda: _look_at_folders(parts)))
    schedule.every(BREATH, _give_back)
    schedule.every(DAY, _patiently(lambda: _queue(parts, JobKind.UPKEEP)))
    return schedule


async def _warmed(parts: Parts) -> None:
    await _patiently(parts.engine.warm)()
    settle()


async def _give_back() -> None:
    await asyncio.to_thread(give_back)


def _patiently(chore: Chore) -> Callable[[], Coroutine[Any, Any, None]]:
    async def attempt() -> None:
        with suppress(DiskFullError, TransientError):  # the next call comes soon enough
            await chore()

    return attempt


async def _queue(parts: Parts, kind: JobKind) -> None:
    new = [NewJob(kind, ".")]
    await parts.place.db.run(jobs.enqueue_all, new, now=parts.place.clock())
    parts.worker.ring()


async def _look_at_folders(parts: Parts, *, lately: timedelta = timedelta(0)) -> None:
    """Queue a look at every folder, unless one with the same settings ended within `lately`."""
    summaries, now = parts.place.settings.summaries, parts.place.clock()
    by = f"{' '.join(summaries.roots)} {summaries.max_children} {parts.author.name}"
    if await parts.place.db.read(nodes.were_looked_at, by=by, since=now - lately):
        return
    await parts.place.db.run(nodes.look_at_all, by=by, now=now)
    parts.worker.ring()


async def _embed_the_rest(parts: Parts) -> None:
    """Queue what lacks vectors of the configured embedder: it is new, or failed before."""
    new = [NewJob(JobKind.INDEX, path) for path in await parts.indexer.missing()]
    await parts.place.db.run(jobs.enqueue_all, new, now=parts.place.clock())


def _age(parts: Parts) -> timedelta:
    return timedelta(hours=parts.place.settings.summaries.max_age_hours)


class _Stop:
    """The wish to stop, as signals bring it. `code` is what the process then exits with."""

    def __init__(self, *, at_term: int = INTERRUPTED) -> None:
        self.wanted = asyncio.Event()
        self.name = ""
        self.code = INTERRUPTED
        self._at_term = at_term

    def want(self, number: int) -> None:
        """Take the wish for a stop, which ends in time; asked a second time, end at once."""
        if self.name:
            os._exit(128 + number)
        self.name = signal.Signals(number).name
        self.code = self._at_term if number == signal.SIGTERM else INTERRUPTED
        late = threading.Timer(STOP_SECONDS, self._end)
        late.daemon = True
        late.start()

    def _end(self) -> None:
        """End a process that a thread still holds up: what is stored is whole at any moment."""
        say = partial(log.warning, "stopped before everything had ended", seconds=STOP_SECONDS)
        telling = threading.Thread(target=say, daemon=True)
        telling.start()
        telling.join(TELL_SECONDS)  # the log may be what hangs
        os._exit(self.code)

    async def or_end_of(self, work: Coroutine[Any, Any, bool]) -> bool | None:
        """Return what `work` returns, None if a stop is wanted before it ends."""
        working, stopped = asyncio.ensure_future(work), asyncio.ensure_future(self.wanted.wait())
        try:
            await asyncio.wait({working, stopped}, return_when=asyncio.FIRST_COMPLETED)
            return await working if working.done() else None
        finally:
            stopped.cancel()
            working.cancel()

    @asynccontextmanager
    async def on_signals(self) -> AsyncIterator[None]:
        """Listen to SIGTERM and SIGINT."""
        loop, numbers = asyncio.get_running_loop(), (signal.SIGTERM, signal.SIGINT)

        def come(number: int, _: object) -> None:
            self.want(number)  # even while the loop is busy
            loop.call_soon_threadsafe(self.wanted.set)

        before = {number: signal.signal(number, come) for number in numbers}
        try:
            yield
        finally:
            for number, listener in before.items():
                signal.signal(number, listener)
