"""Versions of pages, and what a source contributed: looked at, taken back."""

from __future__ import annotations

import asyncio
import difflib

from vaultd.bridge.answers import History, Job, Offered, PageVersion
from vaultd.bridge.asked import (
    ForgetSource,
    OnePage,
    OneVersion,
    OpenNotes,
    RestoreVersion,
    UndoSource,
)
from vaultd.bridge.operation import job_operation, operation
from vaultd.bridge.program import Program
from vaultd.bridge.queue import settled
from vaultd.bridge.routes.finding import not_there
from vaultd.core.reconcile import identity_of
from vaultd.errors import NotFoundError
from vaultd.model.jobs import JobKind, NewJob
from vaultd.model.paths import SourceId, VaultPath
from vaultd.store import sources
from vaultd.store.database import Connection
from vaultd.upkeep.versions import check_current, content_of, current_digest, kept_versions


async def page_history(program: Program, asked: OnePage) -> History:
    """List the versions of a page that vaultd replaced, newest first."""
    vault, path = program.vault, VaultPath(asked.path)
    current = await asyncio.to_thread(current_digest, vault, path)
    kept = await asyncio.to_thread(kept_versions, vault, path)
    if current is None and not kept:
        raise await not_there(program, f"There is no page {path}.", path)
    return History(path=path, current=current, versions=kept)


async def page_version(program: Program, asked: OneVersion) -> PageVersion:
    """Return the text of an old version."""
    path = VaultPath(asked.path)
    content = await asyncio.to_thread(content_of, program.vault, path, asked.version)
    text = content.decode("utf-8", "replace")
    return PageVersion(path=path, version=asked.version, text=text)


async def restore_version(program: Program, asked: RestoreVersion) -> Job:
    """Put an old version back, if the page still is what `if_match` says.

    The page as it is becomes a version itself. Answers once it is done, or with the job (202).
    """
    vault, path = program.vault, VaultPath(asked.path)
    await asyncio.to_thread(content_of, vault, path, asked.version)
    await asyncio.to_thread(check_current, vault, path, asked.if_match)
    payload = {"version": asked.version, "if_match": asked.if_match}
    return await settled(program, NewJob(JobKind.RESTORE, path, payload=payload, person=True))


async def open_notes(program: Program, asked: OpenNotes) -> Offered:
    """Wait for a write of a note that is open in an editor, to be written there.

    Replace `before` by `after` if the note still holds it, then ask again with the offer's id.
    Without an answer in three seconds, or where it is declined, vaultd writes the file itself.
    """
    notes = [VaultPath(path) for path in asked.notes]
    return Offered(offer=await program.vault.pen.attend(notes, asked.answered, asked.wait))


async def forget_source(program: Program, asked: ForgetSource) -> Job:
    """Remove what a source contributed, or only tell what that would be.

    The result of the job names the pages: `removed` to the trash, `rewritten` from their other
    sources, `kept` since a person wrote on them, `unlinked` where links become text. The file
    itself stays, and is not taken again until it is asked for. Answers once it is done, or with
    the job (202).
    """
    source = await program.db.read(_source, asked.path)
    payload = {"dry_run": asked.dry_run}
    digest = "dry_run" if asked.dry_run else ""  # looking never replaces a queued forgetting
    new = NewJob(JobKind.FORGET, source, digest, payload, person=True)
    return await settled(program, new)


async def undo_source(program: Program, asked: UndoSource) -> Job:
    """Take back the last ingest of a source.

    The result of the job names the pages: `restored` to what they were, `removed` to the trash,
    `kept` since a person wrote on them. Answers once it is done, or with the job (202).
    """
    source = await program.db.read(_source, asked.path)
    return await settled(program, NewJob(JobKind.UNDO, source, person=True))


def _source(db: Connection, path: str) -> SourceId:
    """Return the source that `path` names, with or without `raw/`.

    Raises:
        NotFoundError: there is none; `candidates` are the nearest.
    """
    named = sources.find_by_path(db, VaultPath(path)) or sources.find(
        db, identity_of(VaultPath(path))
    )
    if named is not None:
        return named.identity
    known = [each.identity for each in sources.all_sources(db)]
    near = difflib.get_close_matches(identity_of(VaultPath(path)), known)
    raise NotFoundError(f"There is no source {path}.", tuple(near))


OPERATIONS = (
    operation("GET", "/v1/pages/history", page_history, fails=(404,)),
    operation("GET", "/v1/pages/version", page_version, fails=(404,)),
    job_operation("/v1/pages/restore", restore_version),
    operation("POST", "/v1/pages/open", open_notes),
    job_operation("/v1/sources/forget", forget_source),
    job_operation("/v1/sources/undo", undo_source),
)
