"""Tables that are ruled only between their rows, each line drawn cell by cell."""

from __future__ import annotations

import itertools
import statistics
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from vaultd.core.box import Box

THIN = 3.0  # points; a thicker box is no line
TOUCH = 2.0  # points between pieces of one line
LEAST_LINES = 3  # with the same pieces, one below the other
WORDS_A_CELL = 4  # on average; more in an outer row, and it is a paragraph above or below
TALLEST = 4.0  # times the common distance of lines; a wider gap ends the table

Columns = tuple[float, ...]


def ruled_rows(rules: Sequence[Box]) -> list[tuple[Columns, list[float]]]:
    """Return the columns' edges and the lines' heights of every such table, top to bottom."""
    found: list[tuple[Columns, list[float]]] = []
    for y, edges in _lines(rules):
        if found and _same(found[-1][0], edges):
            found[-1][1].append(y)
        else:
            found.append((edges, [y]))
    tables = ((edges, ys) for edges, ys in found if len(ys) >= LEAST_LINES)
    return [(edges, ys) for edges, ys in tables if max(_gaps(ys)) <= TALLEST * _usual(ys)]


def _lines(rules: Sequence[Box]) -> list[tuple[float, Columns]]:
    """Return the lines that are drawn in two or more pieces, with the ends of the pieces."""
    pieces: dict[int, dict[int, Box]] = defaultdict(dict)
    for box in rules:
        if box[3] - box[1] < THIN < box[2] - box[0]:
            pieces[round(box[3])][round(box[0])] = box  # some are drawn twice
    lines: list[tuple[float, Columns]] = []
    for y in sorted(pieces):
        boxes = [box for _, box in sorted(pieces[y].items())]
        joined = all(abs(b[0] - a[2]) <= TOUCH for a, b in itertools.pairwise(boxes))
        if len(boxes) > 1 and joined:
            lines.append((boxes[0][3], (*(box[0] for box in boxes), boxes[-1][2])))
    return lines


def _same(one: Columns, other: Columns) -> bool:
    pairs = zip(one, other, strict=False)
    return len(one) == len(other) and all(abs(a - b) <= TOUCH for a, b in pairs)


def _gaps(ys: Sequence[float]) -> list[float]:
    return [below - above for above, below in itertools.pairwise(ys)]


def _usual(ys: Sequence[float]) -> float:
    return statistics.median(_gaps(ys))


def with_outer_rows(edges: Columns, ys: Sequence[float], words: Sequence[Any]) -> list[float]:
    """Return the lines, with one above and one below where a row stands outside of them."""
    height = _usual(ys)
    top, bottom = ys[0] - height, ys[-1] + height
    above = [top] if _is_row(edges, top, ys[0], words) else []
    below = [bottom] if _is_row(edges, ys[-1], bottom, words) else []
    return [*above, *ys, *below]


def _is_row(edges: Columns, top: float, bottom: float, words: Sequence[Any]) -> bool:
    """Tell whether what stands between two heights is cut as the columns are."""
    inside = [w for w in words if top < (w[1] + w[3]) / 2 < bottom and w[2] > edges[0]]
    inside = [word for word in inside if word[0] < edges[-1]]
    crossed = any(word[0] < edge < word[2] for word in inside for edge in edges[1:-1])
    cells = {sum(word[0] >= edge for edge in edges[1:-1]) for word in inside}
    count = len(edges) - 1
    return not crossed and 2 * len(cells) > count and len(inside) <= WORDS_A_CELL * count
