"""The story of an ingest, over real files, a real database and a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from tests.fakes import FakeClock
from tests.ingest.conftest import MakeDesk, drop, ingest
from tests.model_replies import block, page
from tests.model_server import ModelServer, Say
from tests.wiki_checks import assert_sound, wiki_notes
from vaultd.author.seam import Author
from vaultd.core.page import parse_page
from vaultd.errors import BadReplyError, PageChangedError, UnreadableSourceError, WaitingError
from vaultd.extract import CONVERTER_VERSION
from vaultd.extract.converter import failed
from vaultd.model.paths import VaultPath
from vaultd.model.wiki import PageRef, ReviewKind
from vaultd.publish.history import versions
from vaultd.store import extractions, ledger, reviews, sources
from vaultd.store.database import Database
from vaultd.vault.files import Vault

pytestmark = pytest.mark.asyncio(loop_scope="session")
MakeModel = Callable[[], Author]
TEXT = "# Heat\n\nHeat flows from warm to cold bodies. Nobody has ever seen it flow back.\n" * 3


def reply(source: str, *pages: str, end: str = "---END OF REPLY---") -> str:
    """Return a whole generation reply: the source's own page, then `pages`."""
    slug = Path(source).stem
    own = page(f"wiki/sources/{slug}.md", source, f"A source about heat. [[raw/{source}|{slug}]]")
    return "\n\n".join([own, *pages, block("wiki/log.md", f"## [2026-01-01] ingest | {slug}"), end])


async def test_a_dropped_note_becomes_linked_pages_without_a_model(
    vault: Vault, make_desk: MakeDesk
) -> None:
    drop(vault, "heat.md", TEXT)

    result = await ingest(make_desk(), "heat.md")

    assert result["pages"][0] == "wiki/sources/heat.md"
    assert 'author: "offline"' in (vault.root / "wiki/sources/heat.md").read_text("utf-8")
    assert "ingest | Heat" in (vault.root / "wiki/log.md").read_text("utf-8")
    assert_sound(vault.root)


async def test_a_model_is_asked_once_for_each_stage(
    vault: Vault, make_desk: MakeDesk, make_model: MakeModel, server: ModelServer, db: Database
) -> None:
    drop(vault, "heat.md", TEXT)

    await ingest(make_desk(make_model()), "heat.md")

    assert server.stages()[:2] == ["analysis", "generation"]
    assert len(server.calls) == (await db.read(ledger.totals)).calls
    assert_sound(vault.root)


async def test_an_empty_wiki_is_not_searched_for_related_pages(
    vault: Vault, make_desk: MakeDesk
) -> None:
    asked = []

    async def near_pages(text: str, k: int) -> tuple[PageRef, ...]:
        asked.append(text)
        return ()

    desk = replace(make_desk(), near_pages=near_pages)
    drop(vault, "heat.md", TEXT)
    drop(vault, "cold.md", TEXT.replace("Heat", "Cold"))

    await ingest(desk, "heat.md")
    assert asked == []
    await ingest(desk, "cold.md", number=2)
    assert len(asked) == 1


async def test_pages_made_of_a_source_before_are_named_to_its_author(
    vault: Vault, make_desk: MakeDesk, make_model: MakeModel, server: ModelServer
) -> None:
    flow = page("wiki/concepts/one-way-flow.md", "heat.md", "Heat flows one way.")
    server.say("Analysis.", reply("heat.md", flow))
    desk = make_desk(make_model())
    drop(vault, "heat.md", TEXT)
    await ingest(desk, "heat.md")
    server.calls.clear()

    drop(vault, "heat.md", TEXT.replace("Nobody", "No one"))
    await ingest(desk, "heat.md", number=2)

    assert "one way flow: Heat flows one way." in server.calls[0].prompt


async def test_an_unchanged_source_is_not_asked_for_again(
    vault: Vault, make_desk: MakeDesk, make_model: MakeModel, server: ModelServer
) -> None:
    drop(vault, "heat.md", TEXT)
    desk = make_desk(make_model())
    await ingest(desk, "heat.md")
    calls, before = len(server.calls), wiki_notes(vault.root)

    result = await ingest(desk, "heat.md")

    assert result["unchanged"]
    assert len(server.calls) == calls
    assert wiki_notes(vault.root) == before


async def test_a_source_whose_page_was_deleted_is_made_again_from_stored_replies(
    vault: Vault, make_desk: MakeDesk, make_model: MakeModel, server: ModelServer
) -> None:
    drop(vault, "heat.md", TEXT)
    desk = make_desk(make_model())
    result = await ingest(desk, "heat.md")
    (vault.root / result["pages"][-1]).unlink()
    calls = len(server.calls)

    await ingest(desk, "heat.md")

    assert (vault.root / result["pages"][-1]).is_file()
    assert len(server.calls) == calls


async def test_a_file_without_text_reaches_no_author(
    vault: Vault, make_desk: MakeDesk, make_model: MakeModel, server: ModelServer
) -> None:
    drop(vault, "empty.md", "---\ntitle: only properties\n---\n\n")

    with pytest.raises(UnreadableSourceError):
        await ingest(make_desk(make_model()), "empty.md")

    assert server.calls == []
    assert wiki_notes(vault.root) == {}


async def test_a_file_that_took_too_long_once_is_read_when_it_is_tried_again(
    vault: Vault, db: Database, make_desk: MakeDesk
) -> None:
    digest = sha256(drop(vault, "heat.md", TEXT).read_bytes()).hexdigest()
    await db.run(extractions.keep, digest, CONVERTER_VERSION, failed("md", "It takes too long."))

    result = await ingest(make_desk(), "heat.md")

    assert result["pages"]


async def test_a_reply_without_pages_writes_nothing_and_is_no_success(
    vault: Vault, make_desk: MakeDesk, make_model: MakeModel, server: ModelServer, db: Database
) -> None:
    drop(vault, "heat.md", TEXT)
    server.when("generation", Say("I am sorry, I cannot help with that."))

    with pytest.raises(BadReplyError):
        await ingest(make_desk(make_model()), "heat.md")

    assert wiki_notes(vault.root) == {}
    assert await db.read(sources.all_sources) == ()


async def test_what_a_person_wrote_on_a_page_survives_a_new_version_of_the_source(
    vault: Vault, make_desk: MakeDesk, clock: FakeClock
) -> None:
    drop(vault, "heat.md", TEXT)
    desk = make_desk()
    await ingest(desk, "heat.md")
    own = vault.root / "wiki/sources/heat.md"
    own.write_text(own.read_text("utf-8") + "\nMy remark: see the kettle.\n", "utf-8")
    drop(vault, "heat.md", TEXT + "\n\nEntropy grows in every closed system that is left alone.\n")
    clock.pass_(days=400)

    await ingest(desk, "heat.md", 2)

    text = own.read_text("utf-8")
    assert "My remark: see the kettle." in text
    assert "Entropy grows" in text


async def test_a_page_saved_a_moment_ago_is_left_alone(
    vault: Vault, make_desk: MakeDesk, clock: FakeClock
) -> None:
    drop(vault, "heat.md", TEXT)
    desk = make_desk()
    await ingest(desk, "heat.md")
    own = vault.root / "wiki/sources/heat.md"
    own.write_text(own.read_text("utf-8") + "\nMine.\n", "utf-8")
    before = own.read_bytes()
    drop(vault, "heat.md", TEXT + "\n\nEntropy grows in every closed system that is left alone.\n")
    clock.now = clock.now.fromtimestamp(own.stat().st_mtime + 3, clock.now.tzinfo)

    with pytest.raises(PageChangedError):
        await ingest(desk, "heat.md", 2)

    assert own.read_bytes() == before


async def test_a_person_and_a_model_on_the_same_sentence_is_a_review_with_both_texts(
    vault: Vault,
    make_desk: MakeDesk,
    make_model: MakeModel,
    server: ModelServer,
    clock: FakeClock,
    db: Database,
) -> None:
    drop(vault, "heat.md", TEXT)
    concept = page("wiki/concepts/heat.md", "heat.md", "Heat flows downhill.")
    server.when("generation", Say(reply("heat.md", concept)))
    desk = make_desk(make_model())
    await ingest(desk, "heat.md")
    place = vault.root / "wiki/concepts/heat.md"
    place.write_text(place.read_text("utf-8").replace("downhill", "from warm to cold"), "utf-8")
    again = page("wiki/concepts/heat.md", "heat.md", "Heat is a form of energy.")
    server.when("generation", Say(reply("heat.md", again)))
    drop(vault, "heat.md", TEXT + "\n\nEntropy grows in every closed system that is left alone.\n")
    clock.pass_(days=400)

    await ingest(desk, "heat.md", 2)

    (item,) = [each for each in await db.read(reviews.reviews) if each.kind is ReviewKind.CONFLICT]
    assert "from warm to cold" in place.read_text("utf-8")
    assert item.proposal is not None
    assert "form of energy" in item.proposal["text"]


async def test_two_sources_about_one_thing_share_a_page_that_keeps_both_claims(
    vault: Vault, make_desk: MakeDesk, make_model: MakeModel, server: ModelServer
) -> None:
    drop(vault, "heat.md", TEXT)
    drop(vault, "steam.md", TEXT.replace("Heat", "Steam"))
    one = page("wiki/concepts/heat.md", "heat.md", "Heat flows. [[raw/heat.md|here]]")
    two = page("wiki/concepts/heat.md", "steam.md", "Heat drives engines. [[raw/steam.md|here]]")
    server.when("generation", Say(reply("heat.md", one)), containing="Heat flows from warm")
    server.when("generation", Say(reply("steam.md", two)), containing="Steam flows from warm")
    desk = make_desk(make_model())

    await ingest(desk, "heat.md", 1)
    await ingest(desk, "steam.md", 2)

    found = parse_page((vault.root / "wiki/concepts/heat.md").read_text("utf-8"))
    assert set(found.sources) == {"heat.md", "steam.md"}
    assert "[[raw/heat.md" in found.body
    assert "[[raw/steam.md" in found.body
    assert server.stages().count("merge") == 1
    assert_sound(vault.root)


async def test_links_to_notes_of_a_person_and_other_pictures_survive_a_merge(
    vault: Vault, make_desk: MakeDesk, make_model: MakeModel, server: ModelServer
) -> None:
    drop(vault, "heat.md", TEXT + "\n\n![a chart](chart.png)\n")
    drop(vault, "chart.png", _png())
    drop(vault, "steam.md", TEXT.replace("Heat", "Steam") + "\n\n![another](chart.png)\n")
    (vault.root / "My engine.md").write_text("Mine.\n")
    flows = "Heat flows. [[raw/heat.md|here]] ![[image1.png]] See [[my-engine]]."
    one = page("wiki/concepts/heat.md", "heat.md", flows)
    engine = page("wiki/concepts/my-engine.md", "heat.md", "It runs.").replace("Heat", "My engine")
    two = page("wiki/concepts/heat.md", "steam.md", "Heat drives engines. [[raw/steam.md|here]]")
    server.when("generation", Say(reply("heat.md", one, engine)), containing="Heat flows from warm")
    server.when("generation", Say(reply("steam.md", two)), containing="Steam flows from warm")
    desk = make_desk(make_model())

    await ingest(desk, "heat.md", 1)
    place = vault.root / "wiki/concepts/heat.md"
    before = parse_page(place.read_text("utf-8")).body.strip()
    assert "![[wiki/media/heat/image1.png]] See [[My engine|my engine]]." in before
    server.when("merge", Say(f"{before}\n\nIt drives. [[raw/steam.md|here]] [[guessed]]"))
    await ingest(desk, "steam.md", 2)

    body = parse_page(place.read_text("utf-8")).body
    assert body.strip() == f"{before}\n\nIt drives. [[raw/steam.md|here]] guessed"


async def test_a_merge_that_loses_text_is_refused_and_nothing_is_lost(
    vault: Vault, make_desk: MakeDesk, make_model: MakeModel, server: ModelServer
) -> None:
    drop(vault, "heat.md", TEXT)
    drop(vault, "steam.md", TEXT.replace("Heat", "Steam"))
    long = "Heat flows through iron, copper and stone alike. " * 8
    one = page("wiki/concepts/heat.md", "heat.md", long + "[[raw/heat.md|here]]")
    two = page("wiki/concepts/heat.md", "steam.md", "Heat drives engines. [[raw/steam.md|here]]")
    server.when("generation", Say(reply("heat.md", one)), containing="Heat flows from warm")
    server.when("generation", Say(reply("steam.md", two)), containing="Steam flows from warm")
    server.when("merge", Say("# Heat\n\nUnchanged."))
    desk = make_desk(make_model())

    await ingest(desk, "heat.md", 1)
    await ingest(desk, "steam.md", 2)

    text = (vault.root / "wiki/concepts/heat.md").read_text("utf-8")
    assert "Unchanged." not in text
    assert "Heat drives engines." in text
    assert "Heat flows through iron" in text
    assert versions(vault, VaultPath("wiki/concepts/heat.md"))


async def test_sources_read_side_by_side_are_published_in_the_order_they_started(
    vault: Vault, make_desk: MakeDesk, make_model: MakeModel, server: ModelServer
) -> None:
    names = ["alpha.md", "beta.md", "gamma.md", "delta.md"]
    for name in names:
        drop(vault, name, TEXT.replace("Heat", name))
    server.latency = 0.4  # longer than the converter takes for each
    desk = replace(make_desk(make_model()), asking=asyncio.Semaphore(2))

    await asyncio.gather(*(ingest(desk, name, n) for n, name in enumerate(names, 1)))

    log = (vault.root / "wiki/log.md").read_text("utf-8")
    assert server.peak == 2  # while the others are read
    assert [log.index(name.removesuffix(".md")) for name in names] == sorted(
        log.index(name.removesuffix(".md")) for name in names
    )
    assert_sound(vault.root)


async def test_a_dear_source_waits_for_a_persons_word(
    vault: Vault, make_desk: MakeDesk, make_model: MakeModel, server: ModelServer
) -> None:
    drop(vault, "heat.md", TEXT)

    with pytest.raises(WaitingError, match="tokens"):
        await ingest(make_desk(make_model(), confirm_above_tokens=100), "heat.md")

    assert server.calls == []


async def test_a_page_in_the_wrong_language_is_asked_for_again_then_refused(
    vault: Vault, make_desk: MakeDesk, make_model: MakeModel, server: ModelServer
) -> None:
    drop(vault, "heat.md", TEXT)
    english = page(
        "wiki/concepts/heat.md", "heat.md", "Heat flows from warm bodies to cold bodies. " * 4
    )
    server.when("generation", Say(reply("heat.md", english)))
    server.when("language", Say("Heat still flows from warm bodies to cold bodies. " * 4))

    result = await ingest(make_desk(make_model(), language="zh"), "heat.md")

    assert server.stages().count("language") == 1
    assert not (vault.root / "wiki/concepts/heat.md").exists()
    assert any("language" in warning for warning in result["warnings"])
    assert any(
        "warm bodies" in place.read_text("utf-8")
        for place in (vault.state / "quarantine").rglob("*")
        if place.is_file()
    )


async def test_without_multimodal_the_wiki_names_no_picture(
    vault: Vault, make_desk: MakeDesk
) -> None:
    drop(vault, "heat.md", TEXT + "\n\n![a chart](chart.png)\n\n![[chart.png]]\n")
    drop(vault, "chart.png", _png())

    await ingest(make_desk(multimodal=False), "heat.md")

    assert not (vault.root / "wiki/media").exists()
    assert not any("chart" in text for text in wiki_notes(vault.root).values())


async def test_pictures_a_note_embeds_stand_in_its_page(vault: Vault, make_desk: MakeDesk) -> None:
    drop(vault, "heat.md", TEXT + "\n\n![a chart](chart.png)\n")
    drop(vault, "chart.png", _png())

    await ingest(make_desk(), "heat.md")

    text = (vault.root / "wiki/sources/heat.md").read_text("utf-8")
    assert "![a chart](../media/heat/image1.png)" in text
    assert (vault.root / "wiki/media/heat/image1.png").read_bytes() == _png()
    assert_sound(vault.root)


def _png() -> bytes:
    from io import BytesIO

    from PIL import Image

    stream = BytesIO()
    Image.new("RGB", (120, 90), "teal").save(stream, "PNG")
    return stream.getvalue()
