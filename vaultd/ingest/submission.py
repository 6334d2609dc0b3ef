"""A person hands in a file: it is a source from here on, and queued before anything else."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256
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
        UsageError: it is a page of the wiki, or hidden.
    """
    if path.startswith((WIKI, ".")):
        what = "a page of the wiki" if path.startswith(WIKI) else "hidden"
        raise UsageError(f"{path} is {what}, not a source.")
    content = vault.read(path)
    if content is None:
        raise NotFoundError(f"There is no file {path}.")
    if path.startswith(RAW):
        return path, sha256(content).hexdigest()
    return copied(vault, PurePosixPath(path).name, content)


def copied(vault: Vault, name: str, content: bytes) -> tuple[VaultPath, str]:
    """Write `content` below `raw/` as `name`, numbered if that is taken; return path and hash."""
    path = VaultPath(f"{RAW}{name}")
    stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix
    number = 1
    while (there := vault.read(path)) not in (None, content):
        number += 1
        path = VaultPath(f"{RAW}{stem} {number}{suffix}")
    if there is None:
        vault.write(path, content, expect=None)
    return path, sha256(content).hexdigest()


def see(db: Connection, taken: Iterable[tuple[VaultPath, str]], *, now: datetime) -> list[NewJob]:
    """Record the files as sources, and return the jobs that ingest them."""
    new = []
    for path, digest in taken:
        known = sources.find_by_path(db, path)
        sources.see(db, known.identity if known else identity_of(path), path, digest, now=now)
        files.expect(db, path, digest, files.SOURCE)
        new.append(NewJob(JobKind.INGEST, path, digest, person=True))
    return new
