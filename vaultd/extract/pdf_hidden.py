"""Text of a PDF page that no reader sees: without ink, white on white, or tiny."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from vaultd.core.box import Box, grown, holds
from vaultd.extract.content import readable
from vaultd.extract.pdf_block import TAG, Block, joined, rewritten
from vaultd.extract.pdf_hyphen import BREAK
from vaultd.extract.pdf_sheet import Mark

SMALLEST_SIZE = 2.0  # points; a reader cannot see smaller text
WHITE = 0xF0  # of each colour, from which on letters are lost on paper
SLACK = 2.0  # points by which a piece may stand outside its block
EM = 0.5  # of the size: what a letter is wide on average
GROUNDS = {"fill-path", "fill-image", "fill-shade"}  # what light letters can be seen on
LINE = re.compile(r'<p style="top:([-\d.]+)pt;left:([-\d.]+)pt;')
SPAN = re.compile(r'<span style="([^"]*)">(.*?)</span>', re.S)
SIZE = re.compile(r"font-size:([\d.]+)pt")
COLOUR = re.compile(r"color:#(..)(..)(..)")
SUSPECT = ("color:#f", "font-size:1.", "font-size:0.")  # near-white letters, small letters


@dataclass(frozen=True, slots=True)
class Unseen:
    """A piece of text that is not seen, and about where it stands, in points."""

    x: float
    y: float
    text: str


def told_apart(
    blocks: list[Block], lines: Sequence[str], marks: Sequence[Mark]
) -> tuple[list[Block], str]:
    """Return the blocks a reader sees, and the text that he does not; `lines` are `suspicious`."""
    grounds = [box for kind, box in marks if kind in GROUNDS]
    unseen = list(_unseen(lines, grounds))
    return _without(blocks, unseen), "\n".join(piece.text for piece in unseen)


def suspicious(page: str) -> list[str]:
    """Return the lines of MuPDF's HTML of a page in which some span may be unseen.

    It names size and colour of every span; a span without a colour is drawn without ink.
    """
    signs = [sign for sign in SUSPECT if sign in page]
    without_ink = page.count("color:#") != page.count("<span")
    if not (signs or without_ink):
        return []
    lines = page.split("\n")
    return [
        line
        for line in lines
        if any(map(line.__contains__, signs)) or (without_ink and _lacks_ink(line))
    ]


def _lacks_ink(line: str) -> bool:
    return line.count("color:#") != line.count("<span")


def _unseen(lines: Iterable[str], grounds: Sequence[Box]) -> Iterator[Unseen]:
    for line in lines:
        if (place := LINE.match(line)) is None:
            continue
        x = float(place[2])
        for style, inner in SPAN.findall(line):
            size = _size(style)
            y = float(place[1]) + size / 2
            if not _is_seen(style, size, (x + 1, y), grounds):
                text = joined(readable(html.unescape(TAG.sub("", inner))))
                if text:
                    yield Unseen(x, y, text)
            x += EM * size * len(inner)


def _size(style: str) -> float:
    match = SIZE.search(style)
    return float(match[1]) if match else 0.0


def _is_seen(style: str, size: float, place: tuple[float, float], grounds: Sequence[Box]) -> bool:
    colour = COLOUR.search(style)
    if colour is None or size < SMALLEST_SIZE:
        return False
    if min(int(part, 16) for part in colour.groups()) < WHITE:
        return True
    return any(holds(box, *place) for box in grounds)


def _without(blocks: list[Block], unseen: Sequence[Unseen]) -> list[Block]:
    """Return `blocks` without the unseen pieces; what is whole stays as it is."""
    lost: dict[int, list[str]] = defaultdict(list)
    boxes = [grown(block.box, SLACK) for block in blocks]
    texts = [block.plain.replace(BREAK, "") for block in blocks]
    for piece in unseen:
        for index, text in enumerate(texts):
            if holds(boxes[index], piece.x, piece.y) and piece.text in text:
                lost[index].append(piece.text)
                break
    kept = []
    for index, block in enumerate(blocks):
        seen = _rest(block, lost[index]) if index in lost else block
        if seen.plain:
            kept.append(seen)
    return kept


def _rest(block: Block, lost: Sequence[str]) -> Block:
    """Return the block with its lines as they are without the `lost` pieces."""
    lines = [joined(line) for line in block.lines]
    for piece in lost:
        for index, line in enumerate(lines):
            if piece in line:
                lines[index] = line.replace(piece, "", 1).strip()
                break
    return rewritten(block, [line for line in lines if line])
