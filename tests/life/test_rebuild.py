"""The vault is the truth: what the database knew is found again in the Markdown (A8, F9, S26)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.life.conftest import World, nothing
from tests.model_server import ModelServer
from vaultd.daemon.place import database_path
from vaultd.daemon.run import run_jobs, run_once
from vaultd.model.jobs import JobKind, NewJob
from vaultd.model.paths import SourceId, VaultPath
from vaultd.settings import EmbeddingSettings, IngestSettings, LlmSettings, Settings
from vaultd.store import ingest_cache, pages, reviews, sources
from vaultd.store.database import Connection, Database
from vaultd.store.rebuild import words_are_whole
from vaultd.upkeep.rebuild import adopt

TEXT = "# {0}\n\n{0} flows from warm to cold bodies. Nobody has ever seen it flow back.\n"
TABLES = {
    "pages": "select path, sha256, type, title, aliases, sources from pages"
    " where path not like '%log.md' order by 1",
    "sources": "select identity, path, sha256, ingested_sha256, pages from sources order by 1",
    "folders": "select path, state, input_digest, abstract, child_count, categories, author"
    " from nodes where kind = 'folder' order by 1",
    "files": "select path, content_hash, title, type from indexed_files order by 1",
    "passages": "select f.path, p.ordinal, p.heading, p.text from passages p"
    " join indexed_files f on f.id = p.file order by 1, 2",
    "words": "select term, doc, cnt from word_counts order by 1",
    "reviews": "select id, kind, title, options, sources, note, state from reviews order by 1",
}


def clock() -> datetime:
    return datetime.now(UTC)


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def what_is_known(path: Path) -> dict[str, list[Any]]:
    db = Database(path, readonly=True)

    def tables(connection: Connection) -> dict[str, list[Any]]:
        return {name: connection.execute(sql).fetchall() for name, sql in TABLES.items()}

    try:
        return db.read_sync(tables)
    finally:
        db.close()


def pages_of(root: Path) -> dict[str, bytes]:
    return {
        place.relative_to(root).as_posix(): place.read_bytes()
        for place in sorted((root / "wiki").rglob("*.md"))
    }


async def test_a_lost_database_is_made_anew_without_a_call_a8(
    tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    root = tmp_path / "vault"
    (root / "raw/physics").mkdir(parents=True)
    for name in ("Heat", "Steam"):
        (root / f"raw/physics/{name}.md").write_text(TEXT.format(name) * 3)
    settings = Settings(
        ingest=IngestSettings(settle_seconds=0.05),
        embedding=EmbeddingSettings(provider="none"),
        llm=LlmSettings(model="scripted", base_url=server.url),
    )
    await run_once(root, settings, clock)
    path = database_path(root, settings)
    known, calls, before = what_is_known(path), len(server.calls), pages_of(root)
    assert calls > 0
    assert known["folders"]
    path.unlink()
    shutil.rmtree(path.with_name("page-history"), ignore_errors=True)

    await run_once(root, settings, clock)

    assert len(server.calls) == calls
    assert what_is_known(path) == known
    assert pages_of(root) == before

    (job,) = await run_jobs(root, settings, clock, [NewJob(JobKind.REBUILD, ".")], lambda _: None)
    await run_once(root, settings, clock)

    assert job.state == "done"
    assert len(server.calls) == calls
    assert what_is_known(path) == known


async def test_a_source_that_changed_meanwhile_is_not_taken_for_known(world: World) -> None:
    await world.ingest("heat.pdf", {"Warmth": "Heat flows. [[raw/heat.pdf]]"})
    stored = await world.db.read(sources.find, SourceId("heat.pdf"))
    fresh = Database(":memory:")

    taken = await adopt(world.vault, fresh, world.clock)

    again = await fresh.read(sources.find, SourceId("heat.pdf"))
    made = await fresh.read(ingest_cache.made_before, SourceId("heat.pdf"))
    fresh.close()
    assert taken["sources"] == 1
    assert again == stored
    assert made.recipe == "offline"
    assert again is not None
    assert made.pages == again.pages


async def test_a_page_whose_base_is_lost_belongs_to_the_person(world: World) -> None:
    await world.ingest("heat.pdf", {"Warmth": "Heat flows."})
    world.write("wiki/concepts/Warmth.md", world.text("wiki/concepts/Warmth.md") + "\nMine.\n")
    await lose_database(world)

    await world.ingest("heat.pdf", {"Warmth": "Heat always flows."})

    assert "always" not in world.text("wiki/concepts/Warmth.md")
    items = await world.db.read(reviews.reviews)
    texts = [item.proposal["text"] for item in items if item.proposal]
    assert any("Heat always flows." in text and "Mine." in text for text in texts)


async def test_the_index_is_ours_after_a_rebuild_if_nobody_wrote_in_it(world: World) -> None:
    await world.ingest("heat.pdf", {"Warmth": "Heat flows."})
    await lose_database(world)

    written = await world.db.read(pages.last_written, VaultPath("wiki/index.md"))

    assert written is not None
    assert written.base == world.text("wiki/index.md")


async def test_a_vanished_source_leaves_pages_of_unknown_hands_to_the_person(world: World) -> None:
    await world.ingest("heat.pdf", {"Warmth": "Heat flows."})
    await lose_database(world)

    await world.vanish("raw/heat.pdf")

    assert "Heat flows." in world.text("wiki/concepts/Warmth.md")


async def test_on_a_persons_word_pages_of_unknown_hands_go_to_the_trash(world: World) -> None:
    await world.ingest("heat.pdf", {"Warmth": "Heat flows."}, picture=True)
    await lose_database(world)

    await world.forget("heat.pdf")

    assert not world.has("wiki/concepts/Warmth.md")
    assert not world.has("wiki/media/heat/image1.png")
    assert (world.vault.state / "trash/wiki/concepts/Warmth.md").is_file()


async def test_a_damaged_word_index_is_filled_again_s26(world: World) -> None:
    from vaultd.upkeep.rebuild import Rebuild

    await world.ingest("heat.pdf", {"Warmth": "Heat flows."})
    rebuild = Rebuild(world.vault, world.db, world.clock)

    await rebuild.rebuild(world.job(JobKind.REBUILD, "."), nothing)

    assert await world.db.run(words_are_whole)


async def lose_database(world: World) -> None:
    """Put a new database in the place of the one there is, and take the wiki in."""
    world.db = Database(":memory:")
    world.__post_init__()
    await adopt(world.vault, world.db, world.clock)
