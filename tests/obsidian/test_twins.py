"""A note the person made is linked to; no page of the same name catches their links."""

from __future__ import annotations

from datetime import date

from tests.life.conftest import World
from vaultd.core.link import Resolver
from vaultd.core.plan import Wiki, plan_pages
from vaultd.model.document import ExtractedPage
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import PageDraft, PageRef, SourceText
from vaultd.publish.links import own_notes
from vaultd.vault.files import Vault

SUMMARY = VaultPath("wiki/sources/paper.md")
THEIRS = VaultPath("References/People/Ashish Vaswani.md")
DRAFTS = (
    PageDraft(SUMMARY, "source", "Paper", "By [[ashish-vaswani]]: [[Ashish Vaswani]]."),
    PageDraft(
        VaultPath("wiki/entities/ashish-vaswani.md"), "entity", "Ashish Vaswani", "A researcher."
    ),
)


def planned(wiki: Wiki) -> tuple[list[str], str, list[str]]:
    source = SourceText(
        SourceId("paper.pdf"),
        VaultPath("raw/paper.pdf"),
        "ab" * 32,
        "Paper",
        "en",
        (ExtractedPage(1, "text"),),
    )
    plan = plan_pages(
        DRAFTS,
        source=source,
        wiki=wiki,
        summary_path=SUMMARY,
        author="offline",
        today=date(2026, 11, 29),
    )
    summary = next(page for page in plan.pages if page.path == SUMMARY)
    return [page.path for page in plan.pages], summary.body, [r.reason for r in plan.refused]


def test_a_page_about_what_the_person_has_a_note_on_is_not_made() -> None:
    pages, body, refused = planned(Wiki(theirs={"ashish vaswani": THEIRS}))

    link = "[[References/People/Ashish Vaswani|Ashish Vaswani]]"
    assert pages == [SUMMARY]
    assert body == f"By {link}: {link}."
    assert refused == [f"you have a note of this name ({THEIRS})"]


def test_a_page_that_was_there_before_the_persons_note_is_kept_up() -> None:
    page = PageRef(VaultPath("wiki/entities/Ashish Vaswani.md"), "Ashish Vaswani", "entity")
    wiki = Wiki([page], taken=frozenset([page.path.casefold()]), theirs={"ashish vaswani": THEIRS})

    assert planned(wiki)[0] == [SUMMARY, page.path]


async def test_the_persons_links_lead_where_they_led_after_an_ingest(world: World) -> None:
    deep = "Notes/2024/People I met/Ada Lovelace.md"
    world.write(deep, "Met in London.")
    world.write("Daily/2024-05-01.md", "Tea with [[Ada Lovelace]].")

    await world.ingest("letters.pdf", {"Ada Lovelace": "A mathematician.", "Engine": "A machine."})

    world.links.look()
    daily = VaultPath("Daily/2024-05-01.md")
    assert Resolver.over(world.links.files).resolve("Ada Lovelace", daily) == deep
    assert world.has("wiki/concepts/Engine.md")
    assert not world.has("wiki/concepts/Ada Lovelace.md")
    assert world.text(deep) == "Met in London."
    (kept,) = (world.vault.state / "quarantine").rglob("*.md")
    assert "A mathematician." in kept.read_text("utf-8")


def test_pages_sources_templates_the_schema_and_empty_notes_are_no_notes_of_the_person(
    vault: Vault,
) -> None:
    for path in (
        "wiki/concepts/A.md",
        "raw/B.md",
        "Templates/C.md",
        "schema.md",
        "deep/er/D.md",
        "x/D.md",
    ):
        place = vault.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("Text.", "utf-8")
    (vault.root / "E.md").touch()
    (vault.root / ".obsidian").mkdir()
    (vault.root / ".obsidian/templates.json").write_text('{"folder": "Templates"}', "utf-8")

    assert own_notes(vault, {"a", "b", "c", "d", "e", "schema"}) == {"d": "x/D.md"}
    assert own_notes(vault, {"a"}) == {}
