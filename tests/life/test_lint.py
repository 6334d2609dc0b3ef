"""Lint finds what a person has to look at, and its report stays out of search."""

from __future__ import annotations

from tests.life.conftest import World, nothing
from vaultd.core.listing import is_page
from vaultd.core.searchable import is_searched
from vaultd.model.jobs import JobKind
from vaultd.model.paths import VaultPath
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


async def test_the_report_is_written_again_only_if_it_differs(world: World) -> None:
    await world.ingest("heat.pdf", {"Warmth": "Heat flows."})
    await lint(world)
    before = (world.vault.root / REPORT).stat().st_mtime_ns

    await lint(world)

    assert (world.vault.root / REPORT).stat().st_mtime_ns == before


def test_the_report_gives_no_passages_and_no_line_of_the_index() -> None:
    assert not is_searched(REPORT)
    assert not is_page(REPORT)
