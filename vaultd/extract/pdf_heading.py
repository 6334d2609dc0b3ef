"""Which blocks of a PDF are headings: by its outline, else by size and boldness."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from vaultd.core.box import Box
from vaultd.extract.pdf_block import Block, joined

LEAST_ENTRIES = 3  # an outline with fewer says nothing about the text
LONGEST = 150  # characters of a heading
BODY_SHARE = 0.2  # a size class that holds more of the text is the body's, not the headings'
DEEPEST = 6
NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S|([A-Z]|[IVX]{1,5})\.\s+\S")
NEAR = 0.5  # of a line's height between the lines of one heading
UPRIGHT = 1.5  # times as high as wide; such a block is a line that runs up or down the margin
LETTERS = re.compile(r"[\W_]+")

Outline = dict[int, list[tuple[int, str]]]
"""Titles that lead to each page (from 0), with their depth from 1."""


def outline_of(entries: Iterable[Sequence[object]]) -> Outline:
    """Return PyMuPDF's table of contents by page; {} if it is too short to be relied on."""
    outline: Outline = defaultdict(list)
    for level, title, page, *_ in entries:
        if isinstance(level, int) and isinstance(page, int) and page > 0 and folded(str(title)):
            outline[page - 1].append((min(level, DEEPEST), folded(str(title))))
    return dict(outline) if sum(map(len, outline.values())) >= LEAST_ENTRIES else {}


def folded(text: str) -> str:
    """Return only the letters and digits of `text`, in small letters without accents."""
    if not text.isascii():  # some outlines have none
        text = unicodedata.normalize("NFKD", text)
    return LETTERS.sub("", text.casefold())


def mark_headings(pages: Sequence[list[Block]], outline: Outline) -> None:
    """Turn the Markdown of every heading into one, in place; one of two lines is one."""
    body_levels = _body_levels(pages)
    for index, blocks in enumerate(pages):
        titles = list(outline.get(index, ()))
        headings: dict[int, int] = {}  # levels, by the place of the block
        for place, block in enumerate(blocks):
            level = _outline_level(block, titles) if outline else _level(block, body_levels)
            if level:
                headings[place] = level
                block.markdown = f"{'#' * level} {block.plain}"
        for place in sorted(headings, reverse=True):
            above = blocks[place - 1]
            if headings.get(place - 1) == headings[place] and _goes_on(
                above, blocks[place], blocks
            ):
                above.plain = joined(f"{above.plain} {blocks[place].plain}")
                above.markdown = f"{'#' * headings[place]} {above.plain}"
                del blocks[place]


def _goes_on(above: Block, block: Block, page: Sequence[Block]) -> bool:
    """Tell whether `block` is the second line of a heading whose first had no room for more."""
    height, width = block.box[3] - block.box[1], block.box[2] - block.box[0]
    beside = [other.box for other in page if _overlap(other.box, above.box) > 0]
    column = max(box[2] for box in beside) - min(box[0] for box in beside)
    word = width * len(block.plain.split(maxsplit=1)[0]) / len(block.plain)
    return (
        (above.level, above.bold) == (block.level, block.bold)
        and _overlap(block.box, above.box) > 0
        and block.box[1] > above.box[1]
        and block.box[1] - above.box[3] < NEAR * height
        and above.box[2] - above.box[0] + word > column
        and not NUMBERED.match(block.plain)
    )


def _overlap(one: Box, other: Box) -> float:
    return min(one[2], other[2]) - max(one[0], other[0])


def _outline_level(block: Block, titles: list[tuple[int, str]]) -> int:
    """Return the depth of the title that `block` is, and take it off the list."""
    if not titles or len(block.plain) > LONGEST:
        return 0
    text = folded(block.plain)
    for entry in titles:
        level, title = entry
        without_number = text.lstrip("0123456789")
        if title in (text, without_number) or (len(title) > 8 and text.endswith(title)):
            titles.remove(entry)
            return level
    return 0


def _body_levels(pages: Sequence[list[Block]]) -> set[int]:
    """Return the size classes that so much text is in that they must be the body's."""
    sizes: Counter[int] = Counter()
    for blocks in pages:
        for block in blocks:
            sizes[block.level] += len(block.plain)
    total = sum(sizes.values())
    return {level for level, size in sizes.items() if size > BODY_SHARE * total}


def _level(block: Block, body_levels: set[int]) -> int:
    text = block.plain
    if len(text) > LONGEST or not any(map(str.isalpha, text)) or "```" in block.markdown:
        return 0
    if block.box[3] - block.box[1] > UPRIGHT * (block.box[2] - block.box[0]) and len(text) > 3:
        return 0
    if block.level and block.level not in body_levels and not text.endswith((".", ",", ";", ":")):
        return block.level
    match = NUMBERED.match(text) if block.bold else None
    if match is None or text.endswith((".", ",", ";")):
        return 0
    return min(2 + (match[1] or "").count("."), DEEPEST)
