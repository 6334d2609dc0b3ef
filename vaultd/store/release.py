"""A person's word that something may go on: what is held back is queued, costs are allowed."""

from __future__ import annotations

from datetime import datetime

from vaultd.core.reconcile import identity_of
from vaultd.model.jobs import JobKind, JobState, NewJob
from vaultd.model.paths import VaultPath
from vaultd.model.wiki import OFFLINE
from vaultd.store import ingest_cache, joblist, jobs, nodes, sources
from vaultd.store.database import Connection

HELD = (JobState.PARKED, JobState.WAITING, JobState.PAUSED)
EVERY_FOLDER = "."


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


def release_all(db: Connection, *, now: datetime) -> list[int]:
    """Queue everything that is held, and try failed summaries again; return the jobs' ids."""
    held = [
        row.id
        for row in joblist.listed(db, HELD, joblist.ANY_NUMBER)
        if release(db, row.id, now=now)
    ]
    if nodes.drive_again(db, now=now):
        looks = joblist.of_subject(db, EVERY_FOLDER, JobKind.SUMMARIZE)
        held += [row.id for row in looks[:1] if row.id not in held]
    return held


def written_offline(db: Connection) -> list[NewJob]:
    """Return the jobs that have a model write anew what the offline author wrote."""
    found = [sources.find(db, each) for each in ingest_cache.made_by(db, OFFLINE)]
    return [
        NewJob(JobKind.INGEST, each.path, each.sha256, {"again": True}, person=True)
        for each in found
        if each is not None
    ]
