"""An ingest can be taken back, and nobody's later words are lost by it."""

from __future__ import annotations

import pytest

from tests.life.conftest import World
from tests.wiki_checks import assert_sound
from vaultd.core.page import parse_page
from vaultd.errors import NotFoundError
from vaultd.model.paths import SourceId
from vaultd.store import reviews, sources

HEAT, STEAM = "heat.pdf", "steam.pdf"
WARMTH, CRUMB = "wiki/concepts/Warmth.md", "wiki/concepts/Crumb.md"


def pages(world: World) -> dict[str, bytes]:
    """Return every file people see but the log, which is only added to."""
    return {path: text for path, text in world.snapshot().items() if path != "wiki/log.md"}


async def test_undoing_the_first_ingest_leaves_nothing_of_it(world: World) -> None:
    await world.ingest(HEAT, {"Warmth": "Heat flows. [[raw/heat.pdf]]"})
    before = pages(world)

    await world.ingest(STEAM, {"Warmth": "It drives. [[raw/steam.pdf]]", "Engine": "It turns."})
    result = await world.undo(STEAM)

    assert result["removed"] == ["wiki/concepts/Engine.md", "wiki/sources/steam.md"]
    after = pages(world)
    after.pop("raw/steam.pdf")
    assert after == before


async def test_undoing_a_new_version_brings_the_old_pages_back(world: World) -> None:
    await world.ingest(HEAT, {"Warmth": "Heat flows.", "Old": "An old page."})
    before = pages(world)
    await world.ingest(HEAT, {"Warmth": "Heat always flows.", "New": "A new page."})

    await world.undo(HEAT)

    after = pages(world)
    assert not world.has("wiki/concepts/New.md")
    assert after["wiki/concepts/Old.md"] == before["wiki/concepts/Old.md"]
    assert after[WARMTH] == before[WARMTH]
    assert_sound(world.vault.root)


async def test_what_a_person_added_since_stays(world: World) -> None:
    await world.ingest(HEAT, {"Warmth": "Heat flows."})
    await world.ingest(HEAT, {"Warmth": "Heat always flows."})
    world.write(WARMTH, world.text(WARMTH) + "\nMine.\n")

    await world.undo(HEAT)

    text = world.text(WARMTH)
    assert "Mine." in text
    assert "Heat flows." in text
    assert "always" not in text


async def test_a_sentence_both_changed_is_asked_about(world: World) -> None:
    await world.ingest(HEAT, {"Warmth": "Heat flows."})
    await world.ingest(HEAT, {"Warmth": "Heat always flows."})
    world.write(WARMTH, world.text(WARMTH).replace("always flows", "nearly always flows"))

    await world.undo(HEAT)

    (item,) = await world.db.read(reviews.reviews)
    assert "nearly always flows" in world.text(WARMTH)
    assert item.proposal is not None
    assert "Heat flows." in item.proposal["text"]


async def test_what_another_source_said_since_stays(world: World) -> None:
    await world.ingest(HEAT, {"Warmth": "Heat flows. [[raw/heat.pdf]]"})
    await world.ingest(STEAM, {"Warmth": "It drives engines. [[raw/steam.pdf]]"})

    await world.undo(HEAT)

    page = parse_page(world.text(WARMTH))
    assert page.sources == (STEAM,)
    assert "It drives engines." in page.body
    assert "Heat flows." not in page.body
    assert not world.has("wiki/sources/heat.md")
    assert_sound(world.vault.root)


async def test_each_ingest_is_undone_once_newest_first(world: World) -> None:
    await world.ingest(HEAT, {"Warmth": "One."})
    await world.ingest(HEAT, {"Warmth": "Two."})

    await world.undo(HEAT)
    assert "One." in world.text(WARMTH)
    await world.undo(HEAT)
    assert not world.has(WARMTH)

    with pytest.raises(NotFoundError):
        await world.undo(HEAT)


async def test_an_undone_source_is_not_taken_again_by_itself(world: World) -> None:
    await world.ingest(HEAT, {"Warmth": "One."})

    await world.undo(HEAT)

    source = await world.db.read(sources.find, SourceId(HEAT))
    assert source is not None
    assert (source.code, source.pages) == ("undone", ())


async def test_what_comes_after_an_undo_finds_its_place_beside_a_persons_words(
    world: World,
) -> None:
    await world.ingest("one.md", {"Crumb": "One says so. [[raw/one.md]]"})
    world.write(CRUMB, world.text(CRUMB) + "\nMy remark.\n")
    await world.ingest("five.md", {"Crumb": "Five says so. [[raw/five.md]]"})
    await world.undo("five.md")

    await world.ingest("eight.md", {"Crumb": "Eight says so. [[raw/eight.md]]"})

    body = parse_page(world.text(CRUMB)).body
    assert "One says so." in body
    assert "Eight says so." in body
    assert "My remark." in body
    assert "five" not in world.text(CRUMB)
    assert await world.db.read(reviews.open_count) == 0
