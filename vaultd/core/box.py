"""Rectangles on a page."""

from __future__ import annotations

from collections.abc import Sequence

Box = tuple[float, float, float, float]
"""Left, top, right, bottom; the origin is the page's upper left corner."""


def around(boxes: Sequence[Box]) -> Box:
    """Return the smallest box that holds all of `boxes`, at least one."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def grown(box: Box, by: float) -> Box:
    """Return `box`, larger by so much on every side."""
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def lies_in(inner: Box, outer: Box) -> bool:
    """Tell whether the middle of `inner` lies in `outer`."""
    return holds(outer, (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2)


def holds(box: Box, x: float, y: float) -> bool:
    """Tell whether a point lies in `box`."""
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]
