"""The pages on disk: read once, and again only where size or time changed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from vaultd.core.block_path import same_path
from vaultd.core.ignore import STUB, visible_name
from vaultd.core.listing import is_page
from vaultd.core.page import page_ref, parse_page
from vaultd.core.plan import Wiki
from vaultd.core.schema import Schema
from vaultd.errors import PermanentError
from vaultd.model.paths import VaultPath
from vaultd.store import pages
from vaultd.store.database import Database
from vaultd.store.pages import Listed
from vaultd.vault.files import Vault

WIKI = VaultPath("wiki")


async def read_wiki(db: Database, vault: Vault, schema: Schema | None = None) -> Wiki:
    """Return every page below `wiki/`, every name taken there, and the tags in use."""
    known = await db.read(pages.listing)
    found = await asyncio.to_thread(_look, vault, known)
    changed = {path: each for path, each in found.items() if known.get(path) != each}
    gone = [path for path in known if path not in found]
    if changed or gone:
        await db.run(pages.update_listing, changed, gone)
    tags: dict[str, str] = {}
    for path in sorted(found):
        for tag in found[path].tags:
            tags.setdefault(tag.casefold(), tag)
    return Wiki(
        pages=[found[path].ref for path in sorted(found) if found[path].ref],  # type: ignore[misc]
        schema=schema or Schema(),
        taken=frozenset(same_path(path) for path in found),
        tags=tags,
    )


def listed_as(vault: Vault, path: VaultPath, content: bytes) -> Listed | None:
    """Return what to list of a note that was just written; None if a person was faster."""
    if not path.startswith(f"{WIKI}/"):
        return None
    try:
        about = vault.locate(path).stat()
    except FileNotFoundError:
        return None
    return _listed(path, content, about) if vault.read(path) == content else None


def _look(vault: Vault, known: dict[VaultPath, Listed]) -> dict[VaultPath, Listed]:
    found: dict[VaultPath, Listed] = {}
    for path, entry in _notes(vault.root / WIKI, WIKI):
        about = entry.stat(follow_symlinks=False)
        there = known.get(path)
        if STUB.match(entry.name):  # still a page: its content is in the cloud
            found[path] = there or Listed(about.st_size, about.st_mtime_ns, None)
            continue
        if there and (there.size, there.mtime_ns) == (about.st_size, about.st_mtime_ns):
            found[path] = there
        else:
            found[path] = _read(vault, path, about)
    return found


def _read(vault: Vault, path: VaultPath, about: os.stat_result) -> Listed:
    content = None
    if is_page(path):
        with suppress(PermanentError):
            content = vault.read(path)
    return _listed(path, content, about)


def _listed(path: VaultPath, content: bytes | None, about: os.stat_result) -> Listed:
    if content is None or not is_page(path):
        return Listed(about.st_size, about.st_mtime_ns, None)
    text = content.decode("utf-8", "replace")
    return Listed(about.st_size, about.st_mtime_ns, page_ref(path, text), parse_page(text).tags)


def _notes(folder: Path, path: VaultPath) -> Iterator[tuple[VaultPath, os.DirEntry[str]]]:
    """Yield the Markdown files below `folder`; links and hidden folders are passed over.

    The stub of one that iCloud evicted comes with the path of the file it stands for.
    """
    if not folder.is_dir():
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            name = visible_name(entry.name)
            if not name or entry.is_symlink():
                continue
            below = VaultPath(f"{path}/{name}")
            if entry.is_dir(follow_symlinks=False):
                yield from _notes(folder / entry.name, below)
            elif below.lower().endswith(".md"):
                yield below, entry
