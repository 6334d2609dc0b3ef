"""Rows of file summaries: refreshed when the file changed, bound to its passages."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from weakref import WeakValueDictionary

from vaultd.core.language import language_of_note
from vaultd.core.markdown import abstract_of, cut_at_sentence
from vaultd.core.staleness import Step, next_step
from vaultd.core.text import Kind, sentences
from vaultd.embed.seam import Embedder
from vaultd.errors import UnreadableSourceError, VaultdError
from vaultd.model.paths import Clock, VaultPath
from vaultd.model.summary import Node, NodeKind, NodeState
from vaultd.store import nodes, summaries
from vaultd.store.database import Connection, Database
from vaultd.store.vectors import Vector
from vaultd.summarize.ask import ABSTRACT_CHARS, Asker, Tally
from vaultd.summarize.embedding import levels_of
from vaultd.summarize.files import (
    FileTexts,
    Wish,
    file_digest,
    packed,
    summarise_passages,
    window_tokens,
)


@dataclass(frozen=True, slots=True)
class FileText:
    """A file ready to be summarised. `ids` are its passages in the index, in order, or empty."""

    path: VaultPath
    content: str
    passages: tuple[str, ...]
    ids: tuple[int, ...] = ()


class FileNodes:
    """Keeps the summaries of files. One file is worked on by one caller at a time."""

    def __init__(
        self,
        db: Database,
        asker: Asker,
        embedder: Embedder | None,
        clock: Clock,
        *,
        prompt_version: str,
        language: str,
        context_chars: int,
    ) -> None:
        self._db = db
        self.asker = asker
        self._embedder = embedder
        self._clock = clock
        self._prompt_version = prompt_version
        self._language = language
        self._window = window_tokens(context_chars)
        self._busy = WeakValueDictionary[VaultPath, asyncio.Lock]()

    async def indexed(self, path: VaultPath) -> FileText:
        """Return a file as the index holds it; without passages if it is not indexed."""
        content, found = await self._db.read(summaries.indexed_file, path)
        ids = tuple(identity for identity, _ in found)
        return FileText(path, content, tuple(text for _, text in found), ids)

    def windows_of(self, file: FileText) -> int:
        """Return how many prompts the text of a file fills."""
        return len(packed(file.passages, self._window))

    async def texts(self, file: FileText, wish: Wish, tally: Tally) -> FileTexts:
        """Return the summary of a file without storing it.

        Raises:
            VaultdError: there is no text, or the author gave nothing usable.
        """
        return await summarise_passages(
            file.path,
            file.passages,
            wish,
            self._language_of(file),
            self.asker,
            tally,
            window=self._window,
        )

    def is_current(self, node: Node, content: str, *, by_any: bool = False) -> bool:
        """Tell whether a summary is the good one of the bytes with the hash `content`.

        `by_any` lets the model pass that a person chose for it.
        """
        language = node.language if self._language in ("", "auto") else self._language
        wish = Wish(description=node.description)
        author = node.author if by_any else self.asker.author.name
        digest = file_digest(content, wish, author, self._prompt_version, language)
        return node.state is NodeState.OK and node.input_digest == digest

    async def refresh(
        self,
        file: FileText,
        wish: Wish,
        tally: Tally,
        *,
        asked: bool = False,
        anew: bool = False,
    ) -> Node:
        """Return the stored summary of `file`, made again only if its text changed or `anew`.

        A failing author leaves a good text as it is, marked stale; without one, the file's own
        first sentences stand in, marked, until the next try.

        Raises:
            UnreadableSourceError: the file has no text.
        """
        async with self._busy.setdefault(file.path, asyncio.Lock()):
            old = await self._db.read(nodes.node, file.path)
            if not wish.description and old is not None:
                wish = replace(wish, description=old.description)
            digest = self._digest(file, wish)
            step = next_step(old, digest, self._clock(), asked=asked)
            if old is not None and step is not Step.ASK and not anew:
                await self._embed_missing(old, tally)
                return old
            new, texts = await self._ask(file, wish, old, digest, tally)
            await self._store(file, new, texts, tally)
            return new

    async def _ask(
        self, file: FileText, wish: Wish, old: Node | None, digest: str, tally: Tally
    ) -> tuple[Node, FileTexts | None]:
        made = Node(
            path=file.path,
            kind=NodeKind.FILE,
            state=NodeState.OK,
            input_digest=digest,
            child_count=len(file.passages),
            language=self._language_of(file),
            author=wish.model or self.asker.author.name,
            prompt_version=self._prompt_version,
            description=wish.description,
            generation=old.generation + 1 if old else 1,
        )
        try:
            texts = await self.texts(file, wish, tally)
        except UnreadableSourceError:
            raise
        except VaultdError as error:
            return self._failed(made, file, old, error), None
        abstract = abstract_of(texts.summary) or cut_at_sentence(texts.summary, ABSTRACT_CHARS)
        return replace(made, abstract=abstract, overview=texts.summary), texts

    def _failed(self, made: Node, file: FileText, old: Node | None, error: VaultdError) -> Node:
        attempts, at = self.asker.next_try(old.attempts if old else 0, error)
        if old is not None and is_good(old):
            state, abstract, overview = NodeState.STALE, old.abstract, old.overview
        else:
            words = own_words(file.passages)
            state, abstract, overview = NodeState.FALLBACK, words, words
        return replace(
            made,
            state=state,
            abstract=abstract,
            overview=overview,
            attempts=attempts,
            next_try=at,
            error_code=error.code,
        )

    async def _store(
        self, file: FileText, new: Node, texts: FileTexts | None, tally: Tally
    ) -> None:
        levels = await levels_of(self._embedder, new) if self._embedder else {}
        identity = self._embedder.identity if self._embedder else ""
        tally.embeddings += len(levels)
        tally.rows += 1

        def store(db: Connection) -> None:
            now = self._clock()
            row = nodes.store_node(db, new, now=now)
            if texts is not None:
                summaries.bind(db, row, file.ids, texts.steps)
            summaries.store_vectors(db, new.path, identity, levels)

        await self._db.run(store)

    async def _embed_missing(self, node: Node, tally: Tally) -> None:
        await embed_missing(self._db, self._embedder, node, tally)

    def _digest(self, file: FileText, wish: Wish) -> str:
        author = self.asker.author.name
        return file_digest(
            file.content, wish, author, self._prompt_version, self._language_of(file)
        )

    def _language_of(self, file: FileText) -> str:
        if self._language not in ("", "auto"):
            return self._language
        return language_of_note("\n\n".join(file.passages)) or "en"


async def embed_missing(db: Database, embedder: Embedder | None, node: Node, tally: Tally) -> None:
    """Give a summary the vectors it lacks: after a failure, a drop taken back, a new model."""
    if embedder is None or not node.abstract:
        return
    identity = embedder.identity
    if not await db.read(summaries.lacks_vectors, node.path, identity):
        return
    levels: dict[int, Vector] = dict(await levels_of(embedder, node))
    if levels:
        tally.embeddings += len(levels)
        await db.run(summaries.store_vectors, node.path, identity, levels)


def is_good(node: Node) -> bool:
    """Tell whether a summary is a text that an author wrote."""
    return node.state in (NodeState.OK, NodeState.STALE) and bool(node.abstract)


def own_words(passages: Sequence[str]) -> str:
    """Return a file's first sentences as they stand, at most 200 characters."""
    found = [each for passage in passages[:5] for each in sentences(passage)]
    prose = [each.text for each in found if each.kind is Kind.PROSE]
    rest = [each.text for each in found if each.kind in (Kind.ITEM, Kind.ROW, Kind.HEADING)]
    return cut_at_sentence(" ".join(prose or rest or [each.text for each in found]), ABSTRACT_CHARS)
