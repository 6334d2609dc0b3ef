"""A person hands in a file: it is a source from here on, and queued before anything else."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime
from pathlib import PurePosixPath

from vaultd.core.reconcile import RAW, identity_of
from vaultd.errors import NotFoundError, UsageError
from vaultd.model.jobs import JobKind, NewJob
from vaultd.model.paths import VaultPath
from vaultd.store import files, sources
from vaultd.store.database import Connection
from vaultd.vault.files import Vault

WIKI = "wiki/"


def handed_in(vault: Vault, path: VaultPath) -> tuple[VaultPath, str]:
    """Return path and hash of the source that the vault's file at `path` is, or becomes.

    A file outside `raw/` is copied there. Blocking.

    Raises:
        NotFoundError: there is no such file.
        UsageError: it is a page of the wiki.
    """
    if path.startswith(WIKI):
        raise UsageError(f"{path} is a page of the wiki, not a source.")
    content = vault.read(path)
    if content is None:
        raise NotFoundError(f"There is no file {path}.")
    sha256 = hashlib.sha256(content).hexdigest()
    if path.startswith(RAW):
        return path, sha256
    return copied(vault, PurePosixPath(path).name, content), sha256


def copied(vault: Vault, name: str, content: bytes) -> VaultPath:
    """Write `content` below `raw/` under `name`, or a numbered one if that is taken."""
    stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix
    number = 1
    while True:
        path = VaultPath(f"{RAW}{name}" if number == 1 else f"{RAW}{stem} {number}{suffix}")
        there = vault.read(path)
        if there == content:
            return path
        if there is None:
            vault.write(path, content, expect=None)
            return path
        number += 1


def see(db: Connection, taken: Iterable[tuple[VaultPath, str]], *, now: datetime) -> list[NewJob]:
    """Record the files as sources, and return the jobs that ingest them."""
    new = []
    for path, sha256 in taken:
        known = sources.find_by_path(db, path)
        sources.see(db, known.identity if known else identity_of(path), path, sha256, now=now)
        files.expect(db, path, sha256, files.SOURCE)
        new.append(NewJob(JobKind.INGEST, path, sha256, person=True))
    return new
