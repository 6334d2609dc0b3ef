"""A file is converted once for its bytes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from vaultd.errors import UnreadableSourceError
from vaultd.model.document import ExtractedImage, ExtractedPage, Extraction, ExtractStatus
from vaultd.model.paths import VaultPath
from vaultd.reading import Reader
from vaultd.store import extractions
from vaultd.store.database import Connection, Database
from vaultd.vault.files import Vault

NOTE = VaultPath("raw/note.txt")
IMAGE = ExtractedImage("ab", 1, 40, 30, "png", alt="a", caption="b", data=b"bytes")


class CountingConverter:
    """Gives the file's own text, with a picture, and counts."""

    def __init__(self, status: ExtractStatus = ExtractStatus.OK) -> None:
        self.calls = 0
        self._status = status

    async def convert(self, path: Path, *, pictures: bool) -> Extraction:
        self.calls += 1
        await asyncio.sleep(0)
        pages = (ExtractedPage(1, await asyncio.to_thread(path.read_text), "unseen"),)
        return Extraction("txt", self._status, "en", pages, (IMAGE,), ("w",), "r", {"title": "t"})


@pytest.fixture
def reader(vault: Vault, db: Database) -> tuple[Reader, CountingConverter]:
    (vault.root / "raw").mkdir(exist_ok=True)
    (vault.root / NOTE).write_text("first text")
    converter = CountingConverter()
    return Reader(vault, db, converter), converter  # type: ignore[arg-type]


async def test_same_bytes_are_converted_once(reader: tuple[Reader, CountingConverter]) -> None:
    first = await reader[0].read(NOTE)
    second = await reader[0].read(NOTE)

    assert reader[1].calls == 1
    assert second.sha256 == first.sha256
    assert second.extraction.pages == first.extraction.pages
    assert second.extraction.images[0].caption == "b"
    assert second.extraction.metadata == {"title": "t"}


async def test_two_readers_wait_for_one_conversion(
    reader: tuple[Reader, CountingConverter],
) -> None:
    await asyncio.gather(*(reader[0].read(NOTE) for _ in range(5)))

    assert reader[1].calls == 1


async def test_pictures_are_read_again_for_their_bytes(
    reader: tuple[Reader, CountingConverter],
) -> None:
    await reader[0].read(NOTE)
    reading = await reader[0].read(NOTE, pictures=True)

    assert reading.extraction.images[0].data == b"bytes"
    assert (await reader[0].read(NOTE)).extraction.images[0].data == b""


async def test_changed_bytes_are_converted_anew(
    reader: tuple[Reader, CountingConverter], vault: Vault
) -> None:
    await reader[0].read(NOTE)
    (vault.root / NOTE).write_text("second text")

    assert (await reader[0].read(NOTE)).extraction.pages[0].text == "second text"


async def test_failed_file_is_not_tried_again_until_asked(vault: Vault, db: Database) -> None:
    (vault.root / "raw").mkdir(exist_ok=True)
    (vault.root / NOTE).write_text("a text")
    converter = CountingConverter(ExtractStatus.FAILED)
    reader = Reader(vault, db, converter)  # type: ignore[arg-type]

    await reader.read(NOTE)
    await reader.read(NOTE)
    assert converter.calls == 1

    await reader.read(NOTE, anew=True)
    assert converter.calls == 2


async def test_asking_anew_is_for_what_failed_alone(
    reader: tuple[Reader, CountingConverter],
) -> None:
    await reader[0].read(NOTE)
    await reader[0].read(NOTE, anew=True)

    assert reader[1].calls == 1


async def test_vanished_file_says_so(reader: tuple[Reader, CountingConverter]) -> None:
    with pytest.raises(UnreadableSourceError) as caught:
        await reader[0].read(VaultPath("raw/gone.txt"))

    assert caught.value.code == "vanished"


async def test_newer_converter_does_not_see_what_an_older_one_stored(db: Database) -> None:
    extraction = Extraction("txt", ExtractStatus.OK, "en", ())

    def both(connection: Connection) -> tuple[bool, bool]:
        extractions.keep(connection, "hash", "1", extraction)
        return (
            extractions.find(connection, "hash", "1") is not None,
            extractions.find(connection, "hash", "2") is not None,
        )

    assert await db.run(both) == (True, False)
