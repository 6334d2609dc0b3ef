"""The queue's words: what is to be done, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol


class JobKind(StrEnum):
    """What a job does; its subject is named behind each."""

    INGEST = "ingest"  # vault path of the source
    INDEX = "index"  # vault path of the file
    SUMMARIZE = "summarize"  # vault path of the folder the run starts from
    SUMMARIZE_FILE = "summarize_file"  # vault path of the file
    DROP_SUMMARIES = "drop_summaries"  # vault path of a folder or file
    WRITE_SESSION = "write_session"  # id of the interactive session
    REVIEW = "review"  # id of the review item
    MOVE = "move"  # old vault path; payload: {"to": new vault path}
    RETRACT = "retract"  # a source vanished for good: vault path of the source
    FORGET = "forget"  # source identity
    UNDO = "undo"  # source identity
    RESTORE = "restore"  # vault path of the page
    REBUILD = "rebuild"  # "."
    LINT = "lint"  # "."
    UPKEEP = "upkeep"  # "."


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"  # for a person or for tomorrow
    PAUSED = "paused"  # the endpoint is closed or the disk is full
    PARKED = "parked"  # until the file, the converter or a person changes something
    DONE = "done"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to be queued. `digest` tells two contents of one subject apart."""

    kind: JobKind
    subject: str
    digest: str = ""
    payload: Mapping[str, Any] = field(default_factory=dict)
    person: bool = False
    run_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """A claimed job. `attempt` counts from 1; `started` orders jobs by their first start."""

    id: int
    kind: JobKind
    subject: str
    digest: str
    payload: Mapping[str, Any]
    attempt: int
    started: int


@dataclass(frozen=True, slots=True)
class Done:
    """The work is recorded; `result` is shown to whoever waits."""

    result: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RetryAt:
    """Try again at `at`; `counted` tries lead to parking."""

    at: datetime
    reason: str
    code: str
    counted: bool = True


@dataclass(frozen=True, slots=True)
class Parked:
    """Not tried again until the file, the converter or a person changes something."""

    reason: str
    code: str


@dataclass(frozen=True, slots=True)
class Paused:
    """The whole queue of jobs that need the same thing waits; one probe ends it."""

    reason: str
    code: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """For a person's word, or for tomorrow (`until`)."""

    reason: str
    code: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Cancelled:
    """A person stopped it."""

    reason: str = "cancelled"


Outcome = Done | RetryAt | Parked | Paused | Waiting | Cancelled


class Progress(Protocol):
    """Tells the people watching how far a job has come."""

    def __call__(self, stage: str, done: int = 0, total: int = 0) -> None:
        """Report that `stage` has finished `done` of `total` steps (0 of 0: just begun)."""
        ...
