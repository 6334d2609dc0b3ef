"""What a source gave the wiki is taken back: because its file vanished, or on a person's word."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from vaultd.author.seam import Author
from vaultd.core.block_path import same_path
from vaultd.core.link import Targets
from vaultd.core.timing import stamp
from vaultd.errors import NotFoundError
from vaultd.ingest.aftermath import following_jobs
from vaultd.ingest.edits import Edits
from vaultd.ingest.leaving import Leave
from vaultd.ingest.turns import PublishOrder
from vaultd.model.jobs import Job, JobKind, JobState, Progress
from vaultd.model.paths import Clock, SourceId, VaultPath
from vaultd.publish.catalog import read_wiki
from vaultd.publish.links import LinkMap
from vaultd.publish.plan import Plan, Removal
from vaultd.publish.publish import publish
from vaultd.publish.questions import Asked, asked, note_settled
from vaultd.store import contributions, joblist, jobs, receipt, reviews, sources
from vaultd.store.database import Connection, Database
from vaultd.store.sources import FORGOTTEN
from vaultd.vault.files import Vault

WHY_FORGOTTEN = "forgotten by a person; `vaultd ingest` takes it again"


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """Takes back what sources gave to the wiki of one vault."""

    vault: Vault
    db: Database
    clock: Clock
    author: Author
    order: PublishOrder
    links: LinkMap

    async def retract(self, job: Job, progress: Progress) -> Mapping[str, Any]:
        """Take back what a source gave whose file vanished: the workflow of `JobKind.RETRACT`.

        Nothing happens if the file is back.

        Raises:
            PageChangedError: a person saved one of the pages meanwhile.
        """
        progress("withdrawing")
        path = VaultPath(job.subject)
        source = await self.db.read(sources.find_by_path, path)
        back = await asyncio.to_thread(lambda: self.vault.locate(path).is_file())
        if source is None or back:
            return {"state": "back" if back else "unknown"}
        async with self.order.alone():
            leave = self._leave(source.identity, trusting=False)
            return await self._withdrawn(leave, [source.identity], action="withdraw")

    async def forget(self, job: Job, progress: Progress) -> Mapping[str, Any]:
        """Take back what the source `job.subject` gave: the workflow of `JobKind.FORGET`.

        The file itself stays, and is not taken again until a person asks or it changes. With
        `dry_run` in the payload nothing is written: the result says what would happen.

        Raises:
            NotFoundError: neither the queue nor any page knows such a source.
            PageChangedError: a person saved one of the pages meanwhile.
        """
        progress("forgetting")
        identity = SourceId(job.subject)
        dry = bool(job.payload.get("dry_run"))
        async with self.order.alone():
            source = await self.db.read(sources.find, identity)
            if source is None and not await self._pages_naming(identity):
                raise NotFoundError(f"There is no source {identity!r}.")
            leave = self._leave(identity, trusting=True, dry=dry)
            identities = [identity, *(source.aliases if source else ())]
            if source is not None and source.alias_of is not None:
                leave = self._leave(SourceId(""), trusting=True)  # another source holds the pages
            if source is not None and not dry:
                await self.db.run(_call_off, source.path, now=self.clock())
            return await self._withdrawn(leave, identities, action="forget", dry=dry)

    def _leave(self, source: SourceId, *, trusting: bool, dry: bool = False) -> Leave:
        return Leave(
            source,
            self.db,
            self.vault,
            self.clock,
            self.links,
            Edits(self.db, self.vault),
            author=None if dry else self.author,
            trusting=trusting,
        )

    async def _pages_naming(self, source: SourceId) -> list[VaultPath]:
        wiki = await read_wiki(self.db, self.vault)
        own = same_path(source)
        named = [
            page.path for page in wiki.pages if own in {same_path(each) for each in page.sources}
        ]
        said = await self.db.read(contributions.pages_of, source)
        return list(dict.fromkeys((*named, *said)))

    async def _withdrawn(
        self, leave: Leave, identities: Sequence[SourceId], *, action: str, dry: bool = False
    ) -> Mapping[str, Any]:
        for path in await self._pages_naming(leave.source) if leave.source else ():
            await leave.page(path)
        files = {each: await self._file_of(each) for each in identities}
        vanished = [path for path, there in files.values() if not there]
        await leave.finish(vanished)
        settled = await self._settled_reviews(identities)
        result = {
            "source": identities[0],
            "identities": list(identities),
            **leave.outcome(),
            "reviews": [item.id for item in settled],
        }
        if dry:
            return {**result, "dry_run": True}
        away: list[Removal] = []
        for item in settled:
            away += await note_settled(item, self.vault)
            if item.note is not None:
                leave.edits.drop(item.note)
        await self._published(leave, files, away, settled, action)
        return result

    async def _published(
        self,
        leave: Leave,
        files: Mapping[SourceId, tuple[VaultPath, bool]],
        away: Sequence[Removal],
        settled: Sequence[reviews.ReviewItem],
        action: str,
    ) -> None:
        questions = await self._asked(leave)
        writes = (*leave.edits.writes(), *questions.writes)
        note = {
            "at": stamp(self.clock()),
            "reviews": list(questions.rows),
            "answered": [{"id": e.id, "action": action, "state": "closed"} for e in settled],
            "theirs": leave.theirs,
            "gone": [*leave.gone, *(each.path for each in away), *(p for p, _ in files.values())],
            "forgotten": _forgotten(files),
        }
        await publish(
            Plan(
                writes=writes,
                removals=(*leave.removals, *away),
                jobs=following_jobs(writes),
                dirty=(*(write.path for write in writes), *leave.removed),
                events=(("source.withdrawn", {"sources": list(files), "removed": leave.gone}),),
                log=PurePosixPath(next(iter(files))).name,
                action=action,
                note=note,
            ),
            db=self.db,
            vault=self.vault,
            clock=self.clock,
            also=receipt.record,
        )
        for folder in {VaultPath(path.rpartition("/")[0]) for path in leave.gone}:
            await asyncio.to_thread(self.vault.remove_empty_folder, folder)

    async def _asked(self, leave: Leave) -> Asked:
        listed = (await read_wiki(self.db, self.vault)).pages
        return await asked(
            [(each, SourceId("")) for each in await leave.questions()],
            targets=Targets.over(list(listed)),
            today=self.clock().date(),
            db=self.db,
            vault=self.vault,
        )

    async def _file_of(self, identity: SourceId) -> tuple[VaultPath, bool]:
        """Return where the source's file is or was, and whether it is there."""
        source = await self.db.read(sources.find, identity)
        path = source.path if source is not None else VaultPath(f"raw/{identity}")
        return path, await asyncio.to_thread(lambda: self.vault.locate(path).is_file())

    async def _settled_reviews(self, gone: Sequence[SourceId]) -> list[reviews.ReviewItem]:
        """Return the open questions that only the sources that go have raised."""
        items = await self.db.read(reviews.reviews)
        return [item for item in items if item.sources and set(item.sources) <= set(gone)]


def _forgotten(files: Mapping[SourceId, tuple[VaultPath, bool]]) -> list[dict[str, str]]:
    """Return what is recorded of the sources that go: those that are still there stay out."""
    return [
        {"source": each, "code": FORGOTTEN if there else "", "reason": WHY_FORGOTTEN}
        for each, (_, there) in files.items()
    ]


def _call_off(db: Connection, path: VaultPath, *, now: datetime) -> None:
    """Cancel ingests of a source that have not started: it is not wanted any more."""
    for row in joblist.of_subject(db, path, JobKind.INGEST):
        if row.state is not JobState.RUNNING:
            jobs.cancel(db, row.id, now=now, reason=WHY_FORGOTTEN)
