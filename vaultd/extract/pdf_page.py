"""One PDF page: its visible text, what no reader sees, its lines and its images' places."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pymupdf

from vaultd.core.legibility import letter_count
from vaultd.core.reading_order import Box
from vaultd.core.text import BAD_SHARE, gibberish
from vaultd.extract.content import readable
from vaultd.extract.pdf_block import Block, blocks_of, escaped, in_order
from vaultd.extract.pdf_column import untangled

FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP | pymupdf.TEXT_DEHYPHENATE
SCAN_COVER = 0.7  # of the page: an image that large is a scan, invisible text on it its OCR layer
SCAN_LETTERS = 30  # fewer letters on such a page are a stamp, not a text layer
PICTURE_COVER = 0.15  # of a page without a letter: what an image must cover to be worth OCR
SMALLEST_SIZE = 2.0  # points; a reader cannot see smaller text
MOST_MARKS = 20_000  # drawing steps of a page that are looked at one by one
# Styles that may hide text: near-white letters, or letters below 2 points.
SUSPECT = re.compile(r"color:#[f][0-9a-f][f][0-9a-f][f][0-9a-f]|font-size:[01](?:\.\d+)?pt")
WHITE = 0xF0
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
    blocks: list[Block] = field(default_factory=list)
    hidden: str = ""
    rules: list[Box] = field(default_factory=list)
    images: list[Box] = field(default_factory=list)
    trouble: str = ""
    scan: bool = False
    cover: float = 0.0
    notes: list[str] = field(default_factory=list)

    @property
    def plain(self) -> str:
        """The text of the blocks, without marks."""
        return "\n".join(block.plain for block in self.blocks)

    def markdown(self) -> str:
        """Return the page's blocks and what people wrote on it."""
        parts = [*(block.markdown for block in self.blocks), *self.notes]
        return "\n\n".join(part for part in parts if part)


def page_of(page: Any) -> Page:
    """Return the page's text and layout; tables and headings are found later.

    Raises:
        RuntimeError: MuPDF cannot read the page.
    """
    found = Page(page.number + 1, page.rect.height)
    textpage = page.get_textpage(flags=FLAGS)
    found.blocks = untangled(blocks_of(textpage), textpage)
    log = page.get_bboxlog()
    _look_at(log, found)
    found.cover = cover = _cover(found.images, page.rect)
    if cover <= SCAN_COVER and found.blocks and _may_hide(textpage, log):
        found.blocks, found.hidden = _told_apart(textpage, log)
    text = found.plain
    if unmapped(text):
        found.blocks = blocks_of(
            page.get_textpage(flags=FLAGS | pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE)
        )
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
    letters = letter_count(text)
    if page.trouble:
        return True
    return (cover > SCAN_COVER and letters < SCAN_LETTERS) or (
        letters == 0 and cover > PICTURE_COVER
    )


def _look_at(log: Sequence[tuple[str, Box]], page: Page) -> None:
    for kind, box in log[:MOST_MARKS]:
        if kind.endswith("-image") or kind == "fill-imgmask":
            page.images.append(box)
        elif kind.endswith("-path") and _is_rule(kind, box):
            page.rules.append(box)


def _is_rule(kind: str, box: Box) -> bool:
    """Tell whether a path may be the line or the frame of a table."""
    width, height = box[2] - box[0], box[3] - box[1]
    thin = min(width, height) < 3 and max(width, height) > 15
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


def _may_hide(textpage: Any, log: Sequence[tuple[str, Box]]) -> bool:
    if any(kind == "ignore-text" for kind, _ in log):
        return True
    return SUSPECT.search(textpage.extractHTML()) is not None


def _told_apart(textpage: Any, log: Sequence[tuple[str, Box]]) -> tuple[list[Block], str]:
    """Return the blocks a reader sees, and the text that he does not."""
    grounds = [box for kind, box in log if kind in GROUNDS]
    blocks: list[Block] = []
    hidden: list[str] = []
    for raw in textpage.extractDICT()["blocks"]:
        lines: list[str] = []
        for line in raw.get("lines", ()):
            seen = [span["text"] for span in line["spans"] if _is_seen(span, grounds)]
            unseen = [span["text"] for span in line["spans"] if not _is_seen(span, grounds)]
            lines += ["".join(seen)] if any(map(str.strip, seen)) else []
            hidden += ["".join(unseen)] if any(map(str.strip, unseen)) else []
        if lines:
            plain = " ".join(" ".join(readable(line).split()) for line in lines)
            blocks.append(Block(tuple(raw["bbox"]), plain, escaped(plain), lines=lines))
    if not hidden:
        return blocks_of(textpage), ""
    return in_order(blocks), readable("\n".join(hidden))


GROUNDS = {"fill-path", "fill-image", "fill-shade"}  # what light letters can be seen on


def _is_seen(span: dict[str, Any], grounds: Sequence[Box]) -> bool:
    if span.get("alpha", 255) == 0 or span["size"] < SMALLEST_SIZE:
        return False
    colour = span["color"]
    if min(colour >> 16 & 255, colour >> 8 & 255, colour & 255) < WHITE:
        return True
    x, y = (span["bbox"][0] + span["bbox"][2]) / 2, (span["bbox"][1] + span["bbox"][3]) / 2
    return any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for box in grounds)
