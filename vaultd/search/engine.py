"""One question to ranked passages."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import NamedTuple, TypeVar

import structlog

from vaultd.core.dictionary import meant_by, to_look_up
from vaultd.core.ignore import ExcludedFiles
from vaultd.core.language import is_cjk
from vaultd.core.query import Parsed, parse
from vaultd.core.rank import (
    WORDS_WEIGHT,
    Lanes,
    Ranked,
    fuse,
    joined,
    levelled,
    scale_for,
    spread,
)
from vaultd.core.snippet import Finder
from vaultd.core.words import is_dense, terms_of
from vaultd.embed import Embedder
from vaultd.errors import VaultdError
from vaultd.model.paths import VaultPath
from vaultd.model.search import Answer, Hit, Mode, Question, Related, StoredEmbedder, Title
from vaultd.model.wiki import PageRef
from vaultd.search import near
from vaultd.search.hits import TITLE, Results, link_to
from vaultd.search.matrix import Vector
from vaultd.search.summary_lane import NO_ROUTES, Routes, SummaryLane
from vaultd.search.vector_lane import Near, VectorLane
from vaultd.store import finding, titles, translations, vectors
from vaultd.store.database import Connection, Database
from vaultd.store.finding import Scope
from vaultd.store.windows import window_ordinals
from vaultd.store.word_counts import WordCounts

log = structlog.get_logger()

MEMORY_BYTES = 256 * 1024 * 1024  # for the vectors' copy: about 490,000 windows of 512 numbers
MOST = 100  # results of one question
FOLDERS = 2  # folders among the results: more would hide the passages
NAMED = 3  # files put first for their name
LOOK_SECONDS = 1.0  # for the files of an answer: a healthy disk takes microseconds
SPARE = 10  # passages read besides `k`: some repeat others
SCALED = "use-multilingual-v3/"  # embedders whose cosines the weights are made for
NOTHING_NEAR = Near({}, {}, frozenset(), {})
NONE_EXCLUDED = partial(ExcludedFiles, ())

T = TypeVar("T")


@dataclass(slots=True)
class _Asked:
    """A question on its way, with what the lanes found so far."""

    parsed: Parsed
    terms: Sequence[str]
    scope: Scope
    narrowed: bool
    excluded: ExcludedFiles
    hidden: int  # files that are excluded
    lanes: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    words: finding.WordMatch | None = None
    translated: translations.TranslatedMatch = translations.NOTHING_TRANSLATED
    near: Near | None = None
    embedded: tuple[StoredEmbedder, Vector] | None = None  # the question, and who embedded it
    routes: Routes = NO_ROUTES
    scale: float = 1.0


class _Ranking(NamedTuple):
    ranked: Sequence[Ranked]
    foreign: frozenset[int]  # passages in another script than the question


class SearchEngine:
    """Answers from one vault's index. `vault_name` is the name Obsidian knows the vault by.

    `excluded` is asked at every question for the files that a person does not want to find, and
    `there` whether a file that would be shown has not been deleted a moment ago.
    """

    def __init__(
        self,
        db: Database,
        embedders: Iterable[Embedder],
        *,
        vault_name: str,
        memory_bytes: int = MEMORY_BYTES,
        excluded: Callable[[], ExcludedFiles] = NONE_EXCLUDED,
        there: Callable[[VaultPath], bool] = bool,  # true of every path
    ) -> None:
        self._db = db
        self._vault_name = vault_name
        self._excluded = excluded
        self._there = there
        self._vectors = VectorLane(db, embedders, memory_bytes=memory_bytes)
        self._summaries = SummaryLane()
        self._counts = WordCounts()
        self._pending: tuple[tuple[int, int], int] = ((-1, -1), 0)

    async def warm(self) -> None:
        """Read the vectors and wake the embedder, so that the first question need not wait."""
        await self._vectors.warm()
        if active := await self._vectors.active():
            try:
                await self._vectors.embed(active, "ready")
            except VaultdError as error:
                log.warning("embedder not available", code=error.code)

    async def search(self, question: Question) -> Answer:
        """Return the best passages, of what stands close together in a file one.

        Nothing that a person types is an error. What could not run is said in the notes.
        """
        asked = await self._asked(question)
        if question.mode is not Mode.VECTORS:
            asked.words = await self._db.read(
                finding.matching_words,
                asked.terms,
                asked.scope,
                typing=question.typing,
                counts=self._counts,
            )
            asked.lanes.append("words")
        if question.mode is Mode.HYBRID:
            asked.translated = await self._db.read(_translated, asked, self._counts)
        if question.mode is not Mode.WORDS and asked.parsed.text:
            await self._ask_vectors(asked)
        k = max(1, min(question.k, MOST))
        ranking = await self._db.read(self._ranking, asked, question)
        results = await self._still_there(
            lambda gone: self._db.read(self._results, asked, ranking, k, gone),
            lambda hit: (hit.path, *(standing.path for standing in hit.also)),
        )
        if asked.hidden and len(results) < k:
            asked.notes.append(f"Left out: {asked.hidden} files that you excluded in Obsidian.")
        return Answer(question.text, tuple(asked.lanes), tuple(results), tuple(asked.notes))

    async def related(self, path: VaultPath, k: int = 10) -> tuple[Related, ...]:
        """Return the files nearest in meaning to `path`, itself left out."""
        active = await self._vectors.active()
        if active is None:
            return ()
        _, hidden = await self._hidden()
        scope = finding.without_files(near.EVERYTHING, hidden)
        scores = await near.files_near_file(self._db, self._vectors, active, path, scope)
        rows = await self._still_there(
            lambda gone: self._db.read(near.file_rows, scores, k, gone),
            lambda found: (found[0].path,),
        )
        return tuple(
            Related(row.path, row.title, round(score, 4), link_to(self._vault_name, row.path))
            for row, score in rows
        )

    async def titles(self, prefix: str, k: int = 20) -> tuple[Title, ...]:
        """Return the files whose title, alias or name begins with `prefix`, or holds it."""
        named = await self._db.read(titles.titles_like, prefix, max(1, min(k, MOST)))
        gone = await self._gone({title.path for title in named})
        return tuple(title for title in named if title.path not in gone)

    async def _still_there(
        self,
        find: Callable[[Set[VaultPath]], Awaitable[Sequence[T]]],
        paths_of: Callable[[T], Iterable[VaultPath]],
    ) -> Sequence[T]:
        """Return what `find` finds without the files it is given, once all of it is there."""
        known: set[VaultPath] = set()
        gone: set[VaultPath] = set()
        while True:
            found = await find(gone)
            new = {path for one in found for path in paths_of(one)} - known
            if not (missing := await self._gone(new)):
                return found
            known |= new
            gone |= missing

    async def _gone(self, paths: Iterable[VaultPath]) -> set[VaultPath]:
        """Return which files were deleted a moment ago; none where the disk does not answer.

        Asked beside the database's threads, which others wait for.
        """
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                return await asyncio.to_thread(self._missing, list(paths))
        except TimeoutError:
            log.warning("the vault's disk does not answer")
            return set()

    def _missing(self, paths: Iterable[VaultPath]) -> set[VaultPath]:
        return {path for path in paths if not self._there(path)}

    async def near_pages(self, text: str, k: int) -> tuple[PageRef, ...]:
        """Return the wiki pages that `text` concerns most, nearest first."""
        active = await self._vectors.active()
        scores: dict[int, float] = {}
        if active is not None:
            try:
                scores = await near.files_near_text(self._db, self._vectors, active, text)
            except VaultdError as error:
                log.warning("pages near a text found by words only", code=error.code)
        pages = await self._db.read(near.page_refs, scores, terms_of(text), k, self._counts)
        return tuple(pages)

    async def _asked(self, question: Question) -> _Asked:
        parsed = parse(question.text, question.filters)
        for tag in parsed.tags:
            if not parsed.filters.tag and await self._db.read(finding.has_tag, tag):
                parsed = replace(parsed, filters=replace(parsed.filters, tag=tag))
            else:
                parsed = replace(parsed, text=f"{parsed.text} {tag}".strip())
        scope = finding.scope_of(parsed.filters, parsed.phrases, parsed.excluded)
        excluded, hidden = await self._hidden(parsed.filters.under)
        narrowed, scope = bool(scope.sql), finding.without_files(scope, hidden)
        terms = terms_of(parsed.text)
        asked = _Asked(parsed, terms, scope, narrowed, excluded, len(hidden))
        if not parsed.text:
            asked.notes.append("The question has no word to look for.")
        return asked

    async def _hidden(self, under: str = "") -> tuple[ExcludedFiles, list[int]]:
        """Return what is excluded, and those of the files; nothing is where a person looks."""
        excluded = await asyncio.to_thread(self._excluded)
        if not excluded or (under and f"{under.strip('/')}/" in excluded):
            return ExcludedFiles(()), []
        return excluded, await self._db.read(finding.files_whose, excluded.__contains__)

    async def _ask_vectors(self, asked: _Asked) -> None:
        active = await self._vectors.active()
        if active is None:
            if self._vectors.configured:
                asked.notes.append("Nothing is embedded yet: found by words only.")
            return
        try:
            query = await self._vectors.embed(active, asked.parsed.text)
        except VaultdError as error:
            log.warning("question not embedded", code=error.code)
            asked.notes.append(f"Found by words only. {error}")
            return
        if query is None:
            return
        also = [*(asked.words.scores if asked.words else ()), *asked.translated.best]
        asked.near = await self._vectors.nearest(active, query, asked.scope, also)
        asked.embedded = (active, query)
        asked.lanes.append("vectors")
        if not active.identity.startswith(SCALED):
            asked.scale = scale_for(asked.near.scores[p] for p in asked.near.found)

    def _note_pending(self, db: Connection, asked: _Asked, embedder: StoredEmbedder) -> None:
        state = near.index_state(db)
        if state != self._pending[0]:
            self._pending = (state, vectors.pending(db, embedder.id))
        if count := self._pending[1]:
            asked.notes.append(f"{count} passages have no vectors yet: found by words only.")

    def _ask_summaries(
        self, db: Connection, asked: _Asked, embedder: StoredEmbedder, query: Vector
    ) -> None:
        shifts = asked.near.shifts if asked.near else {}
        routes = self._summaries.routes(db, embedder, query, shifts)
        if routes is not None:
            asked.routes = routes
            asked.lanes.append("summaries")

    def _ranking(self, db: Connection, asked: _Asked, question: Question) -> _Ranking:
        if asked.embedded:
            self._note_pending(db, asked, asked.embedded[0])
            if question.mode is Mode.HYBRID:
                self._ask_summaries(db, asked, *asked.embedded)
        words, near_by = asked.words, asked.near or NOTHING_NEAR
        passages = {*(words.scores if words else ()), *near_by.found, *asked.translated.best}
        named = _named(db, asked, typing=question.typing)
        places = finding.places_of(db, [*passages, *named.values()])
        foreign, held = _foreign(asked.terms, places), asked.translated.held
        lanes = Lanes(
            words=words.scores if words else None,
            bound=words.bound if words else 0.0,
            vectors={p: s for p, s in near_by.scores.items() if p in passages},
            summaries=asked.routes.above_all({p: place.path for p, place in places.items()}),
            near=near_by.found,
            foreign=foreign,
            held=words.held if words else {},
            translated={p: held[p] for p in foreign & passages if p in held},
        )
        place_of = {p: (place.file, place.heading, place.page) for p, place in places.items()}
        fused = [one for one in fuse(lanes, scale=asked.scale) if one.passage in places]
        found = levelled(joined(fused, place_of), lanes, scale=asked.scale)
        ordinals = {p: place.ordinal for p, place in places.items()}
        ranked = spread(_named_first(found, named.values()), place_of, ordinals)
        return _Ranking(ranked, foreign)

    def _results(
        self, db: Connection, asked: _Asked, ranking: _Ranking, k: int, gone: Set[VaultPath]
    ) -> list[Hit]:
        hits = self._hits(db, asked, ranking, k, gone)
        if asked.narrowed:  # a folder has no words, tags or days
            return hits
        shown = {
            place: asked.scale * nearness
            for place, nearness in asked.routes.near.items()
            if f"{place}/" not in asked.excluded
        }
        folders = near.folder_hits(db, shown, self._vault_name)
        return _with_folders(hits, (hit for hit in folders if hit.path not in gone), k)

    def _hits(
        self, db: Connection, asked: _Asked, ranking: _Ranking, k: int, gone: Set[VaultPath]
    ) -> list[Hit]:
        near_by = asked.near or NOTHING_NEAR
        begun = asked.words.begun if asked.words else ""
        finder = Finder(asked.terms, begun=begun)
        there = Finder(asked.terms, begun=begun, translated=asked.translated.others)
        results = Results(self._vault_name, k, gone)
        for start in range(0, len(ranking.ranked), k + SPARE):
            batch = ranking.ranked[start : start + k + SPARE]
            rows = finding.found_rows(db, [one.passage for one in batch])
            windows = [near_by.windows[p] for p in rows if p in near_by.windows]
            ordinals = window_ordinals(db, windows)
            for one in batch:
                if results.full:
                    return results.hits()
                if one.passage in rows:
                    window = near_by.windows.get(one.passage, 0)
                    shown = there if one.passage in ranking.foreign else finder
                    results.take(one, rows[one.passage], ordinals.get(window), shown)
        return results.hits()


def _translated(db: Connection, asked: _Asked, counts: WordCounts) -> translations.TranslatedMatch:
    """Return what holds the question's words in the other language, if the vault has two."""
    if not translations.edition(db):
        return translations.NOTHING_TRANSLATED
    text = asked.parsed.text
    meant = meant_by(text, translations.others_of(db, to_look_up(text)))
    return translations.matching_translations(db, meant, asked.scope, counts)


def _foreign(terms: Sequence[str], places: Mapping[int, finding.Place]) -> frozenset[int]:
    """Return the passages that can hardly share a word with the question: of another script."""
    dense = is_dense(terms)
    return frozenset(p for p, place in places.items() if is_cjk(place.language) != dense)


def _named(db: Connection, asked: _Asked, *, typing: bool) -> dict[int, int]:
    """Return the files that have the question for a name, with their first passage in scope."""
    files = finding.files_named(db, asked.parsed.text)[:NAMED]
    if typing and not files:
        files = finding.files_beginning(db, asked.parsed.text, NAMED)
    return finding.first_passages(db, files, asked.scope)


def _named_first(ranked: Sequence[Ranked], named: Iterable[int]) -> list[Ranked]:
    """Put the passages of files named like the question first, with a score above all others."""
    first = list(named)
    by_passage = {one.passage: one for one in ranked}
    top = max((one.score for one in ranked), default=0.0)
    lifted = [by_passage.get(passage, Ranked(passage, top, ())) for passage in first]
    lifted = [
        one._replace(score=max(top, 1.0 + WORDS_WEIGHT), via=(*one.via, TITLE)) for one in lifted
    ]
    return [*lifted, *(one for one in ranked if one.passage not in set(first))]


def _with_folders(hits: list[Hit], folders: Iterable[Hit], k: int) -> list[Hit]:
    merged = [*hits, *islice(folders, FOLDERS)]
    return sorted(merged, key=lambda hit: -hit.score)[:k]
