"""What goes on in another block of a PDF: words, and paragraphs from right to left."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from vaultd.core.box import around
from vaultd.extract.pdf_block import FENCE, ITEM, Block, joined
from vaultd.extract.pdf_hyphen import BREAK, HYPHENS, Hyphens
from vaultd.extract.pdf_rtl import RIGHT_TO_LEFT
from vaultd.extract.pdf_sheet import line_box, lines_of_block

FARTHEST = 6  # blocks to look at; notes and running headers stand between
CUT_OFF = re.compile(r"(?<=[^\W\d_])[-\u2010](\**)$")
NOTHING_GOES_ON = re.compile(rf"{ITEM.pattern}|[ivxlc]+\b")  # a list item, a page's number
SAME_EDGE = 3.0  # points by which the right edges of a column's lines differ at most
BETWEEN_LINES = 0.6  # of a line's height
LEVEL = 2.0  # points by which a line overlaps another in its row
ROOM = 0.15  # of the column, which a paragraph's line may leave free to the left
WORD = re.compile(r"\S+\s*")


def settle_hyphens(pages: Sequence[list[Block]]) -> None:
    """Join the words that line ends, columns and pages have broken, in place.

    On its page, a block that goes on with a word becomes part of the block before; from the next
    page only the word's end is taken, since a page's text is looked for on that page.
    """
    texts = [block.plain for page in pages for block in page]
    if not any(BREAK in text or text.endswith(HYPHENS) for text in texts):
        return
    hyphens = Hyphens(texts)
    for number, page in enumerate(pages):
        _join(page, pages[number + 1] if number + 1 < len(pages) else [], hyphens)
    for page in pages:
        for block in page:
            if BREAK in block.plain:
                is_plain = block.markdown == block.plain
                block.plain = hyphens.settled(block.plain)
                block.markdown = block.plain if is_plain else hyphens.settled(block.markdown)


def _join(page: list[Block], next_page: list[Block], hyphens: Hyphens) -> None:
    index = 0
    while index < len(page):
        block = page[index]
        rest = page[index + 1 :]
        place = _continuation(block, [*rest, *next_page][:FARTHEST], hyphens)
        if place is None:
            index += 1
        elif place < len(rest):
            _append(block, rest[place].plain, rest[place].markdown)
            del page[index + 1 + place]  # and look again: it may be broken at its end too
        else:
            _take_word(block, next_page, place - len(rest))
            index += 1


def _continuation(block: Block, following: Sequence[Block], hyphens: Hyphens) -> int | None:
    """Return which block begins with the rest of the last word of `block`; None if it is whole.

    It is the next one, or one farther on with which the word is one that the document knows.
    """
    is_cut_off = block.plain.endswith(HYPHENS) and CUT_OFF.search(block.markdown)
    if not is_cut_off or not _is_prose(block):
        return None
    may_go_on = [
        place
        for place, other in enumerate(following)
        if _is_prose(other) and other.plain[:1].islower() and not NOTHING_GOES_ON.match(other.plain)
    ]
    known = (p for p in may_go_on if hyphens.knows(block.plain[:-1], following[p].plain))
    return next(known, 0 if 0 in may_go_on else None)


def _is_prose(block: Block) -> bool:
    return bool(block.lines) and not block.markdown.startswith(FENCE)


def _append(block: Block, plain: str, markdown: str) -> None:
    """Put the text that goes on behind `block`; marks that end and begin again are left out."""
    cut = CUT_OFF.search(block.markdown)
    marks = cut[1] if cut else ""
    begun = block.markdown[: len(block.markdown) - len(marks) - 1]
    if marks and markdown.startswith(marks):
        markdown, marks = markdown[len(marks) :], ""
    sign = block.plain[-1]
    block.plain = f"{block.plain[:-1]}{BREAK}{sign}{plain}"
    block.markdown = f"{begun}{marks}{BREAK}{sign}{markdown}"


def _take_word(block: Block, page: list[Block], index: int) -> None:
    other = page[index]
    word = WORD.match(other.plain)
    if word is None or not other.markdown.startswith(word[0]):
        return  # marks stand before it
    _append(block, word[0].rstrip(), word[0].rstrip())
    other.plain, other.markdown = (
        text.removeprefix(word[0]) for text in (other.plain, other.markdown)
    )


def join_lines(blocks: list[Block], textpage: Any) -> None:
    """Join paragraphs from right to left, in place: MuPDF makes a block of most of their lines."""
    for index in range(len(blocks) - 1, 0, -1):
        above, block = blocks[index - 1 : index + 1]
        if all(map(_runs_to_the_left, (above, block))) and _is_below(above, block):
            column = [each.box for each in blocks if _has_right_edge_of(above, each)]
            last = line_box(lines_of_block(textpage, above.raw[5])[-1])
            left, _, right, _ = around(column)
            if last[0] - left < ROOM * (right - left):
                above.box = around([above.box, block.box])
                above.plain = joined(f"{above.plain} {block.plain}")
                above.markdown = joined(f"{above.markdown} {block.markdown}")
                above.lines += block.lines
                del blocks[index]


def _runs_to_the_left(block: Block) -> bool:
    return _is_prose(block) and bool(block.raw and RIGHT_TO_LEFT.search(block.plain))


def _has_right_edge_of(block: Block, other: Block) -> bool:
    return abs(block.box[2] - other.box[2]) < SAME_EDGE


def _is_below(above: Block, block: Block) -> bool:
    height = min(each.box[3] - each.box[1] for each in (above, block))
    is_same = (above.level, above.bold) == (block.level, block.bold)
    is_near = -height < block.box[1] - above.box[3] < BETWEEN_LINES * height
    is_text = is_same and not ITEM.match(block.plain) and "\n" not in above.markdown
    return is_near and is_text and _has_right_edge_of(above, block)


def join_rows(blocks: list[Block], textpage: Any) -> None:
    """Join blocks that go on in the same line of text, in place.

    MuPDF begins another where an index stands under an exponent, which is drawn after it.
    """
    index = 1
    while index < len(blocks):
        above, block = blocks[index - 1 : index + 1]
        if not (_may_share_row(above, block) and _is_in_row(above, block, textpage)):
            index += 1
            continue
        above.box = around([above.box, block.box])
        above.plain = joined(f"{above.plain} {block.plain}")
        above.markdown = joined(f"{above.markdown} {block.markdown}")
        above.lines += block.lines
        above.raw = block.raw  # whose last line may go on once more
        del blocks[index]


def _may_share_row(above: Block, block: Block) -> bool:
    if block.box[1] >= above.box[3] - LEVEL:
        return False
    return all(each.raw and _is_prose(each) for each in (above, block))


def _is_in_row(above: Block, block: Block, textpage: Any) -> bool:
    last = line_box(lines_of_block(textpage, above.raw[5])[-1])
    first = line_box(lines_of_block(textpage, block.raw[5])[0])
    height = last[3] - last[1]
    shared = min(last[3], first[3]) - max(last[1], first[1])
    return shared > LEVEL and -height < first[0] - last[2] < height
