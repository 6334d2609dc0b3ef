"""The database file over a long life: how it is opened, how its log and its size stay bounded."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import apsw
import pytest

from tests.fakes import NOON
from tests.search.worlds import HashingEmbedder, World
from vaultd.errors import DatabaseDamagedError, DatabaseError, DiskFullError, PermanentError
from vaultd.index import Indexer
from vaultd.store import database, health
from vaultd.store.database import Connection, Database, connect, migrations
from vaultd.store.health import damage, open_database
from vaultd.vault.files import Vault
from vaultd.vault.layout import make_layout

LOG_LIMIT = 64 * 1024 * 1024
ROW = b"x" * 100_000
SCHEMA = "select type, name, sql from sqlite_master where name not like 'sqlite_%' order by 2"


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_connection_is_durable_and_in_the_journal_mode_asked_for_f1(
    tmp_path: Path, journal: str
) -> None:
    db = connect(str(tmp_path / "a.db"), journal=journal)
    try:
        wanted = {"journal_mode": journal, "synchronous": 2, "foreign_keys": 1}
        assert {name: db.execute(f"pragma {name}").get for name in wanted} == wanted
    finally:
        db.close()


def test_a_file_that_stays_in_another_journal_mode_is_refused_f1(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    Database(path).close()
    holder = apsw.Connection(str(path))  # one that reads keeps the mode as it is
    holder.execute("begin")
    holder.execute("select count(*) from jobs").fetchall()
    try:
        with pytest.raises(DatabaseError):
            connect(str(path), journal="delete")
    finally:
        holder.close()


def fault(kind: type[Exception], code: int = 0) -> Exception:
    error = kind("as SQLite says it")
    error.extendedresult = code  # type: ignore[attr-defined]
    return error


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (fault(apsw.FullError), DiskFullError),
        (fault(apsw.IOError, apsw.SQLITE_IOERR_SHMSIZE), DiskFullError),
        (fault(apsw.IOError, apsw.SQLITE_IOERR_READ), DatabaseError),
        (fault(apsw.CantOpenError), DatabaseError),
        (fault(apsw.BusyError), DatabaseError),
        (fault(apsw.NotADBError), DatabaseDamagedError),
        (fault(apsw.CorruptError), DatabaseDamagedError),
    ],
)
def test_only_what_is_damaged_is_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, told: type[Exception]
) -> None:
    path = tmp_path / "a.db"
    Database(path).close()
    before = path.read_bytes()

    def refused(path: str, *, readonly: bool) -> apsw.Connection:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(database, "_opened", refused)
        with pytest.raises(told) as raised:
            connect(str(path))
        if told is DatabaseDamagedError:
            assert "Run `vaultd run --once`" in str(raised.value)
            assert damage(path)
            return
        with pytest.raises(told):
            open_database(path, journal="wal", now=NOON)

    assert [each.name for each in tmp_path.iterdir()] == ["a.db"]
    assert path.read_bytes() == before


def test_a_new_database_without_space_leaves_no_empty_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, *, journal: str) -> Database:
        path.touch()
        raise DiskFullError("The disk is full.")

    monkeypatch.setattr(health, "Database", full)
    with pytest.raises(DiskFullError):
        open_database(tmp_path / "a.db", journal="wal", now=NOON)

    assert list(tmp_path.iterdir()) == []


def test_a_database_that_cannot_be_read_is_not_taken_for_damaged(tmp_path: Path) -> None:
    (tmp_path / "a.db").mkdir()

    with pytest.raises(PermanentError, match="directory"):
        open_database(tmp_path / "a.db", journal="wal", now=NOON)


def test_a_sound_file_of_megabytes_is_checked_in_no_time_f1(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    db = Database(path)
    db.run_sync(fill, 100)
    db.close()

    began = time.process_time()
    assert damage(path) == ""

    assert time.process_time() - began < 0.1  # 10 MB; a second is promised for ten times that


def fill(db: Connection, rows: int) -> None:
    db.execute("create table if not exists ballast (content blob)")
    db.executemany("insert into ballast values (?)", [(ROW,)] * rows)


@pytest.mark.parametrize("seconds", [1.0, pytest.param(600.0, marks=pytest.mark.full)])
@pytest.mark.timeout(700)
def test_the_log_stays_bounded_beside_a_reader_of_long_questions_f3(
    tmp_path: Path, seconds: float
) -> None:
    """Another process reads most of the time, as `vaultd search` and MCP do."""
    path = tmp_path / "a.db"
    db = Database(path)
    db.run_sync(fill, 1)
    log, done, largest = path.with_name("a.db-wal"), threading.Event(), 0

    def read() -> None:
        reader = connect(str(path), readonly=True)
        while not done.is_set():
            reader.execute("begin")
            reader.execute("select count(*) from ballast").fetchall()
            done.wait(0.9 * min(seconds, 10) / 10)  # the question takes long
            reader.execute("commit")
            done.wait(0.1 * min(seconds, 10) / 10)
        reader.close()

    thread = threading.Thread(target=read)
    thread.start()
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            db.run_sync(lambda each: each.execute("delete from ballast"))
            db.run_sync(fill, 5)
            largest = max(largest, log.stat().st_size)
            time.sleep(0.01)
    finally:
        done.set()
        thread.join()
        db.close()

    assert largest <= LOG_LIMIT
    assert not log.exists()


@pytest.mark.parametrize(
    ("notes", "turns"), [(3, 2), pytest.param(200, 20, marks=pytest.mark.full)]
)
@pytest.mark.timeout(1200)
async def test_embedding_everything_anew_again_and_again_does_not_grow_the_file_f11(
    tmp_path: Path, notes: int, turns: int
) -> None:
    (tmp_path / "vault").mkdir()
    vault = Vault(tmp_path / "vault", make_layout(tmp_path / "vault"))
    world = World(vault, Database(tmp_path / "a.db"))
    for number in range(notes):
        text = "\n\n".join(f"Paragraph {n} of {number} tells of it. " * 40 for n in range(10))
        await world.note(f"{number}.md", text)
    first = await world.db.run(size)

    for turn in range(turns):
        newer = HashingEmbedder(identity=f"hashing/again {turn}")
        indexer = Indexer(vault, world.db, None, newer, world.clock)  # type: ignore[arg-type]
        for path in await indexer.missing():
            await indexer.index_file(path)
        assert await indexer.missing() == []
        grown = await world.db.run(size) / first
        assert grown <= 2, turn

    world.db.close()


def size(db: Connection) -> int:
    return int(db.execute("pragma page_count").get)


class Died(BaseException):
    """The process is gone."""


def statements_of(script: str) -> list[str]:
    """Cut a script where SQLite does: triggers hold semicolons."""
    found, rest = [], script
    while rest.strip():
        end = next(
            n for n, sign in enumerate(rest, 1) if sign == ";" and apsw.complete(rest[:n] + " ")
        )
        found.append(rest[:end])
        rest = rest[end:]
        if not any(not line.lstrip().startswith("--") for line in rest.splitlines() if line):
            break
    return found


def test_a_migration_that_dies_at_any_statement_is_whole_or_absent_g5(tmp_path: Path) -> None:
    """The version before is left, untouched; the next start carries on to the newest schema."""
    fresh = connect(":memory:")
    database.migrate(fresh)
    newest = fresh.execute(SCHEMA).fetchall()
    fresh.close()
    path = tmp_path / "old.db"
    db = connect(str(path))
    deaths = 0
    for number, script in migrations():
        before = db.execute(SCHEMA).fetchall()
        statements = statements_of(script)
        for count in range(len(statements) + 1):

            def die(connection: Connection, done: list[str]) -> None:
                for statement in done:
                    connection.execute(statement)
                raise Died

            with pytest.raises(Died):
                database.transaction(db, "begin immediate", die, statements[:count])
            deaths += 1
            assert database.schema_version(db)[0] == number - 1
            assert db.execute(SCHEMA).fetchall() == before
        database.transaction(db, "begin immediate", database._apply, number, script)
    db.close()

    Database(path).close()
    db = connect(str(path), readonly=True)
    assert db.execute(SCHEMA).fetchall() == newest
    assert deaths > len(migrations()) * 2
    db.close()
