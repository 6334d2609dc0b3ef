"""Lint tells what Obsidian cannot do with a name, and whose links a page catches."""

from __future__ import annotations

from tests.life.conftest import World
from tests.life.test_lint import lint


async def test_a_number_sign_in_a_name_is_told_since_obsidian_cannot_link_to_it(
    world: World,
) -> None:
    await world.ingest("Report #3.pdf")
    await world.ingest("[2017] Attention | final.pdf")

    assert await lint(world) == [("odd-name", "raw/Report #3.pdf", ())]


async def test_a_page_that_catches_the_links_to_a_note_is_told(world: World) -> None:
    world.write("Notes/Papers/2017/Attention.md", "What I think of it.")
    world.write("Heat.md", "Nearer to the top than any page.")
    await world.ingest("Attention.pdf")
    await world.ingest("Heat.pdf")

    assert await lint(world) == [("same-name", "wiki/sources/Attention.md", ())]
