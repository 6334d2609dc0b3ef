"""Code on a PDF page: its lines set in as they stand, which MuPDF does not keep."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from vaultd.extract.pdf_block import FENCE, Block, listing
from vaultd.extract.pdf_column import Line, by_row, lines_of

DEEPEST = 80  # letters by which a line may be set in or apart; more is another column


def set_in(blocks: Sequence[Block], textpage: Any) -> None:
    """Give the lines of every listing among `blocks` their distance from its left edge."""
    for is_listing, run in groupby(blocks, key=lambda block: block.markdown.startswith(FENCE)):
        if is_listing:
            _set_in([(block, _own_lines(block, textpage)) for block in run])


def _own_lines(block: Block, textpage: Any) -> list[Line]:
    """Return the lines of a listing with their places, without its heading in the same block."""
    own = set(block.lines)
    return [line for line in lines_of(block, textpage) if line[1] in own]


def _set_in(listings: Sequence[tuple[Block, list[Line]]]) -> None:
    every = [line for _, lines in listings for line in lines]
    if not every:
        return
    left = min(box[0] for box, _ in every)
    width = statistics.median((box[2] - box[0]) / len(text) for box, text in every)
    for block, lines in listings:
        if lines and width > 0:
            block.markdown = listing(_rows(lines, left, width))


def _rows(lines: Sequence[Line], left: float, width: float) -> list[str]:
    """Return the lines as a typewriter would set them, letters `width` points apart."""
    rows: list[str] = []
    end = None
    for box, text in by_row(lines):
        column = min(round((box[0] - left) / width), DEEPEST)
        if end is not None and box[1] < end:
            rows[-1] += " " * max(column - len(rows[-1]), 1) + text.strip()
        else:
            rows.append(" " * column + text.rstrip())
        end = (box[1] + box[3]) / 2
    return rows
