"""What is where, and why: the answer of `vaultd status` and of the bridge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from vaultd.model.jobs import JobKind, JobState
from vaultd.store import joblist, ledger, nodes, pauses, problems, reviews, standing
from vaultd.store.database import Connection
from vaultd.store.standing import ALL, Part

FOLDER_STATES = ("ok", "fallback", "stale", "failed")
# told, yet nothing is left undone
NO_FAULT = frozenset({"conflicts", "database_replaced", "database_behind"})


def status_of(
    db: Connection, *, vault: str, running: bool, chat: str, embedding: str, part: Part = ALL
) -> dict[str, Any]:
    """Return the status of a vault as one JSON object; of its files that `part` is listed.

    `chat` and `embedding` name the configured models ("" and "offline" are the caller's words).
    What a dead process left running is told as queued while none is `running`.
    """
    counted, jobs = standing.counts(db), joblist.counts(db)
    if not running:
        counted[JobState.QUEUED] += counted.pop(JobState.RUNNING, 0)
    folders = nodes.state_counts(db)
    used = ledger.totals(db)
    return {
        "vault": vault,
        "state": "running" if running else "stopped",
        "counts": {state: counted[state] for state in standing.STATES},
        "files": [
            {
                "path": each.path,
                "state": told_state(each.state, running=running),
                "reason": each.reason,
                "code": each.code,
                "pages": list(each.pages),
                "attempts": each.attempts,
            }
            for each in standing.standings(db, part)
        ],
        "jobs": _open_jobs(jobs),
        "queue": _queue(jobs, running=running),
        "model": {"chat": chat, "embedding": embedding},
        "reviews_open": reviews.open_count(db),
        "folders": {state: folders.get(state, 0) for state in FOLDER_STATES},
        "usage": {
            "calls": used.calls,
            "input_tokens": used.input_tokens,
            "output_tokens": used.output_tokens,
        },
        "problems": _problems(db),
    }


def told_state(state: str, *, running: bool) -> str:
    """Return the state as it is told: where nothing runs, what was running is due again."""
    return str(state if running or state != JobState.RUNNING else JobState.QUEUED)


def is_degraded(db: Connection) -> bool:
    """Tell whether something waits, is paused or parked, is a fallback, or is wrong."""
    held = (JobState.WAITING, JobState.PAUSED, JobState.PARKED)
    folders, files = nodes.state_counts(db), standing.counts(db)
    return (
        any(state in held for _, state in joblist.counts(db))
        or bool(files[JobState.WAITING] or files[JobState.PARKED])
        or any(folders.get(state, 0) for state in FOLDER_STATES[1:])
        or any(each.code not in NO_FAULT for each in problems.all_problems(db))
        or bool(pauses.all_pauses(db))
    )


def _open_jobs(jobs: Mapping[tuple[JobKind, JobState], int]) -> dict[str, int]:
    """Return how many jobs of each kind are not over."""
    number: Counter[str] = Counter()
    for (kind, state), count in jobs.items():
        if state in joblist.OPEN:
            number[str(kind)] += count
    return dict(number)


def _queue(jobs: Mapping[tuple[JobKind, JobState], int], *, running: bool) -> dict[str, int]:
    """Return how many jobs are in each state that is not the end."""
    number: Counter[str] = Counter()
    for (_, state), count in jobs.items():
        number[told_state(state, running=running)] += count
    return {str(state): number[state] for state in joblist.OPEN}


def _problems(db: Connection) -> list[dict[str, str]]:
    found = [
        {"code": each.code, "text": each.text, "since": each.since}
        for each in problems.all_problems(db)
    ]
    paused = [
        {
            "code": each.code,
            "text": f"Work that needs the {each.need} is paused: {each.reason}",
            "since": each.since,
        }
        for each in pauses.all_pauses(db)
    ]
    return found + paused


def jobs_of(db: Connection, states: Collection[JobState] = (), *, running: bool) -> dict[str, Any]:
    """Return the jobs in `states` (none named: all that are not over) as one JSON object."""
    stored = set(states)
    if states and not running:
        stored -= {JobState.RUNNING}
        stored |= {JobState.RUNNING} if JobState.QUEUED in stored else set()
        if not stored:
            return {"jobs": []}
    rows = joblist.listed(db, stored)
    return {"jobs": [job_document(row, running=running) for row in rows]}


def job_document(row: joblist.JobRow, *, running: bool = True) -> dict[str, Any]:
    """Return one job as it stands in the list."""
    return {
        "id": row.id,
        "kind": str(row.kind),
        "subject": row.subject,
        "state": told_state(row.state, running=running),
        "stage": row.stage,
        "done": row.step,
        "total": row.steps,
        "attempts": row.attempts,
        "person": row.person,
        "run_at": row.run_at,
        "reason": row.reason,
        "code": row.code,
    }


def usage_of(db: Connection, since: str) -> dict[str, Any]:
    """Return what model calls cost since the moment `since` (text) as one JSON object."""
    total = ledger.totals(db)
    return {
        "days": [
            {
                "day": each.day,
                "model": each.model,
                "stage": each.stage,
                "calls": each.calls,
                "failed": each.failed,
                "input_tokens": each.input_tokens,
                "output_tokens": each.output_tokens,
            }
            for each in ledger.usage(db, since=since)
        ],
        "totals": {
            "calls": total.calls,
            "input_tokens": total.input_tokens,
            "output_tokens": total.output_tokens,
        },
    }
