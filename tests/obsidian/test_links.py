"""Links that we write lead where they are meant to, whatever a person called the file."""

from __future__ import annotations

import pytest

from tests.life.conftest import World
from tests.wiki_checks import assert_sound, broken_links
from vaultd.author.offline.union import united
from vaultd.core.citation import citations_in
from vaultd.core.link import (
    Resolver,
    find_links,
    is_linkable,
    link_to,
    passage_link,
    relinked,
    rewrite_links,
)
from vaultd.core.merge import claims_of
from vaultd.core.relink import without_claims_of
from vaultd.model.paths import SourceId, VaultPath

ODD = [
    "Report #3.pdf",
    "[2017] Attention [final].pdf",
    "C# in depth/part | one.pdf",
    "a^b %% c.pdf",
    "100% (draft).pdf",
    "cost $5 & more; 'x'.pdf",
    "tick `x` <b>.pdf",
    "ü 中文 🌱.pdf",
]


@pytest.mark.parametrize("name", ODD)
def test_a_claim_leads_to_a_source_of_any_name_l4(name: str) -> None:
    path = VaultPath(f"raw/{name}")
    body = f"A claim. {passage_link(path, 3)}\n"

    (link,) = find_links(body)

    assert (link.target, link.fragment, link.text) == (path, "#page=3", "p. 3")
    assert Resolver.over([path]).resolve(link.target, VaultPath("wiki/a.md")) == path
    assert [(each.source, each.page) for each in citations_in(body)] == [(path, 3)]


@pytest.mark.parametrize("name", ODD)
def test_what_only_an_odd_named_source_claims_goes_with_it(name: str) -> None:
    claim = passage_link(VaultPath(f"raw/{name}"), 3)
    other = passage_link(VaultPath("raw/other.pdf"), 1)
    body = f"Mine.\n\n- One. {claim}\n- Two. {claim} {other}\n"

    assert len(claims_of(body)) == 2
    assert without_claims_of(body, SourceId(name)) == f"Mine.\n\n- Two. {claim} {other}\n"
    assert united(body, f"- One. {claim}\n") == body


@pytest.mark.parametrize("name", ["Report #3.md", "[2017] Paper.md", "a ^b | c.md", "%% x.md"])
@pytest.mark.parametrize("by_hand", [False, True])
async def test_pages_of_a_source_with_an_odd_name_are_sound(
    world: World, name: str, by_hand: bool
) -> None:
    path = VaultPath(f"raw/{name}")
    claim = f"[[{path}#page=1|p. 1]]" if by_hand else passage_link(path, 1)

    result = await world.ingest(name, {"Dough": f"Dough rises. {claim}"})

    page = world.text("wiki/concepts/Dough.md")
    assert "unverified" not in page
    assert result["reviews"] == 0
    assert f"Dough rises. {passage_link(path, 1)}" in page
    assert [each.source for each in citations_in(page)] == [path]
    assert broken_links(world.vault.root) == []


async def test_links_follow_a_source_that_gets_an_odd_name_and_a_plain_one_again(
    world: World,
) -> None:
    await world.ingest("a.md", {"Dough": "Dough rises. [[raw/a.md#page=1|p. 1]]"})

    await world.move("raw/a.md", "raw/Report #1.md")
    assert "[p. 1](raw/Report%20%231.md#page=1)" in world.text("wiki/concepts/Dough.md")
    assert_sound(world.vault.root)

    await world.move("raw/Report #1.md", "raw/b.md")
    assert_sound(world.vault.root)


def test_plain_names_get_wikilinks() -> None:
    assert is_linkable("raw/ml/Attention (v2), $5 & 50%.pdf")
    assert link_to(VaultPath("raw/a.pdf"), "A", fragment="#page=2") == "[[raw/a.pdf#page=2|A]]"


@pytest.mark.parametrize(
    ("link", "after"),
    [
        ("[[Old#^b1]]", "[[wiki/New#^b1|Old]]"),
        ("![[old.png|400]]", "![[wiki/media/new.png|400]]"),
        ("![[old.png|640x480]]", "![[wiki/media/new.png|640x480]]"),
        ("[[Old#A#B|text]]", "[[wiki/New#A#B|text]]"),
        ("[text](Old.md#A%20B)", "[text](wiki/New.md#A%20B)"),
    ],
)
def test_width_heading_and_block_stay_when_a_link_follows_its_file_l9_l10_l11(
    link: str, after: str
) -> None:
    resolver = Resolver.over([VaultPath("Old.md"), VaultPath("old.png")])
    moved = {
        VaultPath("Old.md"): VaultPath("wiki/New.md"),
        VaultPath("old.png"): VaultPath("wiki/media/new.png"),
    }

    assert relinked(f"See {link}.", VaultPath("note.md"), moved, resolver) == f"See {after}."


@pytest.mark.parametrize(
    "text",
    [
        "A paragraph. ^b-1\n",
        "> A quote\n\n^b2\n",
        "| a |\n|---|\n| b |\n\n^table\n",
        "- item ^i1\n",
    ],
)
def test_block_ids_stay_where_a_person_put_them_l11(text: str) -> None:
    assert rewrite_links(text, lambda link: None) == text
    assert united(text, "Another sentence. [[raw/a.pdf|a]]\n").startswith(text.rstrip("\n"))


async def test_a_page_may_have_a_name_that_ends_like_a_document(world: World) -> None:
    await world.ingest("engine.html", {"Node.js": "A runtime. [[raw/engine.html]]"})
    body = "See [[wiki/sources/talk.pptx|the talk]], [[Node.js]], [[Deno.rs]] and [[other.pdf]]."

    result = await world.ingest("talk.pptx.pdf", {"Runtimes": body})

    page = world.text("wiki/concepts/Runtimes.md")
    assert "[[wiki/sources/talk.pptx|the talk]]" in page
    assert "[[wiki/concepts/Node.js|Node.js]], Deno.rs and (⚠ unverified: other.pdf)." in page
    assert result["reviews"] == 1
    assert broken_links(world.vault.root) == []
