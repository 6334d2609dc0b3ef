"""Property blocks: what is not ours keeps its bytes."""

from __future__ import annotations

import random
from datetime import date

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from vaultd.core.properties import (
    Settable,
    properties_or_none,
    read_properties,
    render_block,
    set_properties,
    split_note,
    texts,
)
from vaultd.errors import PropertiesError

ODD_ENTRIES = (
    "rating: 5 # mine\n",
    "# a comment of its own\n",
    "\n",
    "when: 10:30\n",
    "country: NO\n",
    "code: 01234\n",
    "version: 1.10\n",
    "day: 2024-02-30\n",
    'quoted: "a \\u263a b"\n',
    "single: 'it''s'\n",
    "plain over lines: one\n  two\n",
    "text: |\n  kept\n\n  as is\n",
    "folded: >-\n  a\n  b\n\n",
    "nested:\n  - a: 1\n    b: [x, y]\n  - c\n",
    "flow: {a: 1, b: [2, 3]} # end\n",
    "anchor: &n value\nagain: *n\n",
    "empty:\n",
    "link: [[Page]]\n",
    '"odd key" :   x\n',
    "键: 值 😀\n",
    "? explicit\n: yes\n",
    "list:\n- one # first\n# between\n- two\n",
    "deep list:\n    - one\n    - two\n",
)


def random_block(rng: random.Random) -> str:
    entries = rng.sample(ODD_ENTRIES, rng.randint(0, 8))
    ours = (
        (
            "tags: [a, b] # mine\n",
            "tags:\n  - a # why\n  - b\n",
            "tags: a\n",
            "tags:\n",
            "tags :  []\n",
        ),
        ("title: Old # t\n", 'title: "Old"\n', "title: >\n  Old\n  text\n", "'title': x\n"),
        ("updated: 2020-01-01\n", "updated: 2020-01-01 # u\n"),
    )
    for forms in ours:
        if rng.random() < 0.6:
            entries.insert(rng.randint(0, len(entries)), rng.choice(forms))
    body = rng.choice(("", "body\n", "body without end", "---\nrule\n"))
    block = "".join(entries)
    closer = "---" if not body and rng.random() < 0.5 else "---\n"
    text = f"---\n{block}{closer}{body}"
    if rng.random() < 0.3:
        text = text.replace("\n", "\r\n")
    return ("\ufeff" if rng.random() < 0.2 else "") + text


CHANGES: dict[str, Settable] = {
    "title": "New: title # 1",
    "tags": ("a", "b", "c"),
    "updated": date(2026, 11, 29),
    "source_sha256": "0" * 64,
}


def check_splice(text: str) -> None:
    before = dict(read_properties(text))
    changed = set_properties(text, CHANGES)
    after = dict(read_properties(changed))
    assert after["title"] == "New: title # 1"
    assert after["tags"] == ("a", "b", "c")
    assert after["updated"] == "2026-11-29"
    assert {k: v for k, v in after.items() if k not in CHANGES} == {
        k: v for k, v in before.items() if k not in CHANGES
    }
    foreign = [line for line in split_note(text).block.splitlines(keepends=True)]
    kept = split_note(changed).block.splitlines(keepends=True)
    ours = ("tags", "title", "'title'", "updated", "  - a", "  - b", "  Old", "  text")
    rest = [line for line in foreign if not line.startswith(ours)]
    remaining = iter(kept)
    assert all(any(line == other for other in remaining) for line in rest)
    assert split_note(changed).body == split_note(text).body
    assert set_properties(changed, CHANGES) == changed
    new = [key for key in CHANGES if key not in before]
    only_new = set_properties(text, {key: CHANGES[key] for key in new})
    assert set_properties(only_new, dict.fromkeys(new)) == text


@pytest.mark.parametrize("seed", range(150))
def test_setting_our_keys_changes_only_our_lines(seed: int) -> None:
    check_splice(random_block(random.Random(seed)))


@pytest.mark.full
def test_setting_our_keys_changes_only_our_lines_in_2000_blocks() -> None:
    for seed in range(2000):
        check_splice(random_block(random.Random(seed)))


def test_what_is_added_ends_its_lines_as_the_note_does_f15() -> None:
    note = "---\r\nrating: 5\r\n---\r\nText.\r\n"

    changed = set_properties(note, {"tags": ["a", "b"], "title": "A"})

    assert changed.count("\n") == changed.count("\r\n") == 8


@given(st.text())
def test_splitting_and_joining_gives_the_note(text: str) -> None:
    assert split_note(text).text == text
    assert split_note("---\n" + text).text == "---\n" + text


@given(st.lists(st.text(max_size=12), max_size=4), st.text(max_size=30))
def test_what_we_emit_reads_back_the_same_in_both_yaml_versions(
    items: list[str], title: str
) -> None:
    items = [item.encode("utf-8", "ignore").decode() for item in items]
    items = [item for item in items if item.strip() == item != ""]
    title = title.encode("utf-8", "ignore").decode()
    block = render_block([("type", "on"), ("title", title), ("tags", items), ("created", date.min)])
    old = yaml.safe_load(block[4:-4]) or {}
    new = read_properties(block)
    assert new.get("title", "") == old.get("title", "") == title
    assert list(texts(new.get("tags"))) == (old.get("tags") or []) == items
    assert new["type"] == old["type"] == "on"
    assert len(block.splitlines()) == block.count("\n")


def test_values_stay_what_the_person_typed() -> None:
    text = "---\na: 10:30\nb: NO\nc: 01234\nd: 1.10\ne: 2024-01-01\nf: true\ng: 7\nh: 1.5\n---\n"
    values = list(read_properties(text).values())
    assert values == ["10:30", "NO", "01234", "1.10", "2024-01-01", True, 7, 1.5]


@pytest.mark.parametrize(
    ("block", "line"),
    [
        ("title: A: B\n", 2),
        ("a: 1\nb: 2\na: 3\n", 4),
        ("a: 1\ncreated: {{date}}\n", 3),
        ("- a\nb: c\n", 2),
        ("a: *gone\n", 2),
        ("a: 1\n...\n", 3),
        ("a: " + "[" * 30 + "]" * 30 + "\n", 2),
    ],
)
def test_block_that_cannot_be_read_is_refused_with_its_line(block: str, line: int) -> None:
    text = f"---\n{block}---\nbody\n"
    with pytest.raises(PropertiesError, match=rf"^line {line}\b"):
        set_properties(text, {"title": "x"})
    assert properties_or_none(text) is None


def test_aliases_that_multiply_are_refused_before_they_grow() -> None:
    levels = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    for name, before in zip("bcdefghi", "abcdefgh", strict=True):
        levels.append(f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]")
    with pytest.raises(PropertiesError, match="aliases"):
        read_properties("---\n" + "\n".join(levels) + "\n---\n")


def test_note_that_begins_with_a_rule_keeps_its_text() -> None:
    text = "---\nSome prose.\n\n---\nmore\n"
    assert split_note(text).body == text
    with pytest.raises(PropertiesError):
        set_properties(text, {"title": "x"})


def test_unclosed_block_gets_no_second_one_in_front() -> None:
    with pytest.raises(PropertiesError):
        set_properties("---\ntitle: x\n\nbody\n", {"type": "concept"})


def test_note_without_a_block_gets_one_behind_its_byte_order_mark() -> None:
    assert set_properties("\ufeffbody\r\n", {"type": "concept"}) == (
        "\ufeff---\r\ntype: concept\r\n---\r\nbody\r\n"
    )


def test_added_tag_leaves_the_lines_of_the_others() -> None:
    text = "---\ntags:\n- 'a' # first\n- b\nz: 1\n---\n"
    assert set_properties(text, {"tags": ["a", "b", "c"]}) == (
        "---\ntags:\n- 'a' # first\n- b\n- c\nz: 1\n---\n"
    )
    assert set_properties(text, {"tags": ["b"]}) == "---\ntags:\n- b\nz: 1\n---\n"


def test_properties_written_as_json_are_read_and_left_alone() -> None:
    text = '---\n{"title": "x", "tags": ["a"]}\n---\n'
    assert read_properties(text)["title"] == "x"
    with pytest.raises(PropertiesError):
        set_properties(text, {"title": "y"})


def test_lists_are_read_in_every_form() -> None:
    values = read_properties(
        "---\ntags: a, b c\naliases: One thing, Two\nrelated: [[Page]]\n"
        "more:\n  - [[A, b]]\n  - x\n---\n"
    )
    assert texts(values["tags"], "tags") == ("a", "b", "c")
    assert texts(values["aliases"], "aliases") == ("One thing", "Two")
    assert texts(values["related"], "related") == ("[[Page]]",)
    assert texts(values["more"]) == ("[[A, b]]", "x")
