"""Names of pages, folders and slugs."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultd.core.block_path import same_path
from vaultd.core.names import (
    distinct_path,
    file_stem,
    media_folder,
    source_page_path,
    source_slug,
)
from vaultd.core.schema import parse_schema, route
from vaultd.core.tags import clean_tag, clean_tags
from vaultd.model.paths import SourceId, VaultPath

FORBIDDEN = re.compile(r'[?<>:*|"/\\#^\[\]\x00-\x1f\x7f-\x9f]|%%')
hostile = st.lists(
    st.sampled_from(list('?<>:*|"/\\#^[]%. \u00a0\x07-_')) | st.characters(), max_size=40
).map("".join)


def check_name(stem: str) -> None:
    assert stem
    assert not FORBIDDEN.search(stem)
    assert stem == stem.strip()
    assert not stem.startswith(".")
    assert not stem.endswith((".", " "))
    assert len(stem.encode()) <= 244
    assert file_stem(stem) == stem
    assert stem.split(".")[0].strip().casefold() not in ("con", "nul", "com1", "lpt9", "aux")


@given(hostile)
def test_every_title_gives_a_valid_and_stable_name(title: str) -> None:
    check_name(file_stem(title))


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("NIST SP 800-223: Security", "NIST SP 800-223 - Security"),
        ("What is C?", "What is C"),
        ("AC/DC", "AC-DC"),
        ("con", "con_"),
        ("COM1.txt", "COM1_.txt"),
        ("...", "Untitled"),
        ("", "Untitled"),
        ("缩放点积注意力", "缩放点积注意力"),
        ("🦊", "🦊"),
        ("e\u0301tude", "étude"),
        ("a\u00a0b\tc", "a b c"),
        (".hidden. ", "hidden"),
        ("5%% off", "5% off"),
    ],
)
def test_titles_become_the_names_people_would_give(title: str, name: str) -> None:
    assert file_stem(title) == name


def distinct_names(count: int) -> None:
    rng = random.Random(7)
    letters = 'aAbéE\u0301文字🦊 .:/?*"<>|#[]^%\\'
    taken: set[str] = set()
    for number in range(count):
        title = "".join(rng.choices(letters, k=rng.choice((0, 1, 2, 3, 300))))
        path = distinct_path("wiki/concepts", title, taken)
        check_name(path.removeprefix("wiki/concepts/").removesuffix(".md"))
        assert len(path) <= 160
        assert same_path(path) not in taken
        taken.add(same_path(path))
        assert len(taken) == number + 1


def test_random_titles_give_distinct_names() -> None:
    distinct_names(400)


@pytest.mark.full
@pytest.mark.timeout(300)
def test_10000_random_titles_give_distinct_names() -> None:
    distinct_names(10_000)


def test_case_and_unicode_twins_get_a_number() -> None:
    taken = {same_path("wiki/c/Étude.md")}
    assert distinct_path("wiki/c", "e\u0301tude", taken) == "wiki/c/étude 1.md"
    assert distinct_path("wiki/c", "E\u0301TUDE", taken) == "wiki/c/ÉTUDE 1.md"


def test_source_pages_mirror_raw_and_tell_twins_apart() -> None:
    pdf, docx = SourceId("ml/Attention.pdf"), SourceId("ml/Attention.docx")
    claimed: dict[str, SourceId] = {}
    first = source_page_path(pdf, claimed)
    assert first == "wiki/sources/ml/Attention.md"
    claimed[same_path(first)] = pdf
    second = source_page_path(docx, claimed)
    assert second == "wiki/sources/ml/Attention (docx).md"
    claimed[same_path(second)] = docx
    assert source_page_path(pdf, claimed) == first
    assert source_page_path(docx, claimed) == second
    assert source_page_path(SourceId("sources/a.txt"), {}) == "wiki/sources/a.md"


def test_slugs_keep_folders_apart() -> None:
    assert source_slug(SourceId("My report.pdf")) == "My report"
    one, two = source_slug(SourceId("a-b/c.pdf")), source_slug(SourceId("a--b/c.pdf"))
    assert one.startswith("3-a-b--1-c--")
    assert two.startswith("4-a-b--1-c--")
    long = source_slug(SourceId("/".join(["folder"] * 40) + "/x.pdf"))
    assert len(long) <= 120
    page = VaultPath("wiki/sources/report (docx).md")
    assert media_folder(SourceId("report.docx"), page) == "wiki/media/report (docx)"


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("#machine learning", "machine-learning"),
        ("2024", "y2024"),
        ("2024-goals", "2024-goals"),
        ("C++", "C"),
        ("a/b", "a/b"),
        ("注意力", "注意力"),
        ("…", None),
        ("--", None),
    ],
)
def test_tags_are_valid_in_obsidian(text: str, tag: str | None) -> None:
    assert clean_tag(text) == tag


def test_tags_take_the_casing_the_vault_has() -> None:
    assert clean_tags(["ai", "#AI", "New"], {"ai": "AI"}) == ("AI", "New")


SCHEMA = """# Schema

## Page Types

| Type | Folder | For |
| --- | --- | --- |
| `recipe` | wiki/recipes/ | food |
| concept | ideas | thoughts |
| bad | ../out | no |
"""


@pytest.mark.parametrize(
    ("page_type", "asked", "place"),
    [
        ("recipe", "wiki/concepts/Soup.md", ("recipe", "wiki/recipes")),
        ("concept", "wiki/concepts/x.md", ("concept", "wiki/ideas")),
        ("entity", "wiki/entities/people/x.md", ("entity", "wiki/entities/people")),
        ("", "wiki/recipes/x.md", ("recipe", "wiki/recipes")),
        ("source", "wiki/sources/other.md", ("concept", "wiki/ideas")),
        ("odd", "wiki/odd things/x.md", ("odd", "wiki/odd things")),
        ("synthesis", "wiki/ideas/x.md", ("synthesis", "wiki/synthesis")),
        ("", "wiki/x.md", ("concept", "wiki/ideas")),
    ],
)
def test_pages_go_to_the_folder_of_their_type(
    page_type: str, asked: str, place: tuple[str, str]
) -> None:
    found = route(parse_schema(SCHEMA), page_type, asked)
    assert (found.type, found.folder) == place


@given(st.lists(st.text(max_size=12), max_size=8))
def test_tags_are_always_valid(written: list[str]) -> None:
    for tag in clean_tags(written, {}):
        assert tag
        assert not tag.isdigit()
        assert not any(char.isspace() or char in "#,;:|'\"{}[]" for char in tag)
