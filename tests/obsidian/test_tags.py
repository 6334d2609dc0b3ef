"""What is a tag in Obsidian is a tag here, and nothing else is."""

from __future__ import annotations

import pytest

from vaultd.core.query import parse
from vaultd.core.sanitise import sanitise
from vaultd.core.searchable import note_words
from vaultd.core.tags import INLINE_TAG, clean_tag
from vaultd.model.search import Filters

# Obsidian ends a tag at these, besides blanks.
ENDING = "!\"#$%&'()*+,.:;<=>?@^`{|}~[]\\" + "\u2000\u2014\u2019\u2026\u206f\u2e17\u2e3a\u2e7f"


@pytest.mark.parametrize("letter", ["_", "-", "/", "ж", "注", "א", "🌱", "é", "7"])
def test_letters_of_any_script_and_emoji_are_part_of_a_tag(letter: str) -> None:
    assert clean_tag(f"a{letter}b") == f"a{letter}b"
    assert note_words(f"Text #a{letter}b.").tags == (f"a{letter}b",)


@pytest.mark.parametrize("mark", ENDING)
def test_punctuation_ends_a_tag_and_is_in_none_that_we_write(mark: str) -> None:
    assert note_words(f"Text #a{mark}b").tags == ("a",)
    assert mark not in (clean_tag(f"a{mark}b") or "")


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#one and #two/deep\n#three", ("one", "two/deep", "three")),
        ("#🌱/seedling #中文", ("🌱/seedling", "中文")),
        ("#2024 #2024-goals", ("2024-goals",)),
        ("C# color:#fff a#b (#c) [[Note #d]] https://x.org/#e", ()),
        ("`#a`\n\n```css\n#b {}\n```\n", ()),
        ("---\ndescription: see #a\ntags: [b]\n---\n", ("b",)),
        ("# Heading\n\n##also not", ()),
    ],
)
def test_tags_are_read_where_obsidian_reads_them(text: str, tags: tuple[str, ...]) -> None:
    assert note_words(text).tags == tags


@pytest.mark.parametrize("sign", ["#include", "#fff", "#1a2b", "#中", "#🌱", "#2024-goals"])
def test_no_sign_in_a_models_text_becomes_a_tag(sign: str) -> None:
    body = sanitise(f"See {sign} here.\n").body

    assert body == f"See \\{sign} here.\n"
    assert INLINE_TAG.search(body) is None


def test_numbers_and_headings_keep_their_sign() -> None:
    text = "# One\n\nIssue #123 and C# and page.html#part.\n"

    assert sanitise(text).body == text


@pytest.mark.parametrize("tag", ["🌱", "ml/attention", "注意", "2024-goals"])
def test_a_tag_typed_into_the_search_box_is_asked_for(tag: str) -> None:
    assert parse(f"soil #{tag}", Filters()).tags == (tag,)
