"""Pictures that a Markdown source shows from elsewhere in the vault."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from pathlib import PurePosixPath
from posixpath import normpath
from urllib.parse import unquote

from PIL import Image, UnidentifiedImageError

from vaultd.errors import OutsideVaultError
from vaultd.model.document import ExtractedImage, Extraction
from vaultd.model.paths import VaultPath
from vaultd.vault.files import Vault

PICTURES = frozenset({"png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff"})
MAX_PICTURES = 200  # as in every other format
MAX_BYTES = 50 * 1024 * 1024

_EMBED = re.compile(
    r"!\[\[(?P<wiki>[^\]|#\n]+)(?:#[^\]|\n]*)?(?:\|(?P<size>[^\]\n]*))?\]\]"
    r"|!\[(?P<alt>[^\]\n]*)\]\((?P<angle><)?(?P<link>[^)\n]+?)(?(angle)>)(?:\s+\"[^\"\n]*\")?\)"
)


def with_local_pictures(extraction: Extraction, path: VaultPath, vault: Vault) -> Extraction:
    """Return the extraction with every picture of the vault that the note at `path` embeds.

    References become `![alt](imageN)`; those to the web, to data and to files that are not
    there stay as they are. Blocking.
    """
    finder = _Finder(vault, path, list(extraction.images))
    pages = tuple(
        replace(page, text=_EMBED.sub(finder.place, page.text)) for page in extraction.pages
    )
    return replace(extraction, pages=pages, images=tuple(finder.images))


class _Finder:
    def __init__(self, vault: Vault, note: VaultPath, images: list[ExtractedImage]) -> None:
        self._vault = vault
        self._folder = str(PurePosixPath(note).parent)
        self._known: dict[str, int] = {}
        self.images = images

    def place(self, match: re.Match[str]) -> str:
        target = unquote((match["wiki"] or match["link"]).strip())
        suffix = PurePosixPath(target).suffix.lstrip(".").lower()
        if suffix not in PICTURES or "://" in target or target.startswith("data:"):
            return match[0]
        number = self._known.get(target) or self._read(target, suffix, match["alt"] or "")
        if not number:
            return match[0]
        self._known[target] = number
        return f"![{match['alt'] or ''}](image{number})"

    def _read(self, target: str, suffix: str, alt: str) -> int:
        if len(self.images) >= MAX_PICTURES:
            return 0
        for candidate in self._candidates(target):
            try:
                content = self._vault.read(candidate)
            except OutsideVaultError:
                continue
            size = _size(content) if content else None
            if content and size:
                digest = sha256(content).hexdigest()
                extension = "jpg" if suffix == "jpeg" else suffix
                self.images.append(
                    ExtractedImage(digest, None, *size, extension, alt=alt, data=content)
                )
                return len(self.images)
        return 0

    def _candidates(self, target: str) -> Iterator[VaultPath]:
        """Name the places Obsidian looks in: beside the note, from the root, then anywhere."""
        yield VaultPath(normpath(f"{self._folder}/{target}"))
        yield VaultPath(normpath(target.lstrip("/")))
        if "/" not in target:
            found = self._vault.root.rglob(glob.escape(target))
            for place in sorted(found, key=lambda each: (len(each.parts), each)):
                yield VaultPath(place.relative_to(self._vault.root).as_posix())


def _size(content: bytes) -> tuple[int, int] | None:
    """Return width and height in pixels, None where it is no picture."""
    if len(content) > MAX_BYTES:
        return None
    try:
        with Image.open(BytesIO(content)) as image:
            return image.size
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError):
        return None
