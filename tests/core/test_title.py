"""What a document is called."""

from __future__ import annotations

import pytest

from vaultd.core.title import document_title, title_of
from vaultd.model.document import ExtractedPage, Extraction, ExtractStatus
from vaultd.model.paths import SourceId

SOURCE = SourceId("ml/scan-0042.pdf")


def test_the_property_is_the_title() -> None:
    assert title_of("Winter  Sports", "# Cover", SOURCE) == "Winter Sports"


@pytest.mark.parametrize(
    "leftover",
    [
        "loremipsum.jpg",
        "Microsoft Word - paper",
        "PowerPoint Presentation",
        "Untitled",
        "untitled 2",
        "Document1",
        "Presentation",
        "(anonymous)",
        "未命名",
        "無題",
        "",
        "  ",
        "12",
    ],
)
def test_what_a_program_left_is_no_title(leftover: str) -> None:
    assert title_of(leftover, "## Heat\n\nText.", SOURCE) == "Heat"


def test_a_title_over_two_lines_is_one() -> None:
    text = "## Trace-based Type Specialization for Dynamic\n\n## Languages\n\nA. Gal\n\n## Abstract"

    assert title_of("", text, SOURCE) == "Trace-based Type Specialization for Dynamic Languages"


@pytest.mark.parametrize("title", ["Book of Tea", "Presentation skills", "Unknown Pleasures"])
def test_a_title_may_begin_like_a_leftover(title: str) -> None:
    assert title_of(title, "## Heat\n\nText.", SOURCE) == title


def test_a_title_over_two_lines_has_no_blank_where_its_script_has_none() -> None:
    assert title_of("", "## 常用符号公式\n\n## 及其表示\n\n正文", SOURCE) == "常用符号公式及其表示"


def test_a_workbook_is_not_called_by_its_first_sheet() -> None:
    sheets = (ExtractedPage(1, "## Sheet1\n\n| a |"), ExtractedPage(2, "## Costs\n\n| b |"))
    workbook = Extraction("xlsx", ExtractStatus.OK, "", sheets)

    assert document_title(workbook, "work/Budget 2026.xlsx") == "Budget 2026"


def test_the_heading_of_a_part_is_no_title() -> None:
    assert title_of("", "# Abstract\n\nText.\n\n# 目 录\n\nText", SOURCE) == "scan-0042"


def test_without_anything_the_name_is_the_title() -> None:
    assert title_of("", "Just text.", SOURCE) == "scan-0042"
