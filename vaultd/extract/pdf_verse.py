"""Lines of a PDF that end where their writer ended them: addresses, ingredients, poems."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from vaultd.extract.pdf_block import EAST_ASIAN, Block, escaped, joined
from vaultd.extract.pdf_column import side_by_side

ROOM = 0.8  # of a column: where the next word would have fitted in so much, no one had to break
OWN_ROOM = 0.9  # of the longest line, likewise
NARROW = 0.4  # of a column; so narrow a block was not set as a paragraph
UNEVEN = 0.8  # of the longest line; lines of a paragraph are longer but for the last
LEFT = 12.0  # points that a paragraph of the same column may be set in


def keep_lines(blocks: Sequence[Block]) -> None:
    """Break the Markdown of every block whose lines all end before they had to."""
    for block in blocks:
        if (
            len(block.lines) > 1
            and block.markdown == block.plain
            and not side_by_side(block)
            and _are_chosen(block.lines, _letters_a_column(block, blocks))
        ):
            block.markdown = "\n".join(escaped(joined(line)) for line in block.lines)


def _letters_a_column(block: Block, blocks: Sequence[Block]) -> float:
    """Return how many letters of a block fit into its column, as far as other blocks show it."""
    left, _, right, _ = block.box
    near = (other.box[2] for other in blocks if abs(other.box[0] - left) <= LEFT)
    return max(map(len, block.lines)) * (max(near) - left) / max(right - left, 1.0)


def _are_chosen(lines: Sequence[str], column: float) -> bool:
    """Tell whether lines end where their writer wanted it, `column` letters being a full one."""
    longest = max(map(len, lines))
    if any(line.endswith("-") for line in lines[:-1]):
        return False
    with_next = [len(line) + 1 + len(below.split(maxsplit=1)[0]) for line, below in pairwise(lines)]
    if max(with_next) > ROOM * column or longest > ROOM * column:
        return False
    if min(with_next) <= OWN_ROOM * longest:
        return True
    spaced = max(map(max, lines)) < EAST_ASIAN[0]  # others break their lines anywhere
    return spaced and longest < NARROW * column and min(map(len, lines[:-1])) < UNEVEN * longest
