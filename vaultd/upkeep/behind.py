"""A database that is older than the vault: restored from a backup, or brought by a sync tool."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

import structlog

from vaultd.core.page import parse_page
from vaultd.core.reconcile import RAW
from vaultd.core.settle import FileStat
from vaultd.errors import VaultdError
from vaultd.model.paths import SourceId, VaultPath
from vaultd.publish.links import vault_files
from vaultd.store import files, plans, sources
from vaultd.store.database import Connection, Database
from vaultd.store.sources import Source
from vaultd.vault.files import Vault
from vaultd.vault.scan import look_of

SOURCE_PAGES = "wiki/sources/"

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Known:
    """What the database says: how each file looked, which source is what, what is being written."""

    looks: Mapping[str, FileStat | None]
    sources: Mapping[SourceId, Source]
    begun: frozenset[str]


async def is_behind(vault: Vault, db: Database) -> bool:
    """Tell whether the page of a source proves an ingest that the database does not know.

    It names the very content that the source's file has now. Only pages that look otherwise
    than when they were last seen are read.
    """
    known = await db.read(_what_is_known)
    return await asyncio.to_thread(_is_contradicted, vault, known)


def _what_is_known(db: Connection) -> _Known:
    return _Known(
        {path: file.stat for path, file in files.all_files(db).items()},
        {source.identity: source for source in sources.all_sources(db)},
        frozenset(file.path for plan in plans.open_plans(db) for file in plan.files),
    )


def _is_contradicted(vault: Vault, known: _Known) -> bool:
    if not (vault.root / SOURCE_PAGES).is_dir():
        return False
    for path, entry in vault_files(vault, SOURCE_PAGES):
        if path in known.begun:
            continue
        if known.looks.get(path) == look_of(entry.stat(follow_symlinks=False)):
            continue
        try:
            if _proves_more(vault, path, known):
                return True
        except VaultdError as error:
            log.warning("file left out", path=path, reason=str(error))
    return False


def _proves_more(vault: Vault, path: VaultPath, known: _Known) -> bool:
    page = parse_page((vault.read(path) or b"").decode("utf-8", "replace"))
    digest = page.word("source_sha256")
    if not digest or len(page.sources) != 1:
        return False
    source = known.sources.get(page.sources[0])
    if source is not None and source.ingested_sha256 == digest:
        return False
    content = vault.read(source.path if source else VaultPath(f"{RAW}{page.sources[0]}"))
    return content is not None and sha256(content).hexdigest() == digest
