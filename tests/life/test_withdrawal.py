"""A source that vanished or is forgotten leaves nothing of its own behind (A13, F10, W18)."""

from __future__ import annotations

from typing import cast

from tests.life.conftest import World
from tests.wiki_checks import assert_sound
from vaultd.core.page import parse_page
from vaultd.index import Indexer
from vaultd.model.jobs import JobKind
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import Refused, ReviewDraft, ReviewKind
from vaultd.publish.questions import Question
from vaultd.reading import Reader
from vaultd.review import Reviews, Sweep
from vaultd.store import contributions, ingest_cache, pages, passages, reviews, sources

FIRST, SECOND = SourceId("heat.pdf"), SourceId("steam.pdf")
HEAT = "Heat flows from warm to cold. [[raw/heat.pdf]]"
STEAM = "Heat drives engines. [[raw/steam.pdf]]"


async def test_a_question_nobody_answered_comes_back_with_its_source(world: World) -> None:
    draft = ReviewDraft(ReviewKind.CONTRADICTION, "Two figures", "Which?")
    sweep = Sweep(Reviews(world.vault, world.db, world.clock, "offline"))
    await world.ingest("heat.pdf", {"Heat": "Heat flows. [[raw/heat.pdf]]"})
    await sweep.ask([(Question(draft), SourceId("heat.pdf"))])
    await world.forget("heat.pdf")
    assert await world.db.read(reviews.open_count) == 0

    await world.ingest("heat.pdf", {"Heat": "Heat flows. [[raw/heat.pdf]]"})
    await sweep.ask([(Question(draft), SourceId("heat.pdf"))])

    assert await world.db.read(reviews.open_count) == 1


async def two_sources(world: World, recipe: str = "offline") -> None:
    """Write two sources that share a page; the first has a page of its own besides."""
    own = "It grows. [[raw/heat.pdf]]"
    await world.ingest("heat.pdf", {"Warmth": HEAT, "Entropy": own}, recipe=recipe)
    more = f"{STEAM} See [[wiki/concepts/Entropy]]."
    await world.ingest("steam.pdf", {"Warmth": STEAM, "Engine": more}, recipe=recipe)


async def test_pages_of_a_vanished_source_alone_go_to_the_trash_a13(world: World) -> None:
    await two_sources(world)

    await world.vanish("raw/heat.pdf")

    assert not world.has("wiki/sources/heat.md")
    assert not world.has("wiki/concepts/Entropy.md")
    assert (world.vault.state / "trash/wiki/concepts/Entropy.md").is_file()
    assert_sound(world.vault.root)


async def test_a_shared_page_is_written_anew_from_the_sources_that_stay_a13(world: World) -> None:
    await two_sources(world)

    await world.vanish("raw/heat.pdf")

    page = parse_page(world.text("wiki/concepts/Warmth.md"))
    assert page.sources == ("steam.pdf",)
    assert "Heat drives engines." in page.body
    assert "warm to cold" not in page.body


async def test_links_to_pages_that_went_become_text_everywhere(world: World) -> None:
    await two_sources(world)
    world.write("wiki/notes/mine.md", "I like [[wiki/concepts/Entropy|growth]].\n")

    await world.vanish("raw/heat.pdf")

    assert "See Entropy." in world.text("wiki/concepts/Engine.md")
    assert world.text("wiki/notes/mine.md") == "I like growth.\n"
    assert await world.db.read(pages.last_written, VaultPath("wiki/notes/mine.md")) is None
    assert "wiki/concepts/Entropy" not in world.text("wiki/index.md")


async def test_a_page_that_a_person_edited_stays_as_theirs(world: World) -> None:
    await two_sources(world)
    world.write("wiki/concepts/Entropy.md", world.text("wiki/concepts/Entropy.md") + "\nMine.\n")

    await world.vanish("raw/heat.pdf")

    page = parse_page(world.text("wiki/concepts/Entropy.md"))
    assert "Mine." in page.body
    assert "It grows." in page.body
    assert page.sources == ()
    assert await world.db.read(pages.last_written, VaultPath("wiki/concepts/Entropy.md")) is None


async def test_what_a_person_wrote_on_a_shared_page_stays(world: World) -> None:
    await two_sources(world)
    world.write("wiki/concepts/Warmth.md", world.text("wiki/concepts/Warmth.md") + "\nMine.\n")

    await world.vanish("raw/heat.pdf")

    text = world.text("wiki/concepts/Warmth.md")
    assert "Mine." in text
    assert "warm to cold" not in text


async def test_a_sentence_that_a_person_changed_is_theirs_and_stays(world: World) -> None:
    await two_sources(world)
    changed = world.text("wiki/concepts/Warmth.md").replace("flows from", "always flows from")
    world.write("wiki/concepts/Warmth.md", changed)

    await world.vanish("raw/heat.pdf")

    assert "always flows from" in world.text("wiki/concepts/Warmth.md")


async def test_a_withdrawn_sentence_that_a_person_changed_is_asked_about(world: World) -> None:
    await two_sources(world)
    changed = world.text("wiki/concepts/Warmth.md").replace("flows from", "always flows from")
    world.write("wiki/concepts/Warmth.md", f"{changed}\nMine.\n")

    await world.vanish("raw/heat.pdf")

    (item,) = await world.db.read(reviews.reviews)
    assert item.kind is ReviewKind.CONFLICT
    assert "> Heat always flows from warm to cold." in item.text
    assert "vaultd would take this away" in item.text
    assert item.proposal is not None
    assert "flows from" not in item.proposal["text"]
    assert "Mine." in item.proposal["text"]


async def test_a_locked_page_keeps_every_word(world: World) -> None:
    await two_sources(world)
    locked = world.text("wiki/concepts/Entropy.md").replace("type:", "reviewed: true\ntype:")
    world.write("wiki/concepts/Entropy.md", locked)

    await world.vanish("raw/heat.pdf")

    assert "It grows." in world.text("wiki/concepts/Entropy.md")


async def test_nothing_remembers_a_source_that_vanished(world: World) -> None:
    await two_sources(world)

    await world.vanish("raw/heat.pdf")

    assert await world.db.read(sources.find, FIRST) is None
    assert await world.db.read(contributions.pages_of, FIRST) == ()
    assert await world.db.read(ingest_cache.made_before, FIRST) == ingest_cache.Made()
    assert await world.db.read(pages.pages_of, FIRST) == ()


async def test_pictures_go_with_the_last_page_that_shows_them(world: World) -> None:
    await world.ingest("heat.pdf", picture=True)
    await world.ingest("steam.pdf", picture=True)
    world.write("wiki/notes/mine.md", "![[wiki/media/steam/image1.png]]\n")

    await world.vanish("raw/heat.pdf")
    await world.vanish("raw/steam.pdf")

    assert not (world.vault.root / "wiki/media/heat").exists()
    assert world.has("wiki/media/steam/image1.png")


async def test_a_source_that_is_back_loses_nothing(world: World) -> None:
    await two_sources(world)
    before = world.text("wiki/concepts/Warmth.md")

    result = await world.withdrawal().retract(
        world.job(JobKind.RETRACT, "raw/heat.pdf"), world.tell
    )

    assert result == {"state": "back"}
    assert world.text("wiki/concepts/Warmth.md") == before


async def test_forgetting_says_beforehand_exactly_what_it_does(world: World) -> None:
    await two_sources(world)
    before = world.snapshot()

    expected = await world.forget("heat.pdf", dry_run=True)
    assert world.snapshot() == before
    result = await world.forget("heat.pdf")

    assert expected == {**result, "dry_run": True}
    after = world.snapshot()
    gone = {path for path in before if path not in after and path.startswith("wiki/")}
    assert gone == {*result["removed"], *result["pictures"]}
    changed = {path for path in after if path in before and after[path] != before[path]}
    listings = {"wiki/index.md", "wiki/log.md"}
    assert changed - listings == {*result["rewritten"], *result["unlinked"], *result["kept"]}


async def test_a_forgotten_file_stays_and_is_not_taken_again_by_itself(world: World) -> None:
    await two_sources(world)

    await world.forget("heat.pdf")

    source = await world.db.read(sources.find, FIRST)
    assert world.has("raw/heat.pdf")
    assert source is not None
    assert (source.code, source.ingested_sha256, source.pages) == ("forgotten", None, ())
    await world.db.run(sources.taken, source.path)  # somebody touched it
    again = await world.db.read(sources.find, FIRST)
    assert again is not None
    assert again.code == "forgotten"


async def test_a_forgotten_source_comes_back_whole_when_asked_for(world: World) -> None:
    await two_sources(world)
    before = world.snapshot()
    await world.forget("heat.pdf")

    await world.ingest("heat.pdf", {"Warmth": HEAT, "Entropy": "It grows. [[raw/heat.pdf]]"})

    assert set(world.snapshot()) == set(before)
    assert_sound(world.vault.root)


async def test_without_known_contributions_only_claims_of_the_source_go(world: World) -> None:
    await two_sources(world)
    await world.db.run(contributions.forget, FIRST)
    await world.db.run(contributions.forget, SECOND)

    await world.vanish("raw/heat.pdf")

    text = world.text("wiki/concepts/Warmth.md")
    assert "Heat drives engines." in text
    assert "warm to cold" not in text


async def test_deleted_pages_go_to_obsidians_trash_where_a_person_set_it_w11(world: World) -> None:
    settings = world.vault.root / ".obsidian/app.json"
    settings.parent.mkdir()
    settings.write_text('{"trashOption": "local"}')
    await two_sources(world)

    await world.vanish("raw/heat.pdf")

    assert (world.vault.root / ".trash/wiki/concepts/Entropy.md").is_file()


async def test_pages_the_offline_author_made_go_when_a_model_does_not_make_them(
    world: World,
) -> None:
    await two_sources(world)

    await world.ingest("heat.pdf", {"Warmth": HEAT}, recipe="a model")

    assert not world.has("wiki/concepts/Entropy.md")
    assert "See Entropy." in world.text("wiki/concepts/Engine.md")
    assert_sound(world.vault.root)


async def test_pages_of_a_sources_earlier_text_go_when_the_new_one_does_not_make_them(
    world: World,
) -> None:
    await two_sources(world, recipe="a model")
    shared = world.text("wiki/concepts/Warmth.md")

    await world.ingest("heat.pdf", recipe="a model")

    assert not world.has("wiki/concepts/Entropy.md")
    assert "See Entropy." in world.text("wiki/concepts/Engine.md")
    assert len(world.text("wiki/concepts/Warmth.md")) < len(shared)
    assert parse_page(world.text("wiki/concepts/Warmth.md")).sources == (SECOND,)
    assert_sound(world.vault.root)


async def test_an_outdated_page_that_a_person_edited_stays_as_theirs(world: World) -> None:
    await world.ingest("heat.pdf", {"Warmth": HEAT, "Entropy": "It grows."}, recipe="a model")
    text = world.text("wiki/concepts/Entropy.md")
    world.write("wiki/concepts/Entropy.md", f"{text}\nMy own thought.\n")

    await world.ingest("heat.pdf", {"Warmth": HEAT}, recipe="a model")

    assert "It grows." in world.text("wiki/concepts/Entropy.md")
    assert "My own thought." in world.text("wiki/concepts/Entropy.md")


async def test_a_page_stays_while_its_new_text_was_refused(world: World) -> None:
    await world.ingest("heat.pdf", {"Warmth": HEAT, "Entropy": "It grows."}, recipe="a model")
    index = Refused("wiki/index.md", "- a list", "the index is made by code")
    page = Refused("wiki/concepts/entropy.md", "Sie wächst.", "not in the language en")

    await world.ingest("heat.pdf", {"Warmth": STEAM}, recipe="a model", refused=(index, page))
    assert world.has("wiki/concepts/Entropy.md")

    await world.ingest("heat.pdf", {"Warmth": HEAT}, recipe="a model", refused=(index,))
    assert not world.has("wiki/concepts/Entropy.md")


async def test_pages_of_one_text_stay_when_a_model_does_not_name_them_again(world: World) -> None:
    await world.ingest(
        "heat.pdf", {"Warmth": HEAT, "Entropy": "It grows."}, recipe="a model", content="The text."
    )

    await world.ingest("heat.pdf", {"Warmth": HEAT}, recipe="a model", content="The text.")

    assert world.has("wiki/concepts/Entropy.md")


async def test_withdrawn_text_is_not_found_any_more_f10(world: World) -> None:
    await two_sources(world)
    reader = cast(Reader, None)  # Markdown is read without one
    indexer = Indexer(world.vault, world.db, reader, None, world.clock)
    for path in world.snapshot():
        if path.endswith(".md"):
            await indexer.index_file(VaultPath(path))
    before = set(await world.db.read(passages.paths))

    await world.vanish("raw/heat.pdf")

    after = set(await world.db.read(passages.paths))
    assert "wiki/concepts/Entropy.md" in before
    assert {path for path in before - after} == {
        "wiki/sources/heat.md",
        "wiki/concepts/Entropy.md",
    }
