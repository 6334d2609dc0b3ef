"""Files, their names, passages and words as the index holds them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from vaultd.core.searchable import stem_of
from vaultd.core.text import fold
from vaultd.core.timing import stamp
from vaultd.core.words import indexed
from vaultd.model.paths import VaultPath
from vaultd.model.search import IndexedFile, IndexedPassage
from vaultd.store import vectors
from vaultd.store.database import Connection
from vaultd.store.vector_index import settle


@dataclass(frozen=True, slots=True)
class FileState:
    """What is stored of a file: enough to tell whether it has to be split again."""

    id: int
    content_hash: str
    made_by: str


@dataclass(frozen=True, slots=True)
class Replaced:
    """Ids of a file's passages in order, those that are new, and those to be deleted."""

    ids: tuple[int, ...]
    new: frozenset[int]
    gone: tuple[int, ...]


def file_state(db: Connection, path: VaultPath) -> FileState | None:
    """Return what is stored of `path`, None if it is not indexed."""
    row = db.execute(
        "select id, content_hash, made_by from indexed_files where path = ?", (path,)
    ).fetchone()
    return FileState(*row) if row else None


def paths(db: Connection) -> list[VaultPath]:
    """Return every indexed path, sorted."""
    return [VaultPath(path) for (path,) in db.execute("select path from indexed_files order by 1")]


def is_empty(db: Connection) -> bool:
    """Tell whether no file is indexed."""
    return db.execute("select 1 from indexed_files limit 1").get is None


def paths_made_otherwise(db: Connection, makers: Iterable[str]) -> list[VaultPath]:
    """Return the files that none of `makers` read and split, newest first."""
    rows = db.execute(
        "select path from indexed_files where made_by not in (select value from json_each(?))"
        " order by changed desc, path",
        (json.dumps(list(makers)),),
    )
    return [VaultPath(path) for (path,) in rows]


def put_file(db: Connection, file: IndexedFile, *, now: datetime) -> int:
    """Store the file's own row, names and tags; return its id."""
    db.execute(
        "insert into indexed_files (path, content_hash, made_by, title, type, changed, indexed_at)"
        " values (?, ?, ?, ?, ?, ?, ?) on conflict (path) do update set"
        " content_hash = excluded.content_hash, made_by = excluded.made_by, title = excluded.title,"
        " type = excluded.type, changed = excluded.changed, indexed_at = excluded.indexed_at",
        (
            file.path, file.content_hash, file.made_by, file.title, file.type, file.changed,
            stamp(now),
        ),
    )  # fmt: skip
    identity = int(db.execute("select id from indexed_files where path = ?", (file.path,)).get)
    _put_names(db, identity, file.path, file.title, file.aliases)
    db.execute("delete from file_tags where file = ?", (identity,))
    tags = {fold(tag).lstrip("#") for tag in file.tags} - {""}
    db.executemany("insert into file_tags (file, tag) values (?, ?)", [(identity, t) for t in tags])
    return identity


def replace_passages(
    db: Connection, file: int, naming: str, passages: Sequence[IndexedPassage]
) -> Replaced:
    """Store a file's passages and words; a passage whose text stays keeps its id.

    `naming` are the words of the title, aliases and tags, found with every passage. Passages
    that are gone are left for the caller, who may want their vectors' places, to delete.
    """
    known: dict[str, list[int]] = {}
    for identity, text_hash in db.execute(
        "select id, text_hash from passages where file = ? order by ordinal desc", (file,)
    ):
        known.setdefault(text_hash, []).append(identity)
    ids: list[int] = []
    new: set[int] = set()
    for ordinal, passage in enumerate(passages):
        text_hash = hashlib.sha256(passage.text.encode()).hexdigest()
        if known.get(text_hash):
            identity = known[text_hash].pop()
            _update(db, identity, ordinal, passage)
        else:
            identity = _insert(db, file, ordinal, passage, text_hash)
            new.add(identity)
        put_words(db, identity, naming, passage.heading, passage.text)
        ids.append(identity)
    gone = tuple(identity for rest in known.values() for identity in rest)
    return Replaced(tuple(ids), frozenset(new), gone)


def delete_passages(db: Connection, ids: Iterable[int]) -> None:
    """Delete passages with their words and vectors."""
    db.executemany("delete from passages where id = ?", [(identity,) for identity in ids])


def forget_file(db: Connection, path: VaultPath) -> bool:
    """Delete everything the index knows of `path`; tell whether it knew anything."""
    vectors.follow_all(db)
    vectors.drop_summary_vectors(db, path)
    db.execute("delete from indexed_files where path = ?", (path,))
    known = bool(db.changes())
    settle(db)
    return known


def move_file(db: Connection, old: VaultPath, new: VaultPath) -> bool:
    """Give a file another path; passages and vectors stay, nothing is embedded again.

    A title that was the file's name follows it. Tells whether `old` was known; what was known
    of `new` is gone.
    """
    row = db.execute("select id, title from indexed_files where path = ?", (old,)).fetchone()
    if row is None or old == new:
        return row is not None
    forget_file(db, new)
    vectors.move_summary_vectors(db, old, new)
    identity, title = row
    title = stem_of(new) if title == stem_of(old) else title
    db.execute("update indexed_files set path = ?, title = ? where id = ?", (new, title, identity))
    _rename(db, identity, new, title)
    return True


def naming_of(title: str, aliases: Iterable[str], tags: Iterable[str]) -> str:
    """Return the words every passage of a file is found by besides its own."""
    return " ".join([title, *aliases, *tags])


def _rename(db: Connection, file: int, path: VaultPath, title: str) -> None:
    aliases = [
        name
        for (name,) in db.execute(
            "select name from file_names where file = ? and kind = 'alias'", (file,)
        )
    ]
    tags = [tag for (tag,) in db.execute("select tag from file_tags where file = ?", (file,))]
    _put_names(db, file, path, title, aliases)
    naming = naming_of(title, aliases, tags)
    texts = [
        (identity, heading, text)
        for identity, heading, text in db.execute(
            "select id, heading, text from passages where file = ?", (file,)
        )
    ]
    for identity, heading, text in texts:
        put_words(db, identity, naming, heading, text)


def _put_names(
    db: Connection, file: int, path: VaultPath, title: str, aliases: Iterable[str]
) -> None:
    named = [(title, "title"), *((name, "alias") for name in aliases), (stem_of(path), "file")]
    names: dict[str, tuple[str, str]] = {}
    for name, kind in named:
        names.setdefault(fold(name), (name, kind))
    names.pop("", None)
    db.execute("delete from file_names where file = ?", (file,))
    db.executemany(
        "insert into file_names (file, folded, name, kind) values (?, ?, ?, ?)",
        [(file, folded, name, kind) for folded, (name, kind) in names.items()],
    )


def put_words(db: Connection, identity: int, naming: str, heading: str, text: str) -> None:
    """Store the words a passage is found by, in place of those it had."""
    db.execute("delete from passage_words where rowid = ?", (identity,))
    db.execute(
        "insert into passage_words (rowid, title, heading, body) values (?, ?, ?, ?)",
        (identity, indexed(naming), indexed(heading), indexed(text)),
    )


def _insert(
    db: Connection, file: int, ordinal: int, passage: IndexedPassage, text_hash: str
) -> int:
    db.execute(
        "insert into passages (file, ordinal, heading, line, start, end, page, language,"
        " text_hash, windows, text) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            file, ordinal, passage.heading, passage.line, passage.start, passage.end, passage.page,
            passage.language, text_hash, len(passage.windows), passage.text,
        ),
    )  # fmt: skip
    return db.last_insert_rowid()


def _update(db: Connection, identity: int, ordinal: int, passage: IndexedPassage) -> None:
    db.execute(
        "update passages set ordinal = ?, heading = ?, line = ?, start = ?, end = ?, page = ?,"
        " language = ?, windows = ? where id = ?",
        (
            ordinal, passage.heading, passage.line, passage.start, passage.end, passage.page,
            passage.language, len(passage.windows), identity,
        ),
    )  # fmt: skip
