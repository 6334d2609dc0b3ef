"""One folder: look, ask only if something changed, store, and write its note."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from weakref import WeakValueDictionary

import structlog

from vaultd.core.staleness import (
    Step,
    folder_digest,
    name_of,
    next_step,
    parent_of,
    same_text,
)
from vaultd.embed.seam import Embedder
from vaultd.errors import PageChangedError, UnreadableSourceError, VaultdError
from vaultd.model.jobs import JobKind, NewJob
from vaultd.model.paths import Clock, VaultPath
from vaultd.model.summary import Node, NodeKind, NodeState
from vaultd.store import events, folders, jobs, nodes, summaries, vectors
from vaultd.store.database import Connection, Database
from vaultd.store.vectors import Vector
from vaultd.summarize.ask import Tally
from vaultd.summarize.child import (
    upward_text,
)
from vaultd.summarize.dag import Ending, Visit
from vaultd.summarize.describe import Describer
from vaultd.summarize.embedding import levels_of
from vaultd.summarize.file_nodes import embed_missing, is_good
from vaultd.summarize.inputs import InputReader, Inputs
from vaultd.summarize.note import (
    NotePlan,
    ProposeReview,
    adopt_moved_note,
    plan_note,
    remove_text,
    write_note,
)
from vaultd.summarize.tree import Tree

log = structlog.get_logger()

WRITE_TRIES = 3  # a person who saves at this very moment is waited for so often

ENDINGS = {
    NodeState.OK: Ending.OK,
    NodeState.FALLBACK: Ending.FALLBACK,
    NodeState.STALE: Ending.STALE,
    NodeState.FAILED: Ending.FAILED,
}


class FolderVisits:
    """Visits single folders; the order of the visits is the caller's. Safe to run at once."""

    def __init__(
        self,
        db: Database,
        tree: Tree,
        inputs: InputReader,
        describer: Describer,
        embedder: Embedder | None,
        clock: Clock,
        propose_review: ProposeReview,
    ) -> None:
        self._db = db
        self._tree = tree
        self._inputs = inputs
        self._describer = describer
        self._embedder = embedder
        self._clock = clock
        self._propose_review = propose_review
        self._busy = WeakValueDictionary[VaultPath, asyncio.Lock]()

    async def visit(self, folder: VaultPath, tally: Tally, *, asked: bool = False) -> Visit:
        """Bring the text, the row, the vectors and the note of `folder` up to date.

        Everything below it is finished. A folder is visited by one run at a time.
        """
        async with self._busy.setdefault(folder, asyncio.Lock()):
            stored = await self._db.read(folders.folder_state, folder)
            seen, old = stored.seen, stored.node
            if stored.left_out:
                return await self._emptied(folder, old, seen)
            try:
                inputs = await self._inputs.read(folder, stored, tally)
            except (FileNotFoundError, NotADirectoryError):
                return await self._vanished(folder, old, seen)
            except (OSError, VaultdError) as error:
                log.warning("folder cannot be read", folder=folder, reason=str(error))
                return await self._unreadable(folder, old, seen, tally)
            if not inputs.described:
                if inputs.unreadable:
                    return await self._unreadable(folder, old, seen, tally)
                return await self._emptied(folder, old, seen)
            return await self._described(folder, old, inputs, seen, tally, asked=asked)

    async def _described(
        self,
        folder: VaultPath,
        old: Node | None,
        inputs: Inputs,
        seen: int,
        tally: Tally,
        *,
        asked: bool,
    ) -> Visit:
        maker = self._describer.maker(inputs.described)
        digest = folder_digest(inputs.children, maker)
        step = next_step(old, digest, self._clock(), asked=asked)
        if old is not None and step is not Step.ASK:
            await embed_missing(self._db, self._embedder, old, tally)
            await self._project(folder, old, inputs, seen, tally, store=None)
            return Visit(ENDINGS[old.state])
        moved = await self._same_inputs(folder, digest) if old is None else None
        if moved is not None:
            new, levels = replace(moved, path=folder), None
        else:
            new = await self._describer.row(folder, old, inputs, maker, digest, tally)
            levels = await levels_of(self._embedder, new) if self._embedder else {}
            tally.embeddings += len(levels)
        changed = not same_text(upward_text(old), upward_text(new))
        tally.changed_abstracts += changed
        store = _Store(old, new, moved.path if moved else None, levels, changed)
        stored = await self._project(folder, new, inputs, seen, tally, store=store)
        return Visit(ENDINGS[new.state] if stored else Ending.SKIPPED, changed and stored)

    async def _same_inputs(self, folder: VaultPath, digest: str) -> Node | None:
        """Return the row of a folder that was moved here: same inputs, and nothing left there."""
        for node in await self._db.read(nodes.nodes_made_from, digest):
            if node.path != folder and not await asyncio.to_thread(self._tree.exists, node.path):
                return node
        return None

    async def _project(
        self,
        folder: VaultPath,
        node: Node,
        inputs: Inputs,
        seen: int,
        tally: Tally,
        *,
        store: _Store | None,
    ) -> bool:
        """Commit `store`, then write the note; False if another run stored the folder meanwhile.

        The index job for the note commits with the row; the note is written after the commit,
        and made again from the row at the next visit if a crash comes between.
        """
        for stray in inputs.strays:
            await asyncio.to_thread(adopt_moved_note, self._tree.vault, folder, stray)
        record = inputs.record
        plan = await asyncio.to_thread(
            plan_note, self._tree.vault, folder, node, inputs.children, record
        )
        if store is not None or seen or (plan and (plan.writes or plan.record != record)):
            if not await self._db.run(self._commit, folder, plan, store, seen):
                return False
            tally.rows += store is not None
        if plan is not None:
            await self._write(folder, node, inputs, plan, tally)
        return True

    async def _write(
        self, folder: VaultPath, node: Node, inputs: Inputs, plan: NotePlan | None, tally: Tally
    ) -> None:
        for _ in range(WRITE_TRIES):
            if plan is None:
                return
            if plan.review is not None:
                await self._propose_review(plan.review)
            try:
                tally.notes += await asyncio.to_thread(write_note, self._tree.vault, plan)
            except PageChangedError:
                plan = await asyncio.to_thread(
                    plan_note, self._tree.vault, folder, node, inputs.children, plan.record
                )
                await self._db.run(self._commit, folder, plan, None, 0)
            else:
                return
        await self._db.run(
            nodes.mark_folder, folder, "", reason="note is being edited", now=self._clock()
        )

    def _commit(
        self,
        db: Connection,
        folder: VaultPath,
        plan: NotePlan | None,
        store: _Store | None,
        seen: int,
    ) -> bool:
        now = self._clock()
        if store is not None and not self._store(db, folder, store, now):
            return False
        nodes.clear_marks(db, folder, seen=seen)
        if plan is not None:
            folders.record_note(
                db, folder, plan.record.note, plan.record.state.value, plan.record.shown
            )
            if plan.content is not None and plan.writes:
                digest = sha256(plan.content).hexdigest()
                jobs.enqueue_all(db, [NewJob(JobKind.INDEX, plan.record.note, digest)], now=now)
        return True

    def _store(self, db: Connection, folder: VaultPath, store: _Store, now: datetime) -> bool:
        present = nodes.node(db, folder)
        if (present.generation if present else 0) != (store.old.generation if store.old else 0):
            return False
        if store.moved_from is not None:
            nodes.drop_node(db, folder, asked=False, now=now)
            nodes.rename_node(db, store.moved_from, folder)
            vectors.move_summary_vectors(db, store.moved_from, folder)
        else:
            nodes.store_node(db, store.new, now=now)
            identity = self._embedder.identity if self._embedder else ""
            summaries.store_vectors(db, folder, identity, store.levels or {})
        if store.changed and folder not in self._tree.roots:
            above, name = parent_of(folder), name_of(folder)
            nodes.mark_folder(db, above, name, reason="abstract", now=now)
        payload = {"path": folder, "state": store.new.state.value}
        events.append(db, "folder", payload, now=now)
        return True

    async def _vanished(self, folder: VaultPath, old: Node | None, seen: int) -> Visit:
        await self._db.run(self._remove, folder, seen)
        return Visit(Ending.SKIPPED, changed=old is not None)

    async def _emptied(self, folder: VaultPath, old: Node | None, seen: int) -> Visit:
        if old is not None or seen:
            await self._db.run(self._remove, folder, seen)
            await asyncio.to_thread(remove_text, self._tree.vault, folder)
        return Visit(Ending.EMPTY, changed=old is not None)

    def _remove(self, db: Connection, folder: VaultPath, seen: int) -> None:
        now = self._clock()
        nodes.clear_marks(db, folder, seen=seen)
        if nodes.drop_node(db, folder, asked=False, now=now) and folder not in self._tree.roots:
            nodes.mark_folder(db, parent_of(folder), name_of(folder), reason="gone", now=now)
        folders.forget_note(db, folder)

    async def _unreadable(
        self, folder: VaultPath, old: Node | None, seen: int, tally: Tally
    ) -> Visit:
        """Keep what is there: a folder that cannot be read is not an empty one."""
        error = UnreadableSourceError(f"{folder} cannot be read.")
        attempts, at = self._describer.next_try(old.attempts if old else 0, error)
        state = NodeState.STALE if old is not None and is_good(old) else NodeState.FAILED
        kept = old or Node(folder, NodeKind.FOLDER, state, "")
        new = replace(
            kept,
            state=state if not old or old.state is not NodeState.FALLBACK else old.state,
            generation=kept.generation + 1,
            attempts=attempts,
            next_try=at,
            error_code=error.code,
            input_digest="",
        )

        def store(db: Connection) -> None:
            nodes.clear_marks(db, folder, seen=seen)
            nodes.store_node(db, new, now=self._clock())

        await self._db.run(store)
        tally.rows += 1
        return Visit(Ending.FAILED if new.state is NodeState.FAILED else ENDINGS[new.state])


@dataclass(frozen=True, slots=True)
class _Store:
    """What a visit commits. `levels` are the vectors; None keeps those of a moved row."""

    old: Node | None
    new: Node
    moved_from: VaultPath | None
    levels: Mapping[int, Vector] | None
    changed: bool
