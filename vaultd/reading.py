"""A vault file's text: converted once for its bytes, then read from the database."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import structlog

from vaultd.errors import TransientError, UnreadableSourceError
from vaultd.extract import CONVERTER_VERSION, Converter
from vaultd.model.document import Extraction, ExtractStatus
from vaultd.model.paths import VaultPath
from vaultd.store import extractions
from vaultd.store.database import Database
from vaultd.vault.files import Vault

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Reading:
    """A file's text at one moment: `sha256` is the hash of the bytes it came from."""

    sha256: str
    extraction: Extraction


class Reader:
    """Reads vault files through the converter and keeps what came out.

    What is stored is found again by the hash of the bytes and the converter's version: a file
    that failed is not tried again until one of them changes, or `anew` is asked for. Two readers
    of the same bytes wait for one conversion.
    """

    def __init__(self, vault: Vault, db: Database, converter: Converter) -> None:
        self._vault = vault
        self._db = db
        self._converter = converter
        self._running: dict[str, asyncio.Lock] = {}

    async def read(self, path: VaultPath, *, pictures: bool = False, anew: bool = False) -> Reading:
        """Return what is in the file at `path`; with `pictures` the images carry their bytes.

        With `anew` one that failed is tried again: a machine that had no time or memory for it may
        have them now. Whether the text is usable, `extraction.status` says; nothing is raised for
        that.

        Raises:
            UnreadableSourceError: the file is gone or cannot be opened.
            TransientError: it changed while it was read.
            OutsideVaultError: the path leads out of the vault.
        """
        place = await asyncio.to_thread(self._vault.locate, path)
        sha256 = await asyncio.to_thread(_hash_of, place)
        async with self._alone(sha256):
            stored = await self._db.read(extractions.find, sha256, CONVERTER_VERSION)
            if stored is not None and not _lacks(stored, pictures=pictures, anew=anew):
                return Reading(sha256, stored)
            extraction = await self._converter.convert(place, pictures=True)
            if await asyncio.to_thread(_hash_of, place) != sha256:
                raise TransientError(f"{path} changed while it was read.")
            await self._db.run(extractions.keep, sha256, CONVERTER_VERSION, extraction)
        log.info("file read", path=path, kind=extraction.kind, status=extraction.status)
        return Reading(sha256, extraction)

    async def page_picture(self, path: VaultPath, index: int) -> bytes:
        """Return page `index` (from 0) of the file at `path` as a JPEG, b"" if it has none.

        Raises:
            OutsideVaultError: the path leads out of the vault.
        """
        place = await asyncio.to_thread(self._vault.locate, path)
        return await self._converter.page_picture(place, index)

    async def keep(self, reading: Reading) -> None:
        """Store a reading that somebody completed, for all who read these bytes after."""
        await self._db.run(extractions.keep, reading.sha256, CONVERTER_VERSION, reading.extraction)

    @asynccontextmanager
    async def _alone(self, sha256: str) -> AsyncIterator[None]:
        """Let one reader of the same bytes in at a time."""
        lock = self._running.setdefault(sha256, asyncio.Lock())
        try:
            async with lock:
                yield
        finally:
            if not lock.locked():
                self._running.pop(sha256, None)


def _lacks(stored: Extraction, *, pictures: bool, anew: bool) -> bool:
    if anew and stored.status is ExtractStatus.FAILED:
        return True
    return pictures and bool(stored.images)


def _hash_of(place: Path) -> str:
    try:
        with place.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError as error:
        raise UnreadableSourceError(f"{place.name} is gone.", "vanished") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise UnreadableSourceError(f"{place.name} cannot be read: {reason}.") from error
