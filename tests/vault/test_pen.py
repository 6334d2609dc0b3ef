"""Notes that a person has open are written by the program that shows them; nothing is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from vaultd.errors import PageChangedError
from vaultd.model.paths import VaultPath
from vaultd.vault.files import Vault
from vaultd.vault.handover import MARK, HandedOver
from vaultd.vault.layout import make_layout
from vaultd.vault.pen import Offer, Pen

PAGE = VaultPath("wiki/concepts/Koji.md")
OLD, NEW = (
    "# Koji\n\nA mould.\n",
    "# Koji\n\nA mould that grows on rice.\n\n## Heat\n\nThirty degrees.\n",
)

Act = Callable[[Path, Offer], object]


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    root = tmp_path / "vault"
    root.mkdir()
    made = Vault(root, make_layout(root))
    made.write(PAGE, OLD.encode(), expect=None)
    return made


async def written(vault: Vault, act: Act | None, *, notes: tuple[VaultPath, ...] = (PAGE,)) -> bool:
    """Write the page beside a program that has `notes` open and does `act` with an offer."""
    place = vault.locate(PAGE)

    async def show() -> None:
        offer = await vault.pen.attend(notes, 0, 5)
        if offer is not None and act is not None:
            act(place, offer)
            await vault.pen.attend((), offer.id, 0)

    showing = asyncio.create_task(show())
    await asyncio.sleep(0)
    try:
        return await asyncio.to_thread(vault.write, PAGE, NEW.encode(), expect=OLD.encode())
    finally:
        vault.pen.close()
        await showing


def writes(place: Path, offer: Offer) -> None:
    if place.read_text() == offer.before:
        place.write_text(offer.after)


async def test_open_note_is_written_where_it_is_shown(vault: Vault) -> None:
    file = vault.locate(PAGE).stat().st_ino

    assert await written(vault, writes)
    assert vault.read(PAGE) == NEW.encode()
    assert vault.locate(PAGE).stat().st_ino == file  # the same file, not one put in its place
    assert vault.read_state(MARK) is None


async def test_declined_write_is_made_as_any_other(vault: Vault) -> None:
    file = vault.locate(PAGE).stat().st_ino

    assert await written(vault, lambda place, offer: None)
    assert vault.read(PAGE) == NEW.encode()
    assert vault.locate(PAGE).stat().st_ino != file
    assert vault.read_state(MARK) is None


async def test_what_a_person_writes_meanwhile_stays(vault: Vault) -> None:
    with pytest.raises(PageChangedError):
        await written(vault, lambda place, offer: place.write_text("My own words.\n"))

    assert vault.read(PAGE) == b"My own words.\n"
    assert vault.read_state(MARK) is None


@pytest.mark.parametrize("length", [0, 1, len(OLD) - 1, len(OLD) + 5])
async def test_half_a_write_is_made_whole(vault: Vault, length: int) -> None:
    assert await written(vault, lambda place, offer: place.write_text(offer.after[:length]))
    assert vault.read(PAGE) == NEW.encode()


async def test_program_that_never_answers_holds_nothing_up(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Pen.offer, "__defaults__", (0.05,))

    assert await written(vault, None)
    assert vault.read(PAGE) == NEW.encode()


async def test_other_notes_are_not_offered(vault: Vault) -> None:
    offers: list[Offer] = []

    assert await written(vault, lambda _, offer: offers.append(offer), notes=(VaultPath("a.md"),))
    assert offers == []


async def test_file_that_is_no_text_is_not_offered(vault: Vault) -> None:
    offers: list[Offer] = []
    vault.locate(PAGE).write_bytes(b"\xff\xfe")
    showing = asyncio.create_task(vault.pen.attend((PAGE,), 0, 5))
    await asyncio.sleep(0)

    await asyncio.to_thread(vault.write, PAGE, NEW.encode(), expect=b"\xff\xfe")
    vault.pen.close()

    assert await showing is None
    assert offers == []


async def test_newer_question_takes_the_place_of_an_older_one(vault: Vault) -> None:
    older = asyncio.create_task(vault.pen.attend((PAGE,), 0, 5))
    await asyncio.sleep(0)
    newer = asyncio.create_task(vault.pen.attend((VaultPath("a.md"),), 0, 5))

    assert await older is None
    assert not vault.pen.shows(PAGE)
    vault.pen.close()
    assert await newer is None


async def test_question_without_an_offer_ends_in_time(vault: Vault) -> None:
    assert await vault.pen.attend((PAGE,), 0, 0.01) is None
    assert not vault.pen.shows(PAGE)


@pytest.mark.parametrize(
    ("there", "stays"),
    [
        ("", OLD),
        (NEW[: len(OLD) + 3], OLD),
        (OLD, OLD),
        (NEW, NEW),
        ("My own words.\n", "My own words.\n"),
    ],
)
def test_after_a_crash_half_a_write_is_taken_back(vault: Vault, there: str, stays: str) -> None:
    vault.write_state(MARK, HandedOver(PAGE, OLD, NEW).to_bytes())
    vault.locate(PAGE).write_text(there)

    vault.sweep()

    assert vault.read(PAGE) == stays.encode()
    assert vault.read_state(MARK) is None


def test_after_a_crash_a_note_that_is_gone_stays_gone(vault: Vault) -> None:
    vault.write_state(MARK, HandedOver(PAGE, OLD, NEW).to_bytes())
    vault.locate(PAGE).unlink()

    vault.sweep()

    assert vault.read(PAGE) is None
    assert vault.read_state(MARK) is None


def test_note_of_a_handover_that_cannot_be_read_is_dropped(vault: Vault) -> None:
    vault.write_state(MARK, b"{")

    vault.sweep()

    assert vault.read(PAGE) == OLD.encode()
    assert vault.read_state(MARK) is None
