"""Tables without lines between their columns: rows whose pieces stand below each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from vaultd.core.box import Box, around
from vaultd.core.table import markdown_table
from vaultd.extract.pdf_block import FENCE, SIGN, Block, joined
from vaultd.extract.pdf_column import Line, lines_of, rows_of, side_by_side
from vaultd.extract.pdf_page import Page
from vaultd.extract.pdf_raised import raise_numbers
from vaultd.extract.pdf_sheet import Described

LEAST_ROWS = 3  # of pieces side by side; fewer are a heading with a date, or a formula
FULL_ROWS = 0.6  # of the rows have pieces side by side
EMPTY_CELLS = 0.5  # a grid with more empty cells is a drawing
WORDLESS = 0.2  # of the cells without a letter or digit; more are a formula
FEWEST_LETTERS = 2.0  # a cell on average; fewer are a formula or the scale of a chart
LONGEST = 30  # letters a cell; a second column with more is text beside text
FARTHEST = 2.5  # times the height of a row; what is farther down is no part of the table
GUTTER = 3.0  # points between columns
RAISED = re.compile("[⁰¹²³⁴-⁹]")
LEADER = re.compile(r"(?:\. ?){4}")  # between a title and its page: a table of contents


def put_aligned(described: Described, found: Page) -> None:
    """Replace the blocks of every table that is only set in columns by the table, in place."""
    for start, end in reversed(list(_runs(found.blocks))):
        blocks = found.blocks[start:end]
        if sum(len(block.lines) for block in blocks) < 2 * LEAST_ROWS:
            continue
        textpage = described.textpage
        cells = _cells(rows_of([line for block in blocks for line in lines_of(block, textpage)]))
        if cells is not None:
            if any(RAISED.search(block.markdown) for block in blocks):
                cells = _cells(rows_of(_raised(blocks, described))) or cells
            box = around([block.box for block in blocks])
            text = " ".join(cell for row in cells for cell in row)
            found.blocks[start:end] = [Block(box, text, markdown_table(cells))]


def _raised(blocks: Sequence[Block], described: Described) -> list[Line]:
    """Return the lines of `blocks` anew, raised numbers in them as such."""
    raise_numbers(described)
    textpage = described.textpage
    raw = {each[5]: each for each in textpage.extractBLOCKS()}
    return [
        line
        for block in blocks
        for line in lines_of(replace(block, raw=raw[block.raw[5]]), textpage)
    ]


def _runs(blocks: Sequence[Block]) -> Iterator[tuple[int, int]]:
    """Give the runs of blocks, below each other, that may hold pieces side by side."""
    start = None
    for index, block in enumerate(blocks):
        may_hold = _may_hold(block)
        if start is not None and not (may_hold and _continues(blocks[start:index], block)):
            yield start, index
            start = None
        if start is None and may_hold:
            start = index
    if start is not None:
        yield start, len(blocks)


def _may_hold(block: Block) -> bool:
    is_code = block.markdown.startswith(FENCE)
    return len(block.lines) > 1 and bool(block.raw) and not is_code and side_by_side(block)


def _continues(run: Sequence[Block], block: Block) -> bool:
    """Tell whether `block` stands close below; what is bold there is the next heading."""
    above = run[-1]
    row = min(each.box[3] - each.box[1] for each in (above, block))
    apart = block.box[1] - above.box[3]
    left, _, right, _ = around([each.box for each in run])
    beside = min(right, block.box[2]) - max(left, block.box[0])
    return -row < apart < FARTHEST * row and beside > 0 and not block.bold


def _cells(rows: Sequence[Sequence[Line]]) -> list[list[str]] | None:
    """Return the table that the rows are; None if they are none."""
    columns = _columns([box for row in rows for box, _ in row])
    cells = [[_cell(row, column) for column in columns] for row in rows]
    full = sum(len(list(filter(None, row))) > 1 for row in cells)
    if full < max(LEAST_ROWS, FULL_ROWS * len(rows)) or not _is_table(cells):
        return None
    return cells


def _columns(boxes: Sequence[Box]) -> list[tuple[float, float]]:
    """Return the stripes of the page in which boxes stand, with gaps between them."""
    columns: list[tuple[float, float]] = []
    for left, _, right, _ in sorted(boxes):
        if columns and left < columns[-1][1] + GUTTER:
            columns[-1] = (columns[-1][0], max(columns[-1][1], right))
        else:
            columns.append((left, right))
    return columns


def _cell(row: Sequence[Line], column: tuple[float, float]) -> str:
    return joined(" ".join(text for box, text in row if column[0] <= box[0] < column[1]))


def _is_table(cells: Sequence[Sequence[str]]) -> bool:
    """Tell a table from a list, a list of contents, a formula, and text beside text."""
    flat = [cell for row in cells for cell in row]
    filled = [cell for cell in flat if cell]
    wordless = sum(not any(map(str.isalnum, cell)) for cell in filled)
    signs = sum(SIGN.fullmatch(row[0]) is not None for row in cells)
    leaders = sum(LEADER.search(cell) is not None for cell in filled)
    lengths = [sum(map(len, column)) / len(cells) for column in zip(*cells, strict=True)]
    return (
        len(filled) >= (1 - EMPTY_CELLS) * len(flat)
        and wordless <= WORDLESS * len(filled)
        and max(signs, leaders) <= len(cells) / 2
        and sum(map(len, filled)) >= FEWEST_LETTERS * len(filled)
        and sum(length > LONGEST for length in lengths) < 2
    )
