"""The wiki's words: sources as read, pages as drafted, reviews."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from vaultd.model.document import ExtractedImage, ExtractedPage
from vaultd.model.paths import SourceId, VaultPath

OFFLINE = "offline"  # the author that is no model, in properties, recipes and the status


@dataclass(frozen=True, slots=True)
class PageRef:
    """A page as the index knows it. `abstract` is at most 200 characters."""

    path: VaultPath
    title: str
    type: str
    abstract: str = ""
    aliases: tuple[str, ...] = ()
    sources: tuple[SourceId, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceText:
    """A source ready for an author.

    `sha256` is the hash of the file's bytes. `folder_context` holds the folders between
    `raw/` and the file joined with " > ". `language` is the language to write in.
    `images` carry captions by then, and no data. `unread` names the pages that nobody could read.
    """

    id: SourceId
    path: VaultPath
    sha256: str
    title: str
    language: str
    pages: tuple[ExtractedPage, ...]
    images: tuple[ExtractedImage, ...] = ()
    unread: str = ""
    folder_context: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The pages' texts joined by a blank line, without page marks."""
        return "\n\n".join(page.text for page in self.pages if page.text)

    @property
    def transcribed_by(self) -> str:
        """Who read pages from their pictures, "" where all text is the file's own."""
        readers = (page.transcribed_by for page in self.pages)
        return ", ".join(dict.fromkeys(filter(None, readers)))


@dataclass(frozen=True, slots=True)
class WikiContext:
    """What an author may know of the wiki: the part that concerns the source, never all of it.

    `pages` are ordered by nearness to the source. `summary_path` is where the source's own
    page has to be. `language` is an ISO code ("" = that of the source).
    """

    purpose: str
    schema: str
    pages: tuple[PageRef, ...]
    page_count: int
    summary_path: VaultPath
    language: str
    today: date
    pages_limit: int = 15


@dataclass(frozen=True, slots=True)
class Analysis:
    """Stage one of an ingest: text for stage two. Never written into a page."""

    text: str
    digest: str = ""


@dataclass(frozen=True, slots=True)
class PageDraft:
    """A page as an author proposes it, before routing, naming, linking and merging.

    `path` is the path asked for; `body` is Markdown without a property block and may hold
    wikilinks to slugs, titles or paths. `related` and `sources` are the author's own claims
    and not trusted. `extra` holds further properties the author named, as plain text.
    """

    path: VaultPath
    type: str
    title: str
    body: str
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    extra: Mapping[str, str] = field(default_factory=dict)


class ReviewKind(StrEnum):
    """What a review item is about."""

    CONTRADICTION = "contradiction"
    DUPLICATE = "duplicate"
    MISSING_PAGE = "missing-page"
    SUGGESTION = "suggestion"
    CONFLICT = "conflict"  # ours against a person's text
    PARKED = "parked"  # a source that waits for a person
    CONFIRM = "confirm"  # anything else that wants a yes or no


@dataclass(frozen=True, slots=True)
class ReviewDraft:
    """A question to the person, before it gets its id; `pages` are the author's own spelling."""

    kind: ReviewKind
    title: str
    text: str
    options: tuple[str, ...] = ("Create Page", "Skip")
    pages: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """A piece of a reply that will not be written, with its text, so that nothing is lost."""

    path: str
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Draft:
    """Stage two of an ingest: what an author proposes for one source.

    `missing` are paths whose block was cut or lost and has to be asked for again. `log` is
    the title for the log line, "" when the author gave none. `warnings` are sentences that
    name the path concerned (or "no path"). `raw_length` is the reply's length in characters,
    `asked_review` whether the reply held review blocks (both feed the review stage's trigger).
    """

    pages: tuple[PageDraft, ...]
    reviews: tuple[ReviewDraft, ...] = ()
    log: str = ""
    missing: tuple[VaultPath, ...] = ()
    refused: tuple[Refused, ...] = ()
    warnings: tuple[str, ...] = ()
    raw_length: int = 0
    asked_review: bool = False
