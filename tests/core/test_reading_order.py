"""In which order the boxes of a page are read."""

from __future__ import annotations

from vaultd.core.box import Box
from vaultd.core.reading_order import reading_order

LEFT, RIGHT = (50.0, 290.0), (310.0, 550.0)


def box(column: tuple[float, float], top: float, height: float = 40.0) -> Box:
    return (column[0], top, column[1], top + height)


def test_columns_run_on_below_a_gap_in_both() -> None:
    title = (50.0, 20.0, 550.0, 40.0)
    boxes = [title, *(box(side, top) for top in (60, 110, 160) for side in (LEFT, RIGHT))]

    assert reading_order(boxes) == [0, 1, 3, 5, 2, 4, 6]


def test_columns_end_at_a_deep_gap() -> None:
    boxes = [box(side, top) for top in (60, 110, 300, 350) for side in (LEFT, RIGHT)]
    title = (50.0, 20.0, 550.0, 40.0)

    assert reading_order([*boxes, title]) == [8, 0, 2, 1, 3, 4, 6, 5, 7]


def test_what_lies_across_ends_the_columns() -> None:
    across = (50.0, 160.0, 550.0, 180.0)
    boxes = [box(side, top) for top in (60, 110, 190, 240) for side in (LEFT, RIGHT)]

    assert reading_order([*boxes, across]) == [0, 2, 1, 3, 8, 4, 6, 5, 7]


def test_rows_stay_rows_where_nothing_runs_on() -> None:
    title = (50.0, 20.0, 550.0, 40.0)
    boxes = [title, *(box(side, top) for top in (60, 110) for side in (LEFT, RIGHT))]

    assert reading_order(boxes, runs_on=False) == [0, 1, 2, 3, 4]
