"""What counts as a document's text."""

from __future__ import annotations

import pytest

from vaultd.core.content import content_of
from vaultd.model.document import ExtractedPage


def texts(*pages: str) -> list[str]:
    read = content_of([ExtractedPage(number, page) for number, page in enumerate(pages, 1)])
    return [statement.text for statement in read.statements]


def test_running_titles_and_page_numbers_are_left_out() -> None:
    pages = [
        f"The Baker's Paper {n}\n\nSentence number {word} is here.\n\nPage {n} of 4"
        for n, word in enumerate(("one", "two", "three", "four"), 1)
    ]

    assert texts(*pages) == [
        f"Sentence number {word} is here." for word in ("one", "two", "three", "four")
    ]


def test_a_sentence_cut_by_a_page_end_is_joined_on_the_earlier_page() -> None:
    read = content_of(
        [
            ExtractedPage(1, "The levain is fed every morning and is used"),
            ExtractedPage(2, "within six hours of its peak. Then it rests."),
        ]
    )

    assert [(one.page, one.text) for one in read.statements] == [
        (1, "The levain is fed every morning and is used within six hours of its peak."),
        (2, "Then it rests."),
    ]


def test_contents_references_code_and_tables_are_left_out() -> None:
    page = (
        "# Contents\n\n1 Salt ........ 3\n\n2 Water ....... 5\n\n"
        "# Salt\n\nSalt slows the yeast down.\n\n"
        "```\ncode here. Not text.\n```\n\n| a | b |\n|---|---|\n\n"
        "# References\n\n[1] A. Baker. Salt and yeast. 1999.\n"
    )

    assert texts(page) == ["Salt slows the yeast down."]


def test_statements_know_their_section_and_markup_is_gone() -> None:
    read = content_of(
        [ExtractedPage(None, "# Dough\n\n## Salt\n\n**Salt** slows [yeast](x.md) `down`.")]
    )

    assert read.statements[0].text == "Salt slows yeast down."
    assert read.statements[0].section == ("Dough", "Salt")
    assert [heading.title for heading in read.headings] == ["Dough", "Salt"]


def test_numbered_titles_without_markup_are_headings() -> None:
    read = content_of(
        [
            ExtractedPage(
                1,
                "1. Introduction\n\nThe dough rises slowly.\n\n1.1 Salt\n\nSalt slows it.\n\n"
                "第二章 温度\n\n温度决定快慢。",
            )
        ]
    )

    assert [(heading.level, heading.title) for heading in read.headings] == [
        (1, "Introduction"),
        (2, "1.1 Salt"),
        (1, "第二章 温度"),
    ]


def test_a_numbered_list_is_no_list_of_headings() -> None:
    read = content_of([ExtractedPage(None, "1. Mix the flour\n2. Add the water\n3. Wait")])

    assert read.headings == ()
    assert len(read.statements) == 3


def test_headings_without_text_are_no_outline() -> None:
    read = content_of(
        [ExtractedPage(1, "# A. Author\n\n# B. Author\n\n# Abstract\n\nThe text is here.")]
    )

    assert [heading.title for heading in read.headings] == ["Abstract"]


def test_nothing_says_nothing() -> None:
    assert content_of([]).statements == ()
    assert texts("", "  \n") == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Abstract—We present a compiler.", "We present a compiler."),
        ("摘要：本文说明向量库的用途。", "本文说明向量库的用途。"),
        ("BACKGROUND Genlisea is a plant.", "Genlisea is a plant."),
        ("PURPOSE OF REVIEW Fibrosis is a disease.", "Fibrosis is a disease."),
        ("Selection of passages Because only pairs exist, we choose.",) * 2,
        ("NASA Goddard is a centre.", "NASA Goddard is a centre."),
        ("He wrote the novel In the valley there.", "He wrote the novel In the valley there."),
    ],
)
def test_a_heading_that_runs_into_the_text_is_left_out(text: str, says: str) -> None:
    assert texts(text) == [says.removeprefix("Selection of passages ")]


def test_marks_of_notes_are_no_text() -> None:
    page = (
        "It ranked first by revenue;[3] and it grew.[4][5] Models are reused [8, 34] elsewhere."
        " It was universal.10 The array primes[3] is full. Rights were kept.⁸ An area of 3 m² is.\n"
    )
    assert texts(page) == [
        "It ranked first by revenue; and it grew.",
        "Models are reused elsewhere.",
        "It was universal.",
        "The array primes is full.",
        "Rights were kept.",
        "An area of 3 m² is.",
    ]


def test_a_table_of_contents_whose_numbers_lost_their_gap_is_left_out() -> None:
    lines = ["A. PURPOSE1-1", "B. MEETINGS3-7", "C. PLANS3-18", "D. CLAIMS3-20", "E. BANKS4-4"]

    assert texts("\n\n".join([*lines, "A trustee reviews every plan."])) == [
        "A trustee reviews every plan."
    ]
