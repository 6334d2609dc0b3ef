"""What MuPDF gives of a page: its text, and the places of all that is drawn."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import pymupdf as _pymupdf
from pymupdf import mupdf as _mupdf

from vaultd.core.box import Box

pymupdf: Any = _pymupdf  # their own hints are partial
mupdf: Any = _mupdf

FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP

UNIT = mupdf.FzRect(mupdf.FzRect.Fixed_UNIT)  # an image before it is put into its place

LEVEL = 2.0  # times the size of its letters; a higher box holds a line that runs up or down

PARAGRAPH = re.compile("<p ")  # each is a line of text

NOTHING = 0xAD  # a soft hyphen, in place of a character that is none: it is left out of all text

Mark = tuple[str, Box]
"""What is drawn ("fill-path", "stroke-path", "fill-image", "fill-imgmask", "fill-shade"), where."""


def lines_by_block(textpage: Any) -> Iterator[list[Any]]:
    """Give the lines of each block of text."""
    for block in linked(textpage.this.m_internal.first_block):
        if block.type == mupdf.FZ_STEXT_BLOCK_TEXT:
            yield _lines_of(block)


class Described:
    """A page's lines of text, found by what MuPDF's HTML says of them.

    It says the same of a line when characters of it have been put in place of others; where
    lines have been joined, the page must be described anew.
    """

    def __init__(self, textpage: Any) -> None:
        self.textpage = textpage

    @cached_property
    def html(self) -> str:
        """MuPDF's HTML of the page, as it was when first looked at."""
        return str(self.textpage.extractHTML())

    @cached_property
    def lines(self) -> list[Any]:
        """All lines; looking at them takes as long as MuPDF takes to write them."""
        return [line for lines in lines_by_block(self.textpage) for line in lines]

    @cached_property
    def _starts(self) -> list[int]:
        return [match.start() for match in PARAGRAPH.finditer(self.html)]

    def at(self, matches: Iterable[re.Match[str]]) -> list[Any]:
        """Return the lines in whose description these matches are."""
        places = [match.start() for match in matches]
        numbers = sorted({bisect_right(self._starts, place) - 1 for place in places})
        return [self.lines[number] for number in numbers if 0 <= number < len(self.lines)]


def lines_of_block(textpage: Any, number: int) -> list[Any]:
    """Return the lines of block `number`."""
    block = textpage.this.m_internal.first_block
    for _ in range(number):
        block = block.next
    return _lines_of(block)


def _lines_of(block: Any) -> list[Any]:
    return linked(mupdf.FzStextBlock(block).begin().m_internal)


def chars_of(line: Any) -> list[Any]:
    """Return the characters of a line, in their order."""
    return linked(line.first_char)


def linked(first: Any) -> list[Any]:
    """Return what MuPDF's list holds from `first` on; its iterators take twice as long."""
    found = []
    while first:
        found.append(first)
        first = first.next
    return found


def line_boxes(textpage: Any, number: int) -> list[Box]:
    """Return the places of the lines of block `number`, each as high as its letters' size.

    What fonts say of their height would make lines overlap.
    """
    return [line_box(line) for line in lines_of_block(textpage, number)]


def line_box(line: Any) -> Box:
    """Return the place of one line, likewise; its six looks into MuPDF take their time."""
    rect, size = line.bbox, line.first_char.size
    top, bottom = rect.y0, rect.y1
    if bottom - top < LEVEL * size:
        middle = (top + bottom) / 2
        top, bottom = middle - size / 2, middle + size / 2
    return rect.x0, top, rect.x1, bottom


class Sheet:
    """A page's text and marks, in points of the page as it is turned for reading.

    Each interprets the page's content anew. A display list would do it once, but leaves out
    spaces that were drawn by themselves.
    """

    def __init__(self, page: Any) -> None:
        self.rect = page.rect
        self._page = mupdf.FzPage(page.this)

    def text(self, more_flags: int = 0) -> Any:
        """Return the page's text page."""
        options = mupdf.FzStextOptions(FLAGS | more_flags)
        return pymupdf.TextPage(mupdf.FzStextPage(self._page, options))

    def marks(self) -> list[Mark]:
        """Return what is drawn beside the text, in its order."""
        device = _Notebook()
        mupdf.fz_run_page(self._page, device, mupdf.FzMatrix(), mupdf.FzCookie())
        mupdf.fz_close_device(device)
        return device.marks


class _Notebook(mupdf.FzDevice2):  # type: ignore[misc]  # its module has no types
    """Notes the place of all but text: a call for every word would take longer than the text."""

    def __init__(self) -> None:
        super().__init__()
        self.marks: list[Mark] = []
        self.use_virtual_fill_path()
        self.use_virtual_stroke_path()
        self.use_virtual_fill_image()
        self.use_virtual_fill_image_mask()
        self.use_virtual_fill_shade()

    def _note(self, kind: str, rect: Any) -> None:
        self.marks.append((kind, (rect.x0, rect.y0, rect.x1, rect.y1)))

    def fill_path(self, _: Any, path: Any, _rule: Any, turn: Any, *_rest: Any) -> None:
        self._note("fill-path", mupdf.ll_fz_bound_path(path, None, turn))

    def stroke_path(self, _: Any, path: Any, stroke: Any, turn: Any, *_rest: Any) -> None:
        self._note("stroke-path", mupdf.ll_fz_bound_path(path, stroke, turn))

    def fill_image(self, _: Any, _image: Any, turn: Any, *_rest: Any) -> None:
        self._note("fill-image", mupdf.ll_fz_transform_rect(UNIT.internal(), turn))

    def fill_image_mask(self, _: Any, _image: Any, turn: Any, *_rest: Any) -> None:
        self._note("fill-imgmask", mupdf.ll_fz_transform_rect(UNIT.internal(), turn))

    def fill_shade(self, _: Any, shade: Any, turn: Any, *_rest: Any) -> None:
        self._note("fill-shade", mupdf.ll_fz_bound_shade(shade, turn))
