"""A file was moved: everything that names it follows, and no model is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from hashlib import sha256
from typing import Any

from vaultd.core.block_path import same_path
from vaultd.core.link import Resolver, relinked
from vaultd.core.names import source_page_path
from vaultd.core.reconcile import identity_of
from vaultd.core.relink import rebased, with_links_changed, with_source_renamed
from vaultd.core.timing import stamp
from vaultd.errors import PageChangedError
from vaultd.ingest.aftermath import following_jobs
from vaultd.ingest.edits import Edits
from vaultd.ingest.turns import PublishOrder
from vaultd.model.jobs import Job, JobKind, NewJob, Progress
from vaultd.model.paths import Clock, SourceId, VaultPath
from vaultd.publish.history import move_versions
from vaultd.publish.links import LinkMap
from vaultd.publish.plan import Plan, Removal, Write
from vaultd.publish.publish import publish
from vaultd.store import files, joblist, pages, receipt, sources
from vaultd.store.database import Database
from vaultd.store.sources import UNWANTED, Source
from vaultd.vault.files import Vault

TURN = timedelta(seconds=2)  # until it is looked again whether an earlier move was followed
Moved = dict[VaultPath, VaultPath]


@dataclass(frozen=True, slots=True)
class Mover:
    """Follows the moves that the watcher found in one vault."""

    vault: Vault
    db: Database
    clock: Clock
    order: PublishOrder
    links: LinkMap

    async def move(self, job: Job, progress: Progress) -> Mapping[str, Any]:
        """Follow one move: the workflow of `JobKind.MOVE`. Safe to repeat.

        The subject is the old path; payload `to` is the new one, `role` "source" or "note". A
        move to the path of an alias means that the original vanished: the alias takes its place.
        Content whose turn had not come is ingested at the new path.

        Raises:
            PageChangedError: a person saved one of the pages meanwhile, or a move of this file
                before this one has to wait for that.
        """
        progress("moving")
        old, new = VaultPath(job.subject), VaultPath(job.payload["to"])
        async with self.order.alone():
            if await self.db.read(joblist.is_move_before, job.id, (old, new)):
                reason = f"{old} was moved before, which has to be followed first."
                raise PageChangedError(reason, retry_after=TURN, counted=False)
            if job.payload.get("role") == "source":
                return await self._move_source(old, new)
            return await self._move_note(old, new)

    async def _move_source(self, old: VaultPath, new: VaultPath) -> Mapping[str, Any]:
        source = await self.db.read(sources.find_by_path, old)
        if source is None:
            return {"state": "unknown"}
        identity = await self.db.read(_identity_at, new)
        own = await self.db.read(pages.source_pages)
        moved: Moved = {old: new}
        if page := await asyncio.to_thread(self._new_page_path, source.identity, identity, own):
            moved[own[source.identity]] = page
        edits, theirs = await self._edited(moved, source, identity)
        note = {
            "at": stamp(self.clock()),
            "moved": [{"old": source.identity, "new": identity, "path": new}],
            "renamed": [list(pair) for pair in moved.items()],
            "theirs": theirs,
        }
        there = await self.db.read(files.find, new)
        content = there.sha256 if there else source.sha256
        follow: list[NewJob] = []
        wanted = source.alias_of is None and source.code not in UNWANTED
        if source.ingested_sha256 != content and wanted:
            follow = [NewJob(JobKind.INGEST, new, content)]
        written = await self._publish(edits, moved, note, follow)
        return {"state": "moved", "to": identity, "pages": written}

    def _new_page_path(
        self, old: SourceId, new: SourceId, own: Mapping[SourceId, VaultPath]
    ) -> VaultPath | None:
        """Return where the source's own page goes; None if it has none, or stays.

        A page that a person put elsewhere stays there, and nothing is put over a note.
        """
        there = own.get(old)
        claimed = {same_path(path): source for source, path in own.items()}
        if there is None or source_page_path(old, claimed) != there:
            return None
        del claimed[same_path(there)]
        place = source_page_path(new, claimed)
        if place == there or self.vault.read(place) is not None:
            return None
        return place if self.vault.read(there) is not None else None

    async def _edited(
        self, moved: Moved, source: Source, identity: SourceId
    ) -> tuple[Edits, list[VaultPath]]:
        """Return the notes that follow a source, and which of them are the person's."""
        await asyncio.to_thread(self.links.look)
        resolver = self.links.resolver(back=moved, without=set(moved.values()))
        edits = Edits(self.db, self.vault)
        named = await self.db.read(pages.pages_of, source.identity)
        for path in named:
            renamed = partial(with_source_renamed, old=source.identity, new=identity)
            await edits.change(path, renamed)
        paths = dict.fromkeys((*named, *self.links.naming(list(moved))))
        theirs = await self._relink(edits, paths, moved, resolver)
        for old, new in moved.items():
            if old in paths:
                await edits.change(old, partial(rebased, old=old, new=new))
        return edits, theirs

    async def _relink(
        self, edits: Edits, paths: Iterable[VaultPath], moved: Moved, resolver: Resolver
    ) -> list[VaultPath]:
        """Let the links of notes below `wiki/` follow; return those that stay the person's."""
        theirs: list[VaultPath] = []
        for path in paths:
            note = await edits.note(path)
            change = partial(relinked, near=path, moved=moved, resolver=resolver)
            changed = await edits.change(path, partial(with_links_changed, change=change))
            if changed and note is not None and not note.ours:
                theirs.append(path)
        return theirs

    async def _move_note(self, old: VaultPath, new: VaultPath) -> Mapping[str, Any]:
        await asyncio.to_thread(self.links.look)
        resolver = self.links.resolver(back=[old], without={new})
        edits = Edits(self.db, self.vault)
        naming = [path for path in self.links.naming([old]) if path != new]
        theirs = await self._relink(edits, naming, {old: new}, resolver)
        note_facts = {"at": stamp(self.clock()), "renamed": [[old, new]], "theirs": theirs}
        content = await asyncio.to_thread(self.vault.read, new)
        digest = sha256(content).hexdigest() if content is not None else ""
        follow = [NewJob(JobKind.INDEX, new, digest)]
        written = await self._publish(edits, {}, note_facts, follow)
        await asyncio.to_thread(move_versions, self.vault, old, new)
        return {"state": "moved", "pages": written}

    async def _publish(
        self, edits: Edits, moved: Moved, note: Mapping[str, Any], follow: list[NewJob]
    ) -> list[VaultPath]:
        """Publish the edited notes, those in `moved` at their new paths; return the paths."""
        writes: list[Write] = []
        removals: list[Removal] = []
        for write in edits.writes():
            if write.path in moved and write.expect is not None:
                removals.append(Removal(write.path, write.expect, trashed=False))
                write = replace(write, path=moved[write.path], expect=None)
            writes.append(write)
        touched = [*(write.path for write in writes), *(gone.path for gone in removals)]
        await publish(
            Plan(
                writes=tuple(writes),
                removals=tuple(removals),
                jobs=(*follow, *following_jobs(writes)),
                dirty=tuple(touched),
                events=(("files.moved", {"moved": note["renamed"]}),),
                note=note,
            ),
            db=self.db,
            vault=self.vault,
            clock=self.clock,
            also=receipt.record,
        )
        for removal in removals:
            new = moved[removal.path]
            await asyncio.to_thread(move_versions, self.vault, removal.path, new)
            folder = VaultPath(removal.path.rpartition("/")[0])
            await asyncio.to_thread(self.vault.remove_empty_folder, folder)
        return [write.path for write in writes]


def _identity_at(db: Any, path: VaultPath) -> SourceId:
    """Return the identity of the file at `path`; a second spelling of one name keeps its own."""
    known = sources.find_by_path(db, path)
    if known is not None:
        return known.identity
    identity = identity_of(path)
    holder = sources.find(db, identity)
    return identity if holder is None else SourceId(path.removeprefix("raw/"))
