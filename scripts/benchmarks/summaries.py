"""Folders and files described: calls over the minimum, wall time over the critical path.

The author waits L seconds and writes a text that depends on its inputs; files, database and notes
are real. The reference vault has 85 folders (fan-out 4, depth 0 to 3) with 12 notes each.
"""

from __future__ import annotations

import asyncio
import logging
import random
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from pathlib import Path
from typing import Any

import structlog

from tests.fakes import FakeClock
from tests.summarize.fakes import FakeAuthor, FakeEmbedder, Reviews, page, put, snapshot, tree_of
from vaultd.core.bucket import arrange, leaves_of
from vaultd.core.text import tokens_of
from vaultd.errors import RateLimitedError
from vaultd.model.paths import VaultPath
from vaultd.store import nodes
from vaultd.store.database import Database
from vaultd.summarize.ask import Tally
from vaultd.summarize.file_nodes import FileText
from vaultd.summarize.files import Wish, window_tokens
from vaultd.summarize.summarizer import DirectorySummarizer, Options
from vaultd.vault.files import Vault
from vaultd.vault.layout import make_layout

LATENCY = 0.5  # seconds of one call, as the issues have it
WIDTH = 10  # calls at once
DEPTH, FAN, NOTES = 3, 4, 12

Figure = Mapping[str, Any]


@dataclass
class Bench:
    """A vault with everything a run needs."""

    vault: Vault
    db: Database
    author: FakeAuthor
    embedder: FakeEmbedder
    clock: FakeClock
    summarizer: DirectorySummarizer

    async def change(self, files: Mapping[str, str]) -> None:
        """Write files and mark the folders above them."""
        put(self.vault, files)
        paths = [VaultPath(path) for path in files]
        await self.db.run(nodes.mark_dirty, paths, reason="changed", now=self.clock())

    def again(self) -> DirectorySummarizer:
        """A summarizer as after a restart."""
        return summarizer_of(self.vault, self.db, self.author, self.embedder, self.clock)


def summarizer_of(
    vault: Vault, db: Database, author: FakeAuthor, embedder: FakeEmbedder, clock: FakeClock
) -> DirectorySummarizer:
    options = Options(max_concurrent_llm=WIDTH)
    return DirectorySummarizer(db, vault, author, embedder, clock, Reviews().propose, options)


@asynccontextmanager
async def bench(files: Mapping[str, str]) -> AsyncIterator[Bench]:
    """A vault with `files`, on a real disk with a real database file."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "vault"
        root.mkdir()
        vault = Vault(root, make_layout(root))
        put(vault, files)
        db = Database(vault.state_file("vaultd.db"))
        author, embedder, clock = FakeAuthor(), FakeEmbedder(), FakeClock()
        try:
            made = summarizer_of(vault, db, author, embedder, clock)
            yield Bench(vault, db, author, embedder, clock, made)
        finally:
            db.close()


def reference(*, abstracts: bool) -> dict[str, str]:
    """The reference vault; without abstracts every note costs a call of its own (a = 1)."""
    files = tree_of(DEPTH, FAN, NOTES)
    if abstracts:
        return files
    return {path: table(path) for path in files}


def table(words: str) -> str:
    """A note that has text but no paragraph."""
    return f"| {words} |\n|---|\n| rows |\n"


def figure(name: str, value: float, unit: str, note: str) -> Figure:
    return {"figure": name, "value": round(value, 4), "unit": unit, "note": note}


async def changes() -> list[Figure]:
    """G1, G3 and G4 on the reference vault with a = 1."""
    async with bench(reference(abstracts=False)) as made:
        found = await whole(made)
        leaf = "wiki/part 0/part 1/part 2"
        cases = {
            "one edit": [f"{leaf}/wiki part 0 part 1 part 2 note 3.md"],
            "20 drops, one folder": [f"{leaf}/new {n}.md" for n in range(20)],
            "20 drops, 20 folders": [f"{folder}/x.md" for folder in leaves(20)],
        }
        for name, paths in cases.items():
            found += await changed(made, name, paths)
    return found


async def whole(made: Bench) -> list[Figure]:
    """All that is new, at an endpoint that answers soon."""
    made.author.latency = 0.02
    begun = time.perf_counter()
    await made.summarizer.refresh_all()
    wall = time.perf_counter() - begun
    bound = max(5 * 0.02, 1_105 * 0.02 / WIDTH)
    return [
        figure("G1 full build", made.author.calls / 1_105, "ratio", "1,105 calls"),
        figure("G4 full build, L=0.02", wall / bound, "ratio", f"{wall:.2f} s over {bound:.2f}"),
    ]


async def changed(made: Bench, name: str, paths: list[str]) -> list[Figure]:
    """Notes at `paths` are new or other than before."""
    works = works_of(paths, with_notes=True)
    made.author.latency = LATENCY
    made.author.forget()
    await made.change({path: table(f"{name} {path}") for path in paths})
    begun = time.perf_counter()
    await made.summarizer.refresh_marked()
    wall = time.perf_counter() - begun
    calls, least = made.author.calls, len(works)
    found = [figure(f"G1 {name}", calls / least, "ratio", f"{calls} calls, least {least}")]
    found += walls(name, wall, max(5 * LATENCY, least * LATENCY / WIDTH), works)
    if name.endswith("one folder"):
        climbing = len(paths) * 5
        note = f"{calls} calls, {climbing} with a climb after every write"
        found.append(figure("G3 burst", calls / climbing, "ratio", note))
    return found


def walls(name: str, wall: float, bound: float, works: Mapping[str, str]) -> list[Figure]:
    """Return G4 twice: over max(critical path, calls x L / c), and over the best schedule."""
    best = shortest(works) * LATENCY
    note = f"{wall:.2f} s over {bound:.2f}"
    return [
        figure(f"G4 {name}", wall / bound, "ratio", note),
        figure(f"G4 {name}, over the best schedule", wall / best, "ratio", f"{best:.2f} s"),
    ]


def shortest(works: Mapping[str, str]) -> int:
    """Return the fewest rounds of `WIDTH` calls; each work has at most one above it ("" = none).

    The deepest first is the best schedule of equal works in a tree (Hu, 1961).
    """
    waiting = {work: sum(above == work for above in works.values()) for work in works}

    def depth(work: str) -> int:
        return 0 if not works[work] else 1 + depth(works[work])

    rounds = 0
    while waiting:
        ready = sorted((work for work, below in waiting.items() if not below), key=depth)
        for work in ready[-WIDTH:]:
            del waiting[work]
            if works[work]:
                waiting[works[work]] -= 1
        rounds += 1
    return rounds


def works_of(paths: list[str], *, with_notes: bool) -> dict[str, str]:
    """Return what has to be asked for after `paths` changed, with what is above each."""
    works = {path: path.rpartition("/")[0] for path in paths} if with_notes else {}
    for path in paths:
        for folder in ancestors(path):
            works[folder] = folder.rpartition("/")[0]
    return works


def leaves(count: int) -> list[str]:
    every = sorted({path.rpartition("/")[0] for path in tree_of(DEPTH, FAN, 1)})
    deepest = [folder for folder in every if folder.count("/") == DEPTH]
    return random.Random(7).sample(deepest, count)  # the same places every time


def ancestors(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: size + 1]) for size in range(len(parts))]


async def quiet() -> list[Figure]:
    """G2, G4 to G6 and G15 on the reference vault whose pages carry their abstracts."""
    async with bench(reference(abstracts=True)) as made:
        made.author.latency = LATENCY
        return [*await busy(made), *await unchanged(made), *await moved(made)]


async def busy(made: Bench) -> list[Figure]:
    """A full build while somebody saves notes."""
    idle = await asyncio.to_thread(write_times, made.vault, 60)
    writing = asyncio.create_task(asyncio.to_thread(write_times, made.vault, 400))
    begun = time.perf_counter()
    result = await made.summarizer.refresh_all()
    wall = time.perf_counter() - begun
    late = 1_000 * (p95(await writing) - p95(idle))
    every = works_of(list(reference(abstracts=True)), with_notes=False)
    name = "full build, abstracts given"
    note = f"idle {1_000 * p95(idle):.1f}"
    return [
        *walls(name, wall, result.calls * LATENCY / WIDTH, every),
        figure("G5 peak over limit", made.author.peak / WIDTH, "ratio", ""),
        figure("G15 p95 of a vault write above idle", late, "ms", note),
    ]


async def unchanged(made: Bench) -> list[Figure]:
    """A look at everything when all mtimes are new."""
    touch(made.vault)
    before = await made.db.read(lambda db: db.total_changes())
    begun = time.perf_counter()
    again = await made.summarizer.refresh_all()
    took = time.perf_counter() - begun
    rows = await made.db.read(lambda db: db.total_changes()) - before
    counts = {
        "calls": again.calls,
        "embeddings": again.embeddings,
        "note writes": again.notes,
        "row writes": rows,
    }
    return [
        figure(f"G2 no-op {name}", value, "count", f"in {took:.2f} s")
        for name, value in counts.items()
    ]


async def moved(made: Bench) -> list[Figure]:
    """A folder with 252 notes goes into another one."""
    made.author.forget()
    made.author.latency = 0
    (made.vault.root / "wiki/part 0").rename(made.vault.root / "wiki/part 1/moved")
    result = await made.summarizer.refresh_all()
    inside = sum("moved" in path for path in made.author.asked())
    outside = 2 * len(made.author.asked())
    return [
        figure("G6 calls inside a moved tree", inside, "count", "252 notes, 21 folders"),
        figure("G6 re-embeddings", result.embeddings - outside, "count", ""),
    ]


def write_times(vault: Vault, count: int) -> list[float]:
    taken = []
    for number in range(count):
        path = VaultPath(f"Notes/w{number % 10}.md")
        current = vault.read(path)
        begun = time.perf_counter()
        vault.write(path, f"Text {number}.".encode(), expect=current)
        taken.append(time.perf_counter() - begun)
        time.sleep(0.01)
    return taken


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


def touch(vault: Vault) -> None:
    for place in vault.root.rglob("*.md"):
        place.touch()


async def deaths() -> list[Figure]:
    """G7: cancelled at 12 moments, started anew; notes and calls compared with a quiet run."""
    files = tree_of(2, 3, 2)
    async with bench(files) as whole:
        await whole.summarizer.refresh_all()
        least, wanted = whole.author.calls, snapshot(whole.vault)
    worst, equal = 0, 0
    for number in range(12):
        async with bench(files) as made:
            made.author.latency = 0.01
            run = asyncio.create_task(made.summarizer.refresh_all())
            await asyncio.sleep(0.005 * (number + 1))
            run.cancel()
            await asyncio.gather(run, return_exceptions=True)
            await made.again().refresh_all()
            worst = max(worst, made.author.calls - least)
            equal += snapshot(made.vault) == wanted
    return [
        figure("G7 same notes after a kill", equal / 12, "share", "12 moments"),
        figure("G7 most extra calls", worst, "count", f"at most {WIDTH} calls were under way"),
    ]


async def wide() -> list[Figure]:
    """G8 and G12: one change among 3,201 children."""
    files = {f"wiki/n{n:04}.md": page(f"n{n}", f"Note number {n}.") for n in range(3_201)}
    async with bench(files) as made:
        await made.summarizer.refresh_all()
        seen = {child.uri for each in made.author.folders for child in each.children}
        made.author.forget()
        await made.change({"wiki/n1234.md": page("n1234", "Something new.")})
        result = await made.summarizer.refresh_marked()
    names = [f"name {n}" for n in range(1_000)]
    before = {leaf.names for leaf in leaves_of(arrange(names, 50))}
    kept = []
    for number in range(50):
        after = [leaf.names for leaf in leaves_of(arrange([*names, f"new {number}"], 50))]
        kept.append(sum(leaf in before for leaf in after) / len(after))
    return [
        figure(
            "G8 one change of 3,201 over flat", result.calls / 66, "ratio", f"{result.calls} of 66"
        ),
        figure("G8 children invisible", 3_201 - len(seen), "count", ""),
        figure("G12 buckets unchanged by an insert", statistics.mean(kept), "share", "n = 1,000"),
    ]


async def faults() -> list[Figure]:
    """G13 and G14: a provider that refuses for 60 s, and a poisoned folder among 100."""
    files = {f"wiki/f{n}/x.md": page("x", f"Text {n}.") for n in range(1_000)}
    few = {path: text for path, text in files.items() if int(path.split("/")[1][1:]) < 100}
    return [*await refused(files), *await poisoned(few)]


async def refused(files: Mapping[str, str]) -> list[Figure]:
    async with bench(files) as made:
        opened = made.clock() + timedelta(seconds=60)

        def limited(_: str) -> None:
            if made.clock() < opened:
                raise RateLimitedError("slow down")

        made.author.fault = limited
        await made.summarizer.refresh_all()
        probes = 0
        while (due := await made.db.read(nodes.next_due)) is not None:
            made.clock.now = max(due, made.clock.now)
            open_now = made.clock() >= opened
            before = made.author.calls
            await made.summarizer.refresh_marked()
            if open_now:
                break
            probes += made.author.calls - before
        counts = await made.db.read(nodes.state_counts)
    note = f"{WIDTH} under way first"
    return [
        figure("G13 calls while refused, after the first", probes, "count", note),
        figure("G13 folders lost afterwards", len(files) + 1 - counts["ok"], "count", ""),
    ]


async def poisoned(files: Mapping[str, str]) -> list[Figure]:
    sound, _ = await described(files, None)
    took, finished = await described(files, poison)
    return [
        figure("G14 other folders finished", finished / len(files), "share", ""),
        figure("G14 time with a poisoned one", took / sound, "ratio", ""),
    ]


async def described(
    files: Mapping[str, str], fault: Callable[[str], None] | None
) -> tuple[float, int]:
    """Return how long a full build took, and how many folders are well."""
    async with bench(files) as made:
        made.author.latency = 0.05
        made.author.fault = fault
        begun = time.perf_counter()
        await made.summarizer.refresh_all()
        took = time.perf_counter() - begun
        counts = await made.db.read(nodes.state_counts)
    return took, counts["ok"]


def poison(folder: str) -> None:
    if folder == "wiki/f50":
        raise ValueError("poisoned")


async def long_file() -> list[Figure]:
    """G9 and G10: windows of a long file; vectors left after nine of ten files went."""
    found = []
    async with bench({"wiki/x.md": "x"}) as made:
        for size in (3, 30, 300):
            texts = tuple(f"Passage {n} of the file says this and that. " * 20 for n in range(size))
            made.author.forget()
            path = VaultPath(f"wiki/long {size}.md")
            await made.summarizer.files.refresh(FileText(path, str(size), texts), Wish(), Tally())
            window = window_tokens(Options().context_chars)
            needed = ceil(sum(tokens_of(text) for text in texts) / window)
            bound = needed + (needed > 1)
            note = f"{made.author.calls} calls for {size} passages"
            found.append(figure(f"G10 {size} passages", made.author.calls / bound, "ratio", note))
        for number in range(100):
            path = VaultPath(f"wiki/n{number}.md")
            await made.summarizer.files.refresh(FileText(path, "c", ("Text.",)), Wish(), Tally())
        await made.db.run(drop_most)
        left = await made.db.read(
            lambda db: (
                db.execute(
                    "select count(*) from summary_vectors v where not exists"
                    " (select 1 from nodes n where n.path = v.path)"
                ).get
            )
        )
        found.append(
            figure("G9 vectors of dropped summaries", float(left or 0), "count", "90 of 100")
        )
    return found


def drop_most(db: Any) -> None:
    for number in range(90):
        nodes.drop_node(db, VaultPath(f"wiki/n{number}.md"), asked=False, now=FakeClock()())


PARTS: tuple[Callable[[], Any], ...] = (changes, quiet, deaths, wide, faults, long_file)


def main() -> Iterator[Figure]:
    """Yield the figures; G11 is measured by `scripts/evaluate`."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    for part in PARTS:
        yield from asyncio.run(part())
