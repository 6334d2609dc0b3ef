"""Moves cost no model call and leave every link right (B11, A10, N13, N14, W18)."""

from __future__ import annotations

import pytest

from tests.life.conftest import World
from tests.wiki_checks import assert_sound
from vaultd.core.page import parse_page
from vaultd.core.region import find_regions
from vaultd.errors import PageChangedError
from vaultd.model.jobs import Done, JobKind, NewJob
from vaultd.model.paths import SourceId, VaultPath
from vaultd.publish.history import versions
from vaultd.store import contributions, files, ingest_cache, joblist, jobs, pages, sources

WARM, HEAT = SourceId("warm.pdf"), VaultPath("wiki/concepts/Heat.md")


async def test_a_moved_source_takes_its_page_and_every_link_along_b11(world: World) -> None:
    await world.ingest("ml/heat.pdf", {"Heat": "Heat flows. [[raw/ml/heat.pdf#page=2|p. 2]]"})

    await world.move("raw/ml/heat.pdf", "raw/physics/heat.pdf")

    own = parse_page(world.text("wiki/sources/physics/heat.md"))
    concept = parse_page(world.text("wiki/concepts/Heat.md"))
    assert not world.has("wiki/sources/ml/heat.md")
    assert own.sources == concept.sources == ("physics/heat.pdf",)
    assert "[[raw/physics/heat.pdf#page=2|p. 2]]" in concept.body
    assert_sound(world.vault.root)


async def test_a_moved_source_is_known_by_its_new_name_everywhere_a10(world: World) -> None:
    await world.ingest("heat.pdf", {"Heat": "Heat flows. [[raw/heat.pdf]]"})

    await world.move("raw/heat.pdf", "raw/warm.pdf")

    own = "wiki/sources/warm.md"
    known = await world.db.read(sources.all_sources)
    assert [source.identity for source in known] == ["warm.pdf"]
    assert known[0].pages == (own, "wiki/concepts/Heat.md")
    cached = await world.db.read(ingest_cache.cached_pages, WARM, text_sha256=known[0].sha256)
    assert cached == known[0].pages
    said = await world.db.read(contributions.to_page, HEAT)
    assert "[[raw/warm.pdf" in said[WARM].body
    assert await world.db.read(files.find, "wiki/sources/heat.md") is None


async def test_what_a_person_added_survives_the_move_and_the_next_version(world: World) -> None:
    await world.ingest("heat.pdf", {"Heat": "Heat flows. [[raw/heat.pdf]]"})
    world.write("wiki/concepts/Heat.md", world.text("wiki/concepts/Heat.md") + "\nMy remark.\n")

    await world.move("raw/heat.pdf", "raw/warm.pdf")
    await world.ingest("warm.pdf", {"Heat": "Heat always flows. [[raw/warm.pdf]]"})

    text = world.text("wiki/concepts/Heat.md")
    assert "My remark." in text
    assert "Heat always flows." in text
    assert "Heat flows." not in text


async def test_pictures_are_shown_from_the_new_place_too(world: World) -> None:
    await world.ingest("heat.pdf", picture=True)

    await world.move("raw/heat.pdf", "raw/deep/below/heat.pdf")

    text = world.text("wiki/sources/deep/below/heat.md")
    assert "(../../../media/heat/" in text
    assert not find_regions(text)["images"].edited
    assert_sound(world.vault.root)


async def test_pictures_of_a_moved_source_outlive_another_of_its_former_name(world: World) -> None:
    await world.ingest("heat.pdf", picture=True)
    await world.move("raw/heat.pdf", "raw/warm.pdf")
    await world.ingest("heat.pdf", picture=True, content="Another heat.")
    again = await world.ingest("heat.pdf", picture=True, content="Another heat, corrected.")

    assert again["pages"]
    assert "(../media/heat/image1.png)" in world.text("wiki/sources/warm.md")
    assert "(../media/heat%202/image1.png)" in world.text("wiki/sources/heat.md")
    await world.forget("heat.pdf")
    assert world.has("wiki/media/heat/image1.png")
    assert not world.has("wiki/media/heat 2/image1.png")
    assert_sound(world.vault.root)


async def test_a_moved_source_never_takes_the_place_of_a_persons_note(world: World) -> None:
    await world.ingest("heat.pdf")
    world.write("wiki/sources/warm.md", "Mine.\n")

    await world.move("raw/heat.pdf", "raw/warm.pdf")

    assert world.text("wiki/sources/warm.md") == "Mine.\n"
    assert parse_page(world.text("wiki/sources/heat.md")).sources == ("warm.pdf",)


async def test_a_folder_moved_there_and_back_is_as_it_was_b11(world: World) -> None:
    for name in ("a/one.pdf", "a/two.pdf"):
        await world.ingest(name, {"Heat": f"{name} says so. [[raw/{name}]]"})
    before = {path: world.text(path) for path in ("wiki/concepts/Heat.md", "wiki/sources/a/one.md")}

    for name in ("one", "two"):
        await world.move(f"raw/a/{name}.pdf", f"raw/b/{name}.pdf")
    for name in ("one", "two"):
        await world.move(f"raw/b/{name}.pdf", f"raw/a/{name}.pdf")

    assert {path: world.text(path) for path in before} == before


async def test_links_we_own_follow_a_page_that_a_person_moved_n13(world: World) -> None:
    await world.ingest("heat.pdf", {"Heat": "Heat flows.", "Cold": "See [[wiki/concepts/Heat]]."})
    world.write("notes/mine.md", "My link to [[wiki/concepts/Heat]].\n")

    await world.move("wiki/concepts/Heat.md", "wiki/physics/Heat.md", "note")

    assert "[[wiki/physics/Heat|Heat]]" in world.text("wiki/concepts/Cold.md")
    assert "[[wiki/physics/Heat|Heat]]" in world.text("wiki/index.md")
    assert world.text("notes/mine.md") == "My link to [[wiki/concepts/Heat]].\n"
    (source,) = await world.db.read(sources.all_sources)
    assert "wiki/physics/Heat.md" in source.pages
    assert_sound(world.vault.root)


async def test_links_on_a_page_that_was_kept_follow_as_well(world: World) -> None:
    await world.ingest("heat.pdf", {"Heat": "Heat flows. [[raw/heat.pdf#page=2|p. 2]]"})
    await world.ingest("steam.pdf", {"Steam": "Steam rises. [[raw/steam.pdf]]"})
    mine = "Mine: [[raw/steam.pdf]], [[wiki/sources/steam|it]], [[wiki/concepts/Steam]]."
    world.write(HEAT, f"{world.text(HEAT)}\n{mine}\n")
    await world.forget("heat.pdf")

    await world.move("raw/heat.pdf", "raw/warm.pdf")
    await world.move("raw/steam.pdf", "raw/vapour/steam.pdf")
    await world.move("wiki/concepts/Steam.md", "wiki/physics/Steam.md", "note")

    text = world.text(HEAT)
    assert "[[raw/warm.pdf#page=2|p. 2]]" in text
    assert "[[raw/vapour/steam.pdf|steam.pdf]], [[wiki/sources/vapour/steam|it]]" in text
    assert "[[wiki/physics/Steam|Steam]]" in text
    assert await world.db.read(pages.last_written, HEAT) is None, "it is the person's"
    assert_sound(world.vault.root)


async def test_a_forgotten_source_is_not_taken_again_because_it_was_renamed(world: World) -> None:
    await world.ingest("heat.pdf", {"Heat": "Heat flows."})
    await world.forget("heat.pdf")

    await world.move("raw/heat.pdf", "raw/warm.pdf")

    source = await world.db.read(sources.find, WARM)
    assert source is not None
    assert source.code == "forgotten"
    assert await world.db.read(joblist.of_subject, "raw/warm.pdf", JobKind.INGEST) == ()


async def test_a_persons_link_to_a_forgotten_source_that_vanished_becomes_text(
    world: World,
) -> None:
    await world.ingest("heat.pdf", {"Heat": "Heat flows."})
    world.write(HEAT, f"{world.text(HEAT)}\nMine, after [[raw/heat.pdf|the paper]].\n")
    await world.forget("heat.pdf")

    await world.vanish("raw/heat.pdf")

    assert "Mine, after the paper." in world.text(HEAT)
    assert await world.db.read(sources.all_sources) == ()


async def test_a_page_that_changes_only_its_case_keeps_its_record_n14(world: World) -> None:
    await world.ingest("heat.pdf", {"Heat": "Heat flows.", "Cold": "See [[wiki/concepts/Heat]]."})

    await world.move("wiki/concepts/Heat.md", "wiki/concepts/HEAT.md", "note")

    assert await world.db.read(pages.last_written, VaultPath("wiki/concepts/HEAT.md")) is not None
    assert await world.db.read(pages.last_written, HEAT) is None
    assert "[[wiki/concepts/HEAT|Heat]]" in world.text("wiki/concepts/Cold.md")


async def test_the_next_ingest_writes_on_the_page_where_the_person_put_it(world: World) -> None:
    await world.ingest("heat.pdf", {"Heat": "Heat flows."})
    await world.move("wiki/concepts/Heat.md", "wiki/physics/Heat.md", "note")

    await world.ingest("steam.pdf", {"Heat": "Heat drives engines."})

    assert "drives engines" in world.text("wiki/physics/Heat.md")
    assert not world.has("wiki/concepts/Heat.md")


async def test_versions_of_a_page_follow_it(world: World) -> None:
    await world.ingest("heat.pdf", {"Heat": "Heat flows."})
    await world.ingest("heat.pdf", {"Heat": "Heat always flows."})

    await world.move("wiki/concepts/Heat.md", "wiki/physics/Heat.md", "note")

    assert len(versions(world.vault, VaultPath("wiki/physics/Heat.md"))) == 1
    assert versions(world.vault, HEAT) == []


async def test_moves_of_one_file_are_followed_in_their_order(world: World) -> None:
    await world.ingest("a/heat.pdf", {"Heat": "Heat flows. [[raw/a/heat.pdf]]"})
    first = NewJob(JobKind.MOVE, "raw/a/heat.pdf", "1", {"to": "raw/b/heat.pdf", "role": "source"})
    (held,) = await world.db.run(jobs.enqueue_all, [first], now=world.clock())
    world.number = held

    with pytest.raises(PageChangedError) as caught:
        await world.follow("raw/b/heat.pdf", "raw/c/heat.pdf")
    assert not caught.value.counted

    world.number = held - 1
    await world.move("raw/a/heat.pdf", "raw/b/heat.pdf")
    await world.db.run(jobs.claim, kinds=[JobKind.MOVE], now=world.clock())
    await world.db.run(jobs.finish, held, Done(), now=world.clock())
    await world.move("raw/b/heat.pdf", "raw/c/heat.pdf")

    assert parse_page(world.text("wiki/sources/c/heat.md")).sources == ("c/heat.pdf",)
    assert_sound(world.vault.root)
