"""What the routes answer, in the words of the command line's JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from vaultd.bridge.operation import Answer
from vaultd.model.jobs import JobKind, JobState
from vaultd.model.paths import VaultPath
from vaultd.model.search import Related, Title
from vaultd.status import job_document
from vaultd.store import sessions
from vaultd.store.events import Event
from vaultd.store.joblist import JobRow
from vaultd.store.reviews import ReviewItem
from vaultd.summarize.operations import VECTOR_STORE
from vaultd.upkeep.doctor import Check
from vaultd.upkeep.versions import KeptVersion
from vaultd.vault.pen import Offer


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
    """What is where, and why.

    `counts` are of sources, by state; `jobs` and `queue` of jobs that are not over, by kind and
    by state.
    """

    vault: str
    state: str
    counts: dict[str, int]
    files: list[FileStatus]
    jobs: dict[str, int]
    queue: dict[str, int]
    model: Models
    reviews_open: int
    folders: dict[str, int]
    usage: Usage
    problems: list[Trouble]


class Job(Answer):
    """A job: `done` of `total` steps of `stage`; `result` is set once it is done.

    Over are "done" and "cancelled". Held are "waiting" (for a person's word or for tomorrow),
    "paused" (until the model or the disk can be used again) and "parked" (until the file
    changes, or a person tries again): `reason` says why, and for programs `code`.
    """

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


class Cost(Answer):
    """About what one file would take, in and out; `reason` says why it would not be taken at all.

    `waits`: it is more than is spent without a person's word.
    """

    path: VaultPath
    tokens: int
    reason: str
    waits: bool


class Finding(Answer):
    """One thing to look at. `suggestions` are paths or names that may have been meant."""

    kind: str
    path: VaultPath
    text: str
    suggestions: list[str]


class LintReport(Answer):
    """What the last look over the wiki found, by kind; `at` is "" if there was none lately."""

    at: str
    report: VaultPath
    counts: dict[str, int]
    findings: list[Finding]


class Checks(Answer):
    """Whether everything vaultd stands on is sound, each check with what helps."""

    checks: list[Check]


class RelatedFiles(Answer):
    """The files nearest in meaning, nearest first; `notes` say in sentences why there is none."""

    path: VaultPath
    results: list[Related]
    notes: list[str]


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


class Turn(Answer):
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    text: str


class Session(Answer):
    """A conversation about one source; `sha256` is the file it is about."""

    id: str
    path: VaultPath
    sha256: str
    state: str
    turns: list[Turn]


class Reviews(Answer):
    """Questions to the person."""

    reviews: list[ReviewItem]


class History(Answer):
    """The versions of a page; `current` is the SHA-256 of the page as it is, null for none."""

    path: VaultPath
    current: str | None
    versions: list[KeptVersion]


class Offered(Answer):
    """A write of an open note, if there is one: `offer` has its old and its new text."""

    offer: Offer | None


class PageVersion(Answer):
    """An old version of a page."""

    path: VaultPath
    version: str
    text: str


class PassagesSummary(Answer):
    """A summary of passages, and the partial summaries it was united from."""

    summary: str
    steps: tuple[str, ...]
    ids: tuple[int, ...]
    description: str


class Dropped(Answer):
    """How many summaries were dropped."""

    path: VaultPath
    dropped: int


class SummaryStep(Answer):
    """One file of an operation on summaries: `finished` of `total` are done.

    `code` is 200 for a summary that an author wrote, 500 for one that failed, with why in `msg`.
    """

    code: int
    msg: str
    total: int
    finished: int
    doc: str


class KnowledgeBaseAnswer(Answer):
    """An answer in the form of the summary specification."""

    code: int
    msg: str
    data: Mapping[str, Any]
    vs_type: str = VECTOR_STORE


class KnowledgeBaseStep(SummaryStep):
    """The same, in the form of the summary specification."""

    vs_type: str = VECTOR_STORE


def session_answer(session: sessions.Session) -> Session:
    """Return a conversation as it is answered."""
    turns = [Turn.model_validate({"role": role, "text": text}) for role, text in session.turns]
    return Session(
        id=session.id,
        path=session.path,
        sha256=session.sha256,
        state=session.state,
        turns=turns,
    )
