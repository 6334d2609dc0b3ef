"""One PDF page: its visible text, what no reader sees, its lines and its images' places."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pymupdf as _pymupdf

from vaultd.core.box import Box
from vaultd.core.legibility import BAD_SHARE, gibberish, letter_count
from vaultd.extract.pdf_accent import put_on_letters
from vaultd.extract.pdf_block import Block, blocks_of
from vaultd.extract.pdf_column import untangled
from vaultd.extract.pdf_font import complete_fonts
from vaultd.extract.pdf_hidden import suspicious, told_apart
from vaultd.extract.pdf_listing import set_in
from vaultd.extract.pdf_raised import raise_notes
from vaultd.extract.pdf_rtl import put_in_order
from vaultd.extract.pdf_sheet import Described, Mark, Sheet
from vaultd.extract.pdf_verse import keep_lines

pymupdf: Any = _pymupdf  # its own hints are partial

SCAN_COVER = 0.7  # of the page: an image that large is a scan, invisible text on it its OCR layer
SCAN_LETTERS = 30  # fewer letters on such a page are a stamp, not a text layer
PICTURE_COVER = 0.15  # of a page without a letter: what an image must cover to be worth OCR
MOST_MARKS = 20_000  # drawing steps of a page that are looked at one by one
UNMAPPED = re.compile("[\ufffd\ue000-\uf8ff]")


@dataclass(slots=True)
class Page:
    """What one page gives. Boxes are in points, in the page as it is turned for reading.

    `rules` are thin lines and frames, `images` the places of images. `trouble` says why the
    text layer is unusable; its text then stands in `hidden`. `cover` is the share of the page
    under its largest image, `notes` what people wrote on it.
    """

    number: int
    height: float = 0.0
    width: float = 0.0
    blocks: list[Block] = field(default_factory=list)
    hidden: str = ""
    rules: list[Box] = field(default_factory=list)
    images: list[Box] = field(default_factory=list)
    trouble: str = ""
    scan: bool = False
    cover: float = 0.0
    notes: list[str] = field(default_factory=list)
    runs_to_the_left: bool = False

    @property
    def plain(self) -> str:
        """The text of the blocks, without marks."""
        return "\n".join(block.plain for block in self.blocks)

    def markdown(self) -> str:
        """Return the page's blocks and what people wrote on it."""
        parts = [part for block in self.blocks if (part := block.markdown)]
        text = "\n\n".join([*parts, *self.notes])
        return text.replace(CODE_BREAK, "\n")


CODE_BREAK = "\n```\n\n```\n"  # where MuPDF takes the lines of one listing for paragraphs


def page_of(number: int, sheet: Sheet, described: Described) -> Page:
    """Return the text and layout of a page; tables and headings are found later.

    Raises:
        RuntimeError: MuPDF cannot read the page.
    """
    found = Page(number, sheet.rect.height, sheet.rect.width)
    textpage = described.textpage
    complete_fonts(described)
    mended = [mend(described) for mend in (raise_notes, put_on_letters)]
    found.runs_to_the_left = put_in_order(textpage, described.html)
    found.blocks = untangled(blocks_of(textpage), textpage)
    set_in(found.blocks, textpage)
    keep_lines(found.blocks, textpage)
    marks = sheet.marks()
    _look_at(marks, found, sheet.rect.width)
    found.cover = cover = _cover(found.images, sheet.rect)
    lines = suspicious(described.html) if cover <= SCAN_COVER and found.blocks else []
    if lines:
        if found.runs_to_the_left or any(mended):
            lines = suspicious(textpage.extractHTML())
        found.blocks, found.hidden = told_apart(found.blocks, lines, marks)
    text = found.plain
    if unmapped(text):
        found.blocks = blocks_of(sheet.text(pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE))
        text = found.plain
        found.trouble = gibberish(text)
    if found.trouble:
        found.hidden = "\n".join(filter(None, (found.hidden, text)))
        found.blocks = []
    found.scan = _is_scan(found, text, cover)
    return found


def unmapped(text: str) -> bool:
    """Tell whether `text` has characters without a meaning, more than a few symbols."""
    return len(UNMAPPED.findall(text)) > BAD_SHARE * len(text)


def _is_scan(page: Page, text: str, cover: float) -> bool:
    if page.trouble or cover <= PICTURE_COVER:
        return bool(page.trouble)
    letters = letter_count(text)
    return letters == 0 or (cover > SCAN_COVER and letters < SCAN_LETTERS)


def _look_at(marks: Sequence[Mark], page: Page, width: float) -> None:
    for kind, box in marks[:MOST_MARKS]:
        if kind.endswith("-image") or kind == "fill-imgmask":
            page.images.append(box)
        elif kind.endswith("-path") and _is_rule(kind, box) and _is_on(box, width, page.height):
            page.rules.append(box)


def _is_on(box: Box, width: float, height: float) -> bool:
    """Tell whether some line of a box is on the page; crop marks and a frame around it are not."""
    left, top, right, bottom = box
    is_around = left <= 0 and top <= 0 and right >= width and bottom >= height
    return right > 0 and bottom > 0 and left < width and top < height and not is_around


def _is_rule(kind: str, box: Box) -> bool:
    """Tell whether a path may be the line or the frame of a table."""
    width, height = box[2] - box[0], box[3] - box[1]
    thin = min(width, height) < 3 and max(width, height) > 6
    return thin or (kind == "stroke-path" and width > 15 and height > 6)


def _cover(images: Sequence[Box], page: Any) -> float:
    """Return the share of the page that its largest image covers."""
    area = max(page.width * page.height, 1.0)
    return max(
        (
            max(0.0, min(box[2], page.width) - max(box[0], 0.0))
            * max(0.0, min(box[3], page.height) - max(box[1], 0.0))
            / area
            for box in images
        ),
        default=0.0,
    )
