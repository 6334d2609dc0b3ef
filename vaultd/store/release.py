"""A person's word that something may go on: what is held back is queued, costs are allowed."""

from __future__ import annotations

from datetime import datetime

from vaultd.core.reconcile import identity_of
from vaultd.model.jobs import JobKind, JobState
from vaultd.model.paths import VaultPath
from vaultd.store import ingest_cache, joblist, jobs, sources
from vaultd.store.database import Connection


def release(db: Connection, job_id: int, *, now: datetime) -> bool:
    """Queue a held job at once; False if it is running, done or queued anew already.

    Asking for an ingest that waits is the word that it may cost what it was estimated at.
    """
    row = joblist.find(db, job_id)
    if row is None:
        return False
    if row.kind is JobKind.INGEST and row.state is JobState.WAITING:
        known = sources.find_by_path(db, VaultPath(row.subject))
        identity = known.identity if known else identity_of(VaultPath(row.subject))
        ingest_cache.confirm(db, identity, sha256=row.digest, tokens=0, now=now)
    return jobs.retry(db, job_id, now=now)
