"""Pauses: a closed model endpoint or a full disk stops the jobs that need it, not the others."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from vaultd.core.timing import moment, probe_wait, stamp
from vaultd.errors import DiskFullError
from vaultd.model.jobs import Cancelled, JobKind, Outcome, Parked, Paused
from vaultd.store import events
from vaultd.store.database import Connection

DISK = "disk"
MODEL = "model"
EMBEDDING = "embedding"
ASK_NOBODY = frozenset({JobKind.MOVE, JobKind.RESTORE, JobKind.LINT, JobKind.UPKEEP})
NEEDS = {
    DISK: tuple(JobKind),
    EMBEDDING: (JobKind.INDEX,),
    MODEL: tuple(kind for kind in JobKind if kind not in ASK_NOBODY | {JobKind.INDEX}),
}


@dataclass(frozen=True, slots=True)
class Pause:
    """Why the jobs that need `need` stand still; times are fixed-width UTC text."""

    need: str
    code: str
    reason: str
    since: str
    probe_at: str


def need_of(kind: JobKind, code: str) -> str:
    """Return what a job of `kind` that paused with `code` is waiting for."""
    if code == DiskFullError.code:
        return DISK
    return EMBEDDING if kind is JobKind.INDEX else MODEL


def kinds_of(need: str) -> tuple[JobKind, ...]:
    """Return the kinds of job that stand still while `need` is missing."""
    return NEEDS[need]


def all_pauses(db: Connection) -> tuple[Pause, ...]:
    """Return what is paused now."""
    rows = db.execute("select need, code, reason, since, probe_at from pauses order by need")
    return tuple(Pause(*row) for row in rows)


def open_for(db: Connection, kind: JobKind, *, now: datetime) -> bool:
    """Tell whether a job of `kind` may start: nothing it needs is paused, or a probe is due.

    Looking for a due probe also puts one paused job of the kind back into the queue.
    """
    for need, kinds in NEEDS.items():
        if kind not in kinds:
            continue
        row = db.execute(
            "select probe_at, probe_job from pauses where need = ?", (need,)
        ).fetchone()
        if row is None:
            continue
        probe_at, probe_job = row
        if probe_job is not None or probe_at > stamp(now):
            return False
        _offer_probe(db, kind, now=now)
    return True


def _offer_probe(db: Connection, kind: JobKind, *, now: datetime) -> None:
    db.execute(
        """
        update jobs set state = 'queued', changed_at = ?2 where id = (
            select id from jobs where state = 'paused' and kind = ?1
            order by person desc, id limit 1)
        """,
        (str(kind), stamp(now)),
    )


def probe_started(db: Connection, kind: JobKind, job_id: int, *, now: datetime) -> None:
    """Remember that `job_id` is the probe of what is paused for its kind."""
    for need, kinds in NEEDS.items():
        if kind in kinds:
            db.execute(
                "update pauses set probe_job = ? where need = ? and probe_at <= ?",
                (job_id, need, stamp(now)),
            )


def record(
    db: Connection, kind: JobKind, job_id: int, outcome: Outcome, *, now: datetime
) -> str | None:
    """Begin, lengthen or end a pause by the outcome of a job; return the need it ended for.

    A probe that was parked or cancelled found nothing out: the next one may start at once.
    """
    if isinstance(outcome, Paused):
        need = need_of(kind, outcome.code)
        if _lengthen(db, need, job_id, now=now) is False:
            begin(db, need, outcome.code, outcome.reason, now=now)
        return None
    probed: list[tuple[Any, ...]] = db.execute(
        "select need from pauses where probe_job = ?", (job_id,)
    ).fetchall()
    if not probed:
        return None
    if isinstance(outcome, Parked | Cancelled):
        db.execute("update pauses set probe_job = null where probe_job = ?", (job_id,))
        return None
    for (need,) in probed:
        end(db, need, now=now)
    return str(probed[0][0])


def begin(db: Connection, need: str, code: str, reason: str, *, now: datetime) -> None:
    """Start a pause of `need`, unless there is one."""
    known = db.execute("select 1 from pauses where need = ?", (need,)).get
    if known:
        return
    db.execute(
        "insert into pauses (need, code, reason, since, probe_at) values (?, ?, ?, ?, ?)",
        (need, code, reason, stamp(now), stamp(now + probe_wait(code, 0))),
    )
    events.append(db, "paused", {"need": need, "code": code, "reason": reason}, now=now)


def end(db: Connection, need: str, *, now: datetime) -> None:
    """End the pause of `need`; its paused jobs are put back by `jobs.resume`."""
    db.execute("delete from pauses where need = ?", (need,))
    if db.changes():
        events.append(db, "resumed", {"need": need}, now=now)


def probe_now(db: Connection, kind: JobKind, *, now: datetime) -> None:
    """Let the next probe for `kind` start at once: a person said that it is mended."""
    for need, kinds in NEEDS.items():
        if kind in kinds:
            db.execute(
                "update pauses set probe_at = ?, probes = 0 where need = ?", (stamp(now), need)
            )


def put_off(db: Connection, *, now: datetime) -> None:
    """Have what is to be tried again wait for its time: nobody works any more until then."""
    soon = stamp(now + timedelta(seconds=1))  # what waits for a moment waits for a later one
    db.execute(
        """
        update jobs set state = 'waiting', run_at = max(run_at, ?), changed_at = ?
        where state = 'queued' and code <> ''
        """,
        (soon, stamp(now)),
    )


def shift(db: Connection, step: timedelta) -> None:
    """Move the next probes by `step`: the wall clock was set by that much."""
    rows: list[tuple[Any, ...]] = db.execute("select need, probe_at from pauses").fetchall()
    for need, probe_at in rows:
        planned = stamp(moment(probe_at) + step)
        db.execute("update pauses set probe_at = ? where need = ?", (planned, need))


def forget_probes(db: Connection) -> None:
    """Forget probes that died with the process."""
    db.execute("update pauses set probe_job = null")


def _lengthen(db: Connection, need: str, job_id: int, *, now: datetime) -> bool:
    """Put the next probe off if `job_id` was the probe; False if nothing is paused."""
    row = db.execute(
        "select code, probes, probe_job from pauses where need = ?", (need,)
    ).fetchone()
    if row is None:
        return False
    code, probes, probe_job = row
    if probe_job == job_id:
        db.execute(
            "update pauses set probes = ?, probe_at = ?, probe_job = null where need = ?",
            (probes + 1, stamp(now + probe_wait(code, probes + 1)), need),
        )
    return True
