from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.reliability.places import FastClock
from tests.reliability.zygote import FOLDERS_REST, Run, Zygote
from vaultd.crash import CRASH_VARIABLE
from vaultd.daemon.place import database_path, open_beside, open_for_work
from vaultd.daemon.run import follow_jobs, run_jobs, run_once
from vaultd.errors import DatabaseError, VaultLockedError
from vaultd.model.jobs import JobKind, JobState, NewJob, RetryAt
from vaultd.settings import EmbeddingSettings, IngestSettings, Settings, WatchSettings
from vaultd.status import status_of
from vaultd.store import joblist, jobs
from vaultd.store.database import Connection, Database
from vaultd.store.events import Event

SETTINGS = Settings(
    ingest=IngestSettings(settle_seconds=0.05),
    watch=WatchSettings(rescan_seconds=0.5),
    embedding=EmbeddingSettings(provider="none"),
)

ENVIRONMENT = {
    "VAULTD_INGEST__SETTLE_SECONDS": "0.05",
    "VAULTD_WATCH__RESCAN_SECONDS": "0.5",
    "VAULTD_EMBEDDING__PROVIDER": "none",
    "VAULTD_BRIDGE__ENABLED": "false",
    FOLDERS_REST: "0.1",
}
clock = FastClock()  # folders are described three seconds after the last change


def make(root: Path) -> Path:
    (root / ".obsidian").mkdir(parents=True)
    (root / "note.md").write_text("# Note\n\nThe cat sat on the mat.\n")
    return root


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make(tmp_path / "vault")


@pytest.fixture(scope="module")
def worked_on(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault that was worked on, to be copied."""
    root = make(tmp_path_factory.mktemp("made") / "vault")
    for number in range(12):
        (root / f"{number}.md").write_text(f"# {number}\n\nA note about {number}.\n")
    asyncio.run(run_once(root, SETTINGS, clock))
    return root


def rows(root: Path) -> dict[str, str]:
    """Return the state of every index job by its subject, none while there is no database."""
    if not database_path(root, SETTINGS).exists():
        return {}
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


@contextmanager
def running(zygote: Zygote, root: Path, **more: str) -> Iterator[Run]:
    """Start the daemon on the vault; it is killed in the end if it still runs."""
    command, log = ["--vault", str(root), "run"], root.parent / "output.txt"
    daemon = zygote.start(command, ENVIRONMENT | more, log)
    try:
        yield daemon
    finally:
        daemon.kill()
        daemon.wait(10)


def has_begun(root: Path) -> bool:
    """Wait until the daemon has opened the vault and queued something."""
    return until(lambda: rows(root))


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


async def test_a_database_that_fails_meanwhile_ends_it_with_a_sentence(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def claim(db: Connection, **_: object) -> None:
        raise DatabaseError("The database is damaged.")

    monkeypatch.setattr("vaultd.store.jobs.claim", claim)

    with pytest.raises(DatabaseError, match="damaged"):
        await run_once(root, SETTINGS, clock)


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


@pytest.mark.parametrize("damage", ["text", "empty", "header", "middle", "half", "short"])
async def test_damaged_database_is_moved_aside_and_made_anew(
    tmp_path: Path, worked_on: Path, damage: str
) -> None:
    root = Path(shutil.copytree(worked_on, tmp_path / "vault"))
    path = database_path(root, SETTINGS)
    content = bytearray(path.read_bytes())
    if damage == "middle":
        content[4096 : len(content) // 2] = os.urandom(len(content) // 2 - 4096)
    damaged = {
        "text": b"not a database at all\n" * 100,
        "empty": b"",
        "header": bytes(100) + bytes(content[100:]),
        "middle": bytes(content),
        "half": bytes(content[: len(content) // 2]),
        "short": bytes(content[:-1_000]),
    }
    path.write_bytes(damaged[damage])

    await run_once(root, SETTINGS, clock)

    assert rows(root)["note.md"] == "done"
    aside = {each.name for each in path.parent.glob("vaultd.db.damaged-*")}
    assert len({name.removesuffix("-wal").removesuffix("-shm") for name in aside}) == 1


async def test_newer_database_is_refused_and_left_alone(tmp_path: Path, worked_on: Path) -> None:
    root = Path(shutil.copytree(worked_on, tmp_path / "vault"))
    db = Database(database_path(root, SETTINGS))
    db.run_sync(lambda connection: connection.execute("pragma user_version = 9999"))
    db.close()
    before = database_path(root, SETTINGS).read_bytes()

    with pytest.raises(DatabaseError, match="newer"):
        await run_once(root, SETTINGS, clock)
    assert database_path(root, SETTINGS).read_bytes() == before


def test_daemon_indexes_what_is_dropped_and_stops_cleanly(root: Path, zygote: Zygote) -> None:
    with running(zygote, root) as daemon:
        assert has_begun(root)
        (root / "later.md").write_text("# Later\n\nA dropped note.\n")
        assert until(lambda: rows(root).get("later.md") == "done")
        daemon.signal(signal.SIGTERM)
        assert daemon.wait(10) == 0
    assert not database_path(root, SETTINGS).with_name("vaultd.db-wal").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_working_leaves_no_handle_thread_or_child_behind_g3(root: Path, zygote: Zygote) -> None:
    def held(pid: int) -> list[int]:
        about = Path(f"/proc/{pid}")
        children = (about / f"task/{pid}/children").read_text().split()
        return [len(list(about.glob(each))) for each in ("fd/*", "task/*")] + [len(children)]

    with running(zygote, root) as daemon:
        found = []
        for turn in range(3):
            for number in range(8):
                (root / f"{turn} {number}.md").write_text(f"# {number}\n\nText of turn {turn}.\n")
            wanted = 8 * (turn + 1) + 1
            assert until(lambda wanted=wanted: list(rows(root).values()) == ["done"] * wanted)
            found.append(held(daemon.pid))
        # what the last job still holds at that moment goes by itself
        assert until(lambda: held(daemon.pid) == found[1]), (found, held(daemon.pid))


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


async def test_command_beside_a_daemon_has_its_job_done(root: Path, zygote: Zygote) -> None:
    with running(zygote, root):
        assert await asyncio.to_thread(has_begun, root)
        told: list[Event] = []
        job = NewJob(JobKind.INDEX, "note.md", "another", person=True)
        done = await follow_jobs(root, SETTINGS, lambda: datetime.now(UTC), [job], told.append)

    assert [row.state for row in done] == [JobState.DONE]
    assert told


async def test_what_a_daemon_tries_again_and_again_is_not_followed_for_ever(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vaultd.daemon.patience.ENOUGH", timedelta(seconds=0.1))
    job = NewJob(JobKind.INDEX, "note.md", "x")

    def limited(db: Connection) -> None:
        jobs.enqueue_all(db, [job], now=clock())
        claimed = jobs.claim(db, kinds=[JobKind.INDEX], now=clock())
        assert claimed is not None
        again = RetryAt(clock(), "slow down", "rate_limited", counted=False)
        jobs.finish(db, claimed.id, again, now=clock())

    async with open_for_work(root, SETTINGS, clock) as place:
        await place.db.run(limited)
        told: list[Event] = []
        (row,) = await follow_jobs(root, SETTINGS, clock, [job], told.append)

    assert (row.state, row.reason) == (JobState.WAITING, "slow down")
    assert "Nothing got on" in told[-1].payload["text"]


async def test_a_file_that_is_written_for_ever_does_not_keep_a_pass(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vaultd.daemon.patience.ENOUGH", timedelta(seconds=0.4))
    recording = root / "raw/recording.md"
    recording.parent.mkdir()

    async def record() -> None:
        while True:
            with recording.open("a") as file:
                file.write("It goes on.\n")
            await asyncio.sleep(0.01)

    told: list[Event] = []
    writing = asyncio.ensure_future(record())
    code = await run_once(root, SETTINGS, clock, told.append)
    writing.cancel()

    assert code == 3
    assert rows(root) == {"note.md": "done"}
    assert "Nothing got on" in told[-1].payload["text"]


def test_killed_daemon_goes_on_where_it_was_w29_w36(root: Path, zygote: Zygote) -> None:
    for number in range(10):
        (root / f"{number}.md").write_text(f"# {number}\n\nText {number}.\n")
    for point in ("jobs.claim.stored#3", "index.store"):  # twice while a job is running
        with running(zygote, root, **{CRASH_VARIABLE: point}) as daemon:
            assert daemon.wait(20) == -signal.SIGKILL
    with running(zygote, root) as daemon:
        assert until(lambda: list(rows(root).values()) == ["done"] * 11)
        daemon.signal(signal.SIGTERM)
        assert daemon.wait(10) == 0
