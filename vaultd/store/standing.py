"""How every source stands: what its job, its receipt and the last look say together."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from vaultd.model.jobs import JobState
from vaultd.model.paths import VaultPath
from vaultd.store.database import Connection

# What the last look said, in the states that are counted; everything else is "skipped".
LOOK_STATES = {
    "settling": JobState.QUEUED,
    "incomplete": JobState.WAITING,
    "placeholder": JobState.WAITING,
    "empty": JobState.PARKED,
    "unreadable": JobState.PARKED,
}
SKIPPED = "skipped"
STATES = ("done", "queued", "running", "waiting", "parked", SKIPPED, "cancelled")


@dataclass(frozen=True, slots=True)
class Standing:
    """A source file and its state, one of `STATES`; `reason` answers why."""

    path: VaultPath
    state: str
    code: str
    reason: str
    pages: tuple[VaultPath, ...]
    attempts: int


def standings(db: Connection) -> list[Standing]:
    """Return how every file below `raw/` stands, by path; vanished files are left out."""
    rows: list[tuple[Any, ...]] = db.execute(
        """
        select s.path, coalesce(o.pages, s.pages), s.code, s.reason, o.path,
            coalesce(o.ingested_sha256, s.ingested_sha256) = s.sha256,
            j.state, j.code, j.reason, coalesce(j.attempts, 0)
        from sources as s
        left join sources as o on o.identity = s.alias_of
        left join jobs as j on j.id = (
            select max(id) from jobs
            where kind = 'ingest' and subject = coalesce(o.path, s.path))
        where s.code <> '' or exists (select 1 from files where files.path = s.path)
        order by s.path
        """
    ).fetchall()
    return [_standing(row) for row in rows]


def _standing(row: tuple[Any, ...]) -> Standing:
    path, pages, code, why, original, ingested, job, job_code, job_why, attempts = row
    state, shown_code, reason = JobState.QUEUED.value, code, why
    if job not in (None, JobState.DONE) and not (code and job == JobState.CANCELLED):
        paused = job == JobState.PAUSED  # counted with what waits
        state, shown_code, reason = JobState.WAITING if paused else job, job_code, job_why
    elif ingested or (job == JobState.DONE and not code):
        state = JobState.DONE
    elif code:
        state = LOOK_STATES.get(code, SKIPPED)
    if original is not None and not reason:
        reason = f"the same content as {original}"
    return Standing(
        VaultPath(path), str(state), shown_code, reason, tuple(json.loads(pages)), int(attempts)
    )
