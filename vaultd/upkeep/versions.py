"""The versions of a page that vaultd replaced: listed, read, and put back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

from vaultd.core.page import page_ref
from vaultd.core.timing import stamp
from vaultd.errors import ConflictError, NotFoundError
from vaultd.model.jobs import Job, JobKind, NewJob, Progress
from vaultd.model.paths import Clock, VaultPath
from vaultd.publish.history import Version, versions
from vaultd.publish.plan import Plan, Write
from vaultd.publish.publish import publish
from vaultd.store import receipt
from vaultd.store.database import Database
from vaultd.vault.files import Vault


@dataclass(frozen=True, slots=True)
class KeptVersion:
    """An old version: `name` is what a person calls it, `at` when it was replaced (UTC text)."""

    version: str
    at: str
    size: int


def kept_versions(vault: Vault, path: VaultPath) -> list[KeptVersion]:
    """Return the versions kept of a page, newest first. Blocking."""
    return [
        KeptVersion(version_name(each), stamp(each.when), each.size)
        for each in versions(vault, path)
    ]


def version_name(version: Version) -> str:
    """Return what a person calls the version: the name of its file without the ending."""
    return PurePosixPath(version.name).stem


def content_of(vault: Vault, path: VaultPath, name: str) -> bytes:
    """Return the bytes of an old version. Blocking.

    Raises:
        NotFoundError: there is none of this name; `candidates` are those there are.
    """
    kept = {version_name(each): each.name for each in versions(vault, path)}
    content = vault.read_state(kept[name]) if name in kept else None
    if content is None:
        advice = "" if kept else ": vaultd has never replaced it"
        raise NotFoundError(f"There is no version {name!r} of {path}{advice}.", tuple(kept))
    return content


def current_digest(vault: Vault, path: VaultPath) -> str | None:
    """Return the SHA-256 of the page as it is, None if there is none. Blocking."""
    content = vault.read(path)
    return None if content is None else sha256(content).hexdigest()


def check_current(vault: Vault, path: VaultPath, if_match: str | None) -> None:
    """Refuse to act on a page that is not what the caller saw. Blocking.

    Raises:
        ConflictError: its hash is another; `current` is the one it has.
    """
    current = current_digest(vault, path)
    if current != if_match:
        raise ConflictError(f"{path} was changed since it was looked at.", current)


async def restore_page(
    job: Job, progress: Progress, *, vault: Vault, db: Database, clock: Clock
) -> Mapping[str, Any]:
    """Put an old version back: the workflow of `JobKind.RESTORE`, safe to repeat.

    Payload: `version`, and `if_match`, the hash of the page the person saw (left out: whatever
    is there). The page as it is becomes a version itself. What vaultd alone would have there
    is unknown from here on, so a later ingest leaves the restored text to the person.

    Raises:
        NotFoundError: there is no such version.
        ConflictError: the page is another than the one the person saw.
        PageChangedError: it was changed at this very moment.
    """
    progress("restoring")
    path, name = VaultPath(job.subject), str(job.payload["version"])
    content = await asyncio.to_thread(content_of, vault, path, name)
    current = await asyncio.to_thread(vault.read, path)
    if current == content:
        return {"path": path, "version": name, "changed": False}
    if "if_match" in job.payload:
        await asyncio.to_thread(check_current, vault, path, job.payload["if_match"])
    digest = sha256(content).hexdigest()
    await publish(
        Plan(
            writes=(Write(path, content, current, known=False),),
            jobs=(NewJob(JobKind.INDEX, path, digest),),
            dirty=(path,),
            events=(("page.restored", {"path": path, "version": name}),),
            log=page_ref(path, content.decode("utf-8", "replace")).title,
            action="restore",
            note={"at": stamp(clock())},
        ),
        db=db,
        vault=vault,
        clock=clock,
        also=receipt.record,
    )
    return {"path": path, "version": name, "changed": True}
