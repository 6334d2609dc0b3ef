"""Looking at the queue: single jobs, lists, counts, and when the next thing is due."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vaultd.core.timing import moment, stamp
from vaultd.model.jobs import JobKind, JobState
from vaultd.store import pauses
from vaultd.store.database import Connection

FIELDS = (
    "id, kind, subject, digest, state, attempts, deaths, person, run_at, stage, done, total, "
    "reason, code, result, changed_at"
)
OPEN = tuple(state for state in JobState if state not in (JobState.DONE, JobState.CANCELLED))
ANY_NUMBER = -1  # of rows, in SQL's words


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job as listed. `step` of `steps` are done in `stage`; times are fixed-width UTC text."""

    id: int
    kind: JobKind
    subject: str
    digest: str
    state: JobState
    attempts: int
    deaths: int
    person: bool
    run_at: str
    stage: str
    step: int
    steps: int
    reason: str
    code: str
    result: Mapping[str, Any]
    changed_at: str


def find(db: Connection, job_id: int) -> JobRow | None:
    """Return the job, or None."""
    row = db.execute(f"select {FIELDS} from jobs where id = ?", (job_id,)).fetchone()
    return None if row is None else _row(row)


def is_move_before(db: Connection, job: int, paths: Collection[str]) -> bool:
    """Tell whether a move that was queued before `job`, from or to one of `paths`, is still due."""
    marks = ", ".join("?" * len(paths))
    found = db.execute(
        f"""
        select 1 from jobs where kind = 'move' and id < ? and state in ('queued', 'running')
            and (subject in ({marks}) or payload ->> '$.to' in ({marks})) limit 1
        """,  # only counted marks
        (job, *paths, *paths),
    ).fetchone()
    return found is not None


def of_subject(db: Connection, subject: str, kind: JobKind | None = None) -> tuple[JobRow, ...]:
    """Return the jobs of one subject, newest first."""
    rows = db.execute(
        f"select {FIELDS} from jobs where subject = ?1 and (?2 is null or kind = ?2) "
        "order by id desc",
        (subject, kind and str(kind)),
    ).fetchall()
    return tuple(_row(row) for row in rows)


def listed(
    db: Connection,
    states: Collection[JobState] = (),
    limit: int = 1000,
    *,
    kinds: Collection[JobKind] = (),
) -> tuple[JobRow, ...]:
    """Return jobs in one of `states` (none named: everything not over), in queue order.

    `kinds` names the kinds, none all of them.
    """
    chosen = [str(state) for state in states or OPEN]
    named = [str(kind) for kind in kinds or JobKind]
    marks, kind_marks = (", ".join("?" * len(each)) for each in (chosen, named))
    rows = db.execute(
        f"select {FIELDS} from jobs where state in ({marks}) and kind in ({kind_marks}) "
        "order by state <> 'running', person desc, run_at, id limit ?",
        (*chosen, *named, limit),
    ).fetchall()
    return tuple(_row(row) for row in rows)


def is_open(db: Connection, kind: JobKind, digest: str) -> bool:
    """Tell whether a job of `kind` with this digest is not over."""
    states = ", ".join("?" * len(OPEN))
    row = db.execute(
        f"select 1 from jobs where kind = ? and digest = ? and state in ({states}) limit 1",
        (str(kind), digest, *map(str, OPEN)),
    ).get
    return row is not None


def counts(db: Connection) -> dict[tuple[JobKind, JobState], int]:
    """Return how many jobs of each kind are in each state."""
    rows: list[tuple[Any, ...]] = db.execute(
        "select kind, state, count(*) from jobs group by kind, state"
    ).fetchall()
    return {(JobKind(kind), JobState(state)): int(number) for kind, state, number in rows}


def unread(db: Connection) -> int:
    """Return how many files are still to be read for the search, or read anew."""
    found = db.execute(
        "select count(*) from jobs where state in ('queued', 'running')"
        " and kind in ('ingest', 'index')"
    )
    return int(found.get)


def movement(db: Connection) -> tuple[int, int]:
    """Return two numbers of which one rises when a job comes or is over; looks at folders apart."""
    row: Any = db.execute(
        """
        select coalesce(max(id), 0), sum(state in ('done', 'parked', 'cancelled'))
        from jobs where kind <> 'summarize'
        """
    ).fetchone()
    return int(row[0]), int(row[1] or 0)


def next_due(db: Connection, kinds: Collection[JobKind]) -> datetime | None:
    """Return when the next job of one of `kinds` may start, None if none is scheduled.

    What is paused is not scheduled, nor is what waits for a person; the next probe is not either.
    """
    stopped = {kind for pause in pauses.all_pauses(db) for kind in pauses.kinds_of(pause.need)}
    wanted = [str(kind) for kind in kinds if kind not in stopped]
    marks = ", ".join("?" * len(wanted))
    text = db.execute(
        f"""
        select min(run_at) from jobs where kind in ({marks})
          and (state = 'queued' or (state = 'waiting' and run_at > changed_at))
        """,
        wanted,
    ).get
    return None if text is None else moment(str(text))


def next_probe(db: Connection) -> datetime | None:
    """Return when the next probe of a pause may start, None if no job could make one."""
    found = []
    for need, probe_at in db.execute("select need, probe_at from pauses where probe_job is null"):
        kinds = [str(kind) for kind in pauses.kinds_of(str(need))]
        marks = ", ".join("?" * len(kinds))
        waiting = f"state in ('queued', 'paused') and kind in ({marks})"
        if db.execute(f"select exists (select 1 from jobs where {waiting})", kinds).get:
            found.append(moment(str(probe_at)))
    return min(found, default=None)


def is_waiting_over(db: Connection, now: datetime) -> bool:
    """Tell whether a job waited for a moment that has come."""
    return bool(
        db.execute(
            """
            select exists (select 1 from jobs
                where state = 'waiting' and run_at > changed_at and run_at <= ?)
            """,
            (stamp(now),),
        ).get
    )


def data_version(db: Connection) -> int:
    """Return a number that changes when another connection has written."""
    return int(str(db.execute("pragma data_version").get))


def prune(db: Connection, before: str) -> int:
    """Delete jobs that were over before the moment `before` (text); return how many.

    Cancelled ingests stay: they say why a file is not taken.
    """
    db.execute(
        """
        delete from jobs where changed_at < ?
          and (state = 'done' or (state = 'cancelled' and kind <> 'ingest'))
        """,
        (before,),
    )
    return db.changes()


def _row(row: tuple[Any, ...]) -> JobRow:
    job_id, kind, subject, digest, state, attempts, deaths, person, run_at, *rest = row
    stage, done, total, reason, code, result, changed_at = rest
    return JobRow(
        job_id,
        JobKind(kind),
        subject,
        digest,
        JobState(state),
        attempts,
        deaths,
        bool(person),
        run_at,
        stage,
        done,
        total,
        reason,
        code,
        json.loads(result),
        changed_at,
    )
