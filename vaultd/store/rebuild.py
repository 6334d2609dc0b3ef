"""The derived parts of the index: whether they are whole, and how to make them again."""

from __future__ import annotations

import apsw

from vaultd.store.database import Connection
from vaultd.store.health import words_agree
from vaultd.store.passages import naming_of, put_words
from vaultd.store.vector_index import rebuild_index
from vaultd.store.vectors import embedders


def words_are_whole(db: Connection) -> bool:
    """Tell whether the full-text index is sound and covers exactly the passages.

    SQLite's own integrity check does not see a full-text index that fell behind its rows.
    """
    try:
        db.execute("insert into passage_words (passage_words) values ('integrity-check')")
    except apsw.CorruptError:
        return False
    return words_agree(db)


def rebuild_words(db: Connection) -> int:
    """Drop the full-text index and fill a new one from the passages; return how many.

    FTS5's own 'rebuild' was seen to succeed on a damaged index and to keep half of it.
    """
    tables = ("passage_words", "word_counts")
    made_by = [
        str(db.execute("select sql from sqlite_master where name = ?", (table,)).get)
        for table in tables
    ]
    for table in reversed(tables):
        db.execute(f"drop table {table}")
    for sql in made_by:
        db.execute(sql)
    naming = _namings(db)
    rows = [
        (passage, file, heading, text)
        for passage, file, heading, text in db.execute(
            "select id, file, heading, text from passages order by id"
        )
    ]
    for passage, file, heading, text in rows:
        put_words(db, passage, naming[file], heading, text)
    return len(rows)


def merge_words(db: Connection, pages: int) -> bool:
    """Merge about so many pages of the full-text index; tell whether there was anything to do.

    Every file that is indexed adds a run of words of its own. A negative number begins to merge
    all runs into one, a positive one goes on with that (https://sqlite.org/fts5.html, "merge").
    """
    before = db.total_changes()
    merging = "insert into passage_words (passage_words, rank) values ('merge', ?)"
    db.execute(merging, (pages,))
    return db.total_changes() - before >= 2  # the command itself counts for one


def rebuild_vectors(db: Connection) -> None:
    """Make every derived vector index again from the windows."""
    for embedder in embedders(db):
        rebuild_index(db, embedder)


def is_unknown(db: Connection) -> bool:
    """Tell whether the database knows of no page and no source: it is new, or was lost."""
    found = "select exists (select 1 from pages) or exists (select 1 from sources)"
    return not db.execute(found).get


def known_files(db: Connection) -> list[tuple[str, str]]:
    """Return path and content hash of every file that is followed or indexed."""
    rows = db.execute(
        "select path, sha256 from files union select path, content_hash from indexed_files"
        " where path not in (select path from files) order by 1"
    )
    return [(str(path), str(digest)) for path, digest in rows]


def _namings(db: Connection) -> dict[int, str]:
    aliases: dict[int, list[str]] = {}
    for file, name in db.execute("select file, name from file_names where kind = 'alias'"):
        aliases.setdefault(file, []).append(name)
    tags: dict[int, list[str]] = {}
    for file, tag in db.execute("select file, tag from file_tags"):
        tags.setdefault(file, []).append(tag)
    return {
        file: naming_of(title, aliases.get(file, ()), tags.get(file, ()))
        for file, title in db.execute("select id, title from indexed_files")
    }
