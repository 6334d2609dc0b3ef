"""The vault is the truth: what the database knew is found again in the Markdown (A8, F9, S26)."""

from __future__ import annotations

from tests.life.conftest import World, nothing
from vaultd.model.jobs import JobKind
from vaultd.model.paths import SourceId, VaultPath
from vaultd.publish.catalog import read_wiki
from vaultd.store import ingest_cache, pages, reviews, sources
from vaultd.store.database import Database
from vaultd.store.pages import Listed
from vaultd.store.rebuild import words_are_whole
from vaultd.upkeep.rebuild import adopt


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


async def test_a_rebuild_reads_every_page_again(world: World) -> None:
    from vaultd.upkeep.rebuild import Rebuild

    path = VaultPath("wiki/concepts/Warmth.md")
    await world.ingest("heat.pdf", {"Warmth": "Heat flows."})
    await read_wiki(world.db, world.vault)
    listed = (await world.db.read(pages.listing))[path]
    of_old_rules = Listed(listed.size, listed.mtime_ns, None)
    await world.db.run(pages.update_listing, {path: of_old_rules}, [])

    rebuild = Rebuild(world.vault, world.db, world.clock)
    result = await rebuild.rebuild(world.job(JobKind.REBUILD, "."), nothing)

    assert result["known"] == {"pages": 2, "sources": 1}
    assert (await world.db.read(pages.listing))[path] == listed
