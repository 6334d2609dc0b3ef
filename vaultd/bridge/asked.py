"""The fields that requests may hold, with their limits and defaults."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from vaultd.bridge.operation import Asked
from vaultd.core.request_path import LONGEST_PATH, named_file, named_folder
from vaultd.model.jobs import JobState
from vaultd.model.paths import VaultPath
from vaultd.model.search import Mode

MOST = 100  # results of one question; more is not an answer any more
LARGEST_ID = 2**63 - 1  # of a row, SQLite's limit
LONGEST_QUERY = 4_000  # characters; a pasted page is no question
LONGEST_MESSAGE = 200_000  # characters of one message, an answer to a review, a description
LONGEST_WAIT = 30.0  # seconds; idle connections are cut after a minute by what lies between


def _day(text: str) -> str:
    if text:
        date.fromisoformat(text)
    return text


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
Count = Annotated[int, Field(ge=1, le=MOST)]
Day = Annotated[str, AfterValidator(_day), StringConstraints(pattern=r"^(\d{4}-\d{2}-\d{2})?$")]
Word = Annotated[str, StringConstraints(max_length=LONGEST_QUERY)]
Words = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_MESSAGE)]


class ListJobs(Asked):
    """Which jobs: those in one of `state`, none named: all that are not over."""

    state: tuple[JobState, ...] = ()


class OneJob(Asked):
    """A job by its number."""

    id: RowId


class ListEvents(Asked):
    """Events after `since`; without it only the cursor to begin with, at once."""

    since: Annotated[int, Field(ge=0, le=LARGEST_ID)] | None = None
    wait: Annotated[float, Field(ge=0, le=LONGEST_WAIT)] = LONGEST_WAIT


class StreamEvents(Asked):
    """Events after `since`; without it those that happen from now on."""

    since: Annotated[int, Field(ge=0, le=LARGEST_ID)] | None = None


class SearchFor(Asked):
    """A question; "" in a filter lets everything pass. `typing`: the last word is unfinished."""

    query: Word
    k: Count = 10
    mode: Mode = Mode.HYBRID
    under: FolderPath = ""
    type: Word = ""
    tag: Word = ""
    after: Day = ""
    before: Day = ""
    typing: bool = False


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


class UsageOf(Asked):
    """The days (UTC) to look back, today included."""

    days: Annotated[int, Field(ge=1, le=3660)] = 30


class PairWith(Asked):
    """The one-time code that `vaultd open` made."""

    code: Annotated[str, StringConstraints(min_length=1, max_length=200)]


def folder_filter(path: str) -> VaultPath | str:
    """Return a folder as a search filter; the whole vault is no filter."""
    return "" if path == "." else path
