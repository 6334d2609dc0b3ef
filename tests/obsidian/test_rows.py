"""Conventions of Obsidian's vaults that hold wherever a page or a name comes from."""

from __future__ import annotations

from datetime import date

import pytest

from vaultd.core.folder_note import note_body
from vaultd.core.ignore import Fate, Rules
from vaultd.core.listing import index_body
from vaultd.core.names import STEM_BYTES, distinct_path, file_stem
from vaultd.core.page import NewProperties, new_page_text, parse_page
from vaultd.core.properties import read_properties, set_properties
from vaultd.core.schema import Schema, route
from vaultd.model.paths import VaultPath
from vaultd.model.summary import ChildSummary, Node, NodeKind, NodeState
from vaultd.model.wiki import PageRef


@pytest.mark.parametrize("letter", ["a", "é", "语", "🌱"])
def test_a_long_name_is_cut_between_letters_n6(letter: str) -> None:
    stem = file_stem(letter * 300)

    assert len(stem.encode()) <= STEM_BYTES
    assert set(stem) == {letter}
    assert len(distinct_path("wiki/concepts", letter * 300, ())) <= 160


@pytest.mark.parametrize("name", ["CON", "prn", "Aux", "nul.notes", "COM0", "lpt9.txt", "com¹"])
def test_no_name_is_a_device_of_windows_n3(name: str) -> None:
    assert file_stem(name).partition(".")[0] == f"{name.partition('.')[0]}_"


@pytest.mark.parametrize("name", ["C# basics", "[a]", "100%%", "a^b", "con", "trailing."])
@pytest.mark.parametrize("page_type", ["concept", ""])
def test_no_folder_is_made_with_a_name_that_no_page_could_have_n1_n2(
    name: str, page_type: str
) -> None:
    place = route(Schema(), page_type, f"wiki/concepts/{name}/x.md")

    assert (place.type, place.folder) == ("concept", "wiki/concepts")


@pytest.mark.parametrize(
    "block",
    [
        "tags: ml\n",
        "tags: [ml]\n",
        "tags:\n- ml\n",
        "tags:\n  - ml # mine\n",
        'Tags: "ml"\ntag: other\n',
    ],
)
def test_a_tag_is_added_without_a_second_key_or_a_lost_one_p3_p6(block: str) -> None:
    page = parse_page(f"---\n{block}---\nText.\n")
    key = next(iter(page.properties))

    text = set_properties(page.text, {key: [*page.listed(key), "bread"]})

    lines = text.split("---\n")[1].splitlines()
    assert sum(line.casefold().startswith("tags:") for line in lines) == 1
    assert parse_page(text).tags[:2] == ("ml", "bread")
    assert any(line.strip() in ("- bread", '- "bread"') for line in lines)
    assert ("tag: other\n" in text) == ("tag: other\n" in block)


def test_what_is_written_is_flat_on_one_line_and_dated_by_code_p5_p7_p8() -> None:
    text = new_page_text(
        NewProperties(
            type="concept",
            title='Two\nlines: a "quote" and **bold**',
            created=date(2026, 11, 29),
            updated=date(2026, 11, 30),
            author="offline",
            tags=("a", "b"),
            aliases=("One",),
            related=("[[wiki/concepts/A|A]]",),
        ),
        "Text.",
    )

    block = text.split("---\n")[1].splitlines()
    assert "created: 2026-11-29" in block
    assert '  - "[[wiki/concepts/A|A]]"' in block
    assert all(line.startswith("  - ") or not line.startswith(" ") for line in block)
    assert not {"tag", "alias", "cssclass"} & set(read_properties(text) or {})


@pytest.mark.parametrize(
    "path",
    [
        "Note (Conflicted copy phone 202401011200).md",
        "Note (Kim's conflicted copy 2024-01-01).md",
        "Note.sync-conflict-20240101-120000-ABCDEFG.md",
        "conflict-files-obsidian-git.md",
        ".hidden.md",
        "~$Note.md",
        "Note.md.swp",
        "Board.canvas",
        "Books.base",
    ],
)
def test_what_is_no_note_is_not_taken_for_one_s11_x3(path: str) -> None:
    rules = Rules()

    assert rules.judge(path, 10).fate is not Fate.NOTE
    assert rules.judge(f"raw/{path}", 10).fate is Fate.SKIPPED


@pytest.mark.parametrize("folder", [".trash", "a/.stversions", "@eaDir", "x/__MACOSX", ".anything"])
def test_folders_of_other_programs_are_not_entered_s7_s11(folder: str) -> None:
    assert not Rules().enters(folder)


def test_what_code_writes_is_read_without_any_plugin_x6() -> None:
    child = ChildSummary("wiki/concepts/A.md", "A", "About A.", "concept", False, True)
    node = Node(VaultPath("wiki/concepts"), NodeKind.FOLDER, NodeState.OK, "d", abstract="Things.")
    page = PageRef(VaultPath("wiki/concepts/A.md"), "A", "concept", "About A.")

    for text in (note_body(node, [child]), index_body([page])):
        assert "- [[wiki/concepts/A|A]]: About A." in text
        assert "```" not in text
        assert "<" not in text
