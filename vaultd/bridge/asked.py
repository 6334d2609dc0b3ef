"""The fields that requests may hold, with their limits and defaults."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints

from vaultd.bridge.operation import Asked
from vaultd.core.request_path import LONGEST_PATH, named_file, named_folder
from vaultd.model.jobs import JobKind, JobState
from vaultd.model.paths import VaultPath
from vaultd.model.search import Mode

MOST = 100  # results of one question; more is not an answer any more
MOST_FILES = 1_000  # named in one request
MOST_JOBS = 1_000  # in one answer
LARGEST_ID = 2**63 - 1  # of a row, SQLite's limit
LONGEST_QUERY = 4_000  # characters; a pasted page is no question
LONGEST_MESSAGE = 200_000  # characters of one message, an answer to a review, a description
LARGEST_LIMIT = 1_000_000  # tokens of one answer; no model writes as many
PASSAGE = r"^p?[1-9][0-9]{0,17}$"
VERSION = r"^[0-9TZa-f.\-]{1,40}$"
SESSION = r"^[0-9a-f]{16}$"
SHA256 = r"^[0-9a-f]{64}$"
LONGEST_WAIT = 30.0  # seconds; idle connections are cut after a minute by what lies between


def _day(text: str) -> str:
    try:
        written = date.fromisoformat(text).isoformat() if text else ""
    except ValueError:
        written = ""
    if written != text:
        raise ValueError("a day such as 2026-11-30 is wanted")
    return text


def _shaped(pattern: str, wanted: str) -> Any:
    """Return the check for a text of one shape, which says what is wanted instead."""

    def checked(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(wanted)
        return text

    return AfterValidator(checked)


def told(text: str) -> Any:
    """Return what the description says of a field."""
    return Field(description=text)


FilePath = Annotated[
    str,
    AfterValidator(named_file),
    Field(min_length=1, max_length=LONGEST_PATH, description="A file, from the vault's root."),
]
FolderPath = Annotated[
    str,
    AfterValidator(named_folder),
    Field(max_length=LONGEST_PATH, description='A folder, from the vault\'s root; "." is all.'),
]
RowId = Annotated[int, Field(ge=1, le=LARGEST_ID)]
Count = Annotated[int, Field(ge=1, le=MOST, description="How many results at most.")]
Day = Annotated[
    str, AfterValidator(_day), Field(json_schema_extra={"pattern": r"^(\d{4}-\d{2}-\d{2})?$"})
]
Cursor = Annotated[int, Field(ge=0, le=LARGEST_ID)]
PassageId = Annotated[
    str,
    _shaped(PASSAGE, 'an id such as "p12" is wanted, as search gives it'),
    Field(json_schema_extra={"pattern": PASSAGE}),
]
VersionName = Annotated[
    str,
    _shaped(VERSION, "a version is wanted, as `GET /v1/pages/history` names it"),
    Field(
        json_schema_extra={"pattern": VERSION}, description="As `GET /v1/pages/history` names it."
    ),
]
Word = Annotated[str, StringConstraints(max_length=LONGEST_QUERY)]
Words = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_MESSAGE)]


class StatusWanted(Asked):
    """How many files to list, by path, behind which, and of which kind; left out: all."""

    files: Annotated[
        Annotated[int, Field(ge=0, le=LARGEST_LIMIT)] | None,
        told("How many files to list; left out: all."),
    ] = None
    after: Annotated[Word, told("List the files behind this path.")] = ""
    unsettled: Annotated[bool, told("List only files that are not simply done or passed over.")] = (
        False
    )


class ListJobs(Asked):
    """Which jobs: those in one of `state` and of one of `kind`.

    No state named: all that are not over; no kind: all kinds.
    """

    state: Annotated[
        tuple[JobState, ...], told("With commas between. Left out: all jobs that are not over.")
    ] = ()
    kind: Annotated[tuple[JobKind, ...], told("With commas between. Left out: all kinds.")] = ()
    limit: Annotated[int, Field(ge=1, le=MOST_JOBS)] = MOST_JOBS


class OneJob(Asked):
    """A job by its number."""

    id: RowId


class ListEvents(Asked):
    """Events after `since`; without it only the cursor to begin with, at once."""

    since: Annotated[
        Cursor | None, told("The `cursor` of the last answer; left out: only that of now, at once.")
    ] = None
    wait: Annotated[
        float, Field(ge=0, le=LONGEST_WAIT), told("Seconds to wait where there is none yet.")
    ] = LONGEST_WAIT


class StreamEvents(Asked):
    """Events after `since`; without it those that happen from now on."""

    since: Annotated[
        Cursor | None, told("The last `id`, as in `Last-Event-ID`; left out: from now on.")
    ] = None


class SearchFor(Asked):
    """A question; "" in a filter lets everything pass. `typing`: the last word is unfinished."""

    query: Word
    k: Count = 10
    mode: Mode = Mode.HYBRID
    under: FolderPath = ""
    type: Annotated[Word, told('The `type` of a page: "concept"; "source" for documents.')] = ""
    tag: Annotated[Word, told("A tag, with or without #; those below it too.")] = ""
    after: Annotated[Day, told("Changed on this day or later: 2026-11-30.")] = ""
    before: Annotated[Day, told("Changed on this day or earlier: 2026-11-30.")] = ""
    typing: Annotated[bool, told("The last word is unfinished.")] = False


class RelatedTo(Asked):
    """A file whose neighbours in meaning are wanted."""

    path: FilePath
    k: Count = 10


class TitlesLike(Asked):
    """The beginning of a title or an alias."""

    q: Word = ""
    k: Count = 20


class IngestFile(Asked):
    """A file of the vault; one outside `raw/` is copied there first."""

    path: FilePath


class RetryAll(Asked):
    """What to try again: all that is "held", or what was written "offline"."""

    what: Literal["held", "offline"]


class EstimateFiles(Asked):
    """The files to estimate; none named: the sources whose content was not ingested yet."""

    paths: Annotated[tuple[FilePath, ...], Field(max_length=MOST_FILES)] = ()


class UsageOf(Asked):
    """The days (UTC) to look back, today included."""

    days: Annotated[int, Field(ge=1, le=3660)] = 30


class PairWith(Asked):
    """The one-time code that `vaultd open` made."""

    code: Annotated[str, StringConstraints(min_length=1, max_length=200)]


def folder_filter(path: str) -> VaultPath | str:
    """Return a folder as a search filter; the whole vault is no filter."""
    return "" if path == "." else path


class BeginTalk(Asked):
    """The source to talk about."""

    path: FilePath


class OneTalk(Asked):
    """A session by its id."""

    session: Annotated[
        str,
        _shaped(SESSION, "a session is wanted, as `POST /v1/ingest/analysis` names it"),
        Field(json_schema_extra={"pattern": SESSION}),
    ]


class Say(OneTalk):
    """A person's message in a session."""

    text: Words


class ListReviews(Asked):
    """Which questions: open, answered, or closed because they settled themselves."""

    state: Literal["open", "answered", "closed"] = "open"


class AnswerReview(Asked):
    """A decision: one of the review's options, or "answer" with the person's own words."""

    id: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    action: Annotated[
        str,
        StringConstraints(min_length=1, max_length=200),
        told('One of the review\'s `options`, or "answer".'),
    ]
    text: Annotated[
        str,
        StringConstraints(max_length=LONGEST_MESSAGE),
        told('The person\'s own words, for "answer".'),
    ] = ""


class OnePage(Asked):
    """A page by its path."""

    path: FilePath


class OneVersion(OnePage):
    """An old version of a page, by the name that the history gives it."""

    version: VersionName


class OpenNotes(Asked):
    """The notes open in an editor; `answered` is the offer that was acted on or declined."""

    notes: Annotated[tuple[FilePath, ...], Field(max_length=MOST)] = ()
    answered: Annotated[int, Field(ge=0, le=LARGEST_ID)] = 0
    wait: Annotated[float, Field(ge=0, le=LONGEST_WAIT), told("Seconds to wait.")] = 20.0


class RestoreVersion(OneVersion):
    """What to put back; `if_match` is the SHA-256 of the page as it was seen, null for none."""

    if_match: Annotated[
        Annotated[
            str,
            _shaped(SHA256, "the `current` of `GET /v1/pages/history` is wanted"),
            Field(json_schema_extra={"pattern": SHA256}),
        ]
        | None,
        told("The `current` of `GET /v1/pages/history`."),
    ]


class ForgetSource(Asked):
    """The source to forget; with `dry_run` nothing is changed, only told."""

    path: FilePath
    dry_run: bool = False


class UndoSource(Asked):
    """The source whose last ingest is taken back."""

    path: FilePath


class OneFolder(Asked):
    """A folder by its path."""

    path: FolderPath = "."


class FolderWanted(OneFolder):
    """A folder, and how many of its children to list; left out: all."""

    children: Annotated[int, Field(ge=0, le=LARGEST_LIMIT)] | None = None


class SummaryWish(Asked):
    """How to summarise; the defaults are those of the specification.

    `max_tokens` null or 0 is the model's own limit, `model` "" the configured one.
    """

    description: Annotated[str, StringConstraints(max_length=LONGEST_MESSAGE)] = ""
    model: Word = ""
    temperature: Annotated[float, Field(ge=0, le=1)] = 0.01
    max_tokens: Annotated[int, Field(ge=0, le=LARGEST_LIMIT)] | None = None


class SummariseFile(SummaryWish):
    """A file to summarise."""

    path: FilePath


class SummarisePassages(SummaryWish):
    """Passages to summarise, by the ids that search answers with ("p12")."""

    ids: Annotated[tuple[PassageId, ...], Field(min_length=1, max_length=1_000)]


class RebuildSummaries(SummaryWish):
    """The root whose file summaries are made anew."""

    root: FolderPath


class DropSummaries(Asked):
    """The folder or file whose summaries are dropped, with all below it."""

    path: FolderPath


class KnowledgeBaseAsked(Asked):
    """The fields that all routes of the summary specification share, with its defaults.

    `embed_model` "" is the index's own; `vs_type` is accepted and answered with ours.
    """

    model_config = ConfigDict(protected_namespaces=())

    knowledge_base_name: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_PATH)]
    vs_type: Word = ""
    embed_model: Word = ""
    file_description: Annotated[str, StringConstraints(max_length=LONGEST_MESSAGE)] = ""
    model_name: Word | None = None
    temperature: Annotated[float, Field(ge=0, le=1)] = 0.01
    max_tokens: Annotated[int, Field(ge=0, le=LARGEST_LIMIT)] | None = None


class KnowledgeBaseFile(KnowledgeBaseAsked):
    """A file of a knowledge base, named from its folder or from the vault's root."""

    file_name: FilePath
    allow_empty_kb: bool = True


class KnowledgeBasePassages(KnowledgeBaseAsked):
    """Passages of a knowledge base."""

    doc_ids: Annotated[tuple[PassageId, ...], Field(max_length=1_000)] = ()


class WholeKnowledgeBase(KnowledgeBaseAsked):
    """A knowledge base as a whole."""

    allow_empty_kb: bool = True
