"""Columns that were drawn row by row, which MuPDF takes for one block of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vaultd.core.reading_order import Box, reading_order
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
    lines = {
        tuple(raw["bbox"]): [(tuple(line["bbox"]), _text(line)) for line in raw["lines"]]
        for raw in textpage.extractDICT()["blocks"]
        if "lines" in raw
    }
    found: list[Block] = []
    for block in blocks:
        pieces = lines.get(tuple(block.box), []) if interleaved(block) else []
        found += _columns(pieces) if pieces else [block]
    return found


def _text(line: Any) -> str:
    return readable("".join(span["text"] for span in line["spans"]))


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
    boxes = [box for box, _ in run]
    box = (
        min(b[0] for b in boxes),
        min(b[1] for b in boxes),
        max(b[2] for b in boxes),
        max(b[3] for b in boxes),
    )
    plain = joined(" ".join(text for _, text in run))
    return Block(box, plain, escaped(plain), lines=[text for _, text in run])
