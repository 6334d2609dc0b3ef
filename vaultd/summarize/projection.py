"""Committing what came of a folder, and writing its note: the note follows the row."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

import structlog

from vaultd.core.staleness import name_of, parent_of
from vaultd.embed.seam import Embedder
from vaultd.errors import DiskFullError, PageChangedError, VaultdError
from vaultd.model.jobs import JobKind, NewJob
from vaultd.model.paths import Clock, VaultPath
from vaultd.model.summary import Node
from vaultd.publish.publish import rest_of_quiet
from vaultd.store import events, folders, jobs, nodes, summaries, vectors
from vaultd.store.database import Connection, Database
from vaultd.store.folders import FolderState
from vaultd.store.vectors import Vector
from vaultd.summarize.ask import Tally
from vaultd.summarize.dag import Settled, Visit
from vaultd.summarize.inputs import Inputs
from vaultd.summarize.note import (
    NotePlan,
    NoteRecord,
    NoteState,
    ProposeReview,
    adopt_moved_note,
    is_only_ours,
    plan_note,
    write_note,
)
from vaultd.summarize.tree import Tree
from vaultd.vault.files import Vault

log = structlog.get_logger()

WRITE_AGAIN = timedelta(minutes=2)  # longer than one pass waits for anything
WRITERS = 2  # notes written at once: they wait for the disk, as do a person's own saves
WRITE_TRIES = 3  # a person who saves at this very moment is waited for so often


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a folder: what is stored of it, what lies in it, and whom to tell."""

    folder: VaultPath
    stored: FolderState
    inputs: Inputs
    tally: Tally
    settled: Settled


@dataclass(frozen=True, slots=True)
class Store:
    """What a visit commits. `levels` are the vectors; None keeps those there are."""

    old: Node | None
    new: Node
    moved_from: VaultPath | None
    levels: Mapping[int, Vector] | None
    changed: bool


class Projection:
    """Stores rows and keeps notes like them."""

    def __init__(
        self,
        db: Database,
        tree: Tree,
        embedder: Embedder | None,
        clock: Clock,
        propose_review: ProposeReview,
    ) -> None:
        self._db = db
        self._tree = tree
        self._embedder = embedder
        self._clock = clock
        self._propose_review = propose_review
        self._writing = asyncio.Semaphore(WRITERS)

    async def project(self, look: Look, node: Node, visit: Visit, *, store: Store | None) -> bool:
        """Commit `store`, then write the note; False if another run stored the folder meanwhile.

        The index job for the note commits with the row; the note is written after the commit,
        and made again from the row at the next visit if a crash comes between. `visit` is told
        once the row is stored.
        """
        for stray in look.inputs.strays:
            told = await asyncio.to_thread(adopt_moved_note, self._tree.vault, look.folder, stray)
            if told is not None:
                await self._propose_review(told)
        record = look.inputs.record
        plan = await self._plan(look, node, record)
        news = plan is not None and (plan.writes or plan.record != record)
        if store is not None or look.stored.seen or news:
            if not await self._db.run(self._commit, look, plan, store):
                return False
            look.tally.rows += store is not None
        look.settled(visit)
        if plan is not None:
            await self._write(look, node, plan)
            if plan.writes and look.stored.seen:
                await self._db.run(nodes.clear_marks, look.folder, seen=look.stored.seen)
        return True

    async def _plan(self, look: Look, node: Node, record: NoteRecord | None) -> NotePlan | None:
        return await asyncio.to_thread(
            plan_note, self._tree.vault, look.folder, node, look.inputs.children, record
        )

    async def _write(self, look: Look, node: Node, planned: NotePlan) -> None:
        """Write the note. One that cannot be written is tried again after a while.

        A person's note that was saved a moment ago is left alone until they have paused.
        """
        wait = await asyncio.to_thread(_rest, self._tree.vault, planned, self._clock())
        if wait:
            await self._db.run(_look_later, look.folder, wait, now=self._clock())
            return
        plan: NotePlan | None = planned
        try:
            for _ in range(WRITE_TRIES):
                if plan is None or await self._written(look, plan):
                    return
                plan = await self._plan(look, node, plan.record)
                await self._db.run(self._commit, look, plan, None)
        except DiskFullError:
            raise
        except VaultdError as error:
            log.warning("folder note not written", note=planned.record.note, reason=str(error))
        await self._db.run(_look_later, look.folder, WRITE_AGAIN, now=self._clock())

    async def _written(self, look: Look, plan: NotePlan) -> bool:
        if plan.review is not None:
            await self._propose_review(plan.review)
        try:
            async with self._writing:
                written = await asyncio.to_thread(write_note, self._tree.vault, plan)
        except PageChangedError:
            return False
        look.tally.notes += written
        if plan.record.state is NoteState.PLANNED:
            await self._db.run(_record_written, look.folder, plan.record)
        return True

    def _commit(
        self, db: Connection, look: Look, plan: NotePlan | None, store: Store | None
    ) -> bool:
        now = self._clock()
        if store is not None and not self._store(db, look.folder, store, now):
            return False
        if plan is None or not plan.writes:  # else the marks stay until the note is on the disk
            nodes.clear_marks(db, look.folder, seen=look.stored.seen)
        if plan is not None:
            record = plan.record
            folders.record_note(db, look.folder, record.note, record.state.value, record.shown)
            if plan.content is not None and plan.writes:
                digest = sha256(plan.content).hexdigest()
                jobs.enqueue_all(db, [NewJob(JobKind.INDEX, record.note, digest)], now=now)
        return True

    def _store(self, db: Connection, folder: VaultPath, store: Store, now: datetime) -> bool:
        present = nodes.node(db, folder)
        if (present.generation if present else 0) != (store.old.generation if store.old else 0):
            return False
        if store.moved_from is not None:
            nodes.drop_node(db, folder, asked=False, now=now)
            nodes.rename_node(db, store.moved_from, folder)
            vectors.move_summary_vectors(db, store.moved_from, folder)
        else:
            nodes.store_node(db, store.new, now=now)
        if store.levels is not None:
            identity = self._embedder.identity if self._embedder else ""
            summaries.store_vectors(db, folder, identity, store.levels)
        if store.changed and folder not in self._tree.roots:
            above, name = parent_of(folder), name_of(folder)
            nodes.mark_folder(db, above, name, reason="abstract", now=now)
        payload = {"path": folder, "state": store.new.state.value}
        events.append(db, "folder", payload, now=now)
        return True


def _record_written(db: Connection, folder: VaultPath, record: NoteRecord) -> None:
    folders.record_note(db, folder, record.note, NoteState.WRITTEN.value, record.shown)


def _rest(vault: Vault, plan: NotePlan, now: datetime) -> timedelta:
    """Return how long a person may still be writing in the note; zero where it is only ours."""
    if not plan.writes or plan.expect is None or is_only_ours(plan.expect.decode("utf-8")):
        return timedelta(0)
    try:
        return rest_of_quiet(vault, plan.record.note, now)
    except FileNotFoundError:
        return timedelta(0)  # the comparison before the write tells what became of it


def _look_later(db: Connection, folder: VaultPath, wait: timedelta, *, now: datetime) -> None:
    nodes.mark_folder(db, folder, "", reason="note not written", now=now)
    nodes.look_again(db, run_at=now + wait, now=now)
