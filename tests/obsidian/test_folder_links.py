"""A link to a folder leads to the note that stands for it."""

from __future__ import annotations

import pytest

from tests.fakes import FakeClock
from vaultd.core.folder_note import link_to, note_path_of
from vaultd.model.paths import VaultPath
from vaultd.model.summary import ChildSummary, Node, NodeKind, NodeState
from vaultd.search.near import folder_hits
from vaultd.store import nodes
from vaultd.store.database import Connection, Database


@pytest.mark.parametrize(
    ("folder", "note", "link"),
    [
        ("wiki/entities", "wiki/entities/entities.md", "[[wiki/entities/entities|entities]]"),
        ("wiki", "wiki/overview.md", "[[wiki/overview|wiki]]"),
        ("Notes/x.md", "Notes/x.md/x.md.md", "[[Notes/x.md/x.md.md|x.md]]"),
        ("Projekte/2024", "Projekte/2024/2024.md", "[[Projekte/2024/2024|2024]]"),
    ],
)
def test_a_folder_is_linked_to_by_its_note_and_its_name(folder: str, note: str, link: str) -> None:
    child = ChildSummary(f"{folder}/", folder.rpartition("/")[2], "Text.", "folder", True, True)

    assert note_path_of(VaultPath(folder)) == note
    assert link_to(child) == link


@pytest.mark.parametrize(
    ("uri", "link"),
    [
        ("Notes/C# tips.md", "[C# tips](Notes/C%23%20tips.md)"),
        ("Notes/[a] b.md", "[a b](Notes/%5Ba%5D%20b.md)"),
        ("Notes/x | y/", "[x y](Notes/x%20%7C%20y/x%20%7C%20y.md)"),
        ("Notes/plain (1).md", "[[Notes/plain (1)|plain (1)]]"),
    ],
)
def test_a_note_of_any_name_is_linked_to_in_its_folder(uri: str, link: str) -> None:
    name = uri.rstrip("/").rpartition("/")[2].removesuffix(".md")

    assert link_to(ChildSummary(uri, name, "Text.", "note", uri.endswith("/"), True)) == link


async def test_a_folder_that_is_found_opens_its_note(db: Database, clock: FakeClock) -> None:
    def store(connection: Connection) -> None:
        for path in ("wiki", "wiki/entities", "."):
            node = Node(VaultPath(path), NodeKind.FOLDER, NodeState.OK, "d", abstract="Things.")
            nodes.store_node(connection, node, now=clock())

    await db.run(store)

    hits = await db.read(folder_hits, {"wiki": 0.9, "wiki/entities": 0.8, ".": 0.7}, "v")

    assert [(hit.path, hit.title) for hit in hits] == [
        ("wiki/overview.md", "wiki"),
        ("wiki/entities/entities.md", "entities"),
    ]
