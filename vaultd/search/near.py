"""Files and folders near to a file, a text or a question as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import TypeVar

from vaultd.core.folder_note import note_path_of
from vaultd.core.markdown import abstract_of
from vaultd.core.passage import windows_of
from vaultd.core.plain import plain
from vaultd.core.rank import shown_score
from vaultd.core.snippet import snippet
from vaultd.core.staleness import name_of
from vaultd.model.paths import VaultPath
from vaultd.model.search import Filters, Hit, StoredEmbedder
from vaultd.model.summary import NodeKind
from vaultd.model.wiki import PageRef
from vaultd.search.hits import NOTHING, link_to
from vaultd.search.matrix import Vector
from vaultd.search.vector_lane import VectorLane
from vaultd.store import finding, nodes, pages, windows
from vaultd.store.database import Connection, Database
from vaultd.store.vector_index import last_change
from vaultd.store.word_counts import WordCounts

T = TypeVar("T")

SAMPLES = 8  # windows that speak for a whole file or text: one exact pass over the vault each
LOOKED_AT = 20_000  # characters of a text: more windows would only be left out again
WORDS_SHARE = 0.3  # of the words lane beside the mean cosine, for the pages a text concerns
FOLDER_CANDIDATES = 20
EVERYTHING = finding.Scope()


async def files_near_file(
    db: Database, lane: VectorLane, embedder: StoredEmbedder, path: VaultPath, scope: finding.Scope
) -> dict[int, float]:
    """Return how near each other file in `scope` is to the file at `path`."""
    own = await db.read(windows.windows_of_file, embedder.id, path)
    rows = await db.read(windows.window_rows, embedder.id, _spread(own))
    scores = await _files_near(db, lane, embedder, [vector for *_, vector in rows], scope)
    return {file: score for file, score in scores.items() if file not in {r[2] for r in rows}}


async def files_near_text(
    db: Database, lane: VectorLane, embedder: StoredEmbedder, text: str
) -> dict[int, float]:
    """Return how near each file is to `text`.

    Raises:
        VaultdError: the embedder is not at hand, or failed.
    """
    pieces = _spread(windows_of(plain(text[:LOOKED_AT])))
    made = [await lane.embed(embedder, piece) for piece in pieces]
    return await _files_near(db, lane, embedder, [vector for vector in made if vector is not None])


async def _files_near(
    db: Database,
    lane: VectorLane,
    embedder: StoredEmbedder,
    queries: Sequence[Vector],
    scope: finding.Scope = EVERYTHING,
) -> dict[int, float]:
    """Return for each file the mean over `queries` of its nearest passage."""
    sums: dict[int, float] = {}
    for query in queries:
        near = await lane.nearest(embedder, query, scope)
        best: dict[int, float] = {}
        for passage, place in (await db.read(finding.places_of, near.scores)).items():
            best[place.file] = max(best.get(place.file, 0.0), near.scores[passage])
        for file, score in best.items():
            sums[file] = sums.get(file, 0.0) + score
    return {file: total / len(queries) for file, total in sums.items()}


def _spread(items: Sequence[T]) -> list[T]:
    """Return at most `SAMPLES` items, evenly spread."""
    step = max(1.0, len(items) / SAMPLES)
    return [items[int(n * step)] for n in range(min(SAMPLES, len(items)))]


# Queries


def file_rows(
    db: Connection, scores: Mapping[int, float], k: int, gone: Set[VaultPath]
) -> list[tuple[finding.FileRow, float]]:
    """Return the `k` best of the scored files that are not `gone`."""
    found: list[tuple[finding.FileRow, float]] = []
    for file in sorted(scores, key=lambda one: (-scores[one], one)):
        if len(found) == k:
            break
        if (row := finding.file_row(db, file)) and row.path not in gone:
            found.append((row, scores[file]))
    return found


def page_refs(
    db: Connection,
    scores: Mapping[int, float],
    terms: Sequence[str],
    k: int,
    counts: WordCounts,
) -> list[PageRef]:
    """Return the wiki pages that a text concerns, by the files' nearness and its words."""
    scope = finding.scope_of(Filters(under="wiki"), (), ())
    words = finding.matching_words(db, terms, scope, counts=counts).scores
    top = max(words.values(), default=1.0)
    places = finding.places_of(db, words)
    joined = dict(scores)
    for passage, place in places.items():
        lifted = scores.get(place.file, 0.0) + WORDS_SHARE * words[passage] / top
        joined[place.file] = max(joined.get(place.file, 0.0), lifted)
    refs: list[PageRef] = []
    for file in sorted(joined, key=lambda one: (-joined[one], one)):
        row = finding.file_row(db, file)
        if row and row.path.startswith("wiki/") and len(refs) < k:
            refs.append(_ref(db, row))
    return refs


def index_state(db: Connection) -> tuple[int, int]:
    """Return what changes whenever vectors or passages do."""
    return last_change(db), finding.count_passages(db)


def folder_hits(db: Connection, nearness: Mapping[str, float], vault_name: str) -> list[Hit]:
    """Return the folders whose summaries are nearest, as results that show their abstract."""
    hits: list[Hit] = []
    for place in sorted(nearness, key=lambda one: -nearness[one])[:FOLDER_CANDIDATES]:
        node = nodes.node(db, VaultPath(place))
        if node is None or node.kind is not NodeKind.FOLDER or not node.abstract:
            continue
        path = note_path_of(VaultPath(place))
        if path is None:
            continue
        hits.append(
            Hit(
                id=f"s:{place}",
                path=path,
                title=name_of(VaultPath(place)),
                heading="",
                line=1,
                start=0,
                end=0,
                page=None,
                score=shown_score(nearness[place]),
                snippet=snippet(plain(node.abstract), NOTHING),
                via=(f"summary:{place}",),
                link=link_to(vault_name, path),
            )
        )
    return hits


def _ref(db: Connection, row: finding.FileRow) -> PageRef:
    text, aliases = finding.first_text(db, row.id), finding.aliases_of(db, row.id)
    written = pages.last_written(db, row.path)
    return PageRef(
        path=row.path,
        title=row.title,
        type=row.type,
        abstract=abstract_of(text),
        aliases=aliases,
        sources=written.ref.sources if written else (),
    )
