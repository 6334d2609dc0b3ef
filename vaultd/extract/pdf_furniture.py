"""What repeats on the pages of a book: running headers, footers and page numbers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from vaultd.extract.pdf_block import Block
from vaultd.extract.pdf_page import Page

MARGIN = 0.1  # of the page's height, at the top and at the bottom
NUMBER_MARGIN = 0.15  # where a number that stands alone is the page's
LEAST_PAGES = 3  # a line on fewer pages is no running header
LEAST_SHARE = 0.25  # of all pages; chapters have headers of their own
BEGINNING = 12  # letters that are the same in the headers of a chapter
NEAR_PAGES = 4  # pages on which three headers of a chapter stand; left and right ones may differ
LONGEST = 200  # characters; a longer block is text
NUMBER = re.compile(r"(?<!\d)\d{1,4}(?!\d)")
DIGITS = re.compile(r"[\W\d_]+")
ROMAN = re.compile(r"^[ivxlc]+\b|\b[ivxlc]+$")  # the number of a page before the first chapter
PLACE = re.compile(r"(?<![\d/])(\d+) ?(?:/|of|von) ?(\d+)(?![\d/])")
NUMERAL = re.compile(r"(?:page|seite|p\.)?\W*(?:\d+|[ivxlc]+)(?:\W*(?:of|/|von)\W*\d+)?\W*", re.I)


def without_furniture(pages: Sequence[Page]) -> list[list[Block]]:
    """Return the pages without lines that stand in the margin of many of them.

    Digits do not count in the comparison. A page never loses all its text.
    """
    counts = Counter(key for page in pages for key in {_key(block) for block in _in_margin(page)})
    least = max(LEAST_PAGES, LEAST_SHARE * len(pages))
    repeated = {key for key, count in counts.items() if count >= least}
    repeated |= _numbered(pages)
    headers = _headers(pages)
    kept = []
    for index, page in enumerate(pages):
        place = (str(index + 1), str(len(pages)))
        gone = [
            id(block)
            for block in _in_margin(page)
            if _key(block) in repeated
            or _beginning(block) in headers
            or place in PLACE.findall(block.plain)
        ]
        kept.append([block for block in page.blocks if id(block) not in gone] or page.blocks)
    return kept


def _numbered(pages: Sequence[Page]) -> set[str]:
    """Return what repeats with a number that grows with the pages: the header of a chapter."""
    offsets: dict[str, Counter[int]] = defaultdict(Counter)
    for index, page in enumerate(pages):
        for block in _in_margin(page):
            for number in {int(digits) for digits in NUMBER.findall(block.plain)}:
                offsets[_key(block)][number - index] += 1
    return {key for key, counts in offsets.items() if max(counts.values()) >= LEAST_PAGES}


def _headers(pages: Sequence[Page]) -> set[tuple[int, str]]:
    """Return how lines begin that stand at the same height of pages near each other.

    They name the chapter, and behind it the section, which is another on every few pages. The
    title of a slide stays, though the slides that build it up have the same.
    """
    places: dict[tuple[int, str], list[int]] = defaultdict(list)
    for index, page in enumerate(pages):
        if page.height > page.width:
            for key in {_beginning(block) for block in _in_margin(page)}:
                places[key].append(index)
    return {
        key
        for key, found in places.items()
        if len(key[1]) == BEGINNING
        and any(last - first <= NEAR_PAGES for first, last in zip(found, found[2:], strict=False))
    }


def _beginning(block: Block) -> tuple[int, str]:
    return round(block.box[1]), _key(block)[:BEGINNING]


def _in_margin(page: Page) -> Iterator[Block]:
    """Give the short blocks at the top and at the bottom of a page."""
    for block in page.blocks:
        top, bottom = block.box[1], block.box[3]
        margin = NUMBER_MARGIN if block.plain.isdecimal() else MARGIN
        inside = bottom < margin * page.height or top > (1 - margin) * page.height
        if inside and len(block.plain) <= LONGEST:
            yield block


def _key(block: Block) -> str:
    words = DIGITS.sub(" ", block.plain).strip()
    return "#" if NUMERAL.fullmatch(block.plain) else ROMAN.sub("", words).strip()
