"""What a document is called."""

from __future__ import annotations

import pytest

from vaultd.core.title import title_of
from vaultd.model.paths import SourceId

SOURCE = SourceId("ml/scan-0042.pdf")


def test_the_property_is_the_title() -> None:
    assert title_of("Winter  Sports", "# Cover", SOURCE) == "Winter Sports"


@pytest.mark.parametrize(
    "leftover", ["loremipsum.jpg", "Microsoft Word - paper", "Untitled", "", "  ", "12"]
)
def test_what_a_program_left_is_no_title(leftover: str) -> None:
    assert title_of(leftover, "## Heat\n\nText.", SOURCE) == "Heat"


def test_a_title_over_two_lines_is_one() -> None:
    text = "## Trace-based Type Specialization for Dynamic\n\n## Languages\n\nA. Gal\n\n## Abstract"

    assert title_of("", text, SOURCE) == "Trace-based Type Specialization for Dynamic Languages"


def test_the_heading_of_a_part_is_no_title() -> None:
    assert title_of("", "# Abstract\n\nText.\n\n# 目 录\n\nText", SOURCE) == "scan-0042"


def test_without_anything_the_name_is_the_title() -> None:
    assert title_of("", "Just text.", SOURCE) == "scan-0042"
