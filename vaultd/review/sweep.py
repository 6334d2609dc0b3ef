"""Keeps the open questions in step with the world: asks what is parked, closes what settled."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import structlog

from vaultd.core.link import Targets
from vaultd.core.near import NearNames
from vaultd.core.reconcile import identity_of
from vaultd.core.review import RETRY
from vaultd.core.timing import stamp
from vaultd.errors import DiskFullError, PermanentError, TransientError
from vaultd.model.jobs import JobKind, JobState
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import PageRef, ReviewDraft, ReviewKind
from vaultd.publish.catalog import read_wiki
from vaultd.publish.plan import Plan
from vaultd.publish.publish import list_anew, publish
from vaultd.publish.questions import Question, asked
from vaultd.review.answers import Reviews, page_title
from vaultd.store import joblist, receipt, reviews
from vaultd.store.reviews import ReviewItem

NOBODY = SourceId("")

log = structlog.get_logger()


@dataclass(slots=True)
class Sweep:
    """Looks over all open questions of a vault, and its index; writes only what changed.

    `listed` are the pages that the index was last compared with.
    """

    of: Reviews
    listed: Sequence[PageRef] | None = None

    async def run(self) -> None:
        """Take answers, ask about parked sources, close what settled itself."""
        open_items = await self.of.db.read(reviews.reviews)
        for item in open_items:
            if item.note is not None:
                await self.of.take_answer(item.note)
        wiki = await read_wiki(self.of.db, self.of.vault)
        parked = await self._parked()
        settled = [item for item in open_items if _is_settled(item, wiki.pages, set(parked))]
        try:
            await self.ask([(question, source) for source, question in parked.items()], settled)
            if wiki.pages != self.listed:
                await self._list_anew()
                self.listed = wiki.pages
        except (DiskFullError, PermanentError, TransientError) as error:
            # the jobs say it too, and the next sweep tries again
            log.warning("questions or index not written", reason=str(error))

    async def _list_anew(self) -> None:
        of = self.of
        await list_anew(db=of.db, vault=of.vault, clock=of.clock, also=receipt.record)

    async def propose(self, draft: ReviewDraft, proposal: dict[str, Any] | None = None) -> None:
        """Put one question of our own to the person, unless it was asked before.

        It names its pages by their paths, folder notes and a person's notes among them.
        """
        paths = [VaultPath(page) for page in draft.pages]
        named = {path: PageRef(path, PurePosixPath(path).stem, "") for path in paths}
        await self.ask([(Question(draft, proposal), NOBODY)], named=named)

    async def ask(
        self,
        questions: Sequence[tuple[Question, SourceId]],
        settled: Sequence[ReviewItem] = (),
        named: Mapping[VaultPath, PageRef] | None = None,
    ) -> None:
        """Write the notes of new questions and take away those of settled ones."""
        now = self.of.clock()
        pages = (await read_wiki(self.of.db, self.of.vault)).pages
        found = await asked(
            questions,
            targets=Targets.over(list(pages), named),
            today=now.date(),
            db=self.of.db,
            vault=self.of.vault,
        )
        rows = [row for row in found.rows if row["note"]]
        removals = [each for item in settled for each in await self.of.note_away(item)]
        decisions = [{"id": item.id, "action": "settled", "state": "closed"} for item in settled]
        if not rows and not decisions:
            return
        await publish(
            Plan(
                writes=found.writes,
                removals=tuple(removals),
                events=(("reviews.changed", {"new": len(rows), "closed": len(decisions)}),),
                listing=False,
                note={"at": stamp(now), "reviews": rows, "answered": decisions},
            ),
            db=self.of.db,
            vault=self.of.vault,
            clock=self.of.clock,
            also=receipt.record,
        )

    async def _parked(self) -> dict[SourceId, Question]:
        """Return a question for every source that waits for a person."""
        states = (JobState.PARKED, JobState.WAITING)
        ingests = await self.of.db.read(
            joblist.listed, states, joblist.ANY_NUMBER, kinds=(JobKind.INGEST,)
        )
        there = await asyncio.to_thread(
            lambda: [r for r in ingests if self.of.vault.locate(VaultPath(r.subject)).exists()]
        )
        return {identity_of(VaultPath(row.subject)): _question(row) for row in there}


def _question(row: joblist.JobRow) -> Question:
    text = f"{row.reason}\n\nRetry when the cause is gone, or skip this file."
    draft = ReviewDraft(
        ReviewKind.PARKED,
        f"Waits for you: {identity_of(VaultPath(row.subject))}",
        text,
        options=(RETRY, "Skip"),
    )
    return Question(draft)


def _is_settled(item: ReviewItem, pages: Sequence[PageRef], parked: set[SourceId]) -> bool:
    match item.kind:
        case ReviewKind.PARKED:
            return not set(item.sources) & parked
        case ReviewKind.MISSING_PAGE:
            return NearNames.over(pages).find(page_title(item)) is not None
        case ReviewKind.DUPLICATE:
            return len(set(item.pages) & {page.path for page in pages}) < len(item.pages)
        case _:
            return False
