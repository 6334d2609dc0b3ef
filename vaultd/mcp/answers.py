"""What the tools answer. Every place comes with the address that opens it in Obsidian."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """Where a document says something: its vault path and the physical page, if it has pages."""

    path: str
    page: int | None
    link: str


@dataclass(frozen=True, slots=True)
class Found:
    """One search result; `id` goes into `fetch`, `sources` are the places it names as proof.

    `also` are the paths of files that say the same.
    """

    id: str
    title: str
    url: str
    path: str
    heading: str
    line: int
    page: int | None
    score: float
    snippet: str
    sources: list[SourcePlace]
    also: list[str]


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Results, best first; `notes` say what could not be searched, and why."""

    results: list[Found]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a fetched text stands. `next_start` continues a text that was cut, null at its end."""

    path: str
    heading: str
    line: int | None
    page: int | None
    characters: int
    next_start: int | None
    sources: list[SourcePlace]


@dataclass(frozen=True, slots=True)
class Document:
    """A text as fetched."""

    id: str
    title: str
    text: str
    url: str
    metadata: Place


@dataclass(frozen=True, slots=True)
class PageLine:
    """A page in one line."""

    path: str
    title: str
    type: str
    abstract: str
    link: str


@dataclass(frozen=True, slots=True)
class FolderView:
    """A folder: what it is about, what is in it. `left_out` counts entries that are not shown."""

    path: str
    abstract: str
    overview: str
    link: str
    folders: list[FolderView]
    pages: list[PageLine]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class PageView:
    """A page in full. `next_start` continues a long one, null at its end."""

    path: str
    title: str
    type: str
    abstract: str
    author: str
    updated: str
    tags: list[str]
    aliases: list[str]
    link: str
    sources: list[SourcePlace]
    text: str
    characters: int
    next_start: int | None


@dataclass(frozen=True, slots=True)
class Claim:
    """What a page says and which passage it names for it."""

    claim: str
    heading: str
    line: int
    link: str
    source: SourcePlace


@dataclass(frozen=True, slots=True)
class SourcesOfPage:
    """The documents a page was written from, and its claims with their places."""

    path: str
    link: str
    documents: list[SourcePlace]
    claims: list[Claim]


@dataclass(frozen=True, slots=True)
class Near:
    """A note near in meaning."""

    path: str
    title: str
    score: float
    link: str


@dataclass(frozen=True, slots=True)
class NearNotes:
    """Notes near in meaning, nearest first; `notes` say why there is none."""

    path: str
    results: list[Near]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SourceState:
    """How a dropped file stands, why, and the pages written from it."""

    path: str
    state: str
    reason: str
    pages: list[str]


@dataclass(frozen=True, slots=True)
class Work:
    """A job under way or held: `done` of `total` steps of `stage`."""

    kind: str
    subject: str
    state: str
    stage: str
    done: int
    total: int
    reason: str


@dataclass(frozen=True, slots=True)
class IngestState:
    """What the daemon does. `files` are those asked for, else those that are not simply done."""

    state: str
    counts: dict[str, int]
    files: list[SourceState]
    jobs: list[Work]
    reviews_open: int
    problems: list[str]


@dataclass(frozen=True, slots=True)
class Submitted:
    """A job that was queued; `ingest_status` follows it."""

    job: int
    path: str
    state: str


@dataclass(frozen=True, slots=True)
class OpenReview:
    """A question to the person: one of `options` answers it, or words of one's own."""

    id: str
    kind: str
    title: str
    text: str
    options: list[str]
    pages: list[str]
    sources: list[str]
    link: str


@dataclass(frozen=True, slots=True)
class OpenReviews:
    """The questions that wait for an answer, oldest first."""

    reviews: list[OpenReview]


@dataclass(frozen=True, slots=True)
class Decided:
    """An answered review; the daemon carries the answer out."""

    id: str
    action: str
    state: str
