"""Scanned pages: read by a model that sees pictures, else parked."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pymupdf as _pymupdf
import pytest
import pytest_asyncio
from PIL import Image

from tests.ingest.conftest import MakeDesk, drop, ingest
from tests.model_server import ModelServer
from vaultd.author.model import Models
from vaultd.author.seam import Author
from vaultd.errors import UnreadableSourceError, WaitingError
from vaultd.extract import Converter
from vaultd.ingest.desk import Desk
from vaultd.ingest.material import read_material
from vaultd.model.document import ExtractStatus
from vaultd.model.paths import SourceId, VaultPath
from vaultd.reading import Reader
from vaultd.store.database import Database
from vaultd.vault.files import Vault

pytestmark = pytest.mark.asyncio(loop_scope="session")
pymupdf: Any = _pymupdf
MakeModel = Callable[..., Author]
PROSE = "The quick brown fox jumps over the lazy dog and goes on to the river to drink. " * 3
PATH, IDENTITY = VaultPath("raw/scan.pdf"), SourceId("scan.pdf")
SUMMARY = VaultPath("wiki/sources/scan.md")


def scan(*, pages: int, with_text: bool) -> bytes:
    """Make a PDF of page-sized pictures, behind a page of text if wanted."""
    out = io.BytesIO()
    Image.new("L", (300, 400), 245).save(out, "PNG")
    document = pymupdf.open()
    if with_text:
        document.new_page().insert_textbox((72, 72, 500, 500), PROSE)
    for number in range(pages):
        page = document.new_page()
        page.insert_image(page.rect, stream=out.getvalue())
        page.draw_rect((50 + 20 * number, 50, 60 + 20 * number, 60), fill=(0, 0, 0))
    content: bytes = document.tobytes()
    document.close()
    return content


async def test_without_a_model_that_sees_a_scan_is_parked_as_in_need_of_ocr(
    vault: Vault, make_desk: MakeDesk
) -> None:
    drop(vault, "my scan.pdf", scan(pages=2, with_text=False))

    with pytest.raises(UnreadableSourceError) as raised:
        await ingest(make_desk(), "my scan.pdf")

    assert raised.value.code == "needs_ocr"
    for help in ("rapidocr onnxruntime`", "`llm.vision_model`", '`vaultd retry "raw/my scan.pdf"`'):
        assert help in str(raised.value)


async def test_pages_that_nobody_could_read_are_named(vault: Vault, make_desk: MakeDesk) -> None:
    drop(vault, "scan.pdf", scan(pages=2, with_text=True))

    material = await read_material(PATH, IDENTITY, SUMMARY, make_desk(), nothing)

    assert material.source.unread == "page 2-3"


async def test_an_empty_file_is_not_said_to_need_ocr(vault: Vault, make_desk: MakeDesk) -> None:
    drop(vault, "empty.txt", "")

    with pytest.raises(UnreadableSourceError) as raised:
        await ingest(make_desk(), "empty.txt")

    assert raised.value.code == "empty"


async def test_scanned_pages_are_transcribed_and_keep_their_numbers(
    vault: Vault, make_desk: MakeDesk, seeing: Author, server: ModelServer
) -> None:
    drop(vault, "scan.pdf", scan(pages=2, with_text=True))
    server.when("transcribe", PROSE + "scannedword\n---END OF REPLY---")
    desk = make_desk(seeing)

    material = await read_material(PATH, IDENTITY, SUMMARY, desk, nothing)

    first, second, third = material.source.pages
    assert (first.number, second.number, third.number) == (1, 2, 3)
    assert "scannedword" not in first.text
    assert [page.transcribed_by for page in (first, second, third)] == ["", "scripted", "scripted"]
    assert "scannedword" in third.text
    assert "END OF REPLY" not in third.text
    assert server.stages() == ["transcribe", "transcribe"]


async def test_a_transcription_is_asked_for_once_and_seen_by_every_later_reader(
    vault: Vault, make_desk: MakeDesk, seeing: Author, server: ModelServer
) -> None:
    drop(vault, "scan.pdf", scan(pages=1, with_text=False))
    server.when("transcribe", PROSE + "scannedword\n---END OF REPLY---")
    desk = make_desk(seeing)

    await read_material(PATH, IDENTITY, SUMMARY, desk, nothing)
    await read_material(PATH, IDENTITY, SUMMARY, desk, nothing)
    later = (await desk.reader.read(PATH)).extraction

    assert server.stages() == ["transcribe"]
    assert later.status is ExtractStatus.OK
    assert "scannedword" in later.pages[0].text
    assert later.language == "en"


async def test_pages_that_nobody_can_read_leave_the_file_parked(
    vault: Vault, make_desk: MakeDesk, seeing: Author, server: ModelServer
) -> None:
    drop(vault, "scan.pdf", scan(pages=1, with_text=False))
    server.when("transcribe", "[illegible]\n---END OF REPLY---")

    with pytest.raises(UnreadableSourceError, match="found nothing to read on page 1") as raised:
        await ingest(make_desk(seeing), "scan.pdf")

    assert raised.value.code == "needs_ocr"
    assert "nstall" not in str(raised.value)


async def test_many_scanned_pages_wait_for_a_persons_word(
    vault: Vault, make_desk: MakeDesk, seeing: Author, server: ModelServer
) -> None:
    drop(vault, "scan.pdf", scan(pages=2, with_text=False))

    with pytest.raises(WaitingError, match="scanned pages"):
        await ingest(make_desk(seeing, confirm_above_tokens=5_000), "scan.pdf")

    assert server.stages() == []


def nothing(stage: str, done: int = 0, total: int = 0) -> None:
    """Tell nobody."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def no_recognition() -> AsyncIterator[Converter]:
    """One converter that leaves scans alone, whether or not the extra `ocr` is installed."""
    running = Converter(recognise=False)
    yield running
    await running.close()


@pytest.fixture
def make_desk(
    make_desk: MakeDesk, vault: Vault, db: Database, no_recognition: Converter
) -> MakeDesk:
    """Build desks whose reader leaves scans alone."""

    def make(author: Author | None = None, **rules: object) -> Desk:
        return replace(make_desk(author, **rules), reader=Reader(vault, db, no_recognition))

    return make


@pytest.fixture
def seeing(make_model: MakeModel) -> Author:
    """Give an author whose model sees pictures."""
    return make_model(Models("scripted", vision="scripted-vision"))
