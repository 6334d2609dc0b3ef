"""What is to be published for one source: whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from vaultd.core.timing import moment, stamp
from vaultd.model.jobs import JobKind, NewJob
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import Refused
from vaultd.store.database import Connection

Receipt = Callable[[Connection, Mapping[str, Any]], None]
"""Writes the caller's own records in the last transaction, from `Plan.note` alone.

After a crash it is called with the note as it was stored, so it must not need anything else.
"""


@dataclass(frozen=True, slots=True)
class Write:
    """A note to be written over `expect`, the bytes it was made from (None: no file).

    `base` is the text we alone would have there, where that differs from `content`; `known`
    is False for a page that is a person's in the main, whose base stays unknown.
    """

    path: VaultPath
    content: bytes
    expect: bytes | None
    base: str | None = None
    known: bool = True


@dataclass(frozen=True, slots=True)
class Removal:
    """A file to be moved to the trash if it still holds `expect`.

    `trashed` False leaves no copy there: what it held stands elsewhere in the plan.
    """

    path: VaultPath
    expect: bytes
    trashed: bool = True


@dataclass(frozen=True, slots=True)
class Asset:
    """A picture. Written ahead of the plan: nothing shows it before the plan does."""

    path: VaultPath
    content: bytes


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that one source, or one action of a person, changes.

    `log` is the title of the entry in `log.md` ("" for none), `action` its verb. `dirty` are
    paths whose folders have to be described anew. `events` are told to whoever watches. `note`
    is plain data for the caller's receipt. `listing` says whether the index is made anew; in a
    `burst` the last one does it: an index of thousands of pages is not made for each of thousands.
    """

    source: SourceId = SourceId("")
    writes: tuple[Write, ...] = ()
    removals: tuple[Removal, ...] = ()
    assets: tuple[Asset, ...] = ()
    jobs: tuple[NewJob, ...] = ()
    dirty: tuple[VaultPath, ...] = ()
    events: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    refused: tuple[Refused, ...] = ()
    log: str = ""
    action: str = "ingest"
    listing: bool = True
    burst: bool = False
    note: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Published:
    """What came of a plan.

    `kept` are notes a person changed at the very moment, where their text stayed and ours went
    to the quarantine under the name given.
    """

    written: tuple[VaultPath, ...]
    kept: tuple[tuple[VaultPath, str], ...] = ()


def facts_of(plan: Plan) -> dict[str, Any]:
    """Return what the receipt of a plan needs, as plain data."""
    return {
        "jobs": [_job_facts(job) for job in plan.jobs],
        "dirty": list(plan.dirty),
        "events": [[kind, dict(payload)] for kind, payload in plan.events],
        "note": dict(plan.note),
        "untrashed": [each.path for each in plan.removals if not each.trashed],
    }


def jobs_in(facts: Mapping[str, Any]) -> list[NewJob]:
    """Return the jobs a stored plan queues."""
    return [
        NewJob(
            JobKind(job["kind"]),
            job["subject"],
            job["digest"],
            job["payload"],
            job["person"],
            moment(job["run_at"]) if job["run_at"] else None,
        )
        for job in facts["jobs"]
    ]


def _job_facts(job: NewJob) -> dict[str, Any]:
    run_at: datetime | None = job.run_at
    return {
        "kind": str(job.kind),
        "subject": job.subject,
        "digest": job.digest,
        "payload": dict(job.payload),
        "person": job.person,
        "run_at": stamp(run_at) if run_at else None,
    }
