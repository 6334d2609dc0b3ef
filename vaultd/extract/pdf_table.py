"""Ruled tables of a PDF page, as Markdown in the place of their text."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pymupdf as _pymupdf

from vaultd.core.box import Box, around, grown, lies_in
from vaultd.core.table import markdown_table
from vaultd.extract.content import readable
from vaultd.extract.pdf_block import Block, joined
from vaultd.extract.pdf_heading import folded
from vaultd.extract.pdf_hyphen import marked
from vaultd.extract.pdf_page import Page
from vaultd.extract.pdf_raised import raise_numbers
from vaultd.extract.pdf_row import ruled_rows, with_outer_rows
from vaultd.extract.pdf_sheet import Described

pymupdf: Any = _pymupdf  # its own hints are partial

THIN = 3.0  # points; a rectangle less thick is a line
LEAST_LENGTH = 6.0  # points of a line
LEAST_WIDTH = 15.0  # points of a line that runs across a table
MOST_CELLS = 5_000  # of a table on one page; more are a drawing
LEAST_BLOCKS = 2  # pieces of text in the smallest table; MuPDF may join a row
TOUCH = 3.0  # points between lines that belong together
MOST_RULES = 2_000  # a page with more is a drawing, on which the search would not end
KEPT_TEXT = 0.9  # of the letters under a table must be in its cells, else it is none
NUMBERS = re.compile(r"[\d.,%±+\-–]+(?: [\d.,%±+\-–]+){2,}")  # three or more in one cell
FEW_CELLS, LONG_CELL = 9, 400  # a few cells with so many characters are boxes on a title page
EMPTY_CELLS = 0.5  # a grid with more empty cells is a drawing


def put_tables(page: Any, described: Described, found: Page) -> None:
    """Replace the blocks under every ruled table of `page` by the table, in place."""
    if len(found.rules) > MOST_RULES:
        return
    groups = ruled_groups(found.rules, [block.box for block in found.blocks])
    rows = [] if groups else ruled_rows(found.rules)
    grids = [grid for grid in _grids(page, groups) if grid.may_hold(found.blocks)]
    if not (grids or rows):
        return
    raise_numbers(described)
    words = described.textpage.extractWORDS()
    grids += [Grid.of_rows(edges, with_outer_rows(edges, ys, words)) for edges, ys in rows]
    for grid in grids:
        _put(found, grid.box, grid.rows(words))


def _grids(page: Any, groups: Sequence[Sequence[Box]]) -> Iterator[Grid]:
    """Give the grid of every group of lines that is one."""
    drawn: list[Box] | None = None
    for group in groups:
        region = around(group)
        grid = Grid.within(region, [side for box in group for side in _sides(*box)])
        if grid is None and _frames(group) in (1, 2):  # one path may draw a whole grid
            drawn = _segments(page) if drawn is None else drawn
            grid = Grid.within(region, drawn)
        if grid is not None:
            yield grid


def _segments(page: Any) -> list[Box]:
    """Return the straight lines that are drawn on `page`, frames as their four sides."""
    segments: list[Box] = []
    for drawing in page.get_cdrawings():
        for item in drawing["items"]:
            if item[0] == "l":
                (x0, y0), (x1, y1) = item[1], item[2]
                segments.append((min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)))
            elif item[0] == "re":
                segments += _sides(*item[1][:4])
    if page.rotation:  # they come as if the page was not turned
        segments = [tuple(pymupdf.Rect(box) * page.rotation_matrix) for box in segments]
    return [box for box in segments if min(box[2] - box[0], box[3] - box[1]) < THIN]


def _sides(x0: float, y0: float, x1: float, y1: float) -> list[Box]:
    if min(x1 - x0, y1 - y0) < THIN:
        return [(x0, y0, x1, y1)]
    return [(x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1)]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table's lines: `xs` and `ys` are the places of columns and rows, ascending."""

    xs: list[float]
    ys: list[float]
    across: list[Box]
    down: list[Box]

    @classmethod
    def within(cls, region: Box, segments: Sequence[Box]) -> Grid | None:
        """Return the grid that `segments` draw in `region`; None below two rows and columns.

        Many tables are open at the sides: the ends of their lines are its edges.
        """
        inside = [box for box in segments if lies_in(box, grown(region, TOUCH))]
        across = [box for box in inside if box[2] - box[0] > LEAST_LENGTH]
        down = [box for box in inside if box[3] - box[1] > LEAST_LENGTH]
        if not across or not down:
            return None
        ends, tips = around(across), around(down)
        xs = _places([ends[0], ends[2], *((box[0] + box[2]) / 2 for box in down)])
        ys = _places([tips[1], tips[3], *((box[1] + box[3]) / 2 for box in across)])
        if min(len(xs), len(ys)) < 3 or len(xs) * len(ys) > MOST_CELLS:
            return None
        return cls(xs, ys, across, down)

    @classmethod
    def of_rows(cls, xs: Sequence[float], ys: Sequence[float]) -> Grid:
        """Return the grid of a table whose lines all run through."""
        across = [(xs[0], y, xs[-1], y) for y in ys]
        return cls(list(xs), list(ys), across, [(x, ys[0], x, ys[-1]) for x in xs])

    @property
    def box(self) -> Box:
        """The region that the grid covers."""
        return self.xs[0], self.ys[0], self.xs[-1], self.ys[-1]

    def may_hold(self, blocks: Sequence[Block]) -> bool:
        """Tell whether there are words enough for the cells not to be mostly empty."""
        texts = [block.plain for block in blocks if lies_in(block.box, self.box)]
        words = sum(len(text.split() if text.isascii() else text) for text in texts)
        return words >= (1 - EMPTY_CELLS) * (len(self.xs) - 1) * (len(self.ys) - 1)

    def rows(self, words: Sequence[Any]) -> list[list[str]]:
        """Return the cells' texts; where a line is missing, the text stands in the first cell."""
        cells: dict[tuple[int, int], list[str]] = {}
        lines: dict[tuple[int, int], Sequence[int]] = {}
        first = self._first_cells()
        for x0, y0, x1, y1, word, *line, _ in words:
            x, y = (x0 + x1) / 2, (y0 + y1) / 2
            column, row = bisect_right(self.xs, x) - 1, bisect_right(self.ys, y) - 1
            if 0 <= column < len(self.xs) - 1 and 0 <= row < len(self.ys) - 1:
                cell = first[row, column]
                apart = " " if lines.get(cell) == line else "\n"
                cells.setdefault(cell, []).append(apart + word)
                lines[cell] = line
        return [
            [
                joined(marked(readable("".join(cells.get((row, column), ())))))
                for column in range(len(self.xs) - 1)
            ]
            for row in range(len(self.ys) - 1)
        ]

    def _first_cells(self) -> dict[tuple[int, int], tuple[int, int]]:
        """Return for each cell the upper left one of the merged cell that it is part of."""
        first: dict[tuple[int, int], tuple[int, int]] = {}
        walls = [[box for box in self.down if _at(box, 0, x)] for x in self.xs]
        floors = [[box for box in self.across if _at(box, 1, y)] for y in self.ys]
        for row, y in enumerate(_middles(self.ys)):
            for column, x in enumerate(_middles(self.xs)):
                first[row, column] = (row, column)
                if column and not any(box[1] <= y <= box[3] for box in walls[column]):
                    first[row, column] = first[row, column - 1]
                elif row and not any(box[0] <= x <= box[2] for box in floors[row]):
                    first[row, column] = first[row - 1, column]
        return first


def _at(box: Box, axis: int, place: float) -> bool:
    return abs((box[axis] + box[axis + 2]) / 2 - place) <= TOUCH


def _middles(places: Sequence[float]) -> list[float]:
    return [(a + b) / 2 for a, b in itertools.pairwise(places)]


def _places(values: Sequence[float]) -> list[float]:
    """Return the distinct places among `values`, nearer ones taken as one."""
    places: list[float] = []
    for value in sorted(values):
        if not places or value - places[-1] > TOUCH:
            places.append(value)
    return places


def ruled_groups(rules: Sequence[Box], blocks: Sequence[Box]) -> list[list[Box]]:
    """Return the touching lines that run both ways around several pieces of text."""
    return [
        group
        for group in _touching(rules)
        if _run_both_ways(group)
        and sum(lies_in(block, around(group)) for block in blocks) >= LEAST_BLOCKS
    ]


def _touching(rules: Sequence[Box]) -> list[list[Box]]:
    """Group boxes that touch, directly or through others."""
    groups: list[tuple[Box, list[Box]]] = []
    for rule in sorted(rules, key=lambda box: box[1]):
        box, members = rule, [rule]
        rest = []
        for outline, group in groups:
            if _touch(outline, box):
                members += group
                box = around([outline, box])
            else:
                rest.append((outline, group))
        groups = [*rest, (box, members)]
    return [members for _, members in groups]


def _touch(one: Box, other: Box) -> bool:
    left, top, right, bottom = grown(one, TOUCH)
    return left <= other[2] and other[0] <= right and top <= other[3] and other[1] <= bottom


def _run_both_ways(rules: Sequence[Box]) -> bool:
    """Tell whether lines run in both directions, or a frame, which may be a whole grid."""
    across = sum(box[2] - box[0] > LEAST_WIDTH and box[3] - box[1] < THIN for box in rules)
    down = sum(box[3] - box[1] > LEAST_LENGTH and box[2] - box[0] < THIN for box in rules)
    return (across >= 2 and down >= 1) or _frames(rules) >= 1


def _frames(rules: Sequence[Box]) -> int:
    """Count the boxes that are no lines: frames of cells, or grids drawn in one go."""
    return sum(min(box[2] - box[0], box[3] - box[1]) >= THIN for box in rules)


def _put(found: Page, box: Box, rows: list[list[str]]) -> None:
    rows = [row for row in rows if any(row)]
    flat = [cell for row in rows for cell in row]
    if len(rows) < 2 or flat.count("") > EMPTY_CELLS * len(flat) or _is_layout(flat):
        return
    inside = [block for block in found.blocks if lies_in(block.box, box)]
    under = "".join(folded(block.plain) for block in inside)
    if not inside or len(folded("".join(flat))) < KEPT_TEXT * len(under):
        return
    place = found.blocks.index(inside[0])
    found.blocks = [block for block in found.blocks if block not in inside]
    found.blocks.insert(place, Block(box, " ".join(flat), markdown_table(rows)))


def _is_layout(cells: Sequence[str]) -> bool:
    """Tell whether cells hold whole columns without lines of their own, or parts of a page."""
    columns = sum(NUMBERS.fullmatch(cell) is not None for cell in cells)
    return columns > 1 or (len(cells) < FEW_CELLS and max(map(len, cells)) > LONG_CELL)
