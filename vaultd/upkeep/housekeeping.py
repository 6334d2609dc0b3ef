"""Keeping the database small and quick: what is over is forgotten after a while."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from vaultd.core.timing import stamp
from vaultd.model.jobs import Job, Progress
from vaultd.model.paths import Clock
from vaultd.publish.history import thin_history
from vaultd.store import joblist, ledger, nodes, rebuild, sessions
from vaultd.store.database import Database
from vaultd.vault.files import Vault

TALKS_KEPT = timedelta(days=90)  # a conversation about a source that was never written
SUMMARIES_KEPT = timedelta(days=30)  # a summary that was dropped or replaced can come back
REPLIES_KEPT = timedelta(days=90)  # what was asked once is not paid for twice within that time
MERGED_PAGES = 100  # of the full-text index at a time: some twenty milliseconds
JOBS_KEPT = timedelta(days=7)  # long enough to ask on Monday what happened on Friday


async def tidy(
    db: Database, vault: Vault, clock: Clock, job: Job, progress: Progress
) -> Mapping[str, Any]:
    """Forget old jobs, replies, conversations and versions: the workflow of `JobKind.UPKEEP`."""
    del job
    progress("upkeep")
    now = clock()
    forgotten = await db.run(joblist.prune, stamp(now - JOBS_KEPT))
    replies = await db.run(ledger.prune_replies, before=stamp(now - REPLIES_KEPT))
    talks = await db.run(sessions.drop_older, now - TALKS_KEPT)
    await db.run(nodes.forget_former, before=now - SUMMARIES_KEPT)
    thinned = await asyncio.to_thread(thin_history, vault, now)
    await _merge_words(db)
    return {
        "jobs_forgotten": forgotten,
        "replies_forgotten": replies,
        "talks_forgotten": talks,
        "versions_thinned": thinned,
    }


async def _merge_words(db: Database) -> None:
    """Make the full-text index quick again, in steps that hold up nobody who writes."""
    merged = await db.run(rebuild.merge_words, -MERGED_PAGES)
    while merged:
        merged = await db.run(rebuild.merge_words, MERGED_PAGES)
