"""How a page proposal is read from a block, however its properties are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultd.core.draft import body_of, page_draft
from vaultd.core.loose_properties import split_properties
from vaultd.core.reply import FileBlock
from vaultd.model.paths import VaultPath
from vaultd.model.wiki import PageDraft


def draft(text: str, path: str = "wiki/concepts/some-page.md") -> PageDraft:
    page = page_draft(FileBlock(VaultPath(path), text)).page
    assert page is not None
    return page


def with_property(line: str) -> PageDraft:
    return draft(f"---\ntype: concept\n{line}\n---\n\nBody.")


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("title: Plain", "Plain"),
        ('title: "Quoted: colon"', "Quoted: colon"),
        ("title: 'It''s'", "It's"),
        ("title: Part one: the end #1", "Part one: the end #1"),
        ("title: [[Linked]]", "Linked"),
        ("title: >-\n  folded\n  over lines", "folded over lines"),
        ("Title: Capital key", "Capital key"),
        ('title: "Said \\"so\\""', 'Said "so"'),
        ("title: 'unbalanced", "'unbalanced"),
        ("title: 化学：方程式", "化学：方程式"),
    ],
)
def test_a_title_is_read_to_the_end_of_its_line(line: str, title: str) -> None:
    assert with_property(line).title == title


@pytest.mark.parametrize(
    ("lines", "tags"),
    [
        ("tags: [a, b]", ("a", "b")),
        ("tags: ['a', \"b c\"]", ("a", "b-c")),
        ("tags:\n  - a\n  - b", ("a", "b")),
        ("tags:\n- a\n- b", ("a", "b")),
        ("tags: a, b, c", ("a", "b", "c")),
        ("tags: [#a, #b]", ("a", "b")),
        ("tags:\n  a: true\n  b:\n  c: false", ("a", "b")),
        ("tags: {x: a, y: [b, c]}", ("a", "b", "c")),
        ("tags:\n  - name: a\n  - name: b b", ("a", "b-b")),
        ("tags: [{name: a}, b]", ("a", "b")),
        ("tags: [A, a]", ("A",)),
        ("tags: [2024, y2024]", ("y2024",)),
        ("tags: [unclosed, list", ()),
        ("tags: {broken: [", ()),
        ("tags:", ()),
        ("tags: []", ()),
        ("tags: null", ("null",)),
    ],
)
def test_tags_are_plain_words_however_they_come(lines: str, tags: tuple[str, ...]) -> None:
    found = with_property(lines).tags

    assert found == tags or not tags
    assert not any(set(tag) & set("{}[]'\": ") for tag in found)


@pytest.mark.parametrize(
    "line",
    [
        "related: [one, two]",
        "related: [[one]], [[two]]",
        'related: ["[[one]]", "[[two|Two]]"]',
        "related:\n  - '[[one]]'\n  - two",
        "related: [[[one]], [[two]]]",
    ],
)
def test_links_in_properties_become_their_targets(line: str) -> None:
    assert with_property(line).related == ("one", "two")


@pytest.mark.parametrize(
    "text",
    [
        "---\ntype: concept\ntitle: T\n---\n\n# T\n\nBody.",
        "\n\n---\ntype: concept\ntitle: T\n---\n# T\n\nBody.",
        "```yaml\n---\ntype: concept\ntitle: T\n---\n```\n\n# T\n\nBody.",
        "```\n---\ntype: concept\ntitle: T\n---\n# T\n\nBody.\n```",
        "```markdown\n\n---\ntype: concept\ntitle: T\n---\n# T\n\nBody.\n```\n",
        "frontmatter:\n---\ntype: concept\ntitle: T\n---\n# T\n\nBody.",
        "\nFrontmatter:\n\n---\ntype: concept\ntitle: T\n---\n# T\n\nBody.",
        "type: concept\ntitle: T\n---\n\n# T\n\nBody.",
        "---\ntype: concept\n---\n\n---\ntitle: T\n---\n# T\n\nBody.",
        "---\ntype: concept\ntitle: T\n---\n---\ntype: entity\ntags: []\n---\n# T\n\nBody.",
        "```yaml\ntype: concept\ntitle: T\n---\n```\n# T\n\nBody.",
    ],
)
def test_every_way_to_write_properties_gives_the_same_page(text: str) -> None:
    page = draft(text)

    assert (page.type, page.title, page.body) == ("concept", "T", "# T\n\nBody.")


@pytest.mark.parametrize(
    "text",
    [
        "Just text.",
        "---\n\nA rule opens this page, text follows.\n\n---\n\nMore.",
        "---\nno keys here at all\n---\n\nMore.",
        "# Heading\n\ntitle: is a word here\n\n---\n\nMore.",
        "---\ntype: concept\n\nNever closed, and a sentence follows.",
        "```python\nprint('code first')\n```\n\nText.",
    ],
)
def test_text_that_only_looks_like_properties_stays_in_the_body(text: str) -> None:
    assert draft(text).body == text


def test_a_rule_behind_the_properties_stays() -> None:
    page = draft(
        "---\ntype: concept\n---\n\nFirst.\n\n---\n\nSecond: with a colon.\n\n---\n\nLast."
    )

    assert page.body == "First.\n\n---\n\nSecond: with a colon.\n\n---\n\nLast."


def test_missing_properties_come_from_heading_name_and_folder() -> None:
    page = draft("# A heading\n\nText.", "wiki/entities/some-page.md")
    bare = draft("Text.", "wiki/thesis/some-page.md")

    assert (page.type, page.title) == ("entity", "A heading")
    assert (bare.type, bare.title) == ("", "some page")


def test_further_properties_are_kept_as_text_and_dates_are_not() -> None:
    page = draft(
        "---\ntype: concept\ncreated: 2020-01-01\nupdated: 2020-01-01\nauthor: me\nstatus: open\n"
        "source_sha256: 00\nnested:\n  a: b\n---\nBody."
    )

    assert dict(page.extra) == {"status": "open", "nested": "a: b"}


def test_an_open_fence_is_closed_and_named() -> None:
    drafted = page_draft(FileBlock(VaultPath("wiki/a.md"), "Text.\n\n~~~~py\nx = 1"))

    assert drafted.page is not None
    assert drafted.page.body.endswith("x = 1\n~~~~")
    assert drafted.warnings == ("closed a code fence: wiki/a.md",)


def test_a_block_of_properties_alone_is_no_page() -> None:
    drafted = page_draft(FileBlock(VaultPath("wiki/a.md"), "---\ntype: concept\n---\n"))

    assert drafted.page is None
    assert drafted.warnings == ("empty page: wiki/a.md",)


pieces = st.sampled_from(
    ["---", "type: a", "title: b: c", "tags: {x", "- y", "```", "```yaml", "frontmatter:", "", "z"]
)


@given(st.lists(pieces | st.text(max_size=6), max_size=14).map("\n".join))
def test_no_line_of_text_is_lost_between_properties_and_body(text: str) -> None:
    split = split_properties(text)
    kept = "\n".join([*split.properties, split.body])

    for line in text.split("\n"):
        mark = line.strip()
        wrapping = mark[:3] in ("---", "```", "~~~") or mark.lower().startswith("frontmatter")
        assert wrapping or not mark or mark in kept or ":" in mark


@given(st.lists(pieces | st.text(max_size=6), max_size=14).map("\n".join))
def test_taking_the_body_twice_keeps_fences_balanced(text: str) -> None:
    body = body_of(text)

    assert body_of(f"---\ntype: x\n---\n\n{body}") in (body, body_of(body))
