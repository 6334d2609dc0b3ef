"""The one seam between the pipeline and whoever writes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from vaultd.model.jobs import Progress
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.summary import ChildSummary
from vaultd.model.wiki import Analysis, Draft, ReviewDraft, SourceText, WikiContext


@dataclass(frozen=True, slots=True)
class MergeRequest:
    """Two bodies of one page, without property blocks, that have to become one."""

    path: VaultPath
    title: str
    language: str
    existing: str
    incoming: str
    existing_sources: tuple[SourceId, ...]
    incoming_source: SourceId


@dataclass(frozen=True, slots=True)
class FolderRequest:
    """A folder to describe from its children (or a bucket of them, or partial overviews).

    `previous` are the texts of last time, to be kept unless wrong. `partials` holds overviews
    of buckets when the folder is too wide for one prompt; then `children` may be empty.
    """

    folder: VaultPath
    name: str
    language: str
    children: tuple[ChildSummary, ...]
    partials: tuple[tuple[str, str], ...] = ()
    previous: tuple[str, str] | None = None
    total: int = 0


@dataclass(frozen=True, slots=True)
class FileRequest:
    """A window of one file's passages to summarise (`partials` empty), or partials to unite."""

    path: VaultPath
    language: str
    description: str
    passages: tuple[str, ...]
    partials: tuple[str, ...] = ()
    temperature: float = 0.01
    max_tokens: int | None = None
    model: str = ""


@dataclass(frozen=True, slots=True)
class FolderText:
    """L0 and L1 as an author gives them, already checked for shape."""

    abstract: str
    overview: str


@dataclass(frozen=True, slots=True)
class CaptionRequest:
    """A picture to describe: `before` and `after` are up to 150 characters around it."""

    data: bytes
    extension: str
    before: str
    after: str
    language: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation about a source; `role` is "user" or "assistant"."""

    role: str
    text: str


class Author(Protocol):
    """Writes from sources. Every method may raise the model errors of `vaultd.errors`.

    Every model reply is stored before it is used: asking the same again costs nothing.
    """

    @property
    def name(self) -> str:
        """The value of the property `author`: "offline" or the model's name."""
        ...

    @property
    def offline(self) -> bool:
        """Whether no model is involved."""
        ...

    @property
    def sees_pictures(self) -> bool:
        """Whether `caption` can be asked for."""
        ...

    def estimate(self, source: SourceText, wiki: WikiContext) -> int:
        """Return the tokens, in and out, that an ingest of `source` will take about."""
        ...

    async def analyse(self, source: SourceText, wiki: WikiContext, progress: Progress) -> Analysis:
        """Read the source, in chunks where it is too long for one prompt."""
        ...

    async def generate(
        self,
        source: SourceText,
        analysis: Analysis,
        wiki: WikiContext,
        progress: Progress,
        talk: Sequence[Turn] = (),
    ) -> Draft:
        """Draft the pages for the source; a truncated or missing block is asked for by path."""
        ...

    async def review(
        self, source: SourceText, analysis: Analysis, wiki: WikiContext, draft: Draft
    ) -> tuple[ReviewDraft, ...]:
        """Name what a person should look at or read next."""
        ...

    async def merge(self, request: MergeRequest) -> str:
        """Return one body that keeps every claim of both."""
        ...

    async def rewrite_language(self, path: VaultPath, body: str, language: str) -> str:
        """Return `body` in `language`, for a page that came in the wrong one."""
        ...

    async def summarise(self, request: FolderRequest) -> FolderText:
        """Return a folder's abstract and overview from one call."""
        ...

    async def summarise_file(self, request: FileRequest) -> str:
        """Return the summary of one window of a file, or of its partial summaries."""
        ...

    async def caption(self, request: CaptionRequest) -> str:
        """Describe a picture in two to four sentences."""
        ...

    async def transcribe(self, image: bytes, extension: str, language: str) -> str:
        """Return the text a scanned page shows, with [illegible] where it cannot be read."""
        ...

    def converse(
        self, source: SourceText, wiki: WikiContext, talk: Sequence[Turn]
    ) -> AsyncIterator[str]:
        """Stream the analysis (`talk` empty) or the answer to the last turn, piece by piece."""
        ...
