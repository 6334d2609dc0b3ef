"""Opening the database, and replacing it where it is damaged: the vault is the truth."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import apsw

from vaultd.core.timing import stamp
from vaultd.errors import DatabaseError
from vaultd.store.database import Connection, Database, connect, has_vectors

HEADER = b"SQLite format 3\0"
BESIDE = ("", "-wal", "-shm", "-journal")


def open_database(path: Path, *, journal: str, now: datetime) -> tuple[Database, Path | None]:
    """Open the database at `path`, or a new one in place of a damaged one.

    Returns the database and where the damaged file went, None if it was sound.

    Raises:
        DatabaseError: the file belongs to another program or a newer vaultd; it was left alone.
    """
    damaged = damage(path)
    if not damaged:
        return Database(path, journal=journal), None
    aside = path.with_name(f"{path.name}.damaged-{stamp(now)[:19].replace(':', '')}")
    for ending in BESIDE:
        part = path.with_name(path.name + ending)
        if part.exists():
            part.replace(aside.with_name(aside.name + ending))
    return Database(path, journal=journal), aside


def damage(path: Path) -> str:
    """Return what is wrong with the database file, "" if it is sound or not there."""
    if not path.exists():
        return ""
    with path.open("rb") as file:
        start = file.read(len(HEADER))
    if start != HEADER:
        return "it is empty" if not start else "it is no database"
    try:
        db = connect(str(path), readonly=True)
    except DatabaseError as error:
        return str(error)
    try:
        found = db.execute("pragma quick_check(1)").get
    except apsw.Error as error:
        return str(error)
    finally:
        db.close()
    return "" if found == "ok" else str(found)


def parts_of(db: Connection) -> tuple[str, str]:
    """Return the versions of SQLite and of the vector extension, "" where that is not loaded."""
    sqlite = str(db.execute("select sqlite_version()").get)
    return sqlite, str(db.execute("select vec_version()").get) if has_vectors(db) else ""


def version_of(db: Connection) -> int:
    """Return the number of the last migration that was made here."""
    return int(str(db.execute("pragma user_version").get))


def words_agree(db: Connection) -> bool:
    """Tell whether the full-text index covers exactly the passages; reads only.

    What is wrong inside the index itself only `store.rebuild.words_are_whole` sees.
    """
    try:
        strays = db.execute(
            "select count(*) from passages p full join passage_words w on w.rowid = p.id"
            " where p.id is null or w.rowid is null"
        ).get
    except apsw.Error:
        return False
    return bool(strays == 0)
