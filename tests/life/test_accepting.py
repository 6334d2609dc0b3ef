"""What a person accepts is written, and what they wrote beside it stays theirs."""

from __future__ import annotations

from tests.life.conftest import World, nothing
from vaultd.model.jobs import JobKind
from vaultd.model.paths import VaultPath
from vaultd.review import Reviews
from vaultd.store import pages, reviews

WARMTH = VaultPath("wiki/concepts/Warmth.md")


async def test_an_accepted_proposal_leaves_the_persons_other_words_theirs(world: World) -> None:
    await world.ingest("heat.pdf", {"Warmth": "Heat flows.\n\nIt never flows back."})
    mine = world.text(WARMTH).replace("Heat flows.", "Heat nearly flows.")
    world.write(WARMTH, mine + "\nMy remark.\n")
    await world.ingest("heat.pdf", {"Warmth": "Heat always flows.\n\nIt never flows back."})
    (item,) = await world.db.read(reviews.reviews)
    answering = Reviews(world.vault, world.db, world.clock, "offline")
    world.clock.pass_(minutes=1)

    await answering.act(world.job(JobKind.REVIEW, item.id, action="Accept"), nothing)

    written = await world.db.read(pages.last_written, WARMTH)
    assert "Heat always flows." in world.text(WARMTH)
    assert written is not None
    assert written.base is not None
    assert "My remark." not in written.base
    assert not world.has(item.note or "")
