"""The copy of the vectors in memory follows any changes, and holds nothing else."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vaultd.search.matrix import Integers, Matrix, Vector, WindowRow

DIMENSIONS = 16

changes = st.lists(
    st.tuples(st.sampled_from(["load", "put", "remove"]), st.sets(st.integers(1, 40), max_size=9)),
    max_size=12,
)


def unit(seed: int) -> Vector:
    vector = np.random.default_rng(seed).standard_normal(DIMENSIONS, np.float32)
    made: Vector = vector / np.linalg.norm(vector)
    return made


def row(window: int, turn: int = 0) -> WindowRow:
    language = "en" if (window + turn) % 3 else "zh"
    return WindowRow(window, window // 3, window // 9, language, unit(window * 100 + turn))


@given(changes=changes)
def test_it_holds_what_was_put_and_not_removed(changes: list[tuple[str, set[int]]]) -> None:
    matrix = Matrix(DIMENSIONS, room=4)
    there: dict[int, WindowRow] = {}
    for turn, (change, windows) in enumerate(changes):
        rows = [row(window, turn) for window in windows]
        if change == "remove":
            matrix.remove(windows)
            there = {window: old for window, old in there.items() if window not in windows}
        elif change == "load":
            rows = [one for one in rows if one.window not in there]
            matrix.load(rows)
            there |= {one.window: one for one in rows}
        else:
            matrix.put(rows)
            there |= {one.window: one for one in rows}
    assert matrix.count == len(there)
    query = unit(7)
    places, scores = matrix.nearest(query, 100)
    for place, score in zip(places, scores, strict=True):
        one = there.pop(int(matrix.windows[place]))
        assert (matrix.passages[place], matrix.files[place]) == (one.passage, one.file)
        cosine = score + matrix.shifts(query, np.array([place]))[0]
        assert abs(cosine - one.vector @ query) < 0.01
    assert not there


def test_the_nearest_of_many_are_those_of_an_exact_scan() -> None:
    rng = np.random.default_rng(3)
    vectors = rng.standard_normal((9_000, 512), np.float32) + rng.standard_normal(512, np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    matrix = Matrix(512)
    matrix.load([WindowRow(n, n, n, "en", vector) for n, vector in enumerate(vectors)])
    question = rng.standard_normal(512, np.float32)  # a question is not like what it looks for
    question /= np.linalg.norm(question)
    exact = np.argsort(-(vectors @ question))
    places, _ = matrix.nearest(question, 100)
    assert len(set(exact[:100]) & set(matrix.windows[places])) >= 99
    below: Integers = np.arange(0, 9_000, 90)
    places, _ = matrix.nearest(question, 10, below)
    assert matrix.windows[places].tolist() == [n for n in exact.tolist() if n % 90 == 0][:10]


def test_what_is_nearest_comes_first_whatever_is_alike_behind_it() -> None:
    matrix = Matrix(DIMENSIONS)
    alike = [WindowRow(n, n, n, "en", unit(1)) for n in range(50)]
    matrix.load([*alike, WindowRow(50, 50, 50, "en", unit(2))])
    places, _ = matrix.nearest(unit(2), 10)
    assert len(places) == 10
    assert matrix.windows[places[0]] == 50


def test_nothing_is_near_where_there_is_nothing() -> None:
    places, scores = Matrix(DIMENSIONS).nearest(unit(1), 10)
    assert len(places) == len(scores) == 0
