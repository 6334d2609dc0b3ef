"""Columns that were drawn row by row, which MuPDF takes for one block of text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from vaultd.core.box import Box, around
from vaultd.core.reading_order import reading_order
from vaultd.extract.content import readable
from vaultd.extract.pdf_block import Block, escaped, joined

LEAST_LINES = 8  # fewer say nothing
LEAST_LETTERS = 18  # a line on average; shorter pieces side by side are a table
# Width of a character over the distance of lines: 0.4 in running text, twice as much and more
# where each "line" is only one column's share of a row.
LOOSEST = 0.9


def interleaved(block: Block) -> bool:
    """Tell whether the lines of `block` must stand side by side."""
    if len(block.lines) < LEAST_LINES:
        return False
    letters = sum(map(len, block.lines)) / len(block.lines)
    width, height = block.box[2] - block.box[0], block.box[3] - block.box[1]
    return letters >= LEAST_LETTERS and width / letters > LOOSEST * height / len(block.lines)


def untangled(blocks: Sequence[Block], textpage: Any) -> list[Block]:
    """Return `blocks`, interleaved ones cut into their columns."""
    if not any(map(interleaved, blocks)):
        return list(blocks)
    words = textpage.extractWORDS()
    found: list[Block] = []
    for block in blocks:
        pieces = _lines(block.box, words) if interleaved(block) else []
        found += _columns(pieces) if pieces else [block]
    return found


def _lines(box: Box, words: Sequence[Any]) -> list[tuple[Box, str]]:
    """Return the lines in `box` with their places, put together from their words."""
    left, top, right, bottom = box
    inside = [
        word for word in words if top <= word[1] < bottom and left <= word[0] and word[2] <= right
    ]
    return [
        (around([word[:4] for word in line]), readable(" ".join(word[4] for word in line)))
        for line in (list(group) for _, group in groupby(inside, key=lambda word: word[5:7]))
    ]


def _columns(lines: Sequence[tuple[Box, str]]) -> list[Block]:
    """Return a block for every run of lines that goes down the page."""
    ordered = [lines[index] for index in reading_order([box for box, _ in lines])]
    runs: list[list[tuple[Box, str]]] = []
    for box, text in ordered:
        if not runs or box[1] < runs[-1][-1][0][1] - 1:
            runs.append([])
        runs[-1].append((box, text))
    return [_block(run) for run in runs]


def _block(run: Sequence[tuple[Box, str]]) -> Block:
    box = around([box for box, _ in run])
    plain = joined(" ".join(text for _, text in run))
    return Block(box, plain, escaped(plain), lines=[text for _, text in run])
