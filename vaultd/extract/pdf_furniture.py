"""What repeats on the pages of a book: running headers, footers and page numbers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from vaultd.extract.pdf_block import Block

MARGIN = 0.1  # of the page's height, at the top and at the bottom
NUMBER_MARGIN = 0.15  # where a number that stands alone is the page's
LEAST_PAGES = 3  # a line on fewer pages is no running header
LEAST_SHARE = 0.25  # of all pages; chapters have headers of their own
LONGEST = 200  # characters; a longer block is text
NUMBER = re.compile(r"(?<!\d)\d{1,4}(?!\d)")
DIGITS = re.compile(r"[\W\d_]+")
ROMAN = re.compile(r"^[ivxlc]+\b|\b[ivxlc]+$")  # the number of a page before the first chapter
PLACE = re.compile(r"(?<![\d/])(\d+) ?(?:/|of|von) ?(\d+)(?![\d/])")
NUMERAL = re.compile(r"(?:page|seite|p\.)?\W*(?:\d+|[ivxlc]+)(?:\W*(?:of|/|von)\W*\d+)?\W*", re.I)


def without_furniture(pages: Sequence[list[Block]], heights: Sequence[float]) -> list[list[Block]]:
    """Return the pages without lines that stand in the margin of many of them.

    Digits do not count in the comparison. A page never loses all its text.
    """
    counts = Counter(
        key
        for blocks, height in zip(pages, heights, strict=True)
        for key in {_key(block) for block in blocks if _in_margin(block, height)}
    )
    least = max(LEAST_PAGES, LEAST_SHARE * len(pages))
    repeated = {key for key, count in counts.items() if count >= least}
    repeated |= _numbered(pages, heights)
    kept = []
    for index, (blocks, height) in enumerate(zip(pages, heights, strict=True)):
        place = (str(index + 1), str(len(pages)))
        rest = [
            block
            for block in blocks
            if not _in_margin(block, height)
            or (_key(block) not in repeated and place not in PLACE.findall(block.plain))
        ]
        kept.append(rest or blocks)
    return kept


def _numbered(pages: Sequence[list[Block]], heights: Sequence[float]) -> set[str]:
    """Return what repeats with a number that grows with the pages: the header of a chapter."""
    offsets: dict[str, Counter[int]] = defaultdict(Counter)
    for index, (blocks, height) in enumerate(zip(pages, heights, strict=True)):
        for block in blocks:
            if _in_margin(block, height):
                for number in {int(digits) for digits in NUMBER.findall(block.plain)}:
                    offsets[_key(block)][number - index] += 1
    return {key for key, counts in offsets.items() if max(counts.values()) >= LEAST_PAGES}


def _in_margin(block: Block, height: float) -> bool:
    top, bottom = block.box[1], block.box[3]
    margin = NUMBER_MARGIN if block.plain.isdecimal() else MARGIN
    inside = bottom < margin * height or top > (1 - margin) * height
    return inside and len(block.plain) <= LONGEST


def _key(block: Block) -> str:
    words = DIGITS.sub(" ", block.plain).strip()
    return "#" if NUMERAL.fullmatch(block.plain) else ROMAN.sub("", words).strip()
