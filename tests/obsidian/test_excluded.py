"""What a person excluded in Obsidian is not found, unless they look right there."""

from __future__ import annotations

from functools import partial

import pytest

from tests.search.worlds import World
from vaultd.core.ignore import ExcludedFiles
from vaultd.model.paths import VaultPath
from vaultd.model.search import Mode
from vaultd.search import SearchEngine
from vaultd.store.database import Database
from vaultd.vault.files import Vault
from vaultd.vault.obsidian import excluded_files


@pytest.mark.parametrize(
    ("written", "path", "out"),
    [
        ("Archive/", "Archive/old.md", True),
        ("archive/", "Archive/old.md", True),
        ("Archive/", "Notes/Archive/old.md", False),
        ("Arch", "Archive/old.md", True),
        (r"/^Journal\/2021/", "Journal/2021-01-01.md", True),
        (r"/\.private\./", "x/a.PRIVATE.md", True),
        (r"/(unclosed/", "(unclosed", False),
        ("/", "a.md", False),
        ("a.b", "axb.md", False),
        ("Vortra\u0308ge/", "Vorträge/a.md", True),
        ("Vorträge/", "Vortra\u0308ge/a.md", True),
    ],
)
def test_a_filter_is_a_beginning_or_an_expression(written: str, path: str, out: bool) -> None:
    assert (path in ExcludedFiles([written])) is out


@pytest.fixture
async def world(vault: Vault, db: Database) -> World:
    """Four notes about one thing, of which two are excluded."""
    world = World(vault, db)
    excluded = partial(excluded_files, vault.root)
    world.engine = SearchEngine(
        db, [world.embedder], vault_name="My vault", excluded=excluded, memory_bytes=0
    )
    (vault.root / ".obsidian").mkdir()
    settings = '{"userIgnoreFilters": ["Archive/", "/^journal\\\\/2021/"]}'
    (vault.root / ".obsidian/app.json").write_text(settings, "utf-8")
    for path in ("Bread.md", "Notes/Dough.md", "Archive/Old.md", "Journal/2021-01-01.md"):
        await world.note(path, "The sourdough starter is named Gustav.")
    return world


@pytest.mark.parametrize("mode", list(Mode))
async def test_excluded_notes_are_in_no_answer(world: World, mode: Mode) -> None:
    found = await world.paths("sourdough Gustav", mode=mode)

    assert set(found) <= {"Bread.md", "Notes/Dough.md"}
    assert found


async def test_it_is_said_that_something_was_left_out_where_little_is_found(world: World) -> None:
    said = "Left out: 2 files that you excluded in Obsidian."

    assert said in (await world.ask("sourdough Gustav")).notes
    assert said not in (await world.ask("sourdough Gustav", k=1)).notes
    assert said not in (await world.ask("sourdough", under="Archive")).notes


async def test_excluded_notes_are_related_to_nothing(world: World) -> None:
    assert [each.path for each in await world.engine.related(VaultPath("Bread.md"))] == [
        "Notes/Dough.md"
    ]
    # asked from within, the others are still left out
    near = await world.engine.related(VaultPath("Archive/Old.md"))
    assert {each.path for each in near} == {"Bread.md", "Notes/Dough.md"}


async def test_who_looks_into_an_excluded_folder_finds_what_is_there(world: World) -> None:
    assert await world.paths("sourdough", under="Archive") == ["Archive/Old.md"]
    assert await world.paths("sourdough", under="Archive/") == ["Archive/Old.md"]


async def test_a_changed_setting_holds_at_the_next_question(world: World) -> None:
    (world.vault.root / ".obsidian/app.json").write_text('{"userIgnoreFilters": null}', "utf-8")

    assert len((await world.ask("sourdough Gustav")).results[0].also) == 3
