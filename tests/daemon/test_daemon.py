from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vaultd.daemon.place import database_path, open_beside, open_for_work
from vaultd.daemon.run import follow_jobs, run_jobs, run_once
from vaultd.errors import DatabaseError, VaultLockedError
from vaultd.model.jobs import JobKind, JobState, NewJob
from vaultd.settings import EmbeddingSettings, IngestSettings, Settings, WatchSettings
from vaultd.status import status_of
from vaultd.store import joblist
from vaultd.store.database import Database
from vaultd.store.events import Event

SETTINGS = Settings(
    ingest=IngestSettings(settle_seconds=0.05),
    watch=WatchSettings(rescan_seconds=0.5),
    embedding=EmbeddingSettings(provider="none"),
)

DAEMON = """
import asyncio, sys
from datetime import UTC, datetime
from pathlib import Path
from vaultd.daemon.run import run_daemon
from vaultd.settings import EmbeddingSettings, IngestSettings, Settings, WatchSettings
settings = Settings(
    ingest=IngestSettings(settle_seconds=0.05),
    watch=WatchSettings(rescan_seconds=0.5),
    embedding=EmbeddingSettings(provider="none"),
)
sys.exit(asyncio.run(run_daemon(Path(sys.argv[1]), settings, lambda: datetime.now(UTC))))
"""


def clock() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".obsidian").mkdir(parents=True)
    (root / "note.md").write_text("# Note\n\nThe cat sat on the mat.\n")
    return root


def rows(root: Path) -> dict[str, str]:
    """Return the state of every index job by its subject."""
    db = open_beside(root, SETTINGS)
    try:
        found = db.read_sync(joblist.listed, tuple(JobState))
        return {row.subject: str(row.state) for row in found if row.kind is JobKind.INDEX}
    finally:
        db.close()


def until(condition: object, within: float = 20.0) -> bool:
    end = time.monotonic() + within
    while time.monotonic() < end:
        if condition():  # type: ignore[operator]
            return True
        time.sleep(0.05)
    return False


def start(root: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", DAEMON, str(root)], stdout=subprocess.DEVNULL)


async def test_one_pass_indexes_the_vault_and_a_second_does_nothing_w40(root: Path) -> None:
    assert await run_once(root, SETTINGS, clock) in (0, 3)
    assert rows(root)["note.md"] == "done"
    before = database_path(root, SETTINGS).stat().st_mtime_ns

    await run_once(root, SETTINGS, clock)

    assert list(rows(root)) == ["note.md"]
    assert database_path(root, SETTINGS).stat().st_mtime_ns == before
    assert not database_path(root, SETTINGS).with_name("vaultd.db-wal").exists()


async def test_one_pass_tells_what_happens(root: Path) -> None:
    told: list[Event] = []

    await run_once(root, SETTINGS, clock, told.append)

    assert any(each.payload.get("subject") == "note.md" for each in told)


async def test_own_jobs_are_done_and_returned(root: Path) -> None:
    done = await run_jobs(
        root, SETTINGS, clock, [NewJob(JobKind.INDEX, "note.md", "x", person=True)], lambda _: None
    )

    assert [row.state for row in done] == [JobState.DONE]


async def test_second_start_is_refused_w37(root: Path) -> None:
    async with open_for_work(root, SETTINGS, clock):
        with pytest.raises(VaultLockedError):
            await run_once(root, SETTINGS, clock)


async def test_status_counts_what_a_walk_finds_s23(root: Path) -> None:
    for name in ("a.md", "b.exe", "c.xyz", "d.md"):
        (root / "raw").mkdir(exist_ok=True)
        (root / "raw" / name).write_text(name)
    await run_once(root, SETTINGS, clock)

    db = open_beside(root, SETTINGS)
    try:
        status = db.read_sync(
            status_of, vault=str(root), running=False, chat="", embedding="builtin"
        )
    finally:
        db.close()

    assert sum(status["counts"].values()) == 4
    assert {file["path"] for file in status["files"]} == {
        f"raw/{path.name}" for path in (root / "raw").iterdir()
    }


@pytest.mark.parametrize("damage", ["text", "empty", "header", "middle"])
async def test_damaged_database_is_moved_aside_and_made_anew(root: Path, damage: str) -> None:
    for number in range(12):
        (root / f"{number}.md").write_text(f"# {number}\n\nA note about {number}.\n")
    await run_once(root, SETTINGS, clock)
    path = database_path(root, SETTINGS)
    content = bytearray(path.read_bytes())
    if damage == "middle":
        content[4096 : len(content) // 2] = os.urandom(len(content) // 2 - 4096)
    damaged = {
        "text": b"not a database at all\n" * 100,
        "empty": b"",
        "header": bytes(100) + bytes(content[100:]),
        "middle": bytes(content),
    }
    path.write_bytes(damaged[damage])

    await run_once(root, SETTINGS, clock)

    assert rows(root)["note.md"] == "done"
    aside = {each.name for each in path.parent.glob("vaultd.db.damaged-*")}
    assert len({name.removesuffix("-wal").removesuffix("-shm") for name in aside}) == 1


async def test_newer_database_is_refused_and_left_alone(root: Path) -> None:
    await run_once(root, SETTINGS, clock)
    db = Database(database_path(root, SETTINGS))
    db.run_sync(lambda connection: connection.execute("pragma user_version = 9999"))
    db.close()
    before = database_path(root, SETTINGS).read_bytes()

    with pytest.raises(DatabaseError, match="newer"):
        await run_once(root, SETTINGS, clock)
    assert database_path(root, SETTINGS).read_bytes() == before


def test_daemon_indexes_what_is_dropped_and_stops_cleanly(root: Path) -> None:
    with start(root) as daemon:
        try:
            assert until(lambda: database_path(root, SETTINGS).exists() and rows(root))
            (root / "later.md").write_text("# Later\n\nA dropped note.\n")
            assert until(lambda: rows(root).get("later.md") == "done")
            daemon.send_signal(signal.SIGTERM)
            assert daemon.wait(10) == 0
        finally:
            daemon.kill()
    assert not database_path(root, SETTINGS).with_name("vaultd.db-wal").exists()


HANGING = """
import asyncio, os, signal, time
from vaultd.daemon import run
run.STOP_SECONDS = 0.1
async def hang():
    stop = run._Stop(at_term=run.DONE)
    async with stop.on_signals():
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(60)
asyncio.run(hang())
"""


def test_a_stop_ends_in_time_whatever_hangs() -> None:
    hanging = subprocess.run(
        [sys.executable, "-c", HANGING], timeout=30, capture_output=True, text=True, check=False
    )

    assert hanging.returncode == 0
    assert "stopped before everything had ended" in hanging.stdout + hanging.stderr


async def test_command_beside_a_daemon_has_its_job_done(root: Path) -> None:
    with start(root) as daemon:
        try:
            assert until(lambda: database_path(root, SETTINGS).exists() and rows(root))
            told: list[Event] = []
            job = NewJob(JobKind.INDEX, "note.md", "another", person=True)
            done = await follow_jobs(root, SETTINGS, clock, [job], told.append)
        finally:
            daemon.kill()

    assert [row.state for row in done] == [JobState.DONE]
    assert told


def test_killed_daemon_goes_on_where_it_was_w29_w36(root: Path) -> None:
    for number in range(10):
        (root / f"{number}.md").write_text(f"# {number}\n\nText {number}.\n")
    for _ in range(2):
        with start(root) as daemon:
            until(lambda: database_path(root, SETTINGS).exists(), 10)
            time.sleep(0.3)
            daemon.kill()
    with start(root) as daemon:
        try:
            assert until(lambda: list(rows(root).values()) == ["done"] * 11)
            daemon.send_signal(signal.SIGTERM)
            assert daemon.wait(10) == 0
        finally:
            daemon.kill()
