"""One file into passages, words and vectors."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import structlog

from vaultd.core.dictionary import translations_of
from vaultd.core.passage import SPLITTER_VERSION, windows_of
from vaultd.core.plain import plain
from vaultd.core.searchable import (
    Split,
    context,
    hash_of,
    is_searched,
    is_utf8,
    split_document,
    split_note,
)
from vaultd.embed import Embedder, Vector
from vaultd.errors import UnreadableSourceError, VaultdError
from vaultd.extract import CONVERTER_VERSION
from vaultd.model.document import ExtractStatus
from vaultd.model.jobs import Job, Progress
from vaultd.model.paths import Clock, VaultPath
from vaultd.model.search import IndexedFile, IndexedPassage, StoredEmbedder
from vaultd.reading import Reader
from vaultd.store import nodes, passages, translations, vectors
from vaultd.store.database import Connection, Database
from vaultd.store.vector_index import compact_index, settle
from vaultd.vault.files import Vault

log = structlog.get_logger()

ROWS = 10_000  # of the dictionary stored at a time: others write in between
AT_ONCE = 128  # windows embedded before the words are stored: under a second built in
MAKERS = (SPLITTER_VERSION, f"{SPLITTER_VERSION}/{CONVERTER_VERSION}")  # notes, other documents
USABLE = frozenset({ExtractStatus.OK, ExtractStatus.PARTIAL})


class Indexer:
    """Keeps the index of one vault abreast of its files.

    What is stored of a file goes by the hash of its bytes, what is embedded by the hash of
    its text: touching, moving or renaming a file embeds nothing.
    """

    def __init__(
        self, vault: Vault, db: Database, reader: Reader, embedder: Embedder | None, clock: Clock
    ) -> None:
        self._vault = vault
        self._db = db
        self._reader = reader
        self._embedder = embedder
        self._clock = clock

    async def run(self, job: Job, progress: Progress) -> Mapping[str, Any]:
        """Index the job's subject: the workflow of `JobKind.INDEX`."""
        return await self.index_file(VaultPath(job.subject), progress)

    async def index_file(
        self, path: VaultPath, progress: Progress | None = None
    ) -> Mapping[str, Any]:
        """Bring the index abreast of the file; a file that is gone or has no text is forgotten.

        Words are stored even when the embedder fails; trying again embeds only what is missing.

        Raises:
            VaultdError: the embedder failed, by the reaction it asks for.
        """
        split = await self._split(path)
        if split is None:
            known = await self._db.run(forget, path, now=self._clock())
            return {"state": "forgotten" if known else "absent", "passages": 0, "embedded": 0}
        file, found = split
        stored = await self._db.read(passages.file_state, path)
        if stored and (stored.content_hash, stored.made_by) == (file.content_hash, file.made_by):
            state, embedded = "unchanged", 0
        else:
            state, embedded = "indexed", await self._store(file, found)
        embedded += await self._embed_pending(path, file.title, progress)
        if embedded and self._embedder:
            await self._db.run(_finish, self._embedder.identity)
        log.info("file indexed", path=path, state=state, passages=len(found), embedded=embedded)
        return {"state": state, "passages": len(found), "embedded": embedded}

    async def missing(self) -> list[VaultPath]:
        """Return the files whose index is not what this program would make of them.

        They lack vectors of this embedder, since an earlier one made them or it failed, or
        another version split or read them; newest first. The caller queues an index job for
        each.
        """
        found = await self._db.read(passages.paths_made_otherwise, MAKERS)
        if self._embedder is None:
            return found
        without = await self._db.read(_paths_without, self._embedder.identity)
        if not without:
            await self._db.run(_finish, self._embedder.identity)
        return list(dict.fromkeys([*found, *without]))

    async def translate(self) -> None:
        """Store the dictionary once the vault has passages in both of its languages."""
        name = translations.packaged_edition()
        if not await self._db.read(translations.is_wanted, name):
            return
        await self._db.run(translations.clear)
        rows = translations_of(translations.packaged_lines())
        while batch := await asyncio.to_thread(list, itertools.islice(rows, ROWS)):
            await self._db.run(translations.put, batch)
        await self._db.run(translations.finish, name)
        log.info("dictionary stored", edition=name)

    async def _split(self, path: VaultPath) -> Split | None:
        if not is_searched(path):
            return None
        if path.endswith(".md"):
            content = await asyncio.to_thread(self._vault.read, path)
            if content is None:
                return None
            if is_utf8(content):
                day = await asyncio.to_thread(self._day_of, path)
                return await asyncio.to_thread(split_note, path, content, day)
        try:
            reading = await self._reader.read(path)
        except UnreadableSourceError as error:
            log.info("file has no text to index", path=path, code=error.code)
            return None
        if reading.extraction.status not in USABLE:
            return None
        day = await asyncio.to_thread(self._day_of, path)
        return await asyncio.to_thread(
            split_document, path, reading.sha256, reading.extraction, (CONVERTER_VERSION, day)
        )

    def _day_of(self, path: VaultPath) -> str:
        try:
            modified = self._vault.locate(path).stat().st_mtime
        except FileNotFoundError:
            return ""
        return datetime.fromtimestamp(modified, UTC).date().isoformat()

    async def _store(self, file: IndexedFile, found: Sequence[IndexedPassage]) -> int:
        """Store a file with as many vectors as are quickly had; return how many were made."""
        failure: VaultdError | None = None
        made: dict[bytes, Vector | None] = {}
        if self._embedder is not None:
            try:
                made = await self._first_vectors(file.title, found)
            except VaultdError as error:
                failure = error
        identity = self._embedder.identity if self._embedder else ""
        await self._db.run(store, file, found, identity, made, now=self._clock())
        if failure:
            raise failure
        return len(made)

    async def _first_vectors(
        self, title: str, found: Sequence[IndexedPassage]
    ) -> dict[bytes, Vector | None]:
        assert self._embedder is not None
        wanted = {hash_of(p.heading, w): context(title, p.heading, w) for p, w in _windows(found)}
        known = await self._db.read(_known, self._embedder.identity, list(wanted))
        missing = [text_hash for text_hash in wanted if text_hash not in known][:AT_ONCE]
        made = await self._embedder.embed([wanted[text_hash] for text_hash in missing])
        return dict(zip(missing, made, strict=True))

    async def _embed_pending(self, path: VaultPath, title: str, progress: Progress | None) -> int:
        """Embed what the file still lacks, one stored batch after the other; return how many."""
        if self._embedder is None:
            return 0
        identity = self._embedder.identity
        waiting = await self._db.read(_passages_without, identity, path)
        embedded = done = 0
        for batch in _batches(waiting, AT_ONCE):
            wanted = {
                hash_of(heading, window): context(title, heading, window)
                for _, heading, windows, _ in batch
                for window in windows
            }
            made = await self._embedder.embed(list(wanted.values()))
            found = dict(zip(wanted, made, strict=True))
            await self._db.run(_put_batch, identity, batch, found)
            embedded, done = embedded + len(made), done + len(batch)
            if progress:
                progress("embedding", done, len(waiting))
        return embedded


def _windows(found: Iterable[IndexedPassage]) -> Iterable[tuple[IndexedPassage, str]]:
    return ((passage, window) for passage in found for window in passage.windows)


Waiting = tuple[int, str, tuple[str, ...], str]  # passage, heading, windows, language


def _batches(waiting: Sequence[Waiting], size: int) -> Iterable[list[Waiting]]:
    """Cut into batches of about `size` windows, whole passages each."""
    batch: list[Waiting] = []
    count = 0
    for one in waiting:
        if batch and count + len(one[2]) > size:
            yield batch
            batch, count = [], 0
        batch.append(one)
        count += len(one[2])
    if batch:
        yield batch


# Queries: each runs inside one transaction.


def forget(db: Connection, path: VaultPath, *, now: datetime) -> bool:
    """Forget a file; the folders above it have to be looked at again."""
    known = passages.forget_file(db, path)
    if known:
        nodes.mark_dirty(db, [path], reason="gone", now=now)
    return known


def store(
    db: Connection,
    file: IndexedFile,
    found: Sequence[IndexedPassage],
    embedder: str,
    made: Mapping[bytes, Vector | None],
    *,
    now: datetime,
) -> None:
    """Store a file, its names, passages, words, and those vectors that are at hand."""
    identity = passages.put_file(db, file, now=now)
    naming = passages.naming_of(file.title, file.aliases, file.tags)
    replaced = passages.replace_passages(db, identity, naming, found)
    vectors.follow_all(db)
    stored = _registered(db, embedder, made)
    if stored:
        hashes = [hash_of(p.heading, w) for p, w in _windows(found)]
        at_hand = {**vectors.known_vectors(db, stored.id, hashes), **made}
        new = {
            passage: (one.heading, one.windows, one.language)
            for passage, one in zip(replaced.ids, found, strict=True)
            if passage in replaced.new
        }
        _put(db, stored, [(p, *rest) for p, rest in new.items()], at_hand, replaced.gone)
    passages.delete_passages(db, replaced.gone)
    settle(db)
    if found or replaced.gone:
        nodes.mark_dirty(db, [file.path], reason="changed", now=now)


def _put(
    db: Connection,
    embedder: StoredEmbedder,
    waiting: Iterable[Waiting],
    at_hand: Mapping[bytes, Vector | None],
    instead_of: Iterable[int] = (),
) -> None:
    """Store the windows of those passages whose vectors are all at hand."""
    ready: dict[int, list[vectors.NewWindow]] = {}
    for passage, heading, windows, language in waiting:
        hashes = [hash_of(heading, window) for window in windows]
        if all(text_hash in at_hand for text_hash in hashes):
            ready[passage] = [vectors.NewWindow(h, language, at_hand[h]) for h in hashes]
    vectors.put_windows(db, embedder, ready, instead_of=instead_of)


def _registered(
    db: Connection, identity: str, made: Mapping[bytes, Vector | None]
) -> StoredEmbedder | None:
    known = vectors.embedder_named(db, identity)
    sample = next((vector for vector in made.values() if vector is not None), None)
    if known or sample is None:
        return known
    return vectors.register(db, identity, len(sample))


def _known(db: Connection, identity: str, hashes: Sequence[bytes]) -> set[bytes]:
    embedder = vectors.embedder_named(db, identity)
    return set(vectors.known_vectors(db, embedder.id, hashes)) if embedder else set()


def _paths_without(db: Connection, identity: str) -> list[VaultPath]:
    embedder = vectors.embedder_named(db, identity)
    return vectors.pending_paths(db, embedder.id if embedder else 0)


def _passages_without(db: Connection, identity: str, path: VaultPath) -> list[Waiting]:
    embedder = vectors.embedder_named(db, identity)
    rows = vectors.pending_passages(db, embedder.id if embedder else 0, path)
    return [
        (passage, heading, tuple(windows_of(plain(text))), language)
        for passage, heading, text, language in rows
    ]


def _put_batch(
    db: Connection, identity: str, batch: Sequence[Waiting], made: Mapping[bytes, Vector | None]
) -> None:
    if embedder := _registered(db, identity, made):
        _put(db, embedder, batch, made)


def _finish(db: Connection, identity: str) -> None:
    """Let a new embedder answer once it has everything; keep the derived index compact."""
    embedder = vectors.embedder_named(db, identity)
    if embedder is None:
        return
    if not embedder.active and not vectors.pending(db, embedder.id):
        vectors.activate(db, embedder.id)
        log.info("embedder changed", embedder=identity)
    compact_index(db, embedder)
