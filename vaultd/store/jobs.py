"""The queue: what is to be done, in which order, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any

from vaultd.core.timing import moment, stamp
from vaultd.model.jobs import (
    Cancelled,
    Done,
    Job,
    JobKind,
    JobState,
    NewJob,
    Outcome,
    Parked,
    Paused,
    RetryAt,
    Waiting,
)
from vaultd.model.paths import VaultPath
from vaultd.store import events, files, pauses, sources
from vaultd.store.database import Connection

DEATHS_TO_BE_LAST = 3  # starts that found it running without a new step: others go first
LOOKING = (JobKind.INDEX, JobKind.LINT)  # change nothing of what others work on
LATEST_ONLY = (JobKind.INGEST, JobKind.INDEX)  # a newer content of the subject replaces an older
FIELDS = "id, kind, subject, digest, payload, attempts, started"
SUPERSEDED = "a newer version of the file took its place"


def enqueue_all(db: Connection, new_jobs: Iterable[NewJob], *, now: datetime) -> list[int]:
    """Queue the jobs and return their ids, in order.

    The same kind, subject and digest is queued once: what waits, pauses or is parked keeps its
    place and state, unless a person asks for it, which starts it again. A newer content of a
    file replaces an older one that has not started. All is told as events but mere indexing.
    """
    new = [(job, *_enqueue(db, job, stamp(now))) for job in new_jobs]
    for job, job_id, changed in new:
        if changed and (job.person or job.kind is not JobKind.INDEX):
            tell(db, job_id, now=now)
    return [job_id for _, job_id, _ in new]


def _enqueue(db: Connection, job: NewJob, now: str) -> tuple[int, bool]:
    """Queue one job; return its id, and whether it stands otherwise than before."""
    if job.kind is JobKind.INDEX and job.digest:
        files.expect(db, job.subject, job.digest)
    if job.kind is JobKind.INGEST:
        sources.ensure(db, VaultPath(job.subject), job.digest, now=now)
    known = _open_twin(db, job) or _older(db, job)
    if known is None:
        return _insert(db, job, now), True
    job_id, state, digest = known
    changed = digest != job.digest
    if state == JobState.RUNNING or not (changed or job.person):
        return job_id, False
    db.execute(
        """
        update jobs set digest = :digest, payload = :payload, person = max(person, :person),
            state = case when state = 'paused' and not :person then state else 'queued' end,
            attempts = 0, deaths = 0, run_at = :run_at, reason = '', code = '', stage = '',
            done = 0, total = 0, changed_at = :now
        where id = :id
        """,
        _values(job, now) | {"id": job_id},
    )
    return job_id, True


def _open_twin(db: Connection, job: NewJob) -> tuple[int, str, str] | None:
    """Return the open job that is the same work; work without a digest is new while one runs."""
    return _row(
        db.execute(
            """
            select id, state, digest from jobs
            where kind = ? and subject = ? and digest = ?
              and (state in ('queued', 'waiting', 'paused', 'parked')
                   or (state = 'running' and digest <> '' and not stopping))
            order by state = 'running', id limit 1
            """,
            (job.kind, job.subject, job.digest),
        ).fetchone()
    )


def _older(db: Connection, job: NewJob) -> tuple[int, str, str] | None:
    if job.kind not in LATEST_ONLY:
        return None
    return _row(
        db.execute(
            """
            select id, state, digest from jobs
            where kind = ? and subject = ? and state in ('queued', 'waiting', 'paused', 'parked')
            order by id limit 1
            """,
            (job.kind, job.subject),
        ).fetchone()
    )


def _row(row: Any) -> tuple[int, str, str] | None:
    return None if row is None else (int(row[0]), str(row[1]), str(row[2]))


def _values(job: NewJob, now: str) -> dict[str, Any]:
    return {
        "kind": str(job.kind),
        "subject": job.subject,
        "digest": job.digest,
        "payload": json.dumps(dict(job.payload), ensure_ascii=False),
        "person": int(job.person),
        "run_at": stamp(job.run_at) if job.run_at else now,
        "now": now,
    }


def _insert(db: Connection, job: NewJob, now: str) -> int:
    db.execute(
        """
        insert into jobs (kind, subject, digest, payload, person, run_at, changed_at)
        values (:kind, :subject, :digest, :payload, :person, :run_at, :now)
        """,
        _values(job, now),
    )
    return db.last_insert_rowid()


def claim(db: Connection, *, kinds: Collection[JobKind], now: datetime) -> Job | None:
    """Start the next due job of one of `kinds`, or return None.

    A person's own request comes first, then the order of the queue; a job that was found
    running at three starts comes last. A subject is worked on by one job at a time (what only
    looks at it apart). While a need is paused only its probe starts.
    """
    open_kinds = [kind for kind in kinds if pauses.open_for(db, kind, now=now)]
    apart = "(" + ", ".join(f"'{kind}'" for kind in LOOKING) + ")"
    marks = ", ".join("?" * len(open_kinds))
    row = db.execute(
        f"""
        update jobs set state = 'running', changed_at = ?1,
            started = coalesce(started, (select coalesce(max(started), 0) + 1 from jobs))
        where id = (
            select id from jobs as due
            where state = 'queued' and run_at <= ?1 and kind in ({marks})
              and not exists (
                select 1 from jobs as busy
                where busy.state = 'running' and busy.subject = due.subject
                  and (busy.kind = due.kind
                       or busy.kind not in {apart} and due.kind not in {apart}))
            order by deaths >= {DEATHS_TO_BE_LAST}, person desc, run_at, id limit 1)
        returning {FIELDS}
        """,  # only counted marks and constants
        (stamp(now), *map(str, open_kinds)),
    ).fetchone()
    if row is None:
        return None
    job = _job(row)
    pauses.probe_started(db, job.kind, job.id, now=now)
    return job


def _job(row: tuple[Any, ...]) -> Job:
    job_id, kind, subject, digest, payload, attempts, started = row
    return Job(
        job_id, JobKind(kind), subject, digest, json.loads(payload), attempts + 1, started or 0
    )


def finish(db: Connection, job_id: int, outcome: Outcome, *, now: datetime) -> None:
    """Record what came of a running job and tell it as an event, in one transaction.

    A job whose file has a newer version waiting by now gives way to that.
    """
    row: Any = db.execute(
        "select kind, subject, digest, state from jobs where id = ?", (job_id,)
    ).fetchone()
    kind, subject, digest, state = row
    if state != JobState.RUNNING:
        return
    if not isinstance(outcome, Done | Cancelled) and _gives_way(db, job_id, kind, subject, digest):
        outcome = Cancelled(SUPERSEDED)
    need = pauses.record(db, JobKind(kind), job_id, outcome, now=now)
    values = _written(outcome, now)
    db.execute(
        """
        update jobs set state = :state, reason = :reason, code = :code, result = :result,
            attempts = attempts + :counted, run_at = coalesce(:run_at, run_at), stopping = 0,
            changed_at = :now
        where id = :id
        """,
        {**values, "now": stamp(now), "id": job_id},
    )
    if need is not None:
        resume(db, pauses.kinds_of(need), now=now)
    tell(db, job_id, now=now)


def _gives_way(db: Connection, job_id: int, kind: str, subject: str, digest: str) -> bool:
    same = "1" if JobKind(kind) in LATEST_ONLY else "digest = ?3"
    newer = db.execute(
        f"""
        select id from jobs where kind = ?1 and subject = ?2 and id <> ?4 and {same}
          and state in ('queued', 'waiting', 'paused', 'parked')
          and ?3 is not null limit 1
        """,  # one of two constants
        (kind, subject, digest, job_id),
    ).get
    return newer is not None


def _written(outcome: Outcome, now: datetime) -> dict[str, Any]:
    """Return the columns that record `outcome`."""
    columns: dict[str, Any] = {"reason": "", "code": "", "result": "{}", "run_at": None}
    columns["counted"] = 0
    match outcome:
        case Done():
            text = json.dumps(dict(outcome.result), ensure_ascii=False)
            return columns | {"state": JobState.DONE, "result": text}
        case RetryAt():
            columns |= {"run_at": stamp(outcome.at), "counted": int(outcome.counted)}
            return columns | {
                "state": JobState.QUEUED,
                "reason": outcome.reason,
                "code": outcome.code,
            }
        case Parked():
            columns |= {"state": JobState.PARKED, "counted": 1}
        case Paused():
            columns |= {"state": JobState.PAUSED}
        case Waiting():
            columns |= {"state": JobState.WAITING}
            columns |= {"run_at": stamp(outcome.until) if outcome.until else stamp(now)}
        case Cancelled():
            return columns | {"state": JobState.CANCELLED, "reason": outcome.reason}
    return columns | {"reason": outcome.reason, "code": outcome.code}


def resume(db: Connection, kinds: Iterable[JobKind], *, now: datetime) -> None:
    """Put the paused jobs of `kinds` back into the queue, in their old places."""
    for kind in kinds:
        db.execute(
            "update jobs set state = 'queued', changed_at = ? where state = 'paused' and kind = ?",
            (stamp(now), str(kind)),
        )


def step_stored(db: Connection, subject: str) -> None:
    """Record that a durable step of running work on `subject` was made: its deaths are forgotten.

    `subject` is a job's, or the identity of the source it works on.
    """
    db.execute(
        "update jobs set deaths = 0 where state = 'running' and deaths > 0"
        " and subject in (?1, 'raw/' || ?1)",
        (subject,),
    )


def set_progress(
    db: Connection, job_id: int, stage: str, done: int, total: int, *, now: datetime
) -> None:
    """Record and tell how far a running job has come."""
    row: Any = db.execute(
        """
        update jobs set stage = ?, done = ?, total = ? where id = ? and state = 'running'
        returning kind, subject
        """,
        (stage, done, total, job_id),
    ).fetchone()
    if row is not None:
        payload = {"id": job_id, "kind": row[0], "subject": row[1], "stage": stage}
        events.append(db, "progress", {**payload, "done": done, "total": total}, now=now)


def put_back(db: Connection, job_id: int, *, now: datetime) -> None:
    """Put a job that a stop of the program interrupted back in its old place."""
    db.execute(
        "update jobs set state = 'queued', changed_at = ? where id = ? and state = 'running'",
        (stamp(now), job_id),
    )
    pauses.forget_probes(db)


def shift(db: Connection, since: datetime, step: timedelta) -> None:
    """Move what is planned after `since` by `step`: the wall clock was set by that much."""
    rows: list[tuple[Any, ...]] = db.execute(
        "select id, run_at from jobs where state = 'queued' and run_at > ?", (stamp(since),)
    ).fetchall()
    for job_id, run_at in rows:
        planned = stamp(moment(run_at) + step)
        db.execute("update jobs set run_at = ? where id = ?", (planned, job_id))
    pauses.shift(db, step)


def recover(db: Connection, *, now: datetime) -> int:
    """Put every job a dead process left running back in its old place; return how many.

    A death is no attempt. Needs the vault's lock. A job whose file has a newer version waiting
    gives way to it.
    """
    running: list[tuple[Any, ...]] = db.execute(
        "select id, kind, subject, digest from jobs where state = 'running' order by id"
    ).fetchall()
    for job_id, kind, subject, digest in running:
        if _gives_way(db, job_id, kind, subject, digest):
            db.execute(
                "update jobs set state = 'cancelled', reason = ?, changed_at = ? where id = ?",
                (SUPERSEDED, stamp(now), job_id),
            )
            continue
        db.execute(
            """
            update jobs set deaths = deaths + 1, changed_at = ?, stopping = 0,
                state = case when stopping then 'cancelled' else 'queued' end
            where id = ?
            """,
            (stamp(now), job_id),
        )
    pauses.forget_probes(db)
    return len(running)


def wake_waiting(db: Connection, *, now: datetime) -> int:
    """Queue the jobs whose waiting time (`Waiting.until`) is over; return how many."""
    db.execute(
        """
        update jobs set state = 'queued', changed_at = ?1
        where state = 'waiting' and run_at <= ?1 and run_at > changed_at
        """,
        (stamp(now),),
    )
    return db.changes()


def cancel(db: Connection, job_id: int, *, now: datetime, reason: str = "cancelled") -> bool:
    """Cancel an open job; a running one is asked to stop. False if there is nothing to cancel."""
    db.execute("update jobs set stopping = 1 where id = ? and state = 'running'", (job_id,))
    if db.changes():
        return True
    db.execute(
        """
        update jobs set state = 'cancelled', reason = ?, code = '', changed_at = ?
        where id = ? and state in ('queued', 'waiting', 'paused', 'parked')
        """,
        (reason, stamp(now), job_id),
    )
    if not db.changes():
        return False
    tell(db, job_id, now=now)
    return True


def retry(db: Connection, job_id: int, *, now: datetime) -> bool:
    """Queue a parked, waiting, paused, cancelled or delayed job at once, as a person's request.

    Its payload gets `"confirmed": true`: the person has seen what it waited for. What is
    paused for it is probed at once. False if the job is running, done or queued anew already.
    """
    row: Any = db.execute(
        "select kind, subject, digest, payload, state from jobs where id = ?", (job_id,)
    ).fetchone()
    if row is None or row[4] in ("running", "done"):
        return False
    kind, subject, digest, payload, state = row
    if state == JobState.CANCELLED and _gives_way(db, job_id, kind, subject, digest):
        return False
    db.execute(
        """
        update jobs set state = 'queued', person = 1, attempts = 0, deaths = 0, run_at = ?1,
            reason = '', code = '', payload = ?2, changed_at = ?1
        where id = ?3
        """,
        (stamp(now), json.dumps({**json.loads(payload), "confirmed": True}), job_id),
    )
    pauses.probe_now(db, JobKind(kind), now=now)
    tell(db, job_id, now=now)
    return True


def stopping(db: Connection) -> tuple[int, ...]:
    """Return the running jobs that a person wants cancelled."""
    rows: list[tuple[Any, ...]] = db.execute(
        "select id from jobs where state = 'running' and stopping"
    ).fetchall()
    return tuple(int(row[0]) for row in rows)


def tell(db: Connection, job_id: int, *, now: datetime) -> None:
    """Append an event that says how the job stands."""
    row: Any = db.execute(
        "select kind, subject, state, reason, code, attempts from jobs where id = ?", (job_id,)
    ).fetchone()
    names = ("kind", "subject", "state", "reason", "code", "attempts")
    events.append(db, "job", {"id": job_id, **dict(zip(names, row, strict=True))}, now=now)
