"""Lint finds what a person has to look at, and its report stays out of search."""

from __future__ import annotations

import pytest

from tests.life.conftest import World, nothing
from vaultd.core.listing import is_page
from vaultd.core.searchable import is_searched
from vaultd.model.jobs import JobKind, NewJob, Parked
from vaultd.model.paths import VaultPath
from vaultd.store import jobs
from vaultd.upkeep.lint import Linter

REPORT = VaultPath("wiki/reviews/lint.md")


async def lint(world: World) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return kind, path and suggestions of everything found."""
    linter = Linter(world.vault, world.db, world.clock, world.links)
    result = await linter.lint(world.job(JobKind.LINT, "."), nothing)
    return [(each["kind"], each["path"], tuple(each["suggestions"])) for each in result["findings"]]


async def test_a_fresh_wiki_has_nothing_to_look_at(world: World) -> None:
    await world.ingest("heat.pdf", {"Warmth": "Heat flows. [[raw/heat.pdf]]"})

    assert await lint(world) == []
    assert "Nothing to look at." in world.text(REPORT)


async def test_every_kind_of_fault_is_found(world: World) -> None:
    await world.ingest("heat.pdf", {"Warmth": "Heat flows. [[raw/heat.pdf]]"})
    world.write("wiki/concepts/Lonely.md", "---\ntype: concept\n---\nSee [[Warmht]].\n")
    world.write("wiki/concepts/Broken.md", "---\ntype: [a\n---\nText.\n")
    world.write("wiki/concepts/The warmths.md", "---\ntype: concept\n---\n[[Lonely]] [[Broken]]\n")
    world.write("wiki/concepts/Old.md", '---\ntype: concept\nsources: ["gone.pdf"]\n---\n[[Old]]\n')
    world.write("note.sync-conflict-20250101-000000-ABCDEFG.md", "Twice.\n")

    found = await lint(world)

    assert ("broken-link", "wiki/concepts/Lonely.md", ("wiki/concepts/Warmth.md",)) in found
    assert ("invalid-properties", "wiki/concepts/Broken.md", ()) in found
    assert ("stale", "wiki/concepts/Old.md", ()) in found
    assert ("orphan", "wiki/concepts/Old.md", ()) in found
    assert ("orphan", "wiki/concepts/Lonely.md", ()) not in found
    assert ("unlisted", "wiki/concepts/Lonely.md", ()) in found
    assert ("duplicate", "wiki/concepts/The warmths.md", ("wiki/concepts/Warmth.md",)) in found
    assert any(kind == "conflict-copy" for kind, _, _ in found)  # W23


async def test_documents_that_could_not_be_read_are_listed_with_what_helps(world: World) -> None:
    page = '---\ntype: source\nsources: ["half.pdf"]\nunread: page 2\n---\nText.\n'
    world.write("wiki/sources/half.md", page)
    await world.ingest("scan.pdf")
    new = NewJob(JobKind.INGEST, "raw/scan.pdf", "a newer file")
    (job,) = await world.db.run(jobs.enqueue_all, [new], now=world.clock())
    await world.db.run(jobs.claim, kinds=(JobKind.INGEST,), now=world.clock())
    outcome = Parked("Needs OCR: all are pictures. Then: `vaultd retry`.", "needs_ocr")
    await world.db.run(jobs.finish, job, outcome, now=world.clock())

    found = await lint(world)

    assert ("unread", "raw/scan.pdf", ()) in found
    assert ("unread", "wiki/sources/half.md", ()) in found
    assert "page 2 could not be read." in world.text(REPORT)
    assert "all are pictures. Then: vaultd retry." in world.text(REPORT)


async def test_the_note_of_a_folder_named_like_a_note_is_linked_to(world: World) -> None:
    world.write("wiki/x.md/x.md.md", "---\ntype: folder\n---\nAll of it.\n")
    links = "[[wiki/x.md/x.md.md|x.md]] and, as it once was written, [[wiki/x.md/x.md]]"
    world.write("wiki/x.md/Rye.md", f"---\ntype: concept\n---\n{links}\n")

    assert "broken-link" not in [kind for kind, _, _ in await lint(world)]


@pytest.mark.parametrize("name", [" heat.pdf", "heat .pdf", " old /heat.pdf", "a /\u00a0b .pdf"])
async def test_a_blank_at_the_end_of_a_sources_name_belongs_to_it(world: World, name: str) -> None:
    await world.ingest(name, {"Warmth": f"Heat flows. [[raw/{name}]]"})
    assert await lint(world) == []

    await world.ingest(name, {"Warmth": f"Heat flows down. [[raw/{name}]]"}, content="new")
    assert "flows down" in world.text("wiki/concepts/Warmth.md")
    assert await lint(world) == []

    await world.move(f"raw/{name}", "raw/ moved .pdf")
    assert await lint(world) == []

    await world.forget(" moved .pdf")
    assert not world.has("wiki/concepts/Warmth.md")


async def test_the_report_is_written_again_only_if_it_differs(world: World) -> None:
    await world.ingest("heat.pdf", {"Warmth": "Heat flows."})
    await lint(world)
    before = (world.vault.root / REPORT).stat().st_mtime_ns

    await lint(world)

    assert (world.vault.root / REPORT).stat().st_mtime_ns == before


def test_the_report_gives_no_passages_and_no_line_of_the_index() -> None:
    assert not is_searched(REPORT)
    assert not is_page(REPORT)
