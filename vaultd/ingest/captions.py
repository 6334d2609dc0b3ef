"""Descriptions of pictures: asked for once per picture and language, kept in a shared file."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import structlog

from vaultd.author.seam import Author, CaptionRequest
from vaultd.errors import VaultdError
from vaultd.model.paths import Clock
from vaultd.vault.files import Vault

CACHE_NAME = "image-caption-cache.json"

log = structlog.get_logger()


class CaptionCache:
    """The file `image-caption-cache.json`: caption by SHA-256 and language, saved after each.

    Several sources that meet the same picture at the same time ask once.
    """

    def __init__(self, vault: Vault, author: Author, clock: Clock, *, concurrency: int) -> None:
        self._vault = vault
        self._author = author
        self._clock = clock
        self._gate = asyncio.Semaphore(concurrency)
        self._saving = asyncio.Lock()
        self._entries: dict[str, dict[str, Any]] | None = None
        self._in_flight: dict[str, asyncio.Future[str]] = {}

    async def caption(self, sha256: str, request: CaptionRequest) -> str:
        """Return the description of the picture, from the file or from the author.

        Raises: the author's errors; nothing is stored then.
        """
        key = f"{sha256}::language:{request.language}"
        entries = await self._load()
        if key in entries:
            return str(entries[key]["caption"])
        while (other := self._in_flight.get(key)) is not None:
            await asyncio.wait([other])
            if not other.cancelled():
                return other.result()
        return await self._single_flight(key, request)

    async def _single_flight(self, key: str, request: CaptionRequest) -> str:
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._in_flight[key] = future
        try:
            caption = await self._ask(key, request)
        except asyncio.CancelledError:
            future.cancel()  # whoever waits asks on their own account
            raise
        except VaultdError as error:
            future.set_exception(error)
            future.exception()  # retrieved here: perhaps nobody else waits
            raise
        finally:
            del self._in_flight[key]
        future.set_result(caption)
        return caption

    async def _ask(self, key: str, request: CaptionRequest) -> str:
        async with self._gate:
            caption = " ".join((await self._author.caption(request)).split())
        entry = {
            "caption": caption,
            "mimeType": mime_type(request.extension),
            "model": self._author.name,
            "capturedAt": self._clock().isoformat(),
        }
        async with self._saving:
            entries = await self._load()
            entries[key] = entry
            text = json.dumps(entries, ensure_ascii=False, indent=1, sort_keys=True)
            await asyncio.to_thread(self._vault.write_state, CACHE_NAME, text.encode())
        return caption

    async def _load(self) -> dict[str, dict[str, Any]]:
        if self._entries is None:
            self._entries = await asyncio.to_thread(self._read)
        return self._entries

    def _read(self) -> dict[str, dict[str, Any]]:
        path = self._vault.state_file(CACHE_NAME)
        if not path.exists():
            return {}
        content = path.read_bytes()
        try:
            entries = json.loads(content)
        except ValueError:
            entries = None
        if isinstance(entries, dict) and all(_is_entry(entry) for entry in entries.values()):
            return entries
        log.warning("caption cache is damaged and starts anew", kept=f"{CACHE_NAME}.damaged")
        self._vault.write_state(f"{CACHE_NAME}.damaged", content)
        return {}


def _is_entry(entry: object) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("caption"), str)


def mime_type(extension: str) -> str:
    """Return the media type of a picture by its extension."""
    subtype = {"jpg": "jpeg", "tif": "tiff", "svg": "svg+xml"}.get(extension, extension)
    return f"image/{subtype}"
