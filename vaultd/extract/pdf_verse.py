"""Lines of a PDF that end where their writer ended them: addresses, ingredients, poems."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from vaultd.extract.pdf_block import EAST_ASIAN, Block, escaped
from vaultd.extract.pdf_column import side_by_side
from vaultd.extract.pdf_sheet import line_box, lines_of_block

ROOM = 0.8  # of a column: where the next word would have fitted in so much, no one had to break
OWN_ROOM = 0.9  # of the longest line, likewise
NARROW = 0.4  # of a column; so narrow a block was not set as a paragraph
UNEVEN = 0.8  # of the longest line; lines of a paragraph are longer but for the last
LABEL = 0.5  # of the longest line
LEFT = 12.0  # points that a paragraph of the same column may be set in


def keep_lines(blocks: Sequence[Block], textpage: Any) -> None:
    """Break the Markdown of every block where its lines, or the first, end before they had to."""
    for block in blocks:
        is_text = not block.level and "\n" not in block.markdown
        if len(block.lines) < 2 or not is_text or side_by_side(block):
            continue
        column = _letters_a_column(block, blocks)
        if _are_chosen(block.lines, column):
            block.markdown = _at_line_ends(block.markdown, block.lines)
        elif _is_label(block.lines, column) and _is_above(block, textpage):
            block.markdown = _at_line_ends(block.markdown, block.lines[:2])


def _at_line_ends(markdown: str, lines: Sequence[str]) -> str:
    """Return a paragraph, which may have marks, broken where these lines end; else as it is."""
    parts = []
    position = 0
    for above, below in pairwise(lines):
        words = re.escape(above.split()[-1]), re.escape(below.split()[0])
        end = re.compile(rf"{words[0]}(\**)( ?)(?=\**{words[1]})").search(markdown, position)
        if end is None:
            return markdown
        parts.append(escaped(markdown[position : end.end(1)]))
        position = end.end()
    return "\n".join([*parts, escaped(markdown[position:])])


def _is_above(block: Block, textpage: Any) -> bool:
    """Tell whether the first line is not only the first piece of a row."""
    if not block.raw:
        return False
    first, second = map(line_box, lines_of_block(textpage, block.raw[5])[:2])
    return second[1] > (first[1] + first[3]) / 2


def _is_label(lines: Sequence[str], column: float) -> bool:
    """Tell whether the first line stands by itself above a paragraph: "Note", "Example 1"."""
    first = lines[0].strip()
    if len(first) > LABEL * max(map(len, lines)):
        return False
    with_next = len(first) + 1 + len(lines[1].split(maxsplit=1)[0])
    return with_next <= ROOM * column and not first.endswith(("-", "\u2010", ","))


def _letters_a_column(block: Block, blocks: Sequence[Block]) -> float:
    """Return how many letters of a block fit into its column, as far as other blocks show it."""
    left, _, right, _ = block.box
    near = (other.box[2] for other in blocks if abs(other.box[0] - left) <= LEFT)
    return max(map(len, block.lines)) * (max(near) - left) / max(right - left, 1.0)


def _are_chosen(lines: Sequence[str], column: float) -> bool:
    """Tell whether lines end where their writer wanted it, `column` letters being a full one."""
    longest = max(map(len, lines))
    if longest > ROOM * column or any(line.endswith("-") for line in lines[:-1]):
        return False
    with_next = [len(line) + 1 + len(below.split(maxsplit=1)[0]) for line, below in pairwise(lines)]
    if max(with_next) > ROOM * column:
        return False
    if min(with_next) <= OWN_ROOM * longest:
        return True
    spaced = max(map(max, lines)) < EAST_ASIAN[0]  # others break their lines anywhere
    return spaced and longest < NARROW * column and min(map(len, lines[:-1])) < UNEVEN * longest
