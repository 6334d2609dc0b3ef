"""What the last ingest of a source changed is taken back, page by page."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from vaultd.core.link import Targets
from vaultd.core.listing import is_page
from vaultd.core.merge import taken_back, three_way
from vaultd.core.timing import stamp
from vaultd.core.update import Updated
from vaultd.errors import NotFoundError
from vaultd.ingest.aftermath import following_jobs
from vaultd.ingest.edits import Edits, Note
from vaultd.ingest.leaving import Leave
from vaultd.ingest.turns import PublishOrder
from vaultd.model.jobs import Job, Progress
from vaultd.model.paths import Clock, SourceId, VaultPath
from vaultd.publish.catalog import read_wiki
from vaultd.publish.history import versions
from vaultd.publish.links import LinkMap
from vaultd.publish.plan import Plan, Removal
from vaultd.publish.publish import publish
from vaultd.publish.questions import Asked, asked, note_settled
from vaultd.store import ingest_cache, plans, receipt, reviews, sources
from vaultd.store.database import Database
from vaultd.store.plans import Change
from vaultd.store.reviews import ReviewItem
from vaultd.store.sources import UNDONE
from vaultd.vault.files import Vault

WHY_UNDONE = "undone by a person; `vaultd ingest` takes it again"


@dataclass(frozen=True, slots=True)
class Undoing:
    """Takes ingests of one vault back."""

    vault: Vault
    db: Database
    clock: Clock
    order: PublishOrder
    links: LinkMap

    async def undo(self, job: Job, progress: Progress) -> Mapping[str, Any]:
        """Take back the last ingest of the source `job.subject`: the workflow of `JobKind.UNDO`.

        Each page it changed goes back to its version before; what others and people changed
        since stays, and where that stands against it, it is asked. Pages it made are withdrawn.
        The source is not taken again until a person asks or it changes.

        Raises:
            NotFoundError: no ingest of this source is left to be undone.
            PageChangedError: a person saved one of the pages meanwhile.
        """
        progress("undoing")
        source = SourceId(job.subject)
        async with self.order.alone():
            changes = _last(await self.db.read(plans.changes_by, source))
            if not changes:
                raise NotFoundError(f"There is no ingest of {source} to undo.")
            edits = Edits(self.db, self.vault)
            leave = Leave(source, self.db, self.vault, self.clock, self.links, edits)
            for change in changes:
                if is_page(change.path):
                    await self._take_back(change, leave)
            await leave.finish()
            return await self._published(changes, leave)

    async def _take_back(self, change: Change, leave: Leave) -> None:
        if change.before_sha256 is None:
            await leave.page(change.path)
            return
        before = await asyncio.to_thread(self._version, change.path, change.before_sha256)
        if before is None:
            leave.kept.append(change.path)  # age has thinned the version away
            return
        note = await leave.edits.note(change.path)
        if note is None:
            leave.edits.put(Note(change.path, None, "", None, ours=True), before, before)
            leave.rewritten.append(change.path)
        elif change.after_sha256 is not None:
            await self._revert(note, change.after_sha256, before, leave)

    async def _revert(self, note: Note, after_sha256: str, before: str, leave: Leave) -> None:
        after = await asyncio.to_thread(self._version, note.path, after_sha256)
        if after is None:  # a person wrote on it since: what we alone would have is near enough
            after = note.base
        if after is None:
            leave.kept.append(note.path)
            return
        merged = three_way(after, note.text, before)
        base = taken_back(after, note.base, before) if note.base is not None else None
        leave.edits.put(note, merged.text, base)
        leave.rewritten.append(note.path)
        if merged.conflicts:
            updated = Updated(merged.text, base, merged.conflicts, before)
            leave.conflicts[note.path] = updated

    def _version(self, path: VaultPath, digest: str) -> str | None:
        """Return the text of the page that had this hash, from the disk or the history."""
        candidates = [self.vault.read(path)]
        candidates += [self.vault.read_state(each.name) for each in versions(self.vault, path)]
        for content in candidates:
            if content is not None and sha256(content).hexdigest() == digest:
                return content.decode("utf-8", "replace")
        return None

    async def _published(self, changes: Sequence[Change], leave: Leave) -> Mapping[str, Any]:
        settled = await self._moot(changes)
        away: list[Removal] = []
        for item in settled:
            away += await note_settled(item, self.vault)
        questions = await self._asked(leave)
        writes = (*leave.edits.writes(), *questions.writes)
        note = {
            "at": stamp(self.clock()),
            "reviews": list(questions.rows),
            "answered": [{"id": e.id, "action": "undo", "state": "closed"} for e in settled],
            "theirs": leave.theirs,
            "gone": [*leave.gone, *(each.path for each in away)],
            "undone": changes[0].plan,
            **await self._source_facts(leave),
        }
        await publish(
            Plan(
                writes=writes,
                removals=(*leave.removals, *away),
                jobs=following_jobs(writes),
                dirty=(*(write.path for write in writes), *leave.removed),
                events=(("source.undone", {"source": leave.source, "removed": leave.gone}),),
                log=leave.source.rpartition("/")[2],
                action="undo",
                note=note,
            ),
            db=self.db,
            vault=self.vault,
            clock=self.clock,
            also=receipt.record,
        )
        found = leave.outcome()
        restored = found.pop("rewritten")
        return {
            "source": leave.source,
            "restored": restored,
            **found,
            "reviews": len(questions.writes),
        }

    async def _asked(self, leave: Leave) -> Asked:
        listed = (await read_wiki(self.db, self.vault)).pages
        return await asked(
            [(each, leave.source) for each in await leave.questions()],
            targets=Targets.over(list(listed)),
            today=self.clock().date(),
            db=self.db,
            vault=self.vault,
        )

    async def _source_facts(self, leave: Leave) -> dict[str, Any]:
        """Return what the source is left with: nothing, if this was its first ingest."""
        source = await self.db.read(sources.find, leave.source)
        made = await self.db.read(ingest_cache.made_before, leave.source)
        left = [path for path in made.pages if path not in leave.removed]
        if not any(path.startswith("wiki/sources/") for path in left):
            why = {"source": leave.source, "code": UNDONE, "reason": WHY_UNDONE}
            return {"forgotten": [why]}
        cache = {"pages": left, "source": leave.source, "text_sha256": "", "recipe": made.recipe}
        return {
            "pages": [{"source": leave.source, "pages": left}] if source else [],
            "cache": cache,
            "contributions": {"source": leave.source, "pages": []},
        }

    async def _moot(self, changes: Sequence[Change]) -> list[ReviewItem]:
        """Return the open questions that came with the ingest."""
        made = {change.path for change in changes if change.before_sha256 is None}
        return [item for item in await self.db.read(reviews.reviews) if item.note in made]


def _last(changes: Sequence[Change]) -> list[Change]:
    """Return what the newest ingest did that changed a page; listings follow by themselves."""
    plans_of_pages = [change.plan for change in changes if is_page(change.path)]
    newest = plans_of_pages[0] if plans_of_pages else None
    return [
        change
        for change in changes
        if change.plan == newest and (is_page(change.path) or "/reviews/" in change.path)
    ]
