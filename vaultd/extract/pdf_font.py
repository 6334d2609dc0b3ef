"""What fonts of a PDF do not say of themselves: that letters are equally wide, or are signs."""

from __future__ import annotations

import re
from typing import Any

from pymupdf import mupdf as _mupdf

from vaultd.extract.pdf_sheet import Described, chars_of

mupdf: Any = _mupdf  # its own hints are partial

MONOSPACED = re.compile(
    r"mono(?!type|space821)|courier|consol|menlo|inconsolata|(?:source|fira)\W?code", re.I
)
EAST_ASIAN = re.compile("hei|song|kai|ming|cjk|gothic|han|noto ?sans|batang|gulim", re.I)
DINGBATS = re.compile("dingbats", re.I)
# MuPDF takes the number in a sign's name (a19) for its letter.
SIGNS = {
    **dict(zip(range(11, 19), "☛☞✌✍✎✏✑✒", strict=True)),
    **dict(zip(range(19, 29), "✓✔✕✖✗✘✙✚✛✜", strict=True)),
    **{35: "★", 71: "●", 72: "❍", 73: "■", 74: "❏", 76: "▲", 77: "▼", 78: "◆", 79: "❖"},
}
FAMILY = re.compile('font-family:([^;"]*)')  # with what MuPDF takes the font for


def complete_fonts(page: Described) -> None:
    """Tell MuPDF what fonts of a page are, by their names, and put signs for their numbers."""
    fonts = set(FAMILY.findall(page.html))
    if any(map(DINGBATS.search, fonts)):
        for line in page.at(DINGBATS.finditer(page.html)):
            _put_signs(line)
    if any(map(_is_mistaken, fonts)):
        for line in page.lines:
            _tell_monospaced(line.first_char.font)


def _is_mistaken(font: str) -> bool:
    return MONOSPACED.search(font) is not None and not font.endswith(",monospace")


def _put_signs(line: Any) -> None:
    for char in chars_of(line):
        if char.c in SIGNS and DINGBATS.search(mupdf.ll_fz_font_name(char.font)):
            char.c = ord(SIGNS[char.c])


def _tell_monospaced(font: Any) -> None:
    name = mupdf.ll_fz_font_name(font)
    if MONOSPACED.search(name) and not EAST_ASIAN.search(name):
        mupdf.ll_fz_font_flags(font).is_mono = 1
