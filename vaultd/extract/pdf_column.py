"""Columns that were drawn row by row, which MuPDF takes for one block of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vaultd.core.box import Box, around
from vaultd.core.reading_order import reading_order
from vaultd.extract.content import readable
from vaultd.extract.pdf_block import Block, escaped, joined
from vaultd.extract.pdf_hyphen import marked
from vaultd.extract.pdf_sheet import line_boxes

LEAST_LINES = 8  # fewer say nothing
LEAST_LETTERS = 18  # a line on average; shorter pieces side by side are a table
# Width of a character over the distance of lines: 0.4 in running text, twice as much and more
# where each "line" is only one column's share of a row.
LOOSEST = 0.9
FEW_LETTERS = 8  # a line on average; a column of so few holds numbers
SAME_ROW = 0.5  # of its height by which a line overlaps others in its row

Line = tuple[Box, str]
"""The place of a line, and its text."""


def interleaved(block: Block) -> bool:
    """Tell whether `block` is columns of text that stand side by side."""
    if len(block.lines) < LEAST_LINES or not side_by_side(block):
        return False
    return sum(map(len, block.lines)) >= LEAST_LETTERS * len(block.lines)


def side_by_side(block: Block) -> bool:
    """Tell whether some lines of `block` must stand side by side: they fill little of its width."""
    letters = sum(map(len, block.lines)) / len(block.lines)
    width, height = block.box[2] - block.box[0], block.box[3] - block.box[1]
    return width / letters > LOOSEST * height / len(block.lines)


def untangled(blocks: Sequence[Block], textpage: Any) -> list[Block]:
    """Return `blocks`, interleaved ones cut into their columns."""
    found: list[Block] = []
    for block in blocks:
        found += _columns(lines_of(block, textpage)) if interleaved(block) else [block]
    return found


def lines_of(block: Block, textpage: Any) -> list[Line]:
    """Return the lines of `block` with their places."""
    boxes = line_boxes(textpage, block.raw[5])
    texts = block.raw[4].split("\n")
    return [(box, readable(text)) for box, text in zip(boxes, texts, strict=False) if text.strip()]


def _columns(lines: Sequence[Line]) -> list[Block]:
    """Return a block for every run of lines that goes down the page.

    A column of numbers goes with the lines that they stand behind.
    """
    boxes = [box for box, _ in lines]
    ordered = [lines[index] for index in reading_order(boxes, runs_on=False)]
    runs: list[list[Line]] = []
    for line in ordered:
        if not runs or line[0][1] < runs[-1][-1][0][1] - 1:
            runs.append([])
        runs[-1].append(line)
    columns: list[list[Line]] = []
    for run in runs:
        if columns and sum(len(text) for _, text in run) <= FEW_LETTERS * len(run):
            columns[-1] = by_row(columns[-1] + run)
        else:
            columns.append(run)
    return [_block(column) for column in columns]


def by_row(lines: Sequence[Line]) -> list[Line]:
    """Return the lines from top to bottom, those beside each other from left to right."""
    return [line for row in rows_of(lines) for line in row]


def rows_of(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the lines that stand beside each other together, from top to bottom."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line[0][3]):
        if not rows or line[0][1] > rows[-1][-1][0][3] - SAME_ROW * (line[0][3] - line[0][1]):
            rows.append([])
        rows[-1].append(line)
    return [sorted(row) for row in rows]


def _block(run: Sequence[Line]) -> Block:
    box = around([box for box, _ in run])
    lines = [text for _, text in run]
    plain = joined(marked("\n".join(lines)))
    return Block(box, plain, escaped(plain), lines=lines)
