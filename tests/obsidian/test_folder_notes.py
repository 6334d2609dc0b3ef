"""Folder notes stand where the tools for folder notes look, and leave a person's words alone."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from tests.fakes import FakeClock
from tests.summarize.conftest import MakeSummarizer
from tests.summarize.fakes import FakeAuthor, Reviews, put
from vaultd.model.paths import VaultPath
from vaultd.store import nodes
from vaultd.store.database import Database
from vaultd.vault.disk import Disk
from vaultd.vault.files import Vault


def text_of(vault: Vault, path: str) -> str:
    return (vault.root / path).read_text("utf-8")


async def test_the_note_of_a_renamed_folder_takes_its_new_name_if_it_is_only_ours(
    make: MakeSummarizer, vault: Vault, reviews: Reviews
) -> None:
    put(vault, {"Projects/boat.md": "I build a boat.\n"})
    await make(roots=("Projects",)).refresh_all()
    (vault.root / "Projects").rename(vault.root / "Ventures")

    await make(roots=("Ventures",)).refresh_all()

    there = sorted(place.name for place in (vault.root / "Ventures").iterdir())
    assert there == ["Ventures.md", "boat.md"]
    assert "[[Ventures/boat|boat]]" in text_of(vault, "Ventures/Ventures.md")
    assert reviews == []


async def test_the_note_of_a_renamed_folder_has_no_heading_with_its_former_name(
    make: MakeSummarizer, vault: Vault, author: FakeAuthor
) -> None:
    put(vault, {"Projects/boat.md": "I build a boat.\n"})
    author.title = "# Projects\n\n"
    await make(roots=("Projects",)).refresh_all()
    (vault.root / "Projects").rename(vault.root / "Ventures")
    author.forget()

    await make(roots=("Ventures",)).refresh_all()

    text = text_of(vault, "Ventures/Ventures.md")
    assert "Projects" not in text
    assert "## All of" in text
    assert author.asked() == []


async def test_a_former_folder_note_with_a_persons_words_stays_and_is_told(
    make: MakeSummarizer, vault: Vault, reviews: Reviews
) -> None:
    put(vault, {"Projects/boat.md": "I build a boat.\n"})
    await make(roots=("Projects",)).refresh_all()
    theirs = text_of(vault, "Projects/Projects.md") + "\nMy own words.\n"
    put(vault, {"Projects/Projects.md": theirs})
    (vault.root / "Projects").rename(vault.root / "Ventures")

    await make(roots=("Ventures",)).refresh_all()

    assert text_of(vault, "Ventures/Projects.md") == theirs
    assert "I build a boat" in text_of(vault, "Ventures/Ventures.md")
    (told,) = reviews
    assert told.pages == ("Ventures/Projects.md",)
    assert "[[Ventures/Ventures|Ventures]]" in told.text


async def test_a_note_that_only_speaks_of_markers_is_told_of_by_nobody(
    make: MakeSummarizer, vault: Vault, reviews: Reviews
) -> None:
    manual = "How it works:\n\n```\n%% vaultd:begin overview v1 sha256:0123456789ab %%\n```\n"
    put(vault, {"Projects/manual.md": manual, "Projects/boat.md": "I build a boat.\n"})

    await make(roots=("Projects",)).refresh_all()

    assert text_of(vault, "Projects/manual.md") == manual
    assert reviews == []


async def test_a_folder_note_a_person_is_writing_in_is_left_alone_until_they_pause(
    make: MakeSummarizer, vault: Vault, db: Database, clock: FakeClock
) -> None:
    put(vault, {"Projects/boat.md": "I build a boat.\n", "Projects/Projects.md": "Mine.\n"})
    saved = clock().timestamp() - 3
    os.utime(vault.root / "Projects/Projects.md", (saved, saved))
    summarizer = make(roots=("Projects",))

    await summarizer.refresh_all()
    assert text_of(vault, "Projects/Projects.md") == "Mine.\n"
    assert [mark.folder for mark in await db.read(nodes.marks)] == [VaultPath("Projects")]

    clock.pass_(seconds=10)
    await summarizer.refresh_marked()
    assert text_of(vault, "Projects/Projects.md").startswith("Mine.\n")
    assert "[[Projects/boat|boat]]" in text_of(vault, "Projects/Projects.md")
    assert await db.read(nodes.marks) == []


class ReadOnlyDisk(Disk):
    def open_new(self, path: Path, mode: int) -> int:
        raise OSError(errno.EIO, "no")


async def test_a_region_that_never_came_into_a_persons_note_was_not_taken_away(
    make: MakeSummarizer, vault: Vault
) -> None:
    put(vault, {"Projects/boat.md": "I build a boat.\n", "Projects/Projects.md": "Mine.\n"})
    vault.disk = ReadOnlyDisk()
    await make(roots=("Projects",)).refresh_all()
    assert text_of(vault, "Projects/Projects.md") == "Mine.\n"

    vault.disk = Disk()
    await make(roots=("Projects",)).refresh_all()

    assert "[[Projects/boat|boat]]" in text_of(vault, "Projects/Projects.md")


async def test_markers_taken_away_right_after_they_came_stay_away(
    make: MakeSummarizer, vault: Vault
) -> None:
    put(vault, {"Projects/boat.md": "I build a boat.\n", "Projects/Projects.md": "Mine.\n"})
    await make(roots=("Projects",)).refresh_all()
    put(vault, {"Projects/Projects.md": "Mine.\n"})

    await make(roots=("Projects",)).refresh_all()

    assert text_of(vault, "Projects/Projects.md") == "Mine.\n"
