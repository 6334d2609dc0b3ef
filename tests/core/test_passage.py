from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultd.core.passage import (
    LIMIT,
    WINDOW,
    passages_of,
    passages_of_pages,
    visible,
    weight_of,
    windows_of,
)

lines = st.sampled_from(
    [
        "# Title", "## Deeper #", "text that goes on. And on!", "```", "~~~~", "| a | b |",
        "- item", "  continued", "1. one", "", "   ", "Setext", "===", "---",
        "中文句子。还有一句！",
        "%% vaultd:begin x v1 sha256:000000000000 %%", "%% vaultd:end x %%", "word " * 300,
        "长" * 1200, "\r", "> quote", "data:image/png;base64,AAAA", "x" * 2000,
    ]
)  # fmt: skip
markdown = st.lists(lines, max_size=40).map("\n".join)


@given(text=markdown)
def test_no_passage_is_longer_than_the_limit(text: str) -> None:
    assert all(0 < len(passage.text) <= LIMIT for passage in passages_of(text))


@given(text=markdown)
def test_every_visible_character_is_in_exactly_one_passage(text: str) -> None:
    joined = "".join(passage.text for passage in passages_of(text))

    assert "".join(joined.split()) == "".join(visible(text).split())


@given(text=markdown)
def test_offsets_and_lines_lead_back_to_the_text(text: str) -> None:
    shown = visible(text)

    for passage in passages_of(text):
        assert shown[passage.start : passage.end] == passage.text
        assert passage.line == shown.count("\n", 0, passage.start) + 1


@given(text=markdown)
def test_what_nobody_reads_leaves_the_offsets_alone(text: str) -> None:
    assert len(visible(text)) == len(text)
    assert visible(text).count("\n") == text.count("\n")


def test_a_passage_knows_the_headings_above_it() -> None:
    text = "# Book\n\n" + "Intro. " * 40 + "\n\n## Part\n\n" + "Body. " * 40

    assert [passage.headings for passage in passages_of(text)] == [("Book",), ("Book", "Part")]


def test_a_short_section_shares_its_passage_with_the_next() -> None:
    (passage,) = passages_of("# A\n\nshort\n\n# B\n\nalso short\n")

    assert passage.headings == ("A",)


def test_a_heading_inside_a_fence_is_code() -> None:
    (passage,) = passages_of("# Real\n\n```python\n# not a heading\n```\n")

    assert passage.headings == ("Real",)


def test_a_long_table_is_cut_between_rows() -> None:
    table = "\n".join(f"| row {n} | {'x' * 60} |" for n in range(40))

    found = passages_of(table)

    assert len(found) > 1
    assert all(p.text.startswith("|") and p.text.endswith("|") for p in found)


def test_headings_reach_over_the_page_break() -> None:
    found = passages_of_pages([(1, "# Chapter\n\nfirst page"), (2, "second page")])

    assert [(p.page, p.headings) for p in found] == [(1, ("Chapter",)), (2, ("Chapter",))]


def test_a_rule_and_prose_at_the_top_of_a_page_are_not_taken_for_properties() -> None:
    (passage,) = passages_of("---\nprose\n---\nmore")

    assert "prose" in passage.text


prose = st.lists(
    st.sampled_from(["A sentence here.", "中文句子，还有。", "word", "长" * 300, "x" * 900, "\n"]),
    max_size=30,
).map(" ".join)


@given(text=prose)
def test_windows_hold_every_word_within_what_can_be_embedded(text: str) -> None:
    windows = windows_of(text)

    assert "".join("".join(windows).split()) == "".join(text.split())
    assert all(weight_of(window) <= 1.3 * WINDOW for window in windows)
    assert all(window.strip() for window in windows)


@pytest.mark.parametrize(
    "line",
    [
        "1.1 Rye . . . . . . . . . . . . . 12",
        "**1.1. Rye ..................... 12**",
        "1.1 黑麦. . . . . . . . . . . . . . iv",
    ],
)
def test_a_list_of_contents_is_no_passage(line: str) -> None:
    text = f"{line}\n\nRye turns sour."

    assert [(one.text, one.line) for one in passages_of(text)] == [("Rye turns sour.", 3)]


@pytest.mark.parametrize("line", ["Name: ................", "And so on ........ for ever."])
def test_dots_that_lead_to_no_page_are_text(line: str) -> None:
    assert [one.text for one in passages_of(line)] == [line]


@pytest.mark.parametrize("mark", ["", "[8]", '"[12][13]', "]"])
def test_a_sentence_ends_before_its_references(mark: str) -> None:
    sentence = "Rye turns sour within a day where the kitchen is warm enough for it." + mark
    text = " ".join([sentence] * 30)

    assert all(one.text.endswith(sentence) for one in passages_of(text))
