"""Scanned pages, read by a model that sees pictures."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import structlog

from vaultd.core.language import language_of
from vaultd.errors import BadReplyError, PermanentError, WaitingError
from vaultd.extract.verdict import NEEDS_OCR, page_ranges
from vaultd.ingest.desk import Desk
from vaultd.model.document import ExtractedPage, Extraction, ExtractStatus
from vaultd.model.jobs import Progress
from vaultd.model.paths import SourceId, VaultPath
from vaultd.reading import Reading
from vaultd.store import ingest_cache

AT_ONCE = 4  # pages drawn and asked for at a time: each is a megabyte in memory
PAGE_TOKENS = 3_000  # a picture of a page takes about 1,500 tokens, its text as many again
ANEW = "Scan such pages anew, larger and sharper."
ILLEGIBLE = "[illegible]"  # what a model answers for a page without text


def _nobody(stage: str, done: int = 0, total: int = 0) -> None:
    """Tell nobody how far it is."""


log = structlog.get_logger()


async def transcribed(
    reading: Reading,
    path: VaultPath,
    identity: SourceId,
    desk: Desk,
    progress: Progress = _nobody,
) -> Reading:
    """Return `reading` with the text of its scanned pages, and keep it for later readers.

    Without a model that sees pictures nothing changes. A page that the model cannot read stays a
    scan. Pages keep their numbers, and each names the model that read it.

    Raises:
        WaitingError: the pages would cost more than may be spent without a person's word.
        TransientError: the model may answer later; what it answered is stored.
        EndpointClosedError: no call can succeed for now.
    """
    scans = reading.extraction.scans
    if not scans or not desk.author.sees_pictures:
        return reading
    await _ask_before_spending(reading, path, identity, desk)
    turns = asyncio.Semaphore(AT_ONCE)
    texts: dict[int, str] = {}

    async def read(index: int) -> None:
        async with turns:
            text = await _text_of(index, reading.extraction.language, path, desk)
        if text:
            texts[index] = text
        progress("scanned pages", len(texts), len(scans))

    async with asyncio.TaskGroup() as group:
        for index in scans:
            group.create_task(read(index))
    complete = Reading(reading.sha256, _with_texts(reading.extraction, texts, desk.author.name))
    await desk.reader.keep(complete)
    return complete


async def _ask_before_spending(
    reading: Reading, path: VaultPath, identity: SourceId, desk: Desk
) -> None:
    tokens = PAGE_TOKENS * len(reading.extraction.scans)
    limit = desk.rules.confirm_above_tokens
    if tokens <= limit:
        return
    if await desk.db.read(ingest_cache.confirmed, identity, sha256=reading.sha256):
        return
    raise WaitingError(
        f"Reading the scanned pages of {path} would take about {tokens:,} tokens, more than the "
        f"{limit:,} that are spent without asking. `vaultd retry` lets it go on."
    )


async def _text_of(index: int, language: str, path: VaultPath, desk: Desk) -> str:
    """Return what page `index` says, "" if it cannot be drawn or read."""
    picture = await desk.reader.page_picture(path, index)
    if not picture:
        return ""
    try:
        text = await desk.author.transcribe(picture, "jpg", language)
    except BadReplyError as error:
        log.warning("page not transcribed", path=path, page=index + 1, reason=error.code)
        return ""
    except PermanentError as error:
        log.warning("page not transcribed", path=path, page=index + 1, reason=error.code)
        return ""
    return "" if text.strip() == ILLEGIBLE else text.strip()


def _with_texts(extraction: Extraction, texts: dict[int, str], reader: str) -> Extraction:
    """Put the texts on their pages; what is left of the scans decides on the status."""
    left = tuple(index for index in extraction.scans if index not in texts)
    pages = tuple(
        _with_text(page, texts[index], reader) if index in texts else page
        for index, page in enumerate(extraction.pages)
    )
    status, reason = extraction.status, ""
    if texts:
        status = ExtractStatus.PARTIAL if left else ExtractStatus.OK
    if left:
        numbers = page_ranges([index + 1 for index in left])
        reason = f"{NEEDS_OCR}: {reader} found nothing to read on page {numbers}. {ANEW}"
    language = extraction.language or language_of("\n\n".join(texts.values()))
    return replace(
        extraction, pages=pages, scans=left, status=status, reason=reason, language=language
    )


def _with_text(page: ExtractedPage, text: str, reader: str) -> ExtractedPage:
    whole = "\n\n".join(filter(None, (text, page.text)))
    return replace(page, text=whole, transcribed_by=reader)
