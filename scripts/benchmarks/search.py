"""Search: latency, memory, churn, and what indexing spends its time on.

Ratios are taken in one run, since machines differ and are shared. `VAULTD_BENCH_WINDOWS` sets
the size (default 100,000 windows); the vectors are made up, in clusters as real ones are.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import structlog
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from vaultd.core.dictionary import Translation
from vaultd.core.searchable import hash_of
from vaultd.core.words import terms_of
from vaultd.daemon.memory import settle
from vaultd.embed import Vector, weights
from vaultd.extract import Converter
from vaultd.index import Indexer, store
from vaultd.model.paths import VaultPath
from vaultd.model.search import Filters, IndexedFile, IndexedPassage, Question
from vaultd.reading import Reader
from vaultd.search import SearchEngine
from vaultd.search.matrix import Matrix
from vaultd.store import finding, translations, vectors
from vaultd.store.database import Database
from vaultd.store.finding import Scope, allowed_passages
from vaultd.store.vector_index import indexed_nearest
from vaultd.store.word_counts import WordCounts
from vaultd.vault.files import Vault
from vaultd.vault.layout import make_layout

WINDOWS = int(os.environ.get("VAULTD_BENCH_WINDOWS", "100000"))
PER_PASSAGE, PER_FILE = 3, 30  # windows
QUESTIONS = 60
ROUNDS = 20
MEANINGS = 6  # Chinese words for an English one, and the other way round
WORDS = [f"{a}{b}{c}{d}" for a in "bdfgklmnprst" for b in "aeiou" for c in "rnkm" for d in "aeiou"]
CHINESE = [chr(0x4E00 + n % 1500) + chr(0x5400 + n * 7 % 1500) for n in range(len(WORDS))]
RANKS = 1.0 / np.arange(1, len(WORDS) + 1)
SHARES = RANKS / RANKS.sum()  # as in language: the n-th word is an n-th as frequent as the first

T = TypeVar("T")
Rng = np.random.Generator
Figure = dict[str, Any]


class Given:
    """An embedder whose vectors were made beforehand, by text."""

    identity = weights.IDENTITY
    batch = 16

    def __init__(self) -> None:
        self.of: dict[str, Vector] = {}

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return what was given for each text."""
        return [self.of.get(text) for text in texts]

    async def embed_question(self, text: str) -> Vector | None:
        """Return what was given for the question."""
        return self.of.get(text)

    async def close(self) -> None:
        """Forget."""
        self.of.clear()


def main() -> Iterator[Figure]:
    """Yield the figures."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    with tempfile.TemporaryDirectory() as folder:
        yield from asyncio.run(_latency(Path(folder)))
    with tempfile.TemporaryDirectory() as folder:
        yield from asyncio.run(_bilingual(Path(folder)))
    with tempfile.TemporaryDirectory() as folder:
        yield from asyncio.run(_churn(Path(folder)))
    with tempfile.TemporaryDirectory() as folder:
        yield from asyncio.run(_indexing(Path(folder)))


def made_up(rng: Rng, count: int) -> NDArray[np.float32]:
    """Return unit vectors in clusters."""
    centres = rng.standard_normal((max(1, count // 50), weights.DIMENSIONS), np.float32)
    chosen = centres[rng.integers(0, len(centres), count)]
    found = chosen + 0.6 * rng.standard_normal(chosen.shape, np.float32)
    unit: NDArray[np.float32] = found / np.linalg.norm(found, axis=1, keepdims=True)
    return unit


def asked_for(rng: Rng, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return questions as unit vectors: half like one of `vectors`, half like nothing there."""
    chosen = vectors[rng.integers(0, len(vectors), QUESTIONS)]
    noise = rng.standard_normal(chosen.shape, np.float32)
    found = chosen + noise / np.linalg.norm(noise, axis=1, keepdims=True)
    unit: NDArray[np.float32] = found / np.linalg.norm(found, axis=1, keepdims=True)
    return unit


def made_up_file(
    rng: Rng, number: int, turn: int = 0, language: str = "en"
) -> tuple[IndexedFile, list[IndexedPassage]]:
    """Return a file of ten passages of three windows."""
    passages = []
    vocabulary = CHINESE if language == "zh" else WORDS
    for n in range(PER_FILE // PER_PASSAGE):
        pieces = [" ".join(rng.choice(vocabulary, 45, p=SHARES)) for _ in range(PER_PASSAGE)]
        text = f"{number} {n} {turn} " + ". ".join(pieces)
        windows = tuple(f"{number} {n} {turn} {piece}" for piece in pieces)
        place = IndexedPassage(text, f"Section {n}", n, 0, len(text), None, language, windows)
        passages.append(place)
    path = VaultPath(f"notes/{number % 100}/{number}.md")
    return IndexedFile(path, f"{number}-{turn}", "1", f"Note {number}"), passages


async def fill(
    db: Database, rng: Rng, files: Sequence[int], turn: int = 0, languages: str = "en"
) -> None:
    """Store made-up files with made-up vectors, one transaction each, their languages in turn."""
    spoken = languages.split()
    for number in files:
        file, passages = made_up_file(rng, number, turn, spoken[number % len(spoken)])
        hashes = [hash_of(p.heading, window) for p in passages for window in p.windows]
        given = dict(zip(hashes, made_up(rng, len(hashes)), strict=True))
        now = datetime.now(UTC)
        await db.run(store, file, passages, weights.IDENTITY, given, now=now)


async def _latency(folder: Path) -> list[Figure]:
    rng = np.random.default_rng(1)
    db, given = Database(folder / "bench.db"), Given()
    await fill(db, rng, range(WINDOWS // PER_FILE))
    engine = SearchEngine(db, [given], vault_name="bench")
    loaded, grown = await _load(engine)

    (active,) = await db.read(vectors.embedders)
    matrix = await engine._vectors.matrix(active)
    assert matrix is not None
    everything = matrix._bytes[: matrix.count] * matrix._scales[: matrix.count, None]
    questions = [" ".join(rng.choice(WORDS, 6, p=SHARES)) for _ in range(QUESTIONS)]
    given.of = dict(zip(questions, asked_for(rng, everything), strict=True))
    took: dict[str, list[float]] = {name: [] for name in ("exact", "whole", "words", "lane", "vec")}
    agree: list[float] = []
    counts = WordCounts()
    settle()  # as a daemon does once it has started
    for _ in range(QUESTIONS):  # and it has counted the commonest words for earlier questions
        earlier = terms_of(" ".join(rng.choice(WORDS, 6, p=SHARES)))
        await db.read(finding.matching_words, earlier, Scope(), counts=engine._counts)
        await db.read(finding.matching_words, earlier, Scope(), counts=counts)
    for question, query in given.of.items():
        with threadpool_limits(1):
            seconds, scores = timed(lambda q=query: everything @ q)  # type: ignore[misc]
        took["exact"].append(seconds)
        await _spent(took["whole"], engine.search(Question(question)))
        near = await _spent(took["lane"], engine._vectors.nearest(active, query))
        words = db.read(finding.matching_words, terms_of(question), Scope(), counts=counts)
        await _spent(took["words"], words)
        await _spent(took["vec"], db.read(indexed_nearest, active.id, query, 10))
        agree.append(_agreement(matrix, scores, near.found))
    filtered = await _filtered(db, engine, given, matrix, everything)
    memory = await asyncio.to_thread(_together, folder / "bench.db")
    db.close()
    base, middle = _p95(took["exact"]), _median(took["exact"])
    note = f"{WINDOWS} windows, p95 of {QUESTIONS} in turn"
    return [
        _figure(
            "whole search over NumPy float32 exact scan", _p95(took["whole"]) / base, "ratio", note
        ),
        _figure("the same, medians", _median(took["whole"]) / middle, "ratio", note),
        _figure("vectors lane over the same scan", _p95(took["lane"]) / base, "ratio", note),
        _figure("words lane over the same scan", _p95(took["words"]) / base, "ratio", note),
        _figure("sqlite-vec alone over the same scan", _p95(took["vec"]) / base, "ratio", note),
        _figure("NumPy float32 exact scan", base * 1000, "ms of CPU", note),
        _figure("whole search", _p95(took["whole"]) * 1000, "ms of CPU", note),
        _figure("passages of the exact top 10 found", float(np.mean(agree)), "share", note),
        *filtered,
        _figure("reading all vectors into memory", loaded, "s", f"{WINDOWS} windows"),
        _figure("memory that takes", grown, "MB", f"copy {matrix.bytes_used() / 1e6:.0f} MB"),
        _figure("daemon, embedder, idle converter", sum(memory.values()), "MB", str(memory)),
    ]


async def _bilingual(folder: Path) -> list[Figure]:
    """Ask a vault of English and Chinese, in both, with and without words of the other one."""
    rng = np.random.default_rng(4)
    db, given = Database(folder / "bench.db"), Given()
    await fill(db, rng, range(WINDOWS // PER_FILE), languages="en zh")
    engine = SearchEngine(db, [given], vault_name="bench")
    await engine.warm()
    questions = [
        " ".join(rng.choice(words, 6, p=SHARES))
        for words in (WORDS, CHINESE)
        for _ in range(QUESTIONS // 2)
    ]
    given.of = dict(zip(questions, made_up(rng, QUESTIONS), strict=True))
    settle()

    async def asked_twice() -> list[float]:
        for question in questions:  # the first time, words are counted
            await engine.search(Question(question))
        seconds: list[float] = []
        for question in questions:
            await _spent(seconds, engine.search(Question(question)))
        return seconds

    alone = await asked_twice()
    await db.run(translations.put, _made_up_dictionary(rng))
    await db.run(translations.finish, "made up")
    both = await asked_twice()
    db.close()
    note = f"{WINDOWS} windows, half of them Chinese, p95 of {QUESTIONS}"
    return [
        _figure("search in two languages over one", _p95(both) / _p95(alone), "ratio", note),
        _figure("search in two languages", _p95(both) * 1000, "ms of CPU", note),
    ]


def _made_up_dictionary(rng: Rng) -> Iterator[Translation]:
    for word in WORDS:
        for rank, other in enumerate(rng.choice(CHINESE, MEANINGS, replace=False)):
            yield Translation(word, rank, str(other))
            yield Translation(str(other), rank, word)


async def _spent(seconds: list[float], work: Awaitable[T]) -> T:
    """Wait for `work`, and add the processor time it took to `seconds`."""
    start = time.process_time()
    result = await work
    seconds.append(time.process_time() - start)
    return result


def _agreement(matrix: Matrix, scores: Vector, found: frozenset[int]) -> float:
    """Return the share of the passages of the ten best `scores` that were found."""
    best = {int(passage) for passage in matrix.passages[np.argsort(-scores)[:10]]}
    return len(best & found) / len(best)


async def _filtered(
    db: Database, engine: SearchEngine, given: Given, matrix: Matrix, everything: Vector
) -> list[Figure]:
    """Ask below one folder of a hundred, and compare with all of its windows."""
    (active,) = await db.read(vectors.embedders)
    scope = finding.scope_of(Filters(under="notes/7"), (), ())
    allowed = np.isin(matrix.passages[: matrix.count], await db.read(allowed_passages, scope))
    whole: list[float] = []
    below: list[float] = []
    agree: list[float] = []
    for question, query in given.of.items():
        await _spent(whole, engine.search(Question(question)))
        await _spent(below, engine.search(Question(question, filters=Filters(under="notes/7"))))
        near = await engine._vectors.nearest(active, query, scope)
        agree.append(_agreement(matrix, np.where(allowed, everything @ query, -2.0), near.found))
    note = f"one folder of 100, {int(allowed.sum())} windows"
    return [
        _figure(
            "filtered: passages of the exact top 10 found", float(np.mean(agree)), "share", note
        ),
        _figure("filtered search over one without", _median(below) / _median(whole), "ratio", note),
    ]


def _together(database: Path) -> dict[str, float]:
    """Return the megabytes that a daemon's processes hold over `database`."""
    command = [sys.executable, "-m", "scripts.benchmarks._memory", str(database)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {name: round(value) for name, value in json.loads(printed).items()}


async def _load(engine: SearchEngine) -> tuple[float, float]:
    """Read all vectors; return the seconds it took and the megabytes it added."""
    before, started = _resident(), time.perf_counter()
    await engine.warm()
    return time.perf_counter() - started, _resident() - before


async def _churn(folder: Path) -> list[Figure]:
    rng = np.random.default_rng(2)
    path = folder / "bench.db"
    db, given = Database(path), Given()
    files = max(20, WINDOWS // PER_FILE // 10)
    await fill(db, rng, range(files))
    engine = SearchEngine(db, [given], vault_name="bench")
    first = _size(path), await _search_time(engine, given, rng)
    for turn in range(1, ROUNDS + 1):
        await fill(db, rng, rng.choice(files, files // 10, replace=False).tolist(), turn)
    last = _size(path), await _search_time(engine, given, rng)
    db.close()
    note = f"{ROUNDS} rounds of 10 % of {files} files"
    return [
        _figure("file size after churn over before", last[0] / first[0], "ratio", note),
        _figure("search time after churn over before", last[1] / first[1], "ratio", note),
    ]


async def _search_time(engine: SearchEngine, given: Given, rng: Rng) -> float:
    await engine.warm()
    seconds = []
    for vector in made_up(rng, QUESTIONS):
        question = " ".join(rng.choice(WORDS, 6, p=SHARES))
        given.of[question] = vector
        start = time.process_time()
        await engine.search(Question(question))
        seconds.append(time.process_time() - start)
    return _median(seconds)


class Timed:
    """The built-in encoder in this process, with the seconds it took."""

    identity = weights.IDENTITY
    batch = 16
    seconds = 0.0

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        """Embed, and add up the time."""
        if not texts:
            return []
        start = time.process_time()
        rows = weights.encode(texts)
        self.seconds += time.process_time() - start
        return list(rows)

    async def embed_question(self, text: str) -> Vector | None:
        """Embed a question."""
        return (await self.embed([text]))[0]

    async def close(self) -> None:
        """Hold nothing."""


async def _indexing(folder: Path) -> list[Figure]:
    rng = np.random.default_rng(3)
    root = folder / "vault"
    root.mkdir()
    vault = Vault(root, make_layout(root))
    db, embedder, converter = Database(vault.state / "vaultd.db"), Timed(), Converter()
    weights.load()
    indexer = Indexer(vault, db, Reader(vault, db, converter), embedder, lambda: datetime.now(UTC))
    notes = max(20, WINDOWS // 1000)
    for number in range(notes):
        lines = [" ".join(rng.choice(WORDS, 60, p=SHARES)) + "." for _ in range(30)]
        text = f"# Note {number}\n\n" + "\n\n## Part\n\n".join(lines)
        (root / f"{number}.md").write_text(text, encoding="utf-8")
    start = time.process_time()
    for number in range(notes):
        await indexer.index_file(VaultPath(f"{number}.md"))
    total = time.process_time() - start
    (active,) = await db.read(vectors.embedders)
    count = await db.read(lambda c: int(c.execute("select count(*) from windows").get))
    questions = [" ".join(rng.choice(WORDS, 8)) for _ in range(50)]
    took = [timed(lambda q=q: weights.encode([q]))[0] for q in questions]  # type: ignore[misc]
    await converter.close()
    db.close()
    note = f"{notes} notes, {count} windows, {active.identity}"
    return [
        _figure("windows indexed a second of CPU", count / total, "1/s", note),
        _figure("share of indexing that is embedding", embedder.seconds / total, "share", note),
        _figure("embedding a question, median", _median(took) * 1000, "ms of CPU", "8 words"),
    ]


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of CPU an action takes, and its result."""
    start = time.process_time()
    result = action()
    return time.process_time() - start, result


def _figure(name: str, value: float, unit: str, note: str) -> Figure:
    return {"figure": name, "value": round(value, 3), "unit": unit, "note": note}


def _p95(values: Sequence[float]) -> float:
    return float(np.percentile(values, 95))


def _median(values: Sequence[float]) -> float:
    return float(np.median(values))


def _size(path: Path) -> int:
    return path.stat().st_size


def _resident() -> float:
    """Return the largest resident memory so far in MB (kB on Linux, bytes on macOS)."""
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / 1e6 if used > 1 << 30 else used / 1e3
