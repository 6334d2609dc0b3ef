"""Asking the author for texts: one gate, one breaker, checked answers, buckets for wide folders."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeVar

import structlog

from vaultd.author.seam import Author, FileRequest, FolderRequest, FolderText
from vaultd.core.bucket import Bucket, arrange
from vaultd.core.folder_note import untitled
from vaultd.core.markdown import cut_at_sentence
from vaultd.core.staleness import (
    Maker,
    depth_of,
    folder_digest,
    normalised,
    parent_of,
    retry_at,
    text_digest,
)
from vaultd.errors import BadReplyError, PermanentError, TransientError, VaultdError
from vaultd.model.paths import Clock, VaultPath
from vaultd.model.summary import ChildSummary
from vaultd.store import folders
from vaultd.store.database import Database
from vaultd.summarize.gate import Breaker, Caller, Gate, together

log = structlog.get_logger()

T = TypeVar("T")

ABSTRACT_CHARS = 200  # spec/000
OVERVIEW_CHARS = 8_000  # two screens for a folder of 50; more is no overview
BELOW_ALL = 10_000  # as a depth: what whole chains of folders wait for goes first
PARTIAL_CHARS = 1_500  # an overview of a bucket, of which 50 have to fit into one prompt


@dataclass(slots=True)
class Tally:
    """What one run did, counted when it happened. `urgency`: 0 a person waits, 1 daily, 2 bulk."""

    urgency: int = 1
    calls: int = 0
    rows: int = 0
    embeddings: int = 0
    notes: int = 0
    changed_abstracts: int = 0
    faults: dict[str, int] = field(default_factory=dict)

    def note_fault(self, error: VaultdError) -> None:
        """Count a failed call by its code."""
        self.faults[error.code] = self.faults.get(error.code, 0) + 1


class Asker:
    """Asks the author. Every call of every run of the process goes through one of these."""

    def __init__(
        self,
        db: Database,
        author: Author,
        gate: Gate,
        clock: Clock,
        *,
        max_children: int,
        context_chars: int,
        first_retry: timedelta,
    ) -> None:
        self._db = db
        self.author = author
        self._gate = gate
        self._clock = clock
        self._first = first_retry
        self._breaker = Breaker(clock, first_retry)
        self.max_children = max(2, min(max_children, context_chars // 2 // PARTIAL_CHARS))

    async def folder(self, request: FolderRequest, maker: Maker, tally: Tally) -> FolderText:
        """Return the two texts of a folder of any width.

        Raises:
            VaultdError: the author gave nothing usable; texts of buckets made so far are kept.
        """
        by_key = {child.uri.rstrip("/").rpartition("/")[2]: child for child in request.children}
        root = arrange(by_key, self.max_children)
        above = parent_of(request.folder)
        if not root.parts:
            return await self._call(request, tally, then=above)
        wide = _Wide(request, by_key, maker, tally)
        parts = tuple(await self._parts(wide, root))
        text = await self._call(replace(request, children=(), partials=parts), tally, then=above)
        await self._db.run(folders.keep_buckets, request.folder, set(wide.digests.values()))
        return text

    async def file(self, request: FileRequest, tally: Tally) -> str:
        """Return the summary of one window, or of partial summaries.

        Raises:
            VaultdError: the author gave nothing usable.
        """

        async def ask() -> str:
            text = normalised(await self.author.summarise_file(request))
            if not text:
                raise BadReplyError("The summary came back empty.")
            return text

        caller = Caller(request.path, (tally.urgency, -BELOW_ALL))
        return await self._guarded(ask, tally, caller, then=parent_of(request.path))

    def next_try(self, attempts: int, error: VaultdError) -> tuple[int, datetime | None]:
        """Return the count of attempts after `error`, and when the next one is due.

        A closed endpoint is nobody's attempt: it is tried again when the next probe may start.
        """
        now = self._clock()
        until = self._breaker.until
        if until is not None and until > now:
            return attempts, until
        if isinstance(error, TransientError) and not error.counted:
            return attempts, now + (error.retry_after or self._first)
        return attempts + 1, retry_at(attempts + 1, now, first=self._first)

    async def _parts(self, wide: _Wide, bucket: Bucket) -> list[tuple[str, str]]:
        async def one(part: Bucket) -> tuple[str, str]:
            digest = wide.digest(part)
            stored = await self._db.read(folders.bucket_text, digest)
            if stored is None:
                inner = tuple(await self._parts(wide, part)) if part.parts else ()
                smaller = replace(
                    wide.request,
                    children=tuple(wide.by_key[name] for name in part.names),
                    partials=inner,
                    previous=None,
                )
                text = await self._call(smaller, wide.tally, then=smaller.folder)
                stored = _cut_lines(text.overview, PARTIAL_CHARS) or text.abstract
                await self._db.run(folders.store_bucket, digest, smaller.folder, stored)
            return _range_of(part), stored

        return await together(one(part) for part in bucket.parts)

    async def _call(self, request: FolderRequest, tally: Tally, *, then: VaultPath) -> FolderText:
        async def ask() -> FolderText:
            return checked(await self.author.summarise(request), request.name)

        return await self._guarded(ask, tally, _folder_caller(request.folder, tally), then=then)

    async def _guarded(
        self, ask: Callable[[], Awaitable[T]], tally: Tally, caller: Caller, *, then: VaultPath
    ) -> T:
        """Ask when it is the caller's turn; `then` is the folder that waits for the answer."""

        async def counted() -> T:
            tally.calls += 1
            return await ask()

        try:
            async with self._gate.turn(caller, then=_folder_caller(then, tally)):
                return await self._breaker.call(counted)
        except VaultdError as error:
            tally.note_fault(error)
            raise
        except Exception as error:
            log.warning("author failed", error=type(error).__name__)
            raise PermanentError(f"The author failed: {type(error).__name__}.") from error


@dataclass(frozen=True, slots=True)
class _Wide:
    """A folder that is described in buckets, with its children by the names they are sorted by."""

    request: FolderRequest
    by_key: Mapping[str, ChildSummary]
    maker: Maker
    tally: Tally
    digests: dict[Bucket, str] = field(default_factory=dict)

    def digest(self, bucket: Bucket) -> str:
        """Return the hash of what a bucket's text is made from."""
        if bucket not in self.digests:
            self.digests[bucket] = self._digest(bucket)
        return self.digests[bucket]

    def _digest(self, bucket: Bucket) -> str:
        if bucket.parts:
            return text_digest("group", *sorted(map(self.digest, bucket.parts)))
        return folder_digest([self.by_key[name] for name in bucket.names], self.maker)


def _folder_caller(folder: VaultPath, tally: Tally) -> Caller:
    """Return how a folder stands at the gate: the deepest first, whole chains wait for them."""
    return Caller(folder, (tally.urgency, -depth_of(folder)))


def checked(text: FolderText, name: str) -> FolderText:
    """Return both texts in bounds: the abstract one paragraph, cut at a sentence.

    The overview comes without the folder's `name` for a title.

    Raises:
        BadReplyError: one of them is empty.
    """
    abstract = cut_at_sentence(" ".join(normalised(text.abstract).split()), ABSTRACT_CHARS)
    overview = _cut_lines(untitled(normalised(text.overview), name), OVERVIEW_CHARS)
    if not abstract or not overview:
        raise BadReplyError("The abstract or the overview came back empty.")
    return FolderText(abstract, overview)


def _range_of(bucket: Bucket) -> str:
    names = sorted(_names(bucket))
    return f"{names[0]} … {names[-1]} ({len(names)})"


def _names(bucket: Bucket) -> list[str]:
    return [*bucket.names, *(name for part in bucket.parts for name in _names(part))]


def _cut_lines(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return text[: text.rfind("\n", 0, limit + 1)] if "\n" in text[:limit] else text[:limit]
