"""Figures that are drawn, not photographed: found by the line below that names them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pymupdf as _pymupdf

from vaultd.core.box import Box
from vaultd.extract.pdf_block import Block
from vaultd.extract.pdf_page import Page

pymupdf: Any = _pymupdf  # its own hints are partial
CAPTION = re.compile(
    r"(?:figure|fig\.|abbildung|abb\.|figura|diagram|chart|scheme|图|圖|図|그림)\s*\d+", re.I
)
SENTENCE = re.compile(
    r"\S+\s*\d+(?:[.\-\u2013]\d+)*\s+(?:shows?|illustrates?|depicts?|presents?|is|are|and)\b", re.I
)
MOST_PATHS = 5_000  # of a page; grouping more takes time that grows with the square
DISTANCE = 45.0  # points between a figure and its caption
SMALLEST = (60.0, 30.0)  # points, width and height of a figure
GAP = 6.0  # points between the strokes of one figure
TABLE_SHARE = 0.6  # of a region that is a table, not a figure
PAGE_SHARE = 0.9  # of the page; a larger region is its background


def figures(sheet: Any, page: Page, images: Sequence[Box]) -> list[Box]:
    """Return the region of each drawn figure on the page, images inside it included."""
    captions = [b for b in page.blocks if CAPTION.match(b.plain) and not SENTENCE.match(b.plain)]
    if not captions:
        return []
    drawings = sheet.get_cdrawings()
    if not drawings or len(drawings) > MOST_PATHS:
        return []
    regions = _regions(sheet, drawings, images)
    found = [_of_caption(caption, regions, captions) for caption in captions]
    tables = [block.box for block in page.blocks if block.markdown.startswith("|")]
    return list(dict.fromkeys(box for box in found if box and not _is_table(box, tables)))


def _is_table(box: Box, tables: Sequence[Box]) -> bool:
    """Tell whether most of a region is a table, which is in the text already."""
    region = pymupdf.Rect(box)
    return any(abs(region & pymupdf.Rect(table)) > TABLE_SHARE * abs(region) for table in tables)


def _regions(sheet: Any, drawings: Sequence[Any], images: Sequence[Box]) -> list[Any]:
    area = abs(sheet.rect)
    kept = [
        {**drawing, "rect": pymupdf.Rect(drawing["rect"])}
        for drawing in drawings
        if abs(pymupdf.Rect(drawing["rect"])) < PAGE_SHARE * area
    ]
    regions = [pymupdf.Rect(box) for box in images]
    if kept:
        regions += sheet.cluster_drawings(drawings=kept, x_tolerance=GAP, y_tolerance=GAP)
    return regions


def _of_caption(caption: Block, regions: Sequence[Any], captions: Sequence[Block]) -> Box | None:
    """Unite the regions that stand over (else under) the caption, up to other text's caption."""
    left, top, right, bottom = caption.box
    others = [other.box for other in captions if other is not caption]
    for is_above in (True, False):
        chosen = None
        edge = top if is_above else bottom
        ordered = sorted(regions, key=lambda box: -box.y1 if is_above else box.y0)
        for box in ordered:
            apart = edge - box.y1 if is_above else box.y0 - edge
            beside = min(box.x1, right) - max(box.x0, left)
            blocked = any(
                box.y0 < o[3] <= edge for o in others if min(box.x1, o[2]) > max(box.x0, o[0])
            )
            if -GAP < apart < DISTANCE and beside > 0 and not (is_above and blocked):
                chosen = box if chosen is None else chosen | box
                edge = chosen.y0 if is_above else chosen.y1
        if chosen is not None and chosen.width >= SMALLEST[0] and chosen.height >= SMALLEST[1]:
            return _without_caption(chosen, caption.box, is_above=is_above)
    return None


def _without_caption(region: Any, caption: Box, *, is_above: bool) -> Box:
    """Return a figure with a little room around it, up to its caption."""
    left, top, right, bottom = region + (-2, -2, 2, 2)
    if is_above:
        return left, top, right, min(bottom, caption[1])
    return left, max(top, caption[3]), right, bottom
