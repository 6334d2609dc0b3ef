"""A note that iCloud moved out of the way is not a note that is gone."""

from __future__ import annotations

import pytest

from tests.fakes import FakeClock
from tests.life.conftest import World
from tests.life.test_lint import lint
from tests.summarize.conftest import MakeSummarizer
from tests.summarize.fakes import put
from vaultd.errors import OnlineOnlyError
from vaultd.model.paths import VaultPath
from vaultd.publish.catalog import read_wiki
from vaultd.publish.plan import Plan, Write
from vaultd.publish.publish import publish
from vaultd.store import receipt
from vaultd.store.database import Database
from vaultd.vault.files import Vault

PAGE = VaultPath("wiki/concepts/Attention.md")


@pytest.fixture
def evicted(vault: Vault) -> Vault:
    stub = vault.root / "wiki/concepts/.Attention.md.icloud"
    stub.write_bytes(b"bplist00")
    return vault


def test_nothing_is_written_beside_the_stub_of_a_note(evicted: Vault) -> None:
    with pytest.raises(OnlineOnlyError, match="make it available"):
        evicted.write(PAGE, b"new", expect=None)
    with pytest.raises(OnlineOnlyError):
        evicted.read(PAGE)

    assert not (evicted.root / PAGE).exists()


async def test_a_plan_for_an_evicted_page_is_refused_whole(
    evicted: Vault, db: Database, clock: FakeClock
) -> None:
    other = VaultPath("wiki/concepts/Other.md")
    plan = Plan(writes=(Write(other, b"# Other\n", None), Write(PAGE, b"# New\n", None)))

    with pytest.raises(OnlineOnlyError):
        await publish(plan, db=db, vault=evicted, clock=clock, also=receipt.record)

    assert not (evicted.root / other).exists()
    assert not (evicted.root / PAGE).exists()


async def test_an_evicted_page_keeps_its_name_and_its_place_in_the_index(
    vault: Vault, db: Database
) -> None:
    place = vault.root / PAGE
    place.write_text("---\ntype: concept\ntitle: Attention\n---\n\nWhat counts.\n", "utf-8")
    (before,) = (await read_wiki(db, vault)).pages
    place.rename(place.with_name(".Attention.md.icloud"))

    wiki = await read_wiki(db, vault)

    assert list(wiki.pages) == [before]
    assert wiki.taken == {PAGE.casefold()}


async def test_links_to_an_evicted_note_are_not_broken(world: World) -> None:
    world.write("Notes/Mine.md", "Text.")
    await world.ingest("a.pdf", {"Dough": "It rises. [[raw/a.pdf|a]]", "Bread": "See [[Dough]]."})
    place = world.vault.root / PAGE.replace("Attention", "Dough")
    place.rename(place.with_name(".Dough.md.icloud"))

    assert [kind for kind, *_ in await lint(world)] == []


async def test_a_folder_with_an_evicted_note_says_that_one_cannot_be_read(
    make: MakeSummarizer, vault: Vault
) -> None:
    put(vault, {"Projects/boat.md": "I build a boat.\n", "Projects/hut.md": "I build a hut.\n"})
    await make(roots=("Projects",)).refresh_all()
    place = vault.root / "Projects/hut.md"
    place.rename(place.with_name(".hut.md.icloud"))

    await make(roots=("Projects",)).refresh_all()

    text = (vault.root / "Projects/Projects.md").read_text("utf-8")
    assert "[[Projects/boat|boat]]" in text
    assert "1 of the entries cannot be read" in text
