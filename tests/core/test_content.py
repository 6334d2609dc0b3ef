"""What counts as a document's text."""

from __future__ import annotations

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
