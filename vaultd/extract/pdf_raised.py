"""Numbers that stand raised behind a word of a PDF: notes and powers, never more digits of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from vaultd.extract.content import RAISED, SUPERSCRIPTS
from vaultd.extract.pdf_sheet import chars_of, lines_by_block

NOTE = re.compile(
    r"^<p [^>]*>(?:<[bi]>)*<span[^>]*>\d{1,3}\s*</span>", re.M
)  # not said to be raised
SMALL = 0.85  # of the size of the letters beside it
HIGH = 0.15  # of their size, by which it stands above their line


def raise_numbers(textpage: Any, styled: str) -> None:
    """Put raised digits and signs in place of those that are only drawn so.

    `styled` is MuPDF's HTML of the page, which has a line for each line of text.
    """
    if "<sup>" not in styled and not NOTE.search(styled):
        return
    described = (line for line in styled.split("\n") if line.startswith("<p "))
    lines = (line for lines in lines_by_block(textpage) for line in lines)
    for line, said in zip(lines, described, strict=False):
        if "<sup>" in said or NOTE.match(said):
            chars = chars_of(line)
            sizes = [char.size for char in chars]
            if min(sizes) < SMALL * max(sizes):
                _raise(chars, max(sizes))


def _raise(chars: Sequence[Any], largest: float) -> None:
    base = max(char.origin.y for char in chars if char.size == largest)

    def is_raised(char: Any) -> bool:
        return bool(char.size < SMALL * largest and base - char.origin.y > HIGH * largest)

    for found, run in groupby(chars, key=is_raised):
        together = list(run)
        if found and all(RAISED.match(chr(char.c)) for char in together):
            for char in together:
                char.c = SUPERSCRIPTS.get(char.c, char.c)
