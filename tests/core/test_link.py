"""Links: found, resolved, and written so that they lead where they are meant to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultd.core.block_path import same_path
from vaultd.core.link import (
    Resolver,
    Targets,
    find_links,
    in_table,
    link_to,
    passage_link,
    relinked,
    rewrite_links,
    unlinked,
)
from vaultd.model.paths import VaultPath
from vaultd.model.wiki import PageRef

NOTE = VaultPath("wiki/concepts/Note.md")


def paths(*names: str) -> list[VaultPath]:
    return [VaultPath(name) for name in names]


def test_links_in_code_math_comments_and_properties_are_text() -> None:
    text = (
        '---\nrelated:\n  - "[[P]]"\n---\n[[A]] `[[B]]` $[[C]]$ %%[[D]]%%\n\n```\n[[E]]\n```\n'
        "![[F.png|400]] [[G#H|text]] | [[I\\|x]] |\n[t](a%20b.md#c) [w](https://x.y)\n"
    )
    found = find_links(text)
    assert [(link.target, link.fragment, link.text) for link in found] == [
        ("A", "", None),
        ("F.png", "", "400"),
        ("G", "#H", "text"),
        ("I", "", "x"),
        ("a b.md", "#c", "t"),
    ]
    assert rewrite_links(text, lambda link: None) == text


def test_resolver_prefers_exact_path_then_own_folder_then_shortest() -> None:
    resolver = Resolver.over(
        paths(
            "A.md", "wiki/concepts/B.md", "x/B.md", "wiki/long folder/C.md", "z/C.md", "raw/p.pdf"
        )
    )
    assert resolver.resolve("a", NOTE) == "A.md"
    assert resolver.resolve("B", NOTE) == "wiki/concepts/B.md"
    assert resolver.resolve("b.MD", VaultPath("y/N.md")) == "x/B.md"
    assert resolver.resolve("C", NOTE) == "z/C.md"
    assert resolver.resolve("long folder/C", NOTE) == "wiki/long folder/C.md"
    assert resolver.resolve("p.pdf", NOTE) == "raw/p.pdf"
    assert (
        resolver.resolve("../concepts/B", VaultPath("wiki/entities/N.md")) == "wiki/concepts/B.md"
    )
    assert resolver.resolve("D", NOTE) is None


names = st.sampled_from(["A", "a b", "É", "e\u0301", "C", "C.md", "C.md.md"])
folders = st.sampled_from(["", "wiki/", "wiki/x/", "wiki/concepts/", "raw/"])
vaults = st.lists(st.tuples(folders, names), min_size=1, max_size=8, unique=True)


@given(vaults, st.integers(0, 7), folders)
def test_a_link_we_write_leads_to_the_file_we_meant(
    files: list[tuple[str, str]], number: int, folder: str
) -> None:
    found = {
        f"{where}{name}.md".casefold(): VaultPath(f"{where}{name}.md") for where, name in files
    }
    vault = list(found.values())
    meant = vault[number % len(vault)]
    link = find_links(link_to(meant, "text"))[0]
    resolved = Resolver.over(vault).resolve(link.target, VaultPath(f"{folder}From.md"))
    assert resolved is not None
    assert same_path(resolved) == same_path(meant)


def test_a_name_without_its_ending_may_be_another_files() -> None:
    resolver = Resolver.over(paths("x/C.md", "x/C.md.md", "y/D.md.md", "z/pic.png", "z/pic.png.md"))

    assert resolver.resolve("C", NOTE) == "x/C.md"
    assert resolver.resolve("C.md", NOTE) == "x/C.md"
    assert resolver.resolve("C.md.md", NOTE) == "x/C.md.md"
    assert resolver.resolve("D.md", NOTE) == "y/D.md.md"
    assert resolver.resolve("D", NOTE) is None
    assert resolver.resolve("pic.png", NOTE) == "z/pic.png"
    assert resolver.resolve("pic.png.md", NOTE) == "z/pic.png.md"


def test_links_are_written_with_their_text_and_place() -> None:
    assert link_to(VaultPath("wiki/c/A.md"), "x | y]]") == "[[wiki/c/A|x y]]"
    assert link_to(VaultPath("wiki/c/A.md"), "A", in_table=True) == "[[wiki/c/A\\|A]]"
    assert passage_link(VaultPath("raw/a.pdf"), 3) == "[[raw/a.pdf#page=3|p. 3]]"
    assert passage_link(VaultPath("raw/a.docx"), None) == "[[raw/a.docx|a.docx]]"


def test_moved_and_deleted_pages_are_followed() -> None:
    vault = Resolver.over(paths("wiki/concepts/A.md", "wiki/concepts/Note.md", "b.png"))
    text = "[[A]] [[a#x|t]] [u](A.md) ![[b.png]] | [[A\\|v]] | `[[A]]`"
    moved = {VaultPath("wiki/concepts/A.md"): VaultPath("wiki/ideas/New A.md")}
    assert relinked(text, NOTE, moved, vault) == (
        "[[wiki/ideas/New A|A]] [[wiki/ideas/New A#x|t]] [u](wiki/ideas/New%20A.md) ![[b.png]]"
        " | [[wiki/ideas/New A\\|v]] | `[[A]]`"
    )
    to_folder_note = {VaultPath("wiki/concepts/A.md"): VaultPath("wiki/x.md/x.md.md")}
    assert relinked("[[A]]", NOTE, to_folder_note, vault) == "[[wiki/x.md/x.md.md|A]]"
    gone = {VaultPath("wiki/concepts/A.md"), VaultPath("b.png")}
    assert unlinked(text, NOTE, gone, vault) == "A t u  | v | `[[A]]`"


def page(path: str, title: str = "", *aliases: str) -> PageRef:
    return PageRef(VaultPath(path), title or path.rsplit("/", 1)[-1][:-3], "concept", "", aliases)


PAGES = [
    page("wiki/concepts/Trace tree.md", "Trace tree", "TT"),
    page("wiki/entities/Trace tree.md"),
    page("wiki/sources/Attention.md"),
    page("wiki/concepts/Attention.md"),
]


@pytest.mark.parametrize(
    ("target", "folder", "path"),
    [
        ("trace-tree", "wiki/concepts", "wiki/concepts/Trace tree.md"),
        ("trace-tree", "wiki/entities", "wiki/entities/Trace tree.md"),
        ("entities/trace-tree", "wiki/concepts", "wiki/entities/Trace tree.md"),
        ("wiki/concepts/Trace tree.md", "wiki/x", "wiki/concepts/Trace tree.md"),
        ("tt", "wiki/x", "wiki/concepts/Trace tree.md"),
        ("Attention", "wiki/x", "wiki/concepts/Attention.md"),
        ("asked-name", "wiki/x", "wiki/concepts/Trace tree.md"),
        ("nothing", "wiki/x", None),
    ],
)
def test_a_models_names_for_pages_are_understood(
    target: str, folder: str, path: str | None
) -> None:
    targets = Targets.over(PAGES, {VaultPath("wiki/concepts/asked-name.md"): PAGES[0]})
    found = targets.find(target, folder)
    assert (found.path if found else None) == path


def test_a_bare_name_means_the_thing_and_not_the_source_named_after_it() -> None:
    own = PageRef(VaultPath("wiki/sources/heat.md"), "Heat", "source")
    thing = PageRef(VaultPath("wiki/concepts/Heat.md"), "Heat", "concept")
    asked = {own.path: own, VaultPath("wiki/concepts/heat.md"): thing}

    targets = Targets.over([own, thing], asked)

    assert targets.find("heat", "wiki/sources") == thing
    assert targets.find("Heat", "wiki/concepts") == thing
    assert targets.find("sources/heat", "wiki/concepts") == own


def test_pipes_are_escaped_in_tables_only() -> None:
    text = "before | pipe\n\n| a | b |\n|---|---|\n| here | x |\n\nafter"
    assert in_table(text, text.index("here"))
    assert in_table(text, text.index("a | b"))
    assert not in_table(text, 0)
    assert not in_table(text, text.index("after"))
