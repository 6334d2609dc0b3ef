"""Numbers that stand raised behind a word of a PDF: notes and powers, never more digits of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from vaultd.extract.content import RAISED, SUPERSCRIPTS
from vaultd.extract.pdf_sheet import Described, chars_of

SAID = re.compile("<sup>")
# A number before something else. Where a line begins with it, MuPDF does not say that it is raised.
NUMBER = re.compile(r'">\d{1,3}\s*</span>(?:</?[bi]>)*<span')
SIZE = re.compile(r"font-size:([\d.]+)pt")
ENOUGH = 8  # letters that show where the line stands
SMALL = 0.85  # of the size of the letters beside it
HIGH = 0.15  # of their size, by which it stands above their line


def raise_numbers(page: Described) -> None:
    """Put raised digits and signs in place of those that are only drawn so."""
    _raise_in(page.at(SAID.finditer(page.html)))


def raise_notes(page: Described) -> bool:
    """Do so with the numbers of notes, where lines begin with them; tell whether there were any."""
    return _raise_in(page.at(filter(_is_note, NUMBER.finditer(page.html))))


def _raise_in(lines: Iterable[Any]) -> bool:
    found = False
    for line in lines:
        chars = chars_of(line)
        sizes = [char.size for char in chars]
        largest = max(sizes)
        small = [index for index, size in enumerate(sizes) if size < SMALL * largest]
        if small:
            usual = [index for index, size in enumerate(sizes) if size == largest]
            base = max(chars[index].origin.y for index in usual[:ENOUGH])
            high = [i for i in small if base - chars[i].origin.y > HIGH * largest]
            found |= any([_raise([chars[i] for i in run]) for run in _runs(high)])
    return found


def _is_note(number: re.Match[str]) -> bool:
    """Tell whether a number is the first of its line, and smaller than what follows."""
    page = number.string
    before = SIZE.findall(page, page.rfind("<p ", 0, number.start()), number.start())
    after = SIZE.search(page, number.end())
    return len(before) == 1 and after is not None and float(before[0]) < SMALL * float(after[1])


def _runs(numbers: Sequence[int]) -> Iterator[list[int]]:
    """Give the numbers that follow each other together."""
    for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        yield [number for _, number in run]


def _raise(chars: Sequence[Any]) -> bool:
    is_number = all(RAISED.match(chr(char.c)) for char in chars)
    for char in chars if is_number else ():
        char.c = SUPERSCRIPTS.get(char.c, char.c)
    return is_number
