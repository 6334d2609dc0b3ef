"""What the routes answer, in the words of the command line's JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vaultd.bridge.operation import Answer
from vaultd.model.jobs import JobKind, JobState
from vaultd.model.paths import VaultPath
from vaultd.model.search import Related, Title
from vaultd.status import job_document
from vaultd.store.events import Event
from vaultd.store.joblist import JobRow

PENDING = frozenset({JobState.QUEUED, JobState.RUNNING})


class Health(Answer):
    """That something answers here, and which version of it; nothing of anybody's."""

    name: str
    version: str
    protocol: int


class FileStatus(Answer):
    """A source and where it stands."""

    path: str
    state: str
    reason: str
    code: str
    pages: list[str]
    attempts: int


class Models(Answer):
    """What writes and what embeds."""

    chat: str
    embedding: str


class Usage(Answer):
    """Calls to models and their tokens."""

    calls: int
    input_tokens: int
    output_tokens: int


class Trouble(Answer):
    """Something that is wrong now, in a sentence."""

    code: str
    text: str
    since: str


class Status(Answer):
    """What is where, and why."""

    vault: str
    state: str
    counts: dict[str, int]
    files: list[FileStatus]
    jobs: dict[str, int]
    model: Models
    reviews_open: int
    folders: dict[str, int]
    usage: Usage
    problems: list[Trouble]


class Job(Answer):
    """A job: `done` of `total` steps of `stage`; `result` is set once it is done."""

    id: int
    kind: JobKind
    subject: str
    state: JobState
    stage: str
    done: int
    total: int
    attempts: int
    person: bool
    run_at: str
    reason: str
    code: str
    result: Mapping[str, Any]


class Jobs(Answer):
    """Jobs in the order of the queue."""

    jobs: list[Job]


class Events(Answer):
    """Events after a cursor, oldest first; `cursor` goes into the next request.

    `reset`: events were lost, start over from the status.
    """

    events: list[Event]
    cursor: int
    reset: bool


class RelatedFiles(Answer):
    """The files nearest in meaning, nearest first."""

    path: VaultPath
    results: list[Related]


class Titles(Answer):
    """Files whose title, alias or name begins with what was asked for, or holds it."""

    titles: list[Title]


class DayUsage(Answer):
    """What one stage cost on one day with one model."""

    day: str
    model: str
    stage: str
    calls: int
    failed: int
    input_tokens: int
    output_tokens: int


class UsageByDay(Answer):
    """What calls cost: by day, model and stage, newest day first; `totals` since the beginning."""

    days: list[DayUsage]
    totals: Usage


class Key(Answer):
    """The token that opens every other route."""

    token: str


def job_answer(row: JobRow) -> Job:
    """Return a job as it is answered."""
    return Job.model_validate({**job_document(row), "result": row.result})


def job_status(job: Job) -> int:
    """Return 200 for a job that is over or held, 202 for one under way."""
    return 202 if job.state in PENDING else 200
