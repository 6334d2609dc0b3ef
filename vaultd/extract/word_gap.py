"""The gaps between the words of a scanned line: recognition may lose the spaces."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from PIL import Image

WIDEST = 0.2  # of a line's height: a wider gap lies between words
PALE = 0.7  # of the way from black to paper: ink also where a thin stroke is blurred
SPECKS = 0.04  # of a line's height; so few dark points in a column are dirt
LATIN = "\u024f"  # the last letter of scripts that put spaces between words, as far as we look

Point = tuple[float, float]


def gaps(page: Image.Image, corners: Sequence[Point]) -> list[float]:
    """Return the middles of the gaps in a line with these corners, from 0 (left) to 1 (right).

    The corners go round from the upper left one.
    """
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
    width = max(1, round(((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5))
    height = max(1, round(((x3 - x0) ** 2 + (y3 - y0) ** 2) ** 0.5))
    quad = (x0, y0, x3, y3, x2, y2, x1, y1)
    line = page.transform((width, height), Image.Transform.QUAD, quad)
    shades = [shade for shade, count in enumerate(line.histogram()) if count]
    limit = shades[0] + PALE * (shades[-1] - shades[0])
    dark = line.point(lambda value: 255 if value < limit else 0)
    shares = dark.resize((width, 1), Image.Resampling.BOX).tobytes()  # of 255 in each column
    return _middles([share > SPECKS * 255 for share in shares], WIDEST * height)


def _middles(inked: Sequence[bool], least: float) -> list[float]:
    found: list[float] = []
    position = 0
    for is_inked, run in groupby(inked):
        length = len(list(run))
        inside = position > 0 and position + length < len(inked)
        if not is_inked and inside and length >= least:
            found.append((position + length / 2) / len(inked))
        position += length
    return found


def spaced(text: str, middles: Sequence[float], breaks: Sequence[float]) -> str:
    """Return `text` with a space at every break; `middles` are those of its letters.

    Both count from 0 to 1. Scripts without spaces stay as they are, and so does a line whose
    letters all stand apart.
    """
    letters = [index for index, letter in enumerate(text) if not letter.isspace()]
    if len(letters) != len(middles) or 2 * len(breaks) > len(letters):
        return text
    pieces = list(text)
    for place in breaks:
        after = sum(middle < place for middle in middles)
        if not 0 < after < len(letters):
            continue
        left, right = letters[after - 1], letters[after]
        if right == left + 1 and max(text[left], text[right]) <= LATIN:
            pieces[left] += " "
    return "".join(pieces)
