"""Accents that a PDF draws over their letters as signs of their own, as TeX does."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from vaultd.extract.pdf_sheet import NOTHING, chars_of, lines_by_block

COMBINING = {
    **{"`": "\u0300", "´": "\u0301", "ˆ": "\u0302", "˜": "\u0303", "¯": "\u0304", "˘": "\u0306"},
    **{"˙": "\u0307", "¨": "\u0308", "˚": "\u030a", "˝": "\u030b", "ˇ": "\u030c"},
    **{"¸": "\u0327", "˛": "\u0328"},
}
ACCENT = re.compile("[´ˆ˜¯˘˙¨˚˝ˇ¸˛]|`(?=[aeiouAEIOU])")
DOTLESS = {"ı": "i", "ȷ": "j"}
COVERED = 0.5  # of an accent's width that stands over its letter


def put_on_letters(textpage: Any) -> None:
    """Put every accent that stands over or under a letter on it."""
    for lines in lines_by_block(textpage):
        for line in lines:
            chars = chars_of(line)
            for index, char in enumerate(chars):
                if chr(char.c) in COMBINING:
                    _put(char, [*chars[index + 1 : index + 2], *chars[max(0, index - 1) : index]])


def _put(accent: Any, letters: Sequence[Any]) -> None:
    """Put `accent` on the first of these letters, those beside it, that it stands over."""
    for letter in letters:
        base = DOTLESS.get(chr(letter.c), chr(letter.c))
        whole = unicodedata.normalize("NFC", base + COMBINING[chr(accent.c)])
        if base.isalpha() and len(whole) == 1 and _stands_over(accent, letter):
            letter.c, accent.c = ord(whole), NOTHING
            return


def _stands_over(accent: Any, letter: Any) -> bool:
    one, other = accent.quad, letter.quad
    both = min(one.lr.x, other.lr.x) - max(one.ll.x, other.ll.x)
    return bool(both > COVERED * (one.lr.x - one.ll.x))
