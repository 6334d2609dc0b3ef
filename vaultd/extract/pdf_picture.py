"""The pictures of a PDF: what a reader would call one, once, at its place in the text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pymupdf as _pymupdf

from vaultd.core.box import Box, around, lies_in
from vaultd.core.legibility import letter_count
from vaultd.extract.content import Candidate, PageText, mark
from vaultd.extract.pdf_block import Block
from vaultd.extract.pdf_figure import CAPTION, figures
from vaultd.extract.pdf_page import SCAN_COVER, Page
from vaultd.extract.pdf_raster import clip_png, raster
from vaultd.extract.raster import worth_keeping

pymupdf: Any = _pymupdf  # its own hints are partial
SMALLEST_DRAWN = 20.0  # points; smaller pictures are signs in the text
WIDE_STENCIL = 100.0  # points; a smaller one-bit stencil is a sign
REPEATED = 3  # pages that show the same picture: a logo or a watermark
BACKGROUND_LETTERS = 80  # text on a picture that fills the page: the picture is its background
LOOK_DPI = 20  # enough to tell paper from a photograph
LIGHT = 190  # of 255; paper, also yellowed
PAPER_SHARE = 0.5  # of a scanned page that is light
TILES = 3  # touching pictures are the strips of one
CAPTION_DISTANCE = 40.0  # points between a picture and the line that names it
FAULTS = (RuntimeError, ValueError, TypeError, KeyError, IndexError, AttributeError)
SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Placed:
    """A picture on a page: its place, and its object (0: to be drawn from the page)."""

    box: Box
    xref: int = 0
    smask: int = 0


def pictures_of(
    document: Any, pages: Sequence[Page], texts: Sequence[PageText]
) -> Iterator[Candidate]:
    """Give the pictures by page, top to bottom, and put their places into `texts`."""
    counts: Counter[int] = Counter()
    listed: list[list[Any]] = []
    digests: dict[int, bytes] = {}
    for page in pages:
        listed.append(_shown(document, page, digests))
        counts.update({entry[0] for entry in listed[-1]})
    seen = {xref for xref, count in counts.items() if count >= REPEATED}
    place = 0
    for page, text, entries in zip(pages, texts, listed, strict=True):
        if page.scan and page.cover > SCAN_COVER and not _is_photograph(document, page):
            continue
        for picture in _on_page(document, page, entries, seen):
            data = _drawn(document, page, picture)
            if data:
                caption = _insert(page, picture.box, place)
                yield Candidate(place, data, page.number, caption=caption)
                place += 1
        text.text = page.markdown()


def _shown(document: Any, page: Page, digests: dict[int, bytes]) -> list[Any]:
    """Return the images that are drawn on `page`.

    Some programs list all images of a document with every page. Where more are listed than
    drawn, their content tells which; `digests` keeps what is known of it.
    """
    if not page.images:
        return []
    try:
        sheet = document[page.number - 1]
        entries = list(sheet.get_images(full=True))
        if len(entries) <= len(page.images):
            return entries
        drawn = {info["digest"] for info in sheet.get_image_info(hashes=True)}
        return [entry for entry in entries if _digest(document, entry[0], digests) in drawn]
    except FAULTS:
        return []  # a damaged page has no pictures


def _digest(document: Any, xref: int, digests: dict[int, bytes]) -> bytes:
    if xref not in digests:
        digests[xref] = pymupdf.Pixmap(document, xref).digest
    return digests[xref]


def _is_photograph(document: Any, page: Page) -> bool:
    """Tell whether a page that is one image shows no paper: too little of it is light."""
    try:
        pixmap = document[page.number - 1].get_pixmap(dpi=LOOK_DPI, colorspace="gray")
    except FAULTS:
        return False
    light = sum(value > LIGHT for value in pixmap.samples)
    return bool(light < PAPER_SHARE * len(pixmap.samples))


def _on_page(document: Any, page: Page, entries: list[Any], seen: set[int]) -> list[Placed]:
    sheet = document[page.number - 1]
    wanted = [entry for entry in entries if entry[0] not in seen and worth_keeping(*entry[2:4])]
    seen.update(entry[0] for entry in wanted)
    try:
        rasters = [found for entry in wanted if (found := _placed(sheet, page, entry))]
        drawings = figures(sheet, page, [found.box for found in rasters])
    except FAULTS:
        return []
    loose = [found for found in rasters if not any(lies_in(found.box, box) for box in drawings)]
    together = _united(loose) + [Placed(box) for box in drawings]
    return sorted(together, key=lambda found: (found.box[1], found.box[0]))


def _placed(sheet: Any, page: Page, entry: Any) -> Placed | None:
    """Return where the image stands; None if it is a sign, a background or a scan."""
    xref, smask, _, _, bits, colours = entry[:6]
    rects = sheet.get_image_rects(xref)
    if not rects:
        return None
    box = tuple(rects[0] & sheet.rect)
    width, height = box[2] - box[0], box[3] - box[1]
    is_stencil = bits == 1 and not colours
    if min(width, height) < SMALLEST_DRAWN or (is_stencil and width < WIDE_STENCIL):
        return None
    fills = width * height > SCAN_COVER * abs(sheet.rect)
    if fills and sum(letter_count(block.plain) for block in page.blocks) > BACKGROUND_LETTERS:
        return None
    return Placed(box, 0 if is_stencil else xref, smask)


def _united(pictures: list[Placed]) -> list[Placed]:
    """Return the pictures, strips that touch along their whole side as one."""
    groups: list[list[Placed]] = []
    for picture in sorted(pictures, key=lambda found: found.box[1]):
        group = next((g for g in groups if _continues(g[-1].box, picture.box)), None)
        if group is None:
            groups.append([picture])
        else:
            group.append(picture)
    united: list[Placed] = []
    for group in groups:
        if len(group) < TILES:
            united += group
        else:
            united.append(Placed(around([each.box for each in group])))
    return united


def _continues(above: Box, below: Box) -> bool:
    """Tell whether `below` goes on where `above` ends, equally wide."""
    return (
        abs(above[0] - below[0]) < 2
        and abs(above[2] - below[2]) < 2
        and abs(above[3] - below[1]) < 2
    )


def _drawn(document: Any, page: Page, picture: Placed) -> bytes:
    sheet = document[page.number - 1]
    try:
        if not picture.xref:
            return clip_png(sheet, picture.box)
        return raster(document, sheet, picture.xref, picture.smask, picture.box)
    except FAULTS:
        return b""  # an image that cannot be decoded is no picture


def _insert(page: Page, box: Box, place: int) -> str:
    """Put the mark of a picture among the blocks, at its caption if it has one; return that."""
    near = [block for block in page.blocks if CAPTION.match(block.plain) and _is_near(block, box)]
    caption = min(near, key=lambda block: abs(block.box[1] - box[3]), default=None)
    sign = Block(box, "", mark(place))
    if caption is not None:
        page.blocks.insert(page.blocks.index(caption), sign)
        return SPACE.sub(" ", caption.plain)
    above = [
        index
        for index, block in enumerate(page.blocks)
        if block.box[1] < box[1] and block.box[0] < box[2] and block.box[2] > box[0]
    ]
    page.blocks.insert(above[-1] + 1 if above else 0, sign)
    return ""


def _is_near(block: Block, box: Box) -> bool:
    apart = max(block.box[1] - box[3], box[1] - block.box[3])
    beside = min(block.box[2], box[2]) - max(block.box[0], box[0])
    return apart < CAPTION_DISTANCE and beside > 0
