"""Every window's vector in memory, to compare a question with all of them.

A vector is held as signed bytes with one scale, a quarter of float32; a cosine is off by about
0.0003, far less than tells two passages apart. Where there are many, a first look goes by the
few directions in which the vectors differ most, and only what is near there is compared whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

Vector: TypeAlias = NDArray[np.float32]
Integers: TypeAlias = NDArray[np.int64]

BLOCK = 512  # vectors widened at a time: 1 MB at 512 dimensions, within the cache
FEW = 30  # vectors of a language: fewer tell no mean of their own

SKETCH = 64  # directions of the first look: they hold four fifths of how real vectors differ
SKETCHED_FROM = 8_192  # vectors: below, comparing all of them takes a millisecond
CANDIDATES = 0.02  # share compared whole: held 99.9 % of the true best ten when measured
SAMPLED = 4_096  # vectors that tell the directions


@dataclass(frozen=True, slots=True)
class WindowRow:
    """A window as read from the store."""

    window: int
    passage: int
    file: int
    language: str
    vector: Vector


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()  # looks for the libraries once


def bytes_of(dimensions: int) -> int:
    """Return about how many bytes a window takes."""
    return dimensions + 4 * SKETCH + 64


class Matrix:
    """The windows of one embedder. Not safe for two threads at a time."""

    def __init__(self, dimensions: int, room: int = 1024) -> None:
        self.dimensions = dimensions
        self.seq = -1  # the change it has come to
        self.count = 0
        self.windows: Integers = np.zeros(room, np.int64)
        self.passages: Integers = np.zeros(room, np.int64)
        self.files: Integers = np.zeros(room, np.int64)
        self._languages = np.zeros(room, np.int16)
        self._scales = np.zeros(room, np.float32)
        self._bytes = np.zeros((room, dimensions), np.int8)
        self._directions: Vector | None = None  # one a column, once there are many vectors
        self._sketches = np.zeros((0, SKETCH), np.float32)
        self._names: dict[str, int] = {}
        self._sums = np.zeros((0, dimensions), np.float64)
        self._counts = np.zeros(0, np.int64)

    def load(self, rows: Sequence[WindowRow]) -> None:
        """Add windows none of which is there yet, many at a time."""
        if not rows:
            return
        start, stop = self.count, self.count + len(rows)
        if stop > len(self.windows):
            self._grow(max(stop, self.count * 5 // 4))
        self.windows[start:stop] = [row.window for row in rows]
        self.passages[start:stop] = [row.passage for row in rows]
        self.files[start:stop] = [row.file for row in rows]
        self._languages[start:stop] = [self._language(row.language) for row in rows]
        vectors = np.stack([row.vector for row in rows])
        scales = np.abs(vectors).max(axis=1) / 127.0
        self._scales[start:stop] = scales
        self._bytes[start:stop] = np.rint(vectors / scales[:, None])
        self.count = stop
        for language in np.unique(self._languages[start:stop]):
            chosen = self._languages[start:stop] == language
            self._counts[language] += int(chosen.sum())
            wide = self._bytes[start:stop][chosen] * scales[chosen][:, None]
            self._sums[language] += wide.sum(axis=0, dtype=np.float64)

    def put(self, rows: Sequence[WindowRow]) -> None:
        """Add windows, or replace those that are there; none may come twice."""
        places = self._places([row.window for row in rows])
        for row in rows:
            place = places.get(row.window)
            if place is None:
                place = self._new_place(row.window)
            else:
                self._count(place, -1)
            self.passages[place] = row.passage
            self.files[place] = row.file
            self._languages[place] = self._language(row.language)
            scale = float(np.abs(row.vector).max()) / 127.0
            self._scales[place] = scale
            self._bytes[place] = np.rint(row.vector / scale)
            if self._directions is not None:
                self._sketches[place] = row.vector @ self._directions
            self._count(place, 1)

    def remove(self, windows: Iterable[int]) -> None:
        """Take windows away; unknown ones are no fault."""
        for place in sorted(self._places(windows).values(), reverse=True):
            self._count(place, -1)
            self.count -= 1
            for column in self._columns():
                column[place] = column[self.count]

    def nearest(
        self, query: Vector, count: int, allowed: Integers | None = None
    ) -> tuple[Integers, Vector]:
        """Return the places of the windows nearest to `query`, best first, and their scores.

        A score is the cosine less the language's shift. `allowed` are passages; None is all.
        """
        places: Integers = np.arange(self.count)
        if allowed is not None:
            places = np.flatnonzero(self._is_in(allowed))
        candidates = max(count, int(CANDIDATES * self.count))
        if len(places) > candidates and self.count >= SKETCHED_FROM:
            places = places[_top(self._rough(query)[places], candidates)]
        scores = self.cosines(query, places) - self.shifts(query, places)
        best = _top(scores, count)
        best = best[np.argsort(-scores[best], kind="stable")]
        return places[best], scores[best]

    def places_of(self, passages: Integers) -> Integers:
        """Return where the windows of these passages are."""
        return np.flatnonzero(self._is_in(passages))

    def cosines(self, query: Vector, places: Integers) -> Vector:
        """Return the cosine of each window at `places` with `query`, a unit vector."""
        scores = np.empty(len(places), np.float32)
        wide = np.empty((BLOCK, self.dimensions), np.float32)
        everything = len(places) == self.count
        with _threads().limit(limits=1, user_api="blas"):
            for start in range(0, len(places), BLOCK):
                stop = min(start + BLOCK, len(places))
                block = wide[: stop - start]
                chosen = slice(start, stop) if everything else places[start:stop]
                np.copyto(block, self._bytes[chosen])
                np.dot(block, query, out=scores[start:stop])
        scores *= self._scales[places]
        return scores

    def sketch(self) -> None:
        """Prepare the first look where there are many windows, once: half a second."""
        if self._directions is None and self.count >= SKETCHED_FROM:
            with _threads().limit(limits=1, user_api="blas"):
                self._draw()

    def _rough(self, query: Vector) -> Vector:
        """Return about what every window's score is, by its sketch."""
        self.sketch()
        assert self._directions is not None
        with _threads().limit(limits=1, user_api="blas"):
            rough: Vector = self._sketches[: self.count] @ (query @ self._directions)
        rough -= self.shifts(query, slice(self.count))
        return rough

    def _draw(self) -> None:
        """Find the directions in which the vectors differ most, and sketch every vector.

        Later vectors are sketched by the same directions: they serve less well where those
        differ otherwise, but never leave out what is near in them.
        """
        step = max(1, self.count // SAMPLED)
        chosen = np.arange(0, self.count, step)
        sample = self._bytes[chosen] * self._scales[chosen, None]
        _, directions = np.linalg.eigh(sample.T @ sample)  # by ascending weight
        self._directions = np.ascontiguousarray(directions[:, -SKETCH:], dtype=np.float32)
        self._sketches = np.zeros((len(self.windows), self._directions.shape[1]), np.float32)
        for start in range(0, self.count, BLOCK):
            stop = min(start + BLOCK, self.count)
            wide = self._bytes[start:stop] * self._scales[start:stop, None]
            self._sketches[start:stop] = wide @ self._directions

    def _is_in(self, passages: Integers) -> NDArray[np.bool_]:
        """Tell of each window whether it is of one of these passages."""
        mine = self.passages[: self.count]
        wanted = np.zeros(int(mine.max(initial=0)) + 1, np.bool_)
        wanted[passages[passages < len(wanted)]] = True
        return wanted[mine]

    def shifts(self, query: Vector, places: Integers | slice) -> Vector:
        """Return what to take from the cosines at `places` so that languages can be compared.

        The cosine of the question with the mean of the window's language: passages in the
        question's language are nearer to it for the language's sake alone. The order within
        a language does not change. Languages with few windows share the mean of all.
        """
        by_language, _ = self._shifts(query)
        shifts: Vector = by_language[self._languages[places]]
        return shifts

    def language_shifts(self, query: Vector) -> dict[str, float]:
        """Return the shift of each language, and under "" that of all together."""
        by_language, overall = self._shifts(query)
        return {name: float(by_language[n]) for name, n in self._names.items()} | {"": overall}

    def _shifts(self, query: Vector) -> tuple[Vector, float]:
        overall = self._sums.sum(axis=0) / max(1, self.count)
        few = (self._counts < FEW)[:, None]
        means = np.where(few, overall, self._sums / np.maximum(self._counts, 1)[:, None])
        if "" in self._names:
            means[self._names[""]] = overall
        wide = query.astype(np.float64)
        return (means @ wide).astype(np.float32), float(overall @ wide)

    def bytes_used(self) -> int:
        """Return the bytes held, whether filled or not."""
        return sum(column.nbytes for column in self._columns())

    def _columns(self) -> tuple[NDArray[Any], ...]:
        """Return everything that is held by place."""
        fixed = (self.windows, self.passages, self.files, self._languages, self._scales)
        drawn = () if self._directions is None else (self._sketches,)
        return (*fixed, self._bytes, *drawn)

    def _new_place(self, window: int) -> int:
        if self.count == len(self.windows):
            self._grow(max(1024, self.count * 5 // 4))
        place = self.count
        self.windows[place] = window
        self.count += 1
        return place

    def _places(self, windows: Iterable[int]) -> dict[int, int]:
        """Return where each of these windows is; a search through all costs less than a map."""
        mine = self.windows[: self.count]
        places = np.flatnonzero(np.isin(mine, np.fromiter(windows, np.int64)))
        return dict(zip(mine[places].tolist(), places.tolist(), strict=True))

    def _grow(self, room: int) -> None:
        self.windows = _longer(self.windows, room)
        self.passages = _longer(self.passages, room)
        self.files = _longer(self.files, room)
        self._languages = _longer(self._languages, room)
        self._scales = _longer(self._scales, room)
        self._bytes = _longer(self._bytes, room)
        if self._directions is not None:
            self._sketches = _longer(self._sketches, room)

    def _language(self, name: str) -> int:
        if name not in self._names:
            self._names[name] = len(self._names)
            self._sums = np.vstack([self._sums, np.zeros((1, self.dimensions))])
            self._counts = np.append(self._counts, 0)
        return self._names[name]

    def _count(self, place: int, sign: int) -> None:
        language = int(self._languages[place])
        self._counts[language] += sign
        self._sums[language] += sign * float(self._scales[place]) * self._bytes[place]


def _longer(column: NDArray[Any], room: int) -> NDArray[Any]:
    """Return a copy with more room, which takes no memory before something is written there."""
    longer = np.zeros((room, *column.shape[1:]), column.dtype)
    longer[: len(column)] = column
    return longer


def _top(scores: Vector, count: int) -> Integers:
    """Return where the `count` highest scores are, in no order."""
    if len(scores) <= count:
        return np.arange(len(scores))
    return np.argpartition(-scores, count - 1)[:count]
