"""The vectors lane: passages near to a question in meaning, in any language."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vaultd.embed import Embedder
from vaultd.errors import VaultdError
from vaultd.model.search import StoredEmbedder
from vaultd.search.matrix import FEW, Integers, Matrix, Vector, WindowRow, bytes_of
from vaultd.store import vectors, windows
from vaultd.store.database import Connection, Database
from vaultd.store.finding import DEPTH, Scope, allowed_passages
from vaultd.store.vector_index import has_index, indexed_nearest, last_change

WINDOWS_DEPTH = 3 * DEPTH  # the nearest windows looked through for `DEPTH` passages
LOAD = 1024  # windows read at a time: other questions come in between, and memory is kept
SAMPLE = 200  # windows of a language for its mean, when there is no copy in memory


@dataclass(frozen=True, slots=True)
class Near:
    """Passages by nearness: `scores` are cosines less the language's shift.

    `found` are those the lane found by itself, `windows` each one's nearest window, `shifts`
    what was taken off for each language, and under "" for any other.
    """

    scores: Mapping[int, float]
    windows: Mapping[int, int]
    found: frozenset[int]
    shifts: Mapping[str, float]


class VectorLane:
    """Compares a question with every window, in memory or, when that is short, in the store.

    `embedders` are those at hand by identity; the one whose vectors are active is asked.
    `memory_bytes` bounds the copy in memory, 0 does without.
    """

    def __init__(self, db: Database, embedders: Iterable[Embedder], *, memory_bytes: int) -> None:
        self._db = db
        self._embedders = {embedder.identity: embedder for embedder in embedders}
        self._memory_bytes = memory_bytes
        self._matrix: Matrix | None = None
        self._of = 0  # the embedder whose vectors the matrix holds
        self._turn = asyncio.Lock()

    @property
    def configured(self) -> bool:
        """Whether there is anything that could embed a question."""
        return bool(self._embedders)

    async def active(self) -> StoredEmbedder | None:
        """Return the embedder that answers, None while there are no vectors."""
        known = await self._db.read(vectors.embedders)
        return known[0] if known and known[0].active else None

    async def embed(self, embedder: StoredEmbedder, text: str) -> Vector | None:
        """Return the vector of a question.

        Raises:
            VaultdError: the embedder is not at hand, or failed.
        """
        maker = self._embedders.get(embedder.identity)
        if maker is None:
            raise VaultdError(f"The vectors were made by {embedder.identity}, which is not set up.")
        return await maker.embed_question(text)

    async def warm(self) -> None:
        """Read the vectors into memory now, so that the first question need not wait."""
        if active := await self.active():
            async with self._turn:
                await self._follow(active)

    async def nearest(
        self,
        embedder: StoredEmbedder,
        query: Vector,
        scope: Scope = Scope(),  # noqa: B008 - frozen
        also: Sequence[int] = (),
    ) -> Near:
        """Return the passages in `scope` nearest to `query`, and how near `also` are."""
        allowed = await self._allowed(scope)
        async with self._turn:
            matrix = await self._follow(embedder)
            if matrix is not None:
                return await asyncio.to_thread(_scan, matrix, query, allowed, also)
        return await self._db.read(_ask_store, embedder, query, scope, also)

    async def matrix(self, embedder: StoredEmbedder) -> Matrix | None:
        """Return the copy in memory, abreast of the store; None when memory is short."""
        async with self._turn:
            return await self._follow(embedder)

    async def _allowed(self, scope: Scope) -> Integers | None:
        if not scope.sql:
            return None
        return np.array(await self._db.read(allowed_passages, scope), dtype=np.int64)

    async def _follow(self, embedder: StoredEmbedder) -> Matrix | None:
        """Bring the copy in memory abreast of the store."""
        seq = await self._db.read(last_change)
        matrix = self._matrix if self._of == embedder.id else None
        if matrix is not None and matrix.seq == seq:
            return matrix
        count = await self._db.read(windows.count_windows, embedder.id)
        if count * bytes_of(embedder.dimensions) > self._memory_bytes:
            self._matrix = None
            return None
        changed = await self._db.read(windows.changed_windows, matrix.seq) if matrix else None
        if matrix is None or changed is None:
            matrix = await self._loaded(embedder, count)
        else:
            rows = await self._db.read(windows.window_rows, embedder.id, changed)
            there = {row[0] for row in rows}
            matrix.remove(window for window in changed if window not in there)
            matrix.put([WindowRow(*row) for row in rows])
        matrix.seq = seq
        self._matrix, self._of = matrix, embedder.id
        return matrix

    async def _loaded(self, embedder: StoredEmbedder, count: int) -> Matrix:
        matrix = Matrix(embedder.dimensions, room=max(1024, count))
        last = 0
        while True:
            rows = await self._db.read(windows.next_window_rows, embedder.id, last, LOAD)
            if not rows:
                return matrix
            await asyncio.to_thread(matrix.load, [WindowRow(*row) for row in rows])
            last = rows[-1][0]


Top = Iterable[tuple[int, int, float]]  # window, passage, score


def _scan(matrix: Matrix, query: Vector, allowed: Integers | None, also: Sequence[int]) -> Near:
    found, scores = matrix.nearest(query, WINDOWS_DEPTH, allowed)
    asked = matrix.places_of(np.array(also, dtype=np.int64))
    their = matrix.cosines(query, asked) - matrix.shifts(query, asked)
    shifts = matrix.language_shifts(query)
    return _by_passage(_rows(matrix, found, scores), _rows(matrix, asked, their), shifts)


def _rows(matrix: Matrix, places: Integers, scores: Vector) -> Top:
    windows_, passages = matrix.windows[places].tolist(), matrix.passages[places].tolist()
    return zip(windows_, passages, scores.tolist(), strict=True)


def _ask_store(
    db: Connection, embedder: StoredEmbedder, query: Vector, scope: Scope, also: Sequence[int]
) -> Near:
    """As `_scan` without a copy in memory: by the derived index, else by an exact scan."""
    shifts, usual = _shifts(db, embedder.id, query)
    nearest: list[tuple[int, float]] = []
    if has_index(db, embedder.id):
        for language in [*(name for name in shifts), ""]:
            sql, values = _in_language(scope, language, list(shifts))
            nearest += indexed_nearest(db, embedder.id, query, WINDOWS_DEPTH, sql, *values)
    else:
        allowed = set(allowed_passages(db, scope)) if scope.sql else None
        nearest = windows.exact_nearest(db, embedder.id, query, WINDOWS_DEPTH, allowed)
    chosen = dict.fromkeys(window for window, _ in nearest)
    asked = windows.windows_in(db, embedder.id, also)
    rows = {
        window: (window, passage, float(vector @ query) - shifts.get(language, usual))
        for window, passage, _, language, vector in windows.window_rows(
            db, embedder.id, [*chosen, *asked]
        )
    }
    found = sorted((rows[window] for window in chosen), key=lambda row: -row[2])
    return _by_passage(found, (rows[window] for window in asked), {**shifts, "": usual})


def _in_language(scope: Scope, language: str, known: list[str]) -> tuple[str, tuple[str, ...]]:
    """Narrow `scope` to a language, or with "" to all but the `known` ones."""
    inside = scope.sql or "select id from passages"
    if language:
        sql = f"select id from passages where language = ? and id in ({inside})"
        return sql, (language, *scope.values)
    if not known:
        return (scope.sql, scope.values)
    marks = ", ".join("?" * len(known))
    sql = f"select id from passages where language not in ({marks}) and id in ({inside})"
    return sql, (*known, *scope.values)


def _shifts(db: Connection, embedder: int, query: Vector) -> tuple[dict[str, float], float]:
    """Return the shift of each language with enough windows, and that of the others."""
    samples = windows.language_samples(db, embedder, SAMPLE)
    everything = [vector for sample in samples.values() for vector in sample]
    if not everything:
        return {}, 0.0
    usual = float(np.mean(everything, axis=0) @ query)
    return {
        language: float(np.mean(sample, axis=0) @ query)
        for language, sample in samples.items()
        if language and len(sample) >= FEW
    }, usual


def _by_passage(found: Top, asked: Top, shifts: Mapping[str, float]) -> Near:
    """Let the best window of each passage stand for it; `found` comes best first."""
    scores: dict[int, float] = {}
    nearest: dict[int, int] = {}
    for window, passage, score in found:
        if passage not in scores and len(scores) < DEPTH:
            scores[passage], nearest[passage] = score, window
    by_itself = frozenset(scores)
    for window, passage, score in asked:
        if score > scores.get(passage, -2.0):
            scores[passage], nearest[passage] = score, window
    return Near(scores, nearest, by_itself, shifts)
