"""Accents that a PDF draws over their letters as signs of their own, as TeX does."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from vaultd.extract.pdf_sheet import NOTHING, Described, chars_of

COMBINING = {
    **{"`": "\u0300", "´": "\u0301", "ˆ": "\u0302", "˜": "\u0303", "¯": "\u0304", "˘": "\u0306"},
    **{"˙": "\u0307", "¨": "\u0308", "˚": "\u030a", "˝": "\u030b", "ˇ": "\u030c"},
    **{"¸": "\u0327", "˛": "\u0328"},
}
CODES = frozenset(map(ord, COMBINING))
# As MuPDF's HTML writes them.
ACCENT = re.compile("&#x(?:a8|af|b4|b8|2c[67]|2d[89a-d]);")
GRAVE = re.compile("`[a-zA-Z]")
DOTLESS = {"ı": "i", "ȷ": "j"}
COVERED = 0.5  # of an accent's width that stands over its letter


def put_on_letters(page: Described) -> bool:
    """Put every accent that stands over or under a letter on it; tell whether there were any."""
    found = False
    for line in page.at([*ACCENT.finditer(page.html), *GRAVE.finditer(page.html)]):
        chars = chars_of(line)
        for index, char in enumerate(chars):
            if char.c in CODES:
                near = [*chars[index + 1 : index + 2], *chars[max(0, index - 1) : index]]
                found |= _put(char, near)
    return found


def _put(accent: Any, letters: Sequence[Any]) -> bool:
    """Put `accent` on the first of these letters, those beside it, that it stands over."""
    for letter in letters:
        base = DOTLESS.get(chr(letter.c), chr(letter.c))
        whole = unicodedata.normalize("NFC", base + COMBINING[chr(accent.c)])
        if base.isalpha() and len(whole) == 1 and _stands_over(accent, letter):
            letter.c, accent.c = ord(whole), NOTHING
            return True
    return False


def _stands_over(accent: Any, letter: Any) -> bool:
    one, other = accent.quad, letter.quad
    both = min(one.lr.x, other.lr.x) - max(one.ll.x, other.ll.x)
    return bool(both > COVERED * (one.lr.x - one.ll.x))
