"""Every window's vector in memory, to compare a question with all of them.

A vector is held as signed bytes with one scale, a quarter of float32; a cosine is off by about
0.0003, far less than tells two passages apart. All are compared byte by byte, and what is
nearest then with the question as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import simsimd
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float32]
Integers: TypeAlias = NDArray[np.int64]

FEW = 30  # vectors of a language: fewer tell no mean of their own


@dataclass(frozen=True, slots=True)
class WindowRow:
    """A window as read from the store."""

    window: int
    passage: int
    file: int
    language: str
    vector: Vector


def bytes_of(dimensions: int) -> int:
    """Return about how many bytes a window takes."""
    return dimensions + 32


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
        rough = self._rough(query)
        if allowed is None:
            places = _top(rough, count)
        else:
            within = self.places_of(allowed)
            places = within[_top(rough[within], count)]
        scores = self.cosines(query, places) - self.shifts(query, places)
        order = np.argsort(-scores, kind="stable")
        return places[order], scores[order]

    def places_of(self, passages: Integers) -> Integers:
        """Return where the windows of these passages are."""
        return np.flatnonzero(self._is_in(passages))

    def cosines(self, query: Vector, places: Integers) -> Vector:
        """Return the cosine of each window at `places` with `query`, a unit vector."""
        scores: Vector = np.einsum("ij,j->i", self._bytes[places], query, dtype=np.float32)
        return scores * self._scales[places]

    def _rough(self, query: Vector) -> Vector:
        """Return every window's score with the question in bytes, too."""
        if not self.count:
            return np.zeros(0, np.float32)
        scale = float(np.abs(query).max()) / 127.0
        asked = np.rint(query / scale).astype(np.int8)[None]
        mine = self._bytes[: self.count]
        products = simsimd.cdist(asked, mine, metric="dot", out_dtype="float32")
        rough: Vector = np.asarray(products).reshape(-1) * (self._scales[: self.count] * scale)
        rough -= self.shifts(query, slice(self.count))
        return rough

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
        return (*fixed, self._bytes)

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
    least = np.partition(scores, len(scores) - count)[len(scores) - count]
    above = np.flatnonzero(scores > least)
    return np.append(above, np.flatnonzero(scores == least)[: count - len(above)])
