"""Two bodies become one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vaultd.author.offline.labels import labels_for
from vaultd.author.offline.union import united

LINES = st.sampled_from(
    [
        "A paragraph of one person.",
        "Another paragraph.",
        "- First fact. [[raw/a.pdf#page=1|p. 1]]",
        "- First fact. [[raw/b.pdf#page=2|p. 2]]",
        "- Second fact.",
        "- [[wiki/concepts/X|X]]",
        "## What A says",
        "## Related pages",
        "> [!info] Written offline. [[raw/a.pdf#page=1|p. 1]]",
        "```\n## no heading\n\n- no item\n```",
        "",
        "",
    ]
)
BODIES = st.lists(LINES, max_size=12).map("\n".join)


@given(BODIES, BODIES)
def test_every_line_of_the_existing_body_stays_in_order(existing: str, incoming: str) -> None:
    merged = united(existing, incoming)

    position = 0
    for line in existing.splitlines():
        if line.strip():
            position = merged.find(line, position)
            assert position >= 0
            position += len(line)


@given(BODIES, BODIES)
def test_uniting_twice_changes_nothing(existing: str, incoming: str) -> None:
    once = united(existing, incoming)

    assert united(once, incoming) == once


@given(BODIES, BODIES)
def test_every_fact_of_both_is_there(existing: str, incoming: str) -> None:
    merged = united(existing, incoming)

    for fact in ("First fact.", "Second fact.", "Another paragraph.", "[[wiki/concepts/X|X]]"):
        assert (fact in merged) == (fact in existing or fact in incoming)


def test_sections_of_one_heading_are_joined() -> None:
    merged = united(
        "Lead.\n\n## Related pages\n\n- [[a|A]]\n", "Lead.\n\n## Related pages\n\n- [[b|B]]\n"
    )

    assert merged == "Lead.\n\n## Related pages\n\n- [[a|A]]\n- [[b|B]]\n"


def test_an_empty_page_takes_the_incoming_body() -> None:
    assert united("", "Lead.\n") == "Lead.\n"


def test_related_pages_stay_last_in_any_language() -> None:
    merged = united(
        "Lead.\n\n## What “A” says\n\n- One.\n\n## Related pages\n\n- [[a|A]]\n",
        "甲。\n\n## 《乙》中的说法\n\n- 二。\n\n## 相关页面\n\n- [[b|B]]\n",
    )
    assert merged == (
        "Lead.\n\n## What “A” says\n\n- One.\n\n## 《乙》中的说法\n\n- 甲。\n- 二。\n\n"
        "## Related pages\n\n- [[a|A]]\n- [[b|B]]\n"
    )


def test_how_a_page_is_made_is_said_once() -> None:
    notes = [f"> [!info] {labels_for(language).note}" for language in ("en", "zh")]
    merged = united(
        f"Lead.\n\n{notes[0]} [[raw/a.pdf#page=1|p. 1]]\n\n## S\n\n- One.\n",
        f"甲。\n\n{notes[1]} [[raw/b.pdf#page=2|第 2 页]]\n\n## S\n\n- 二。\n",
    )
    assert merged.count("[!info]") == 1
    assert "- 甲。 [[raw/b.pdf#page=2|第 2 页]]" in merged
