"""The order in which a reader takes in the boxes on a page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from vaultd.core.box import Box

SLACK = 1.0  # points by which boxes may overlap and still stand apart
MOST_BOXES = 3_000  # more boxes are no page to be read in order
MOST_BANDS = 100  # more rows are a table
NARROWEST = 0.25  # of the width: a column of text
DEEPEST_GAP = 1.5  # times the gutter: a wider gap across the columns ends them

Edges = Sequence[Sequence[float]]
"""The left edges of all boxes, their top, their right and their bottom edges."""


def suspicious(boxes: Sequence[Box]) -> bool:
    """Tell whether the given order jumps up inside a column: a reader would not go so."""
    for above, box in zip(boxes, boxes[1:], strict=False):
        shared = min(above[2], box[2]) - max(above[0], box[0])
        if box[3] < above[1] + SLACK and shared > 0.3 * min(above[2] - above[0], box[2] - box[0]):
            return True
    return False


def reading_order(boxes: Sequence[Box], *, runs_on: bool = True) -> list[int]:
    """Return the indices of `boxes` in reading order, by cutting the page along its gaps.

    A page is cut across where a gap runs over its whole width, into columns where a gap runs
    over its whole height; columns are read from left to right. Of gaps in both directions, the
    wider one is cut first if it is a gutter between columns, else the page is cut across. With
    `runs_on`, columns of text go on below a gap that happens to be in each of them.
    """
    if len(boxes) > MOST_BOXES:
        return list(range(len(boxes)))
    edges = list(zip(*boxes, strict=True))
    ordered: list[int] = []
    groups = [list(range(len(boxes)))]
    while groups:
        group = groups.pop()
        parts = _parts(edges, group, runs_on=runs_on) if len(group) > 1 else [group]
        if len(parts) == 1:
            ordered += sorted(parts[0], key=lambda index: (boxes[index][1], boxes[index][0]))
        else:
            groups += reversed(parts)
    return ordered


def _parts(edges: Edges, group: list[int], *, runs_on: bool) -> list[list[int]]:
    """Cut `group` once: into columns, else into rows, else not at all."""
    columns = _split(edges, group, 0)
    rows = _split(edges, group, 1)
    if len(columns) == 1 or (len(rows) > 1 and not _are_columns(edges, columns)):
        return _run_on(edges, rows) if runs_on and len(rows) <= MOST_BANDS else rows
    return columns


def _run_on(edges: Edges, rows: list[list[int]]) -> list[list[int]]:
    """Put rows of the page together again where the same columns of text run through them."""
    bands: list[list[int]] = []
    for row in rows:
        if bands and _is_text(edges, bands[-1], row):
            bands[-1] += row
        else:
            bands.append(row)
    return bands


def _is_text(edges: Edges, above: list[int], below: list[int]) -> bool:
    """Tell whether both rows fall into the same wide columns, with no deep gap between them."""
    columns = _split(edges, above + below, 0)
    if len(columns) == 1 or not _are_columns(edges, columns):
        return False
    spans = [(min(edges[0][i] for i in part), max(edges[2][i] for i in part)) for part in columns]
    narrowest = min(right - left for left, right in spans)
    gutter = min(right[0] - left[1] for left, right in pairwise(spans))
    gap = min(edges[1][i] for i in below) - max(edges[3][i] for i in above)
    return narrowest >= NARROWEST * (spans[-1][1] - spans[0][0]) and gap <= DEEPEST_GAP * gutter


def _are_columns(edges: Edges, parts: list[list[int]]) -> bool:
    """Tell whether the parts run side by side over most of their height, each of several boxes."""
    spans = [(min(edges[1][i] for i in part), max(edges[3][i] for i in part)) for part in parts]
    height = max(end for _, end in spans) - min(start for start, _ in spans)
    shared = min(end for _, end in spans) - max(start for start, _ in spans)
    return shared > 0.5 * height and all(len(part) > 1 for part in parts)


def _split(edges: Edges, group: list[int], axis: int) -> list[list[int]]:
    """Split `group` at every gap along `axis` (0: columns, 1: rows)."""
    starts, ends = edges[axis], edges[axis + 2]
    ordered = sorted(group, key=starts.__getitem__)
    parts = [[ordered[0]]]
    end = ends[ordered[0]]
    for index in ordered[1:]:
        if starts[index] >= end - SLACK:
            parts.append([])
        parts[-1].append(index)
        end = max(end, ends[index])
    return parts
