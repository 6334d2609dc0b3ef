"""The copy of the vectors in memory follows any changes, and holds nothing else."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vaultd.search.matrix import SKETCHED_FROM, Matrix, Vector, WindowRow

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


def test_the_first_look_by_few_directions_keeps_what_is_near() -> None:
    rng = np.random.default_rng(3)
    centres = rng.standard_normal((200, DIMENSIONS), np.float32)
    vectors = centres[rng.integers(0, 200, SKETCHED_FROM)]
    vectors = vectors + 0.3 * rng.standard_normal(vectors.shape, np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    matrix = Matrix(DIMENSIONS)
    matrix.load([WindowRow(n + 1, n, n, "en", vector) for n, vector in enumerate(vectors)])
    matrix.put([WindowRow(len(vectors) + 1, len(vectors), 0, "en", unit(5))])
    places, _ = matrix.nearest(unit(5), 10)
    exact = np.argsort(-(vectors @ unit(5)))[:9] + 1
    assert set(matrix.windows[places]) == {*exact.tolist(), len(vectors) + 1}
