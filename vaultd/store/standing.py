"""How every source stands: what its job, its receipt and the last look say together."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
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


@dataclass(frozen=True, slots=True)
class Part:
    """Which files: those behind `after` in order of path, at most `limit` (None: all).

    `unsettled`: only those that are not simply done or passed over.
    """

    after: str = ""
    limit: int | None = None
    unsettled: bool = False


ALL = Part()
JOINED = """
    from sources as s
    left join sources as o on o.identity = s.alias_of
    left join jobs as j on j.id = (
        select max(id) from jobs
        where kind = 'ingest' and subject = coalesce(o.path, s.path))
    where (s.code <> '' or exists (select 1 from files where files.path = s.path))
"""
INGESTED = "coalesce(o.ingested_sha256, s.ingested_sha256) = s.sha256"


QUIET = frozenset((str(JobState.DONE), SKIPPED))  # nothing is left to do, or to know
ROWS = f"""
    select s.path, coalesce(o.pages, s.pages), s.code, s.reason, o.path, {INGESTED},
        j.state, j.code, j.reason, coalesce(j.attempts, 0)
    {JOINED}
"""
UNSETTLED = f"""
    and not (s.code = '' and coalesce({INGESTED}, 0) and coalesce(j.state, 'done') = 'done')
"""  # leaves out what is done, which is nearly all, before anything is made of it


def standings(db: Connection, part: Part = ALL) -> list[Standing]:
    """Return how every file below `raw/` stands, by path; vanished files are left out."""
    rows: Iterator[tuple[Any, ...]] = db.execute(
        f"{ROWS} and s.path > ? {UNSETTLED if part.unsettled else ''} order by s.path",
        (part.after,),
    )
    found = map(_standing, rows)
    asked = (each for each in found if each.state not in QUIET) if part.unsettled else found
    return list(islice(asked, part.limit))


def standing(db: Connection, path: VaultPath) -> Standing | None:
    """Return how one file below `raw/` stands, None if none of that name has been seen."""
    row = db.execute(f"{ROWS} and s.path = ?", (path,)).fetchone()
    return None if row is None else _standing(row)


def counts(db: Connection) -> Counter[str]:
    """Return how many files below `raw/` are in each of `STATES`."""
    rows: list[tuple[Any, ...]] = db.execute(
        f"select s.code, {INGESTED} as taken, j.state, count(*) {JOINED} group by 1, 2, 3"
    ).fetchall()
    found: Counter[str] = Counter()
    for code, ingested, job, number in rows:
        found[_state(code, job, ingested=bool(ingested))] += number
    return found


def _standing(row: tuple[Any, ...]) -> Standing:
    path, pages, code, why, original, ingested, job, job_code, job_why, attempts = row
    if _job_decides(code, job):
        code, why = job_code, job_why
    state = _state(row[2], job, ingested=bool(ingested))
    if original is not None and not why:
        why = f"the same content as {original}"
    return Standing(VaultPath(path), state, code, why, tuple(json.loads(pages)), int(attempts))


def _job_decides(code: str, job: str | None) -> bool:
    return job not in (None, JobState.DONE) and not (code and job == JobState.CANCELLED)


def _state(code: str, job: str | None, *, ingested: bool) -> str:
    if _job_decides(code, job):
        paused = job == JobState.PAUSED  # counted with what waits
        return str(JobState.WAITING if paused else job)
    if ingested or (job == JobState.DONE and not code):
        return str(JobState.DONE)
    return str(LOOK_STATES.get(code, SKIPPED) if code else JobState.QUEUED)
