"""One database file: opened, migrated, and reached through two threads."""

from __future__ import annotations

import asyncio
import importlib.resources
import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import quote

import apsw

from vaultd.crash import crash_point
from vaultd.errors import (
    DatabaseDamagedError,
    DatabaseError,
    DiskFullError,
    TransientError,
    VaultdError,
)

Connection = apsw.Connection

P = ParamSpec("P")
T = TypeVar("T")
Query = Callable[Concatenate[Connection, P], T]

BUSY_MILLISECONDS = 10_000
WAL_BYTES = 32 * 1024 * 1024  # a longer log is cut back at the next checkpoint
REPAIR = "Run `vaultd run --once`: it is set aside and made anew from the vault."
DAMAGE = (apsw.CorruptError, apsw.NotADBError)
FAULTS = (*DAMAGE, apsw.FullError, apsw.IOError, apsw.BusyError)  # of the file or its disk
APPLICATION_ID = 0x7661756C  # "vaul": tells our file from any other SQLite file


def migrations() -> list[tuple[int, str]]:
    """Return number and text of every migration script, in order (a test forbids gaps)."""
    folder = importlib.resources.files("vaultd.store") / "migrations"
    scripts = sorted(
        (int(match[1]), entry.read_text(encoding="utf-8"))
        for entry in folder.iterdir()
        if (match := re.match(r"(\d{4})_\w+\.sql$", entry.name))
    )
    return scripts


def connect(path: str, *, journal: str = "wal", readonly: bool = False) -> Connection:
    """Open `path` with everything every connection needs; does not migrate.

    `journal` is "wal" on a local disk, "delete" where shared memory is not coherent.

    Raises:
        DiskFullError: there is no space for it.
        DatabaseDamagedError: the file is no database, or a broken one.
        DatabaseError: it cannot be opened for another reason, or refuses the journal mode.
    """
    db = None
    try:
        db = _opened(path, readonly=readonly)
        db.set_busy_timeout(BUSY_MILLISECONDS)
        load_vectors(db)
        if not readonly:
            _set_journal(db, journal if path not in ("", ":memory:") else "memory")
            db.execute("pragma synchronous = full")
        else:
            db.execute("pragma query_only = on")
        db.execute("pragma foreign_keys = on")
        db.execute("pragma fullfsync = on")
        db.execute("pragma checkpoint_fullfsync = on")
        db.execute(f"pragma journal_size_limit = {WAL_BYTES}")
    except (apsw.Error, DatabaseError) as error:
        if db is not None:
            db.close()
        if isinstance(error, (*DAMAGE, apsw.FullError)) or _lacks_space(error):
            raise _sorted(error) from error
        if isinstance(error, DatabaseError):
            raise
        raise DatabaseError(f"The database {path} cannot be opened: {error}.") from error
    return db


def _opened(path: str, *, readonly: bool) -> Connection:
    """Open the file. A reader may write if it can, so that the last to close leaves no `-wal`."""
    writing = apsw.SQLITE_OPEN_READWRITE
    if not readonly:
        return apsw.Connection(path, flags=writing | apsw.SQLITE_OPEN_CREATE)
    if os.access(path, os.W_OK):
        return apsw.Connection(path, flags=writing)
    still = f"file:{quote(path)}?immutable=1"  # on a medium where nobody writes
    return apsw.Connection(still, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def load_vectors(db: Connection) -> bool:
    """Load the vector extension into `db`; False where it cannot be loaded."""
    package = find_spec("sqlite_vec")  # found, not imported: it would bring NumPy for nothing
    if package is None or package.origin is None:
        return False
    try:
        db.enable_load_extension(enable=True)
        db.load_extension(str(Path(package.origin).with_name("vec0")))
        db.enable_load_extension(enable=False)
    except (apsw.Error, OSError, AttributeError):
        return False
    return True


def has_vectors(db: Connection) -> bool:
    """Tell whether `db` has the vector extension."""
    return bool(db.execute("select 1 from pragma_function_list where name = 'vec_version'").get)


def _set_journal(db: Connection, mode: str) -> None:
    actual = db.execute(f"pragma journal_mode = {mode}").get
    if actual != mode:
        raise DatabaseError(f"The database stays in journal mode {actual} instead of {mode}.")


def migrate(db: Connection) -> None:
    """Bring the schema up to date, one script and its version in one transaction each.

    Raises:
        DatabaseError: the file is newer than this program, or belongs to another one.
    """
    try:
        version = int(db.execute("pragma user_version").get)
        owner = int(db.execute("pragma application_id").get)
        scripts = migrations()
        if owner not in (0, APPLICATION_ID) or (version and owner != APPLICATION_ID):
            raise DatabaseError("The database file belongs to another program.")
        newest = scripts[-1][0]
        if version > newest:
            raise DatabaseError(
                f"The database was written by a newer vaultd (schema {version}, this program "
                f"knows {newest}). Update vaultd; nothing was changed."
            )
        for number, script in scripts:
            if number <= version:
                continue
            crash_point(f"migration.{number}")
            transaction(db, "begin immediate", _apply, number, script)
    except apsw.Error as error:
        raise DatabaseError(f"The database cannot be brought up to date: {error}.") from error


def schema_version(db: Connection) -> tuple[int, int]:
    """Return the version of the file's schema and the one that this program works with."""
    return int(db.execute("pragma user_version").get), migrations()[-1][0]


def _apply(db: Connection, number: int, script: str) -> None:
    if int(db.execute("pragma user_version").get) >= number:
        return  # another process opened the file at the same moment and was faster
    db.execute(f"pragma application_id = {APPLICATION_ID}")
    db.execute(script)
    db.execute(f"pragma user_version = {number}")


def transaction(
    db: Connection, begin: str, query: Callable[..., T], *args: Any, **kwargs: Any
) -> T:
    """Run `query(db, …)` between `begin` and commit; roll back if it raises.

    Raises:
        DiskFullError: the disk or the quota is full; nothing was stored.
        TransientError: the disk does not answer, or another process holds the file for long.
        DatabaseDamagedError: the file is damaged.
    """
    try:
        db.execute(begin)
        try:
            result = query(db, *args, **kwargs)
        except BaseException:
            if db.in_transaction:
                db.execute("rollback")
            raise
        db.execute("commit")
    except FAULTS as error:
        raise _sorted(error) from error
    return result


def _sorted(error: Exception) -> VaultdError:
    """Return our error for a fault of the file or its disk, by the reaction it asks for."""
    if isinstance(error, apsw.FullError) or _lacks_space(error):
        return DiskFullError("The disk is full: nothing was stored.")
    if isinstance(error, DAMAGE):
        return DatabaseDamagedError(f"The database is damaged: {error}. {REPAIR}")
    return TransientError(f"The database did not answer: {error}.")


def _lacks_space(error: Exception) -> bool:
    """Tell whether there was no room for the memory that connections share."""
    code = getattr(error, "extendedresult", 0)  # not in the library's types
    return bool(code == apsw.SQLITE_IOERR_SHMSIZE)


class Database:
    """One file, one writing and one reading connection, each on its own thread.

    Queries are plain functions whose first argument is the connection. A write is one
    `BEGIN IMMEDIATE` transaction; a read sees one consistent state and never waits for a write
    (in WAL mode). An in-memory database has one connection for both.
    """

    def __init__(self, path: str | Path, *, journal: str = "wal", readonly: bool = False) -> None:
        self.path = str(path)
        self._journal = journal
        self._writing = ThreadPoolExecutor(1, "vaultd-write")
        self._reading = self._writing
        try:
            self._writer = self._writing.submit(
                connect, self.path, journal=journal, readonly=readonly
            ).result()
        except BaseException:
            self._writing.shutdown()
            raise
        self._reader = self._writer
        if readonly:
            return
        try:
            self._writing.submit(migrate, self._writer).result()
            if self.path not in ("", ":memory:"):
                self._reading = ThreadPoolExecutor(1, "vaultd-read")
                self._reader = self._reading.submit(connect, self.path, readonly=True).result()
        except BaseException:
            self.close()
            raise

    async def run(self, query: Query[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a writing `query` in one transaction; roll back if it raises."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(
            self._writing, lambda: self._write(query, *args, **kwargs)
        )

    async def read(self, query: Query[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a reading `query` on a consistent state."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._reading, lambda: self._read(query, *args, **kwargs))

    def run_sync(self, query: Query[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """As `run`, from a thread without an event loop."""
        return self._writing.submit(lambda: self._write(query, *args, **kwargs)).result()

    def read_sync(self, query: Query[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """As `read`, from a thread without an event loop."""
        return self._reading.submit(lambda: self._read(query, *args, **kwargs)).result()

    def close(self) -> None:
        """Close both connections and leave no `-wal` behind. Safe to call twice."""
        if self._reader is not self._writer:
            self._reading.submit(self._reader.close).result()
            self._reading.shutdown()
        self._writing.submit(self._writer.close).result()
        self._writing.shutdown()

    def _write(self, query: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        name = f"{query.__module__.rpartition('.')[2]}.{query.__name__}"
        crash_point(name)
        result = transaction(self._writer, "begin immediate", query, *args, **kwargs)
        crash_point(f"{name}.stored")
        return result

    def _read(self, query: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        return transaction(self._reader, "begin", query, *args, **kwargs)
