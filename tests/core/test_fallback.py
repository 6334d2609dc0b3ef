from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from vaultd.core.fallback import (
    escaped,
    fallback_abstract,
    fallback_overview,
    fallback_summary,
    first_characters,
    listing_of,
)
from vaultd.model.summary import ChildSummary

MEMORIES = (
    ("a", "Prefers PEP8 coding style", "preference"),
    ("b", "Weekly team meeting on Monday", "event"),
    (
        "c",
        "Uses VS Code as primary editor for every language and on all of the machines",
        "preference",
    ),
)


def child(name: str, abstract: str, category: str) -> ChildSummary:
    return ChildSummary(f"wiki/{name}.md", name, abstract, category, False, bool(abstract))


CHILDREN = [child(*memory) for memory in MEMORIES]


def test_chinese_abstract_counts_and_names_the_sorted_categories() -> None:
    assert fallback_abstract(CHILDREN, "zh") == "包含 3 条event、preference相关记忆"


def test_english_abstract_counts_and_names_the_sorted_categories() -> None:
    assert fallback_abstract(CHILDREN, "en") == "Contains 3 items about event, preference"


def test_chinese_overview_groups_by_category_with_dots_only_where_cut() -> None:
    assert fallback_overview(CHILDREN, "zh") == (
        "# 目录内容概览\n\n"
        "## event (1条)\n"
        "- Weekly team meeting on Monday\n\n"
        "## preference (2条)\n"
        "- Prefers PEP8 coding style\n"
        "- Uses VS Code as primary editor for every language...\n"
    )


def test_english_overview_has_the_same_shape() -> None:
    overview = fallback_overview(CHILDREN[:2], "en")

    assert overview == (
        "# Contents\n\n## event (1)\n- Weekly team meeting on Monday\n\n"
        "## preference (1)\n- Prefers PEP8 coding style\n"
    )


def test_order_of_children_does_not_matter() -> None:
    assert len({fallback_overview(order, "zh") for order in permutations(CHILDREN)}) == 1


def test_markup_of_a_child_is_plain_in_the_overview() -> None:
    overview = fallback_overview([child("x", "See [[Secret]] <img> `rm` %% #tag", "note")], "en")

    assert "[[" not in overview
    assert "<img" not in overview.replace("\\<", "")
    assert "%%" not in overview


def test_cut_never_parts_a_composed_character() -> None:
    assert first_characters("a" * 9 + "e\u0301", 10) == "a" * 9


def test_listing_names_children_within_its_limit() -> None:
    line = listing_of([child(f"note {number:03}", "", "note") for number in range(100)], limit=40)

    assert line == "note 000, note 001, note 002, note 003…"


def test_summary_holds_count_and_categories() -> None:
    summary = fallback_summary(CHILDREN, "zh")

    assert (summary.child_count, summary.categories) == (3, ("event", "preference"))


hostile = st.lists(
    st.sampled_from(
        [
            "[[",
            "]]",
            "\\",
            "%%",
            "%",
            "`",
            "<b>",
            "# ",
            "#",
            "_",
            "*",
            "==",
            "~~",
            "a",
            "字",
            " ",
            "\n",
        ]
    ),
    max_size=30,
).map("".join)


@settings(max_examples=60)
@given(text=hostile)
def test_escaped_text_is_one_line_without_comment_or_link(text: str) -> None:
    plain = escaped(text)

    assert "\n" not in plain
    assert "%%" not in plain
    assert "[[" not in plain
    assert escaped(plain) == plain
