"""What was deleted a moment ago is no result, though the index still has it."""

from __future__ import annotations

import asyncio
import threading
from functools import partial

import pytest

from tests.search.worlds import World
from vaultd.model.paths import VaultPath
from vaultd.model.search import Mode
from vaultd.search import SearchEngine
from vaultd.store import finding
from vaultd.vault.files import is_there

TEXTS = [f"# Koji {number}\n\nKoji grows on rice {number}.\n" for number in range(9)]
COPY = "Tempeh is made of soybeans and a mould.\n"


@pytest.fixture
def asked() -> list[VaultPath]:
    """The files that were looked for."""
    return []


@pytest.fixture
async def koji(world: World, asked: list[VaultPath]) -> World:
    """Nine notes on one thing, and two with one text, in a vault whose files are looked for."""

    def there(path: VaultPath) -> bool:
        asked.append(path)
        return is_there(world.vault.root, path)

    for number, text in enumerate(TEXTS):
        await world.note(f"notes/{number}.md", text)
    for path in ("notes/a.md", "wiki/b.md"):
        await world.note(path, COPY)
    world.engine = SearchEngine(world.db, [world.embedder], vault_name="v", there=there)
    return world


def delete(world: World, *paths: str) -> None:
    for path in paths:
        (world.vault.root / path).unlink()


async def test_the_next_best_takes_the_place_of_a_deleted_note(
    koji: World, asked: list[VaultPath]
) -> None:
    before = await koji.paths("koji rice", k=5)
    assert len(asked) == len(set(asked)) == 5, "one look for each result"
    asked.clear()

    delete(koji, *before[:2])
    after = await koji.paths("koji rice", k=5)

    assert len(after) == 5
    assert not set(after) & set(before[:2])
    assert set(before[2:]) <= set(after)
    assert len(asked) == 7


async def test_of_one_text_in_two_files_the_one_that_is_there_is_found(koji: World) -> None:
    hit, *_ = (await koji.ask("tempeh soybeans", k=3)).results
    (other,) = hit.also

    delete(koji, other.path)
    alone, *_ = (await koji.ask("tempeh soybeans", k=3)).results
    assert (alone.path, alone.also) == (hit.path, ())

    await koji.note(other.path, COPY)
    delete(koji, hit.path)
    best, *_ = (await koji.ask("tempeh soybeans", k=3)).results
    assert (best.path, best.also) == (other.path, ())


@pytest.mark.parametrize("mode", [Mode.WORDS, Mode.VECTORS])
async def test_it_is_left_out_whatever_found_it(koji: World, mode: Mode) -> None:
    delete(koji, "notes/3.md")

    assert "notes/3.md" not in await koji.paths("koji rice 3", k=20, mode=mode)


async def test_neither_near_notes_nor_names_lead_to_it(koji: World) -> None:
    delete(koji, "notes/3.md", "notes/4.md")

    near = [each.path for each in await koji.engine.related(VaultPath("notes/1.md"), 6)]
    named = [each.path for each in await koji.engine.titles("", 20)]

    assert not {"notes/3.md", "notes/4.md"} & {*near, *named}
    assert (len(near), len(named)) == (6, len(TEXTS))


async def test_a_vault_that_is_away_is_searched_as_before(koji: World) -> None:
    before = await koji.paths("koji rice", k=5)
    away = koji.vault.root.with_name("away")
    koji.vault.root.rename(away)
    koji.vault.root.mkdir()  # where it is mounted

    assert await koji.paths("koji rice", k=5) == before


async def test_a_note_that_is_in_the_cloud_is_found(koji: World) -> None:
    place = koji.vault.root / "notes/3.md"
    place.rename(place.with_name(".3.md.icloud"))

    assert "notes/3.md" in await koji.paths("koji rice 3", k=20)


def test_a_disk_that_does_not_answer_has_every_file(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> bool:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("vaultd.vault.files.Path.exists", refuse)

    assert partial(is_there, world.vault.root)(VaultPath("notes/1.md"))


async def test_a_disk_that_hangs_holds_up_one_answer_and_nobody_else(
    koji: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs, goes_on = threading.Event(), threading.Event()

    def hang(path: VaultPath) -> bool:
        hangs.set()
        return goes_on.wait(20)

    monkeypatch.setattr("vaultd.search.engine.LOOK_SECONDS", 0.2)
    koji.engine = SearchEngine(koji.db, [koji.embedder], vault_name="v", there=hang)
    answer = asyncio.create_task(koji.paths("koji rice", k=5))
    assert await asyncio.to_thread(hangs.wait, 10)

    assert await koji.db.read(finding.count_passages)  # who asks the database need not wait
    assert len(await answer) == 5
    goes_on.set()
