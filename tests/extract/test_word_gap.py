"""Spaces that recognition lost, told by the gaps in the picture."""

from __future__ import annotations

import pytest
from PIL import Image, ImageDraw

from vaultd.extract.word_gap import gaps, spaced

LETTERS = (0, 12, 24, 50, 62)  # left edges of strokes 10 wide, in a line 40 high


def test_wide_gap_is_found_in_a_line_that_leans() -> None:
    page = Image.new("L", (200, 100), 240)
    draw = ImageDraw.Draw(page)
    for left in LETTERS:
        draw.rectangle((20 + left, 30 + left / 8, 30 + left, 60 + left / 8), fill=90)
    draw.point((62, 50), fill=0)  # dirt in the gap
    corners = [(20.0, 25.0), (92.0, 34.0), (92.0, 74.0), (20.0, 65.0)]

    (gap,) = gaps(page, corners)

    assert gap == pytest.approx(42 / 72, abs=0.05)


def test_blank_line_has_no_gaps() -> None:
    corners = [(0.0, 0.0), (90.0, 0.0), (90.0, 20.0), (0.0, 20.0)]

    assert gaps(Image.new("L", (90, 20), 255), corners) == []


@pytest.mark.parametrize(
    ("text", "breaks", "expected"),
    [
        ("InaBerg", [3 / 7], "Ina Berg"),
        ("In aBerg", [2 / 7, 3 / 7], "In a Berg"),
        ("春季养蜂", [0.5], "春季养蜂"),
        ("Wide", [0.25, 0.5, 0.75], "Wide"),
        ("Ina", [0.0, 1.0], "Ina"),
    ],
)
def test_spaces_are_put_between_latin_letters(
    text: str, breaks: list[float], expected: str
) -> None:
    count = len(text.replace(" ", ""))
    middles = [(index + 0.5) / count for index in range(count)]

    assert spaced(text, middles, breaks) == expected


def test_letters_without_places_stay_as_they_are() -> None:
    assert spaced("InaBerg", [], [0.4]) == "InaBerg"
