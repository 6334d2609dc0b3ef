"""Arabic and Hebrew of a PDF page: letters that were drawn as one sign, in their order."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from pymupdf import mupdf as _mupdf

from vaultd.extract.pdf_sheet import NOTHING, chars_of, lines_by_block, linked

mupdf: Any = _mupdf  # its own hints are partial

RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
WRITTEN = re.compile("&#x(?:5[9a-f]|[67].|8.|fb[1-f]|f[cd].|fe[7-f]).;")  # so in MuPDF's HTML
LETTER, MARK = ("R", "AL"), ("NSM",)  # Unicode's bidirectional classes
THIN = 0.01  # of a letter's size; so little room has what shares a sign with another letter
WIDEST = 1.2  # times a letter's size: the room of a sign
NEAR = 0.05  # of a letter's size; so near are two places the same


def put_in_order(textpage: Any, styled: str) -> bool:
    """Mend lines from right to left as MuPDF gives them; tell whether there are any.

    `styled` is its HTML of the page.

    It takes the letters that a sign stands for, such as lam and alef, for signs beside each
    other: the first has all the room, the others none. In a line that is turned round they
    come before it. It also cuts lines within words, and blanks stray into words.
    """
    if not WRITTEN.search(styled):
        return False
    for lines in lines_by_block(textpage):
        if not any(map(_runs_to_the_left, lines)):
            continue
        for above, line in reversed(list(pairwise(lines))):
            if _is_cut(above, line):
                _append(above, line)
        for chars in map(chars_of, linked(lines[0])):
            _reorder(chars)
            _drop_strays(chars)
    return True


def _runs_to_the_left(line: Any) -> bool:
    return any(RIGHT_TO_LEFT.match(chr(char.c)) for char in chars_of(line))


def _is_cut(above: Any, line: Any) -> bool:
    """Tell whether `line` goes on where `above` ends, to its left."""
    one, other = above.bbox, line.bbox
    size = NEAR * line.first_char.size
    return bool(abs(one.y0 - other.y0) < size and abs(one.x0 - other.x1) < size)


def _append(above: Any, line: Any) -> None:
    above.last_char.next = line.first_char
    above.last_char = line.last_char
    above.next = line.next
    above.bbox.x0 = line.bbox.x0


def _reorder(chars: Sequence[Any]) -> None:
    index = 0
    while index < len(chars):
        end = index
        while end < len(chars) and _shares_place(chars[index], chars[end]):
            end += 1
        if end > index:
            _turn(chars, index, end)
        index = end + 1


def _drop_strays(chars: Sequence[Any]) -> None:
    """Drop the blanks between letters that stand close together: they were drawn elsewhere."""
    for before, char, after in zip(chars, chars[1:], chars[2:], strict=False):
        is_blank = chr(char.c).isspace()
        if is_blank and _is_letter(before) and _is_letter_at(after, before.quad.ll.x):
            char.c = NOTHING


def _shares_place(first: Any, char: Any) -> bool:
    """Tell whether `char` is a letter or mark without room, where `first` is."""
    box = char.quad
    return (
        box.lr.x - box.ll.x < THIN * char.size
        and abs(box.ll.x - first.quad.ll.x) < NEAR * char.size
        and unicodedata.bidirectional(chr(char.c)) in (*LETTER, *MARK)
    )


def _turn(chars: Sequence[Any], start: int, end: int) -> None:
    """Turn what has no room, from `start` to `end`, round again, as one with its sign's letter."""
    is_letter = [_is_letter(char) for char in chars[start:end]]
    before = chars[start - 1] if start else None
    begins = before is None or chr(before.c).isspace()
    if before is not None and any(is_letter) and _has_room(before, chars[start]):
        if before.flags & mupdf.FZ_STEXT_SYNTHETIC:
            before.c = NOTHING
    elif all(is_letter) or (begins and not any(is_letter)):
        end += end < len(chars) and _is_letter_at(chars[end], chars[start].quad.ll.x)
    elif not is_letter[-1]:
        return  # marks of the letter before
    codes = [char.c for char in chars[start:end]]
    for char, code in zip(chars[start:end], reversed(codes), strict=True):
        char.c = code


def _has_room(before: Any, char: Any) -> bool:
    """Tell whether there is room for a sign whose letters the file names beside it."""
    apart = (before.quad.ll.x - char.quad.ll.x) / char.size
    return NEAR < apart < WIDEST or bool(before.flags & mupdf.FZ_STEXT_SYNTHETIC)


def _is_letter(char: Any) -> bool:
    return unicodedata.bidirectional(chr(char.c)) in LETTER


def _is_letter_at(char: Any, right: float) -> bool:
    """Tell whether `char` is a letter that begins at `right`."""
    return abs(char.quad.lr.x - right) < NEAR * char.size and _is_letter(char)
