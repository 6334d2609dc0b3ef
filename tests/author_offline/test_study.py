"""What is told of a source as a whole."""

from __future__ import annotations

import pytest

from vaultd.author.offline.quote import quoted
from vaultd.author.offline.study import outline, study_of
from vaultd.core.content import Content, Heading
from vaultd.model.document import ExtractedPage
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import SourceText


def outlined(*titles: str) -> list[str]:
    content = Content((), tuple(Heading(title, 1, 1) for title in titles))
    return [heading.title for heading in outline(content, "Title", 40)]


def source(text: str, title: str = "Budget") -> SourceText:
    path = VaultPath("raw/Budget.xlsx")
    return SourceText(
        SourceId("Budget.xlsx"), path, "0" * 64, title, "en", (ExtractedPage(1, text),)
    )


@pytest.mark.parametrize(
    "heading",
    [
        "CHAPTER XIV",
        "第十二章",
        "IV.",
        "20 40 60 80 100 k: # of retrieved passages",
        "1 http://www.example.org 2 http://www.example.com/",
        "NUMBERS © The Foundation",
        "≤ 3 ≥ 4",
    ],
)
def test_what_says_nothing_is_in_no_outline(heading: str) -> None:
    assert outlined("Soil", heading, "Rain") == ["Soil", "Rain"]


@pytest.mark.parametrize(
    "heading", ["2026-11-30", "1.2 Rain", "Chapter 3: Rain", "第一章 雨", "C++"]
)
def test_what_says_something_stays_in_the_outline(heading: str) -> None:
    assert outlined("Soil", heading) == ["Soil", heading]


def test_a_chart_or_a_comment_does_not_stand_for_a_document() -> None:
    text = (
        "## Income\n\nChart: 'sold', 'bought' by 'year'; sold; bought\n\nComment: Ask Ada first\n"
    )

    assert study_of(source(text)).abstract == "Budget: Income"


def test_a_line_that_begins_with_a_star_is_no_list() -> None:
    assert quoted("* START OF THE BOOK *") == "\\* START OF THE BOOK *"


def test_a_sentence_that_stands_by_itself_leads() -> None:
    text = (
        "# Rye\n\nAlthough these assessments of rye flour can be useful for a baker of rye bread,"
        " they cannot tell the age of the rye flour.\n\nRye flour makes a sticky dough and a sour"
        " rye bread that keeps for weeks.\n\nRye grows on poor soil where no wheat would grow.\n"
    )
    assert study_of(source(text, "Rye")).abstract.startswith("Rye flour makes")


def leveled(*headings: tuple[int, str]) -> list[str]:
    content = Content((), tuple(Heading(title, level, 1) for level, title in headings))
    return [heading.title for heading in outline(content, "Title", 6)]


def test_chapters_without_numbers_stay_above_numbered_sections() -> None:
    chapters = ["Soil", "Rain", "Wind"]
    headings = [
        (level, title)
        for number, chapter in enumerate(chapters, 1)
        for level, title in [(1, chapter), *((2, f"{number}.{n} Part {n}") for n in range(1, 5))]
    ]
    assert leveled(*headings) == chapters


def test_an_outline_is_not_shortened_to_a_line_or_two() -> None:
    headings = [(1, "Soil"), *((2, f"Part {word}") for word in "abcdefgh")]

    assert leveled(*headings)[:3] == ["Soil", "Part a", "Part b"]
