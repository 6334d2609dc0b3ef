"""Keeping the database small: what is over is forgotten after a while."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from vaultd.core.timing import stamp
from vaultd.model.jobs import Job, Progress
from vaultd.model.paths import Clock
from vaultd.store import joblist
from vaultd.store.database import Database

JOBS_KEPT = timedelta(days=7)  # long enough to ask on Monday what happened on Friday


async def tidy(db: Database, clock: Clock, job: Job, progress: Progress) -> Mapping[str, Any]:
    """Forget jobs that were over a week ago: the workflow of `JobKind.UPKEEP`."""
    del job, progress
    forgotten = await db.run(joblist.prune, stamp(clock() - JOBS_KEPT))
    return {"jobs_forgotten": forgotten}
