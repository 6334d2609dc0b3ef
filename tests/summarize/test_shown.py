"""How children are shown in a folder's note, and that nothing is said there twice."""

from __future__ import annotations

import pytest

from tests.fakes import FakeClock
from tests.summarize.fakes import FakeAuthor, Reviews, put
from vaultd.author.offline import OfflineAuthor
from vaultd.core.folder_note import linked
from vaultd.model.paths import VaultPath
from vaultd.model.summary import ChildSummary, NodeState
from vaultd.store import nodes
from vaultd.store.database import Database
from vaultd.summarize.summarizer import DirectorySummarizer
from vaultd.vault.files import Vault

FOLDER = VaultPath("wiki/sources")
NOTE = VaultPath("wiki/sources/sources.md")
PAPER = '---\ntype: source\ntitle: "{}"\n---\n\nRye turns sour.\n'


def text_of(vault: Vault, path: VaultPath) -> str:
    return (vault.root / path).read_text()


async def test_a_note_is_shown_with_its_title(
    summarizer: DirectorySummarizer, vault: Vault, author: FakeAuthor
) -> None:
    put(vault, {"wiki/sources/paper-12.md": PAPER.format("Why rye turns sour")})

    await summarizer.refresh_all()

    assert "- [[wiki/sources/paper-12|Why rye turns sour]]: Rye turns sour." in text_of(vault, NOTE)
    (child,) = next(asked.children for asked in author.folders if asked.folder == FOLDER)
    assert (child.name, child.title, child.shown) == (
        "paper-12",
        "Why rye turns sour",
        "Why rye turns sour",
    )


async def test_a_new_title_is_told_to_the_folder(
    summarizer: DirectorySummarizer,
    vault: Vault,
    author: FakeAuthor,
    db: Database,
    clock: FakeClock,
) -> None:
    put(vault, {"wiki/sources/paper-12.md": PAPER.format("Rye")})
    await summarizer.refresh_all()
    author.forget()

    put(vault, {"wiki/sources/paper-12.md": PAPER.format("Sour rye")})
    marked = [VaultPath("wiki/sources/paper-12.md")]
    await db.run(nodes.mark_dirty, marked, reason="changed", now=clock())
    await summarizer.refresh_marked()

    assert "|Sour rye]]" in text_of(vault, NOTE)
    assert author.asked() == [FOLDER]


@pytest.mark.parametrize("title", ["Paper-12", " paper-12 ", ""])
async def test_a_title_that_is_the_name_again_is_none(
    summarizer: DirectorySummarizer, vault: Vault, author: FakeAuthor, title: str
) -> None:
    put(vault, {"wiki/sources/paper-12.md": PAPER.format(title)})

    await summarizer.refresh_all()

    assert "[[wiki/sources/paper-12|paper-12]]" in text_of(vault, NOTE)
    assert all(child.title == "" for asked in author.folders for child in asked.children)


def test_a_link_by_title_leads_to_the_note() -> None:
    titled = ChildSummary("a/p1.md", "p1", "x", "source", False, True, "Why rye turns sour")
    other = ChildSummary("a/why-rye-turns-sour.md", "why-rye-turns-sour", "x", "note", False, True)

    assert linked("[[Why rye turns sour]]", [titled]) == "[[a/p1|Why rye turns sour]]"
    assert linked("[[p1]], [[p1|that one]]", [titled]) == (
        "[[a/p1|Why rye turns sour]], [[a/p1|that one]]"
    )
    assert linked("[[Why rye turns sour]]", [titled, other]) == (
        "[[a/why-rye-turns-sour|Why rye turns sour]]"
    )


async def test_a_note_written_offline_lists_its_children_once(
    db: Database, vault: Vault, clock: FakeClock, reviews: Reviews
) -> None:
    offline = DirectorySummarizer(db, vault, OfflineAuthor(), None, clock, reviews.propose)
    put(vault, {f"wiki/concepts/{name}.md": f"{name} is sour.\n" for name in ("Rye", "Dough")})

    await offline.refresh_all()

    text = text_of(vault, VaultPath("wiki/concepts/concepts.md"))
    assert text.count("Dough is sour.") == 1 + text.split("## ")[0].count("Dough is sour.")
    assert text.count("## ") == 1
    node = await db.read(nodes.node, VaultPath("wiki/concepts"))
    assert node is not None
    assert node.state is NodeState.OK
    assert "**Dough**" in node.overview
