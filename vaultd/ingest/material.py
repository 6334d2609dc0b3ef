"""What a source holds: its text, its pictures and their descriptions, ready for an author."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import PurePosixPath

import structlog

from vaultd.author.seam import CaptionRequest
from vaultd.core.names import media_folder
from vaultd.core.pictures import around, picture_paths, with_pictures, without_pictures
from vaultd.core.title import document_title
from vaultd.errors import (
    BadReplyError,
    EndpointClosedError,
    PermanentError,
    TransientError,
    UnreadableSourceError,
)
from vaultd.extract.verdict import NEEDS_OCR, page_ranges
from vaultd.ingest.desk import Desk
from vaultd.ingest.local_pictures import with_local_pictures
from vaultd.ingest.transcripts import transcribed
from vaultd.model.document import ExtractedImage, Extraction, ExtractStatus
from vaultd.model.jobs import Progress
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import SourceText
from vaultd.store import plans

UNREADABLE: Mapping[ExtractStatus, str] = {
    ExtractStatus.NO_TEXT: "empty",
    ExtractStatus.ENCRYPTED: "encrypted",
    ExtractStatus.UNSUPPORTED: "unsupported",
    ExtractStatus.FAILED: "broken",
}

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Material:
    """A source and its pictures; `files` are where the pictures go, one for each image."""

    source: SourceText
    images: tuple[ExtractedImage, ...]
    files: tuple[VaultPath, ...]
    text_sha256: str

    def picture_files(self) -> dict[VaultPath, bytes]:
        """Return the content of every picture file."""
        return {
            path: image.data
            for path, image in zip(self.files, self.images, strict=True)
            if image.data
        }


async def read_material(
    path: VaultPath, identity: SourceId, summary_path: VaultPath, desk: Desk, progress: Progress
) -> Material:
    """Read the source at `path`; `summary_path` is where its own page stands.

    Raises:
        UnreadableSourceError: it gives no usable text, so there is nothing to ask an author.
    """
    progress("reading")
    wants_pictures = desk.rules.multimodal is not False
    reading = await desk.reader.read(path, pictures=wants_pictures, anew=True)
    reading = await transcribed(reading, path, identity, desk, progress)
    extraction = _usable(reading.extraction, path)
    if not wants_pictures:
        extraction = _stripped(extraction)
    elif extraction.kind == "md":
        extraction = await asyncio.to_thread(with_local_pictures, extraction, path, desk.vault)
    source = _source_text(identity, path, reading.sha256, extraction, desk.rules.language)
    text_sha256 = sha256(source.text.encode()).hexdigest()
    files = picture_paths(await pictures_folder(identity, summary_path, desk), extraction.images)
    images = await _described(extraction, source.language, desk, progress)
    pages = with_pictures(source.pages, images, files)
    bare = tuple(replace(image, data=b"") for image in images)
    return Material(replace(source, pages=pages, images=bare), images, tuple(files), text_sha256)


async def pictures_folder(identity: SourceId, summary_path: VaultPath, desk: Desk) -> VaultPath:
    """Return the folder of a source's pictures: none that holds those of another.

    A source that was renamed leaves its own where they are, under its former name.
    """
    wanted = folder = media_folder(identity, summary_path)
    number = 1
    while await desk.db.read(plans.others_within, folder, identity):
        number += 1
        folder = VaultPath(f"{wanted} {number}")
    return folder


async def read_text(path: VaultPath, identity: SourceId, desk: Desk) -> SourceText:
    """Return the text of the source at `path` alone, without its pictures.

    Raises:
        UnreadableSourceError: it gives no usable text.
    """
    reading = await transcribed(await desk.reader.read(path), path, identity, desk)
    extraction = _stripped(_usable(reading.extraction, path))
    return _source_text(identity, path, reading.sha256, extraction, desk.rules.language)


def _usable(extraction: Extraction, path: VaultPath) -> Extraction:
    if code := UNREADABLE.get(extraction.status):
        reason = extraction.reason or f"{path} has no usable text."
        if reason.startswith(NEEDS_OCR):
            code, reason = "needs_ocr", f'{reason} Then: `vaultd retry "{path}"`.'
        raise UnreadableSourceError(reason, code)
    return extraction


def _unread(extraction: Extraction) -> str:
    numbers = page_ranges([index + 1 for index in extraction.scans])
    return f"page {numbers}" if numbers else ""


def _stripped(extraction: Extraction) -> Extraction:
    """Leave every picture out: nothing of the wiki will name one."""
    pages = tuple(replace(page, text=without_pictures(page.text)) for page in extraction.pages)
    return replace(extraction, pages=pages, images=())


def _source_text(
    identity: SourceId, path: VaultPath, digest: str, extraction: Extraction, language: str
) -> SourceText:
    folders = PurePosixPath(identity).parent.parts
    return SourceText(
        id=identity,
        path=path,
        sha256=digest,
        title=document_title(extraction, identity),
        language=extraction.language if language == "auto" else language,
        pages=extraction.pages,
        images=extraction.images,
        unread=_unread(extraction),
        folder_context=" > ".join(folders),
        metadata=extraction.metadata,
    )


async def _described(
    extraction: Extraction, language: str, desk: Desk, progress: Progress
) -> tuple[ExtractedImage, ...]:
    """Return the pictures with their descriptions as alternative text.

    A picture that cannot be described keeps what the document says of it: captions never
    fail an ingest. A closed endpoint does, since nothing else would succeed either.
    """
    images = extraction.images
    if not images or not desk.author.sees_pictures:
        return images
    progress("captions", 0, len(images))
    done = 0

    async def describe(number: int, image: ExtractedImage) -> ExtractedImage:
        nonlocal done
        request = _request(extraction, number, image, language)
        try:
            image = replace(image, alt=await desk.captions.caption(image.sha256, request))
        except EndpointClosedError:
            raise
        except (BadReplyError, TransientError, PermanentError) as error:
            log.warning("picture not described", picture=image.sha256[:12], reason=error.code)
        done += 1
        progress("captions", done, len(images))
        return image

    tasks: Sequence[asyncio.Task[ExtractedImage]]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(describe(n, image)) for n, image in enumerate(images, 1)]
    return tuple(task.result() for task in tasks)


def _request(
    extraction: Extraction, number: int, image: ExtractedImage, language: str
) -> CaptionRequest:
    before, after = around(extraction.pages, number, image.page)
    return CaptionRequest(image.data, image.extension, before, after, language)
