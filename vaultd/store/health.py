"""Opening the database, and replacing it where it is damaged: the vault is the truth."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import apsw

from vaultd.core.timing import stamp, storage_fault
from vaultd.errors import DatabaseDamagedError, DiskFullError
from vaultd.store.database import Connection, Database, connect, has_vectors, transaction

HEADER = b"SQLite format 3\0"
HEADER_BYTES = 100
LARGEST_PAGE = 65_536  # bytes; its number does not fit, 1 stands for it
BESIDE = ("", "-wal", "-shm", "-journal")


def open_database(path: Path, *, journal: str, now: datetime) -> tuple[Database, Path | None]:
    """Open the database at `path`, or a new one in place of a damaged one.

    Returns the database and where the damaged file went, None if it was sound.

    Raises:
        DatabaseError: the file belongs to another program or a newer vaultd; it was left alone.
        VaultdError: there is no space to open it, or it cannot be read; it was left alone.
    """
    damaged = damage(path)
    if not damaged:
        return _opened(path, journal), None
    aside = path.with_name(f"{path.name}.damaged-{stamp(now)[:19].replace(':', '')}")
    try:
        for ending in BESIDE:
            part = path.with_name(path.name + ending)
            if part.exists():
                part.replace(aside.with_name(aside.name + ending))
    except OSError as error:  # on Windows another program that has it open
        raise storage_fault(error) from error
    return _opened(path, journal), aside


def _opened(path: Path, journal: str) -> Database:
    """Open the database; a new one for which there is no space leaves no empty file."""
    is_new = not path.exists()
    try:
        return Database(path, journal=journal)
    except DiskFullError:
        if is_new and path.exists() and not path.stat().st_size:
            path.unlink()
        raise


def damage(path: Path) -> str:
    """Return what is wrong with the database file, "" if it is sound or not there.

    Raises:
        VaultdError: it cannot be opened, which does not tell that it is damaged.
    """
    if not path.exists():
        return ""
    try:
        with path.open("rb") as file:
            start = file.read(HEADER_BYTES)
    except OSError as error:
        raise storage_fault(error) from error
    if not start.startswith(HEADER):
        return "it is empty" if not start else "it is no database"
    if _is_cut_short(path, start):
        return "its end is missing"
    try:
        db = connect(str(path), readonly=True)
    except DatabaseDamagedError as error:
        return str(error.__cause__)
    try:
        return transaction(db, "begin", _what_is_wrong)
    except DatabaseDamagedError as error:
        return str(error.__cause__)
    finally:
        db.close()


def _is_cut_short(path: Path, header: bytes) -> bool:
    """Tell whether the file has fewer bytes than its header says; SQLite takes them for zeros.

    With a log beside it the file may have been growing when the power went.
    """
    logs = [path.with_name(path.name + ending) for ending in ("-wal", "-journal")]
    if header[24:28] != header[92:96] or any(log.exists() and log.stat().st_size for log in logs):
        return False  # the number of pages is of an older state, or about to change
    page = int.from_bytes(header[16:18])
    pages = int.from_bytes(header[28:32])
    return path.stat().st_size < pages * (LARGEST_PAGE if page == 1 else page)


def _what_is_wrong(db: Connection) -> str:
    try:
        found = db.execute("pragma quick_check(1)").get
    except apsw.SQLError as error:
        return str(error)  # the question is sound, so the file's own description is not
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
