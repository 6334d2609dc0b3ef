"""Every window's vector in memory, a byte a number, for a first look at all of them.

Signed bytes with one scale a vector, widened block by block within the processor's cache: as
fast as a float32 product over everything, at a quarter of the memory. A cosine is off by about
0.0003; who needs it exact reads the few stored vectors that come out on top.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

Vector: TypeAlias = NDArray[np.float32]
Integers: TypeAlias = NDArray[np.int64]

BLOCK = 512  # vectors widened at a time: 1 MB at 512 dimensions, within the cache
FEW = 30  # vectors of a language: fewer tell no mean of their own


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
        self._place: dict[int, int] = {}
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
        self._place.update((row.window, start + n) for n, row in enumerate(rows))
        self.count = stop
        for language in np.unique(self._languages[start:stop]):
            chosen = self._languages[start:stop] == language
            self._counts[language] += int(chosen.sum())
            wide = self._bytes[start:stop][chosen] * scales[chosen][:, None]
            self._sums[language] += wide.sum(axis=0, dtype=np.float64)

    def put(self, rows: Iterable[WindowRow]) -> None:
        """Add windows, or replace those that are there."""
        for row in rows:
            place = self._place.get(row.window)
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
        for window in windows:
            place = self._place.pop(window, None)
            if place is None:
                continue
            self._count(place, -1)
            self.count -= 1
            last = self.count
            if place != last:
                for column in (
                    self.windows, self.passages, self.files, self._languages, self._scales,
                ):  # fmt: skip
                    column[place] = column[last]
                self._bytes[place] = self._bytes[last]
                self._place[int(self.windows[place])] = place

    def cosines(self, query: Vector) -> Vector:
        """Return the cosine of every window with `query`, a unit vector, in order of places."""
        scores = np.empty(self.count, np.float32)
        wide = np.empty((BLOCK, self.dimensions), np.float32)
        with _threads().limit(limits=1, user_api="blas"):
            for start in range(0, self.count, BLOCK):
                stop = min(start + BLOCK, self.count)
                block = wide[: stop - start]
                np.copyto(block, self._bytes[start:stop])
                np.dot(block, query, out=scores[start:stop])
        scores *= self._scales[: self.count]
        return scores

    def shifts(self, query: Vector) -> Vector:
        """Return what to take from every window's cosine so that languages can be compared.

        The cosine of the question with the mean of the window's language: passages in the
        question's language are nearer to it for the language's sake alone. The order within
        a language does not change. Languages with few windows share the mean of all.
        """
        if not self.count:
            return np.zeros(0, np.float32)
        overall = self._sums.sum(axis=0) / self.count
        few = (self._counts < FEW)[:, None]
        means = np.where(few, overall, self._sums / np.maximum(self._counts, 1)[:, None])
        if "" in self._names:
            means[self._names[""]] = overall
        by_language = (means @ query.astype(np.float64)).astype(np.float32)
        shifts: Vector = by_language[self._languages[: self.count]]
        return shifts

    def bytes_used(self) -> int:
        """Return the bytes held, whether filled or not."""
        columns = (self.windows, self.passages, self.files, self._languages, self._scales)
        return self._bytes.nbytes + sum(column.nbytes for column in columns)

    def places_of(self, windows: Sequence[int]) -> list[int]:
        """Return where these windows are, without those that are gone."""
        return [self._place[window] for window in windows if window in self._place]

    def _new_place(self, window: int) -> int:
        if self.count == len(self.windows):
            self._grow(max(1024, self.count * 5 // 4))
        place = self.count
        self.windows[place] = window
        self._place[window] = place
        self.count += 1
        return place

    def _grow(self, room: int) -> None:
        more = room - len(self.windows)
        self.windows = np.concatenate([self.windows, np.zeros(more, np.int64)])
        self.passages = np.concatenate([self.passages, np.zeros(more, np.int64)])
        self.files = np.concatenate([self.files, np.zeros(more, np.int64)])
        self._languages = np.concatenate([self._languages, np.zeros(more, np.int16)])
        self._scales = np.concatenate([self._scales, np.zeros(more, np.float32)])
        self._bytes = np.concatenate([self._bytes, np.zeros((more, self.dimensions), np.int8)])

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
