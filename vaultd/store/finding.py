"""Questions to the index: words, filters, and the rows behind what was found."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from vaultd.core.text import fold
from vaultd.core.words import match_of, storable
from vaultd.model.paths import VaultPath
from vaultd.model.search import Filters
from vaultd.store.database import Connection
from vaultd.store.titles import LAST
from vaultd.store.word_counts import WordCounts

K1 = 1.2  # of FTS5's own BM25
COLUMN_WEIGHTS = (2.0, 1.0, 1.0)  # title, heading, body: +0.7 and +1.0 points measured
HELD = "1e6"  # a column's weight with which a word counts as much once as many times
COMMON_SHARE = 0.4  # a word in more of the passages tells nothing, and makes the match slow
COMMON_FROM = 50  # passages: below, a share says little
SHORTEST_STEM = 4  # letters: what is shorter begins too many words
SCORED = 1_000  # passages to look for by the rarest words: scoring takes a microsecond each
NEWEST = 2_000  # passages scored at most: where even the rarest word is common, it tells little
LOOKED_AT = 12_000  # passages that hold a word looked for, all words together
DEPTH = 100  # passages a lane hands on

_LISTED = "where p.id in (select value from json_each(?))"


@dataclass(frozen=True, slots=True)
class Scope:
    """SQL that selects the passages allowed, with its values; "" allows all."""

    sql: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WordMatch:
    """Passages that hold any of the words with BM25 (higher is better).

    `bound` is the score that a passage with every word many times would come near to, `begun`
    the word that was taken for the beginning of one, `held` the share of the words that a
    passage holds, by their weight.
    """

    scores: dict[int, float]
    bound: float
    begun: str = ""
    held: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """A passage with what a result says of it."""

    passage: int
    file: int
    path: VaultPath
    title: str
    heading: str
    line: int
    start: int
    end: int
    page: int | None
    text: str
    text_hash: str


class Place(NamedTuple):
    """Where a passage stands, as far as results are folded by it."""

    file: int
    path: VaultPath
    heading: str
    page: int | None
    language: str
    ordinal: int  # of the passage in its file


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file as results name it."""

    id: int
    path: VaultPath
    title: str
    type: str


def scope_of(filters: Filters, phrases: Iterable[str], excluded: Iterable[str]) -> Scope:
    """Return the passages that satisfy `filters` and hold `phrases`, in files without `excluded`.

    Phrases are words as `core.words.indexed` gives them.
    """
    conditions: list[str] = []
    values: list[str] = []
    for condition, given in _file_conditions(filters):
        conditions.append(condition)
        values += given
    for phrase in phrases:
        conditions.append("p.id in (select rowid from passage_words where passage_words match ?)")
        values.append(_quoted(phrase))
    for phrase in excluded:
        conditions.append(
            "p.file not in (select x.file from passage_words w join passages x on x.id = w.rowid"
            " where passage_words match ?)"
        )
        values.append(_quoted(phrase))
    if not conditions:
        return Scope()
    sql = "select p.id from passages p join indexed_files f on f.id = p.file where "
    return Scope(sql + " and ".join(conditions), tuple(storable(value) for value in values))


def without_files(scope: Scope, files: Sequence[int]) -> Scope:
    """Return `scope` less the passages of `files`."""
    if not files:
        return scope
    apart = "p.file not in (select value from json_each(?))"
    sql = f"{scope.sql} and {apart}" if scope.sql else f"select p.id from passages p where {apart}"
    return Scope(sql, (*scope.values, json.dumps(list(files))))


def files_whose(db: Connection, is_meant: Callable[[str], bool]) -> list[int]:
    """Return the ids of the files whose path is meant."""
    rows = db.execute("select id, path from indexed_files")
    return [identity for identity, path in rows if is_meant(path)]


def _file_conditions(filters: Filters) -> Iterable[tuple[str, list[str]]]:
    if under := filters.under.strip().strip("/"):
        last = f"{under}0"  # "0" follows "/": every path that begins with "under/"
        yield "(f.path = ? or (f.path >= ? and f.path < ?))", [under, f"{under}/", last]
    if filters.type:
        yield "f.type = ? collate nocase", [filters.type]
    if tag := fold(filters.tag).lstrip("#").rstrip("/"):
        yield (
            "f.id in (select file from file_tags where tag = ? or (tag >= ? and tag < ?))",
            [tag, f"{tag}/", f"{tag}0"],
        )
    if filters.after:
        yield "f.changed >= ?", [filters.after]
    if filters.before:
        yield "f.changed <> '' and f.changed <= ?", [f"{filters.before}~"]


def has_tag(db: Connection, tag: str) -> bool:
    """Tell whether any file has `tag` or a tag below it."""
    folded = fold(tag)
    row = db.execute(
        "select 1 from file_tags where tag = ? or (tag >= ? and tag < ?) limit 1",
        (folded, f"{folded}/", f"{folded}0"),
    ).fetchone()
    return row is not None


def allowed_passages(db: Connection, scope: Scope) -> list[int]:
    """Return the ids of the passages in `scope`, which must not be everything."""
    return [passage for (passage,) in db.execute(scope.sql, scope.values)]


def matching_words(
    db: Connection,
    words: Sequence[str],
    scope: Scope,
    *,
    typing: bool = False,
    counts: WordCounts | None = None,
) -> WordMatch:
    """Return the best passages in `scope` that hold any of `words`.

    Words that stand in nearly half of the passages are not looked for while others remain.
    With `typing` the last word may be the beginning of one, and so may one that nothing holds.
    `counts` holds what was counted for earlier questions.
    """
    counts = counts or WordCounts()
    terms = _terms(db, words, counts)
    begun, is_prefix = "", False
    if terms and (typing or (not terms[-1].count and len(words[-1]) >= SHORTEST_STEM)):
        begun = words[-1]
        stem, is_prefix = _begun(db, begun)
        terms = terms if stem == begun else [*terms[:-1], *_terms(db, [stem], counts)]
    bound = (K1 + 1) * sum(term.idf for term in terms)
    telling = [term for term in terms if not term.common] or terms
    if is_prefix:
        telling = [*(term for term in telling if term is not terms[-1]), terms[-1]]
    if not telling:
        return WordMatch({}, 0.0, begun)
    expression, times = _expression(telling, everywhere=not scope.sql, typing=is_prefix)
    within = f" and +rowid in ({scope.sql})" if scope.sql else ""
    scores: dict[int, float] = {}
    held: dict[int, float] = {}
    for passage, score, share in db.execute(
        "select rowid, score, held from"
        f" (select rowid, -bm25(passage_words, {', '.join(map(str, COLUMN_WEIGHTS))}) as score,"
        f" -bm25(passage_words, {', '.join([HELD] * 3)}) as held"
        f" from passage_words where passage_words match ?{within} order by rowid desc limit ?)"
        " order by score desc limit ?",
        (expression, *scope.values, NEWEST, DEPTH),
    ):
        scores[passage], held[passage] = score / times, share / times / bound
    return WordMatch(scores, bound, begun, held)


def _begun(db: Connection, word: str) -> tuple[str, bool]:
    """Return what to look for in the place of a word's beginning, and whether as a beginning.

    Words are stored by their stems, so one that is typed to beyond its stem begins nothing
    ("fermentat" of "ferment"): there it is the longest stem that it begins with.
    """
    if len(word) < SHORTEST_STEM or _is_there(db, match_of([word], last_is_prefix=True)):
        return word, True
    shorter = (word[:end] for end in range(len(word) - 1, SHORTEST_STEM - 1, -1))
    stem = next((each for each in shorter if _is_there(db, match_of([each]))), "")
    return (stem, False) if stem else (word, True)


def _is_there(db: Connection, expression: str) -> bool:
    asked = "select 1 from passage_words where passage_words match ? limit 1"
    return db.execute(asked, (expression,)).fetchone() is not None


@dataclass(frozen=True, slots=True)
class _Term:
    word: str
    count: int  # of the passages that hold it
    idf: float
    common: bool


def _terms(db: Connection, words: Sequence[str], counts: WordCounts) -> list[_Term]:
    """Return each word with its inverse document frequency, and whether it tells nothing."""
    total = count_passages(db)
    terms = []
    for word in words:
        count = counts.of(db, word, total)
        idf = max(1e-6, math.log((total - count + 0.5) / (count + 0.5)))
        common = total >= COMMON_FROM and count > COMMON_SHARE * total
        terms.append(_Term(word, count, idf, common))
    return terms


def _expression(terms: Sequence[_Term], *, everywhere: bool, typing: bool) -> tuple[str, int]:
    """Return what finds the passages to score, and how many times it counts each word.

    With many to score, passages need one of the rarest words; the others then only add to
    the score. Words named on both sides count twice, so all are. With `typing` the last word
    is the beginning of one.
    """
    ordered = sorted(terms, key=lambda term: term.count)
    if typing:
        ordered = [terms[-1], *(term for term in ordered if term is not terms[-1])]
    rare, others, seen = [ordered[0].word], [], ordered[0].count
    for term in ordered[1:]:
        seen += term.count
        if seen <= SCORED or not everywhere:
            rare.append(term.word)
        elif seen <= LOOKED_AT:
            others.append(term.word)
    needed = match_of(reversed(rare), last_is_prefix=typing)
    if not others:
        return needed, 1
    return f"({needed}) AND ({needed} OR {match_of([*others, *others])})", 2


def found_rows(db: Connection, passages: Iterable[int]) -> dict[int, Found]:
    """Return what results say of these passages; those gone meanwhile are missing."""
    rows = db.execute(
        "select p.id, p.file, f.path, f.title, p.heading, p.line, p.start, p.end, p.page,"
        f" p.text, p.text_hash from passages p join indexed_files f on f.id = p.file {_LISTED}",
        (json.dumps(list(passages)),),
    )
    return {row[0]: Found(*row) for row in rows}


def places_of(db: Connection, passages: Iterable[int]) -> dict[int, Place]:
    """Return where each passage stands; those gone meanwhile are missing."""
    rows = db.execute(
        "select p.id, p.file, f.path, p.heading, p.page, p.language, p.ordinal from passages p"
        f" join indexed_files f on f.id = p.file {_LISTED}",
        (json.dumps(list(passages)),),
    )
    return {passage: Place(*place) for passage, *place in rows}


def files_named(db: Connection, name: str) -> list[int]:
    """Return the files whose title, alias or file name is `name`, folded; titles first."""
    rows = db.execute(
        "select n.file from file_names n join indexed_files f on f.id = n.file"
        " where n.folded = ? order by n.kind = 'title' desc, length(f.path), f.path",
        (fold(name),),
    )
    return [file for (file,) in rows]


def files_beginning(db: Connection, typed: str, count: int) -> list[int]:
    """Return the files with a name that begins with what is `typed`, shortest name first."""
    folded = fold(typed)
    if not folded:
        return []
    rows = db.execute(
        "select file from file_names where folded >= ? and folded < ? group by file"
        " order by min(length(folded)), file limit ?",
        (folded, folded + LAST, count),
    )
    return [file for (file,) in rows]


def first_passages(db: Connection, files: Iterable[int], scope: Scope) -> dict[int, int]:
    """Return the first passage of each file that has one in `scope`."""
    within = f" and p.id in ({scope.sql})" if scope.sql else ""
    firsts: dict[int, int] = {}
    for file in files:
        row = db.execute(
            f"select p.id from passages p where p.file = ?{within} order by p.ordinal limit 1",
            (file, *scope.values),
        ).fetchone()
        if row:
            firsts[file] = int(row[0])
    return firsts


def file_row(db: Connection, file: int) -> FileRow | None:
    """Return a file by its id."""
    row = db.execute(
        "select id, path, title, type from indexed_files where id = ?", (file,)
    ).fetchone()
    return FileRow(*row) if row else None


def first_text(db: Connection, file: int) -> str:
    """Return the text of a file's first passage, "" if it has none."""
    return str(
        db.execute("select text from passages where file = ? order by ordinal limit 1", (file,)).get
        or ""
    )


def aliases_of(db: Connection, file: int) -> tuple[str, ...]:
    """Return a file's aliases, sorted."""
    rows = db.execute(
        "select name from file_names where file = ? and kind = 'alias' order by name", (file,)
    )
    return tuple(name for (name,) in rows)


def count_passages(db: Connection) -> int:
    """Count the passages of the vault."""
    return int(db.execute("select count(*) from passages").get)


def _quoted(phrase: str) -> str:
    return '"' + phrase.replace('"', '""') + '"'
