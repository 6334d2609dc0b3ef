"""One folder: look, ask only if something changed, store, and write its note."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from weakref import WeakValueDictionary

import structlog

from vaultd.core.staleness import (
    Maker,
    Step,
    digest_to_keep,
    name_of,
    next_step,
    parent_of,
    same_text,
)
from vaultd.embed.seam import Embedder
from vaultd.errors import UnreadableSourceError, VaultdError
from vaultd.model.paths import Clock, VaultPath
from vaultd.model.summary import Node, NodeKind, NodeState
from vaultd.store import folders, nodes
from vaultd.store.database import Connection, Database
from vaultd.store.vectors import Vector
from vaultd.summarize.ask import Tally
from vaultd.summarize.child import upward_text
from vaultd.summarize.dag import Ending, Settled, Visit
from vaultd.summarize.describe import Describer
from vaultd.summarize.embedding import embedded_text, levels_of
from vaultd.summarize.file_nodes import embed_missing, is_good
from vaultd.summarize.inputs import InputReader, Inputs
from vaultd.summarize.note import remove_text
from vaultd.summarize.projection import Look, Projection, Store
from vaultd.summarize.recovery import recovered_row
from vaultd.summarize.tree import Tree

log = structlog.get_logger()

LOOKS = 3  # a cancelled run may still be storing its last row when the next one looks

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
        projection: Projection,
    ) -> None:
        self._db = db
        self._tree = tree
        self._inputs = inputs
        self._describer = describer
        self._embedder = embedder
        self._clock = clock
        self._projection = projection
        self._busy = WeakValueDictionary[VaultPath, asyncio.Lock]()

    async def visit(
        self, folder: VaultPath, tally: Tally, settled: Settled, *, asked: bool = False
    ) -> Visit:
        """Bring the text, the row, the vectors and the note of `folder` up to date.

        Everything below it is finished. A folder is visited by one run at a time. `settled`
        is called when the row is stored, while the note is still being written.
        """
        async with self._busy.setdefault(folder, asyncio.Lock()):
            for number in range(LOOKS):
                visit = await self._look(folder, tally, settled, asked=asked)
                if visit is not None:
                    return replace(visit, changed=True) if number else visit
        return Visit(Ending.SKIPPED, changed=True)

    async def _look(
        self, folder: VaultPath, tally: Tally, settled: Settled, *, asked: bool
    ) -> Visit | None:
        """Return what came of one look; None if the row was stored by somebody else meanwhile."""
        identity = self._embedder.identity if self._embedder else ""
        stored = await self._db.read(folders.folder_state, folder, identity)
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
        if inputs.described:
            look = Look(folder, stored, inputs, tally, settled)
            return await self._described(look, asked=asked)
        if inputs.unreadable:
            return await self._unreadable(folder, old, seen, tally)
        return await self._emptied(folder, old, seen)

    async def _described(self, look: Look, *, asked: bool) -> Visit | None:
        old, folder, tally = look.stored.node, look.folder, look.tally
        maker, digest = await asyncio.to_thread(self._made_from, look.inputs, old)
        step = next_step(old, digest, self._clock(), asked=asked)
        if old is not None and step is not Step.ASK:
            return await self._kept(look, old)
        moved = await self._same_inputs(folder, digest) if old is None else None
        if moved is not None:
            new, levels = replace(moved, path=folder), None
        else:
            found = None if asked else await self._recovered(look, maker, digest)
            new = found or await self._describer.row(folder, old, look.inputs, maker, digest, tally)
            levels = await self._levels(look, new)
        changed = not same_text(upward_text(old), upward_text(new))
        tally.changed_abstracts += changed
        made = Visit(ENDINGS[new.state], changed)
        store = Store(old, new, moved.path if moved else None, levels, changed)
        if await self._projection.project(look, new, made, store=store):
            return made
        return None

    async def _kept(self, look: Look, old: Node) -> Visit:
        if look.folder in look.stored.unembedded:
            await embed_missing(self._db, self._embedder, old, look.tally)
        kept = Visit(ENDINGS[old.state])
        await self._projection.project(look, old, kept, store=None)
        return kept

    async def _recovered(self, look: Look, maker: Maker, digest: str) -> Node | None:
        vault, old = self._tree.vault, look.stored.node
        return await asyncio.to_thread(
            recovered_row, vault, look.folder, look.inputs, maker, digest, old
        )

    def _made_from(self, inputs: Inputs, old: Node | None) -> tuple[Maker, str]:
        """Return who describes a folder, and the hash its text has to have. Slow where wide."""
        maker = self._describer.maker(inputs.described)
        return maker, digest_to_keep(inputs.children, maker, old)

    async def _levels(self, look: Look, new: Node) -> Mapping[int, Vector] | None:
        """Return the vectors of a new row; None where the text and so the vectors stay."""
        old, missing = look.stored.node, look.folder in look.stored.unembedded
        if old is not None and not missing and embedded_text(old) == embedded_text(new):
            return None
        levels = await levels_of(self._embedder, new) if self._embedder else {}
        look.tally.embeddings += len(levels)
        return levels

    async def _same_inputs(self, folder: VaultPath, digest: str) -> Node | None:
        """Return the row of a folder that was moved here: same inputs, and nothing left there."""
        for node in await self._db.read(nodes.nodes_made_from, digest):
            if node.path != folder and not await asyncio.to_thread(self._tree.exists, node.path):
                return node
        return None

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
