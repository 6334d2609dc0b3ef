"""Storms of changes: whatever is told, dropped or doubled, a look ends where a plain scan does."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import NoReturn, TypeAlias

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes import FakeClock
from tests.watcher.test_watcher import SETTLE, Scene
from vaultd.core.ignore import Rules
from vaultd.model.jobs import Job, JobKind, JobState, Progress
from vaultd.store import files, joblist
from vaultd.store.database import Database
from vaultd.vault.files import Vault
from vaultd.vault.layout import make_layout
from vaultd.watcher import Watcher
from vaultd.worker import Worker

NAMES = [f"raw/{folder}{name}.md" for folder in ("", "a/", "b/") for name in "uvwxyz"]
CONTENTS = st.sampled_from(["one", "two", "three"])
NTH = st.integers(0, len(NAMES) - 1)  # of the files that are there
STEPS = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(NAMES), CONTENTS),
    st.tuples(st.just("change"), NTH, CONTENTS),
    st.tuples(st.just("move"), NTH, st.sampled_from(NAMES)),
    st.tuples(st.just("delete"), NTH, st.just("")),
    st.tuples(st.just("touch"), NTH, st.just("")),
    st.tuples(st.just("look"), st.sampled_from([0, 2, 6]), st.just("")),
    st.tuples(st.just("look"), st.just(6), st.just("")),
    st.tuples(st.just("work"), st.just(""), st.just("")),
)
Step: TypeAlias = tuple[str, str | int, str]


def do(scene: Scene, step: str, which: str | int, more: str) -> None:
    """Do to the vault what a person or a sync tool does."""
    there = sorted((scene.vault.root / "raw").rglob("*.md"))
    if isinstance(which, int) and not there:
        return
    place = there[which % len(there)] if isinstance(which, int) else scene.vault.root / which
    match step:
        case "write" | "change":
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(more)
        case "move":
            (scene.vault.root / more).parent.mkdir(parents=True, exist_ok=True)
            place.replace(scene.vault.root / more)
        case "delete":
            place.unlink()
        case "touch":
            os.utime(place)
        case "work":
            scene.finish_all()
        case _:
            raise ValueError(step)


@dataclass
class Settled:
    """Counts the contents that kept still for long enough, each path for itself."""

    number: int = 0
    since: dict[Path, tuple[tuple[bytes, int, int], float]] = field(default_factory=dict)
    last: dict[Path, bytes] = field(default_factory=dict)

    def note(self, scene: Scene) -> None:
        """Take in what a look has just seen."""
        there = set((scene.vault.root / "raw").rglob("*.md"))
        for gone in self.since.keys() - there:
            del self.since[gone]
            self.last.pop(gone, None)
        for place in there:
            content, about = place.read_bytes(), place.stat()
            look = content, about.st_mtime_ns, about.st_ino
            known, since = self.since.get(place, (None, 0.0))
            if known != look:
                self.since[place] = look, scene.steady
            elif scene.steady - since >= SETTLE and self.last.get(place) != content:
                self.last[place] = content
                self.number += 1


async def live(scene: Scene, steps: list[Step]) -> int:
    """Take the steps and come to rest; return how many contents settled."""
    settled = Settled()
    for step, which, more in steps:
        if step == "look":
            await scene.look(float(which))
            settled.note(scene)
        else:
            do(scene, step, which, more)
    for _ in range(4):
        await scene.look(SETTLE + 1)
        settled.note(scene)
        scene.finish_all()
    return settled.number


def is_as_a_scan_finds_it(scene: Scene, settled: int) -> None:
    """Every file that is there is taken care of, with its present content and no more work."""
    top = scene.vault.root
    there = {str(path.relative_to(top)): path for path in (top / "raw").rglob("*.md")}
    for path, place in there.items():
        known = scene.db.read_sync(files.find, path)
        assert known is not None
        assert known.sha256 == hashlib.sha256(place.read_bytes()).hexdigest()
    states = {s.path: str(s.state) for s in scene.standing().values() if s.path in there}
    assert states == dict.fromkeys(there, "done")
    assert scene.jobs(JobKind.INGEST) == []
    assert scene.count(JobKind.INGEST) <= settled


def scene_in(folder: Path) -> Scene:
    root = folder / "vault"
    root.mkdir()
    (root / "raw").mkdir()
    return Scene(Vault(root, make_layout(root)), Database(":memory:"), FakeClock())


@pytest.mark.parametrize("examples", [25, pytest.param(1000, marks=pytest.mark.full)])
@pytest.mark.timeout(900)
def test_any_history_ends_where_a_scan_does_b5(
    tmp_path_factory: pytest.TempPathFactory, examples: int
) -> None:
    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(st.lists(STEPS, max_size=25))
    def lived(steps: list[Step]) -> None:
        folder = tmp_path_factory.mktemp("history")
        scene = scene_in(folder)
        try:
            is_as_a_scan_finds_it(scene, asyncio.run(live(scene, steps)))
        except AssertionError as error:
            error.add_note(f"after {steps}")
            raise
        finally:
            scene.db.close()
            shutil.rmtree(folder)

    lived()


@pytest.mark.parametrize("many", [300, pytest.param(10_000, marks=pytest.mark.full)])
async def test_reading_queues_nothing_b7(tmp_path: Path, many: int) -> None:
    scene = scene_in(tmp_path)
    for number in range(many):
        scene.put(f"raw/{number}.md", f"content {number}")
    await scene.settle()
    scene.finish_all()
    await scene.look(SETTLE)
    before = scene.count(JobKind.INGEST), scene.count(JobKind.INDEX)

    for path in (scene.vault.root / "raw").iterdir():
        path.read_bytes()
    await scene.settle()

    assert (scene.count(JobKind.INGEST), scene.count(JobKind.INDEX)) == before
    scene.db.close()


async def test_twenty_times_unplugged_nothing_is_taken_for_deleted_b14(tmp_path: Path) -> None:
    scene = scene_in(tmp_path)
    for number in range(20):
        scene.put(f"raw/{number}.md", f"content {number}")
    await scene.settle()
    scene.finish_all()
    away = scene.vault.root.with_name("away")

    for _ in range(20):
        scene.vault.root.rename(away)
        await scene.look(60)
        away.rename(scene.vault.root)
        await scene.look(60)

    assert scene.jobs(JobKind.RETRACT) == []
    assert scene.count(JobKind.INGEST) == 20
    scene.db.close()


async def queue_all(folder: Path, number_of_files: int) -> float:
    """Drop so many files at once; return the processor time of the look that takes them."""
    scene = scene_in(folder)
    scene.put("raw/first.md")
    for number in range(number_of_files):
        (scene.vault.root / f"raw/{number}.md").write_text(str(number))
    await scene.look()
    began = time.process_time()
    taken = (await scene.look(SETTLE)).taken
    lasted = time.process_time() - began
    again = (await scene.look(SETTLE)).taken
    scene.db.close()
    assert (taken, again) == (number_of_files + 1, 0)
    return lasted


@pytest.mark.full
@pytest.mark.timeout(300)
async def test_twenty_thousand_files_are_queued_within_one_look_b1(tmp_path: Path) -> None:
    assert await queue_all(tmp_path, 20_000) < 30


STALLED = """
import asyncio, sys, time
from datetime import UTC, datetime
from pathlib import Path
from vaultd.core.ignore import Rules
from vaultd.store import joblist
from vaultd.store.database import Database
from vaultd.vault.files import Vault
from vaultd.vault.layout import make_layout
from vaultd.vault.notices import Notices
from vaultd.watcher import Watcher
from functools import partial

async def main(root, wanted):
    vault = Vault(root, make_layout(root))
    db = Database(":memory:")
    watcher = Watcher(vault, db, Rules, lambda: datetime.now(UTC), settle=0.2, rescan=2,
                      tell=lambda: None)
    watcher.watch_natively(partial(Notices, root))
    task = asyncio.ensure_future(watcher.run())
    print("ready", flush=True)
    found, since = 0, time.monotonic()
    while found < wanted and time.monotonic() - since < 60:  # nothing more came for a minute
        now = sum((await db.read(joblist.counts)).values())
        if now != found:
            found, since = now, time.monotonic()
        await asyncio.sleep(0.1)
    print(found, flush=True)
    task.cancel()

asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
"""


@pytest.mark.parametrize("number_of_files", [1_000, pytest.param(20_000, marks=pytest.mark.full)])
@pytest.mark.timeout(600)
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGSTOP")
def test_files_that_came_during_a_stall_are_queued_once_b1(
    tmp_path: Path, number_of_files: int
) -> None:
    root = tmp_path / "vault"
    (root / "raw").mkdir(parents=True)
    command = [sys.executable, "-c", STALLED, str(root), str(number_of_files)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watching:
        assert watching.stdout is not None
        assert watching.stdout.readline() == "ready\n"
        watching.send_signal(signal.SIGSTOP)
        for number in range(number_of_files):
            (root / f"raw/{number}.md").write_text(str(number))
        watching.send_signal(signal.SIGCONT)
        found = int(watching.stdout.readline())

    assert found == number_of_files


@pytest.mark.parametrize("code", ["EIO", "EBUSY", "ESTALE", "EDEADLK"])
async def test_a_disk_that_does_not_answer_loses_nothing_b14(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    scene = scene_in(tmp_path)
    for name in ("a", "deep/b"):
        scene.put(f"raw/{name}.md", name)
    scene.put("note.md", "a note")
    await scene.settle()
    scene.finish_all()
    number = getattr(errno, code)

    def refuse(*_: object, **__: object) -> NoReturn:
        raise OSError(number, os.strerror(number))

    for broken in ("vaultd.vault.scan.os.scandir", "pathlib.Path.is_dir"):
        with monkeypatch.context() as burst:
            burst.setattr(broken, refuse)
            for _ in range(3):
                await scene.look(60)
    await scene.look(60)

    assert scene.jobs(JobKind.RETRACT) == scene.jobs(JobKind.INDEX) == []
    assert scene.count(JobKind.INGEST) == 2
    assert {str(each.state) for each in scene.standing().values()} == {"done"}
    scene.db.close()


async def test_a_database_that_another_program_holds_ends_neither_watcher_nor_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vaultd.store.database.BUSY_MILLISECONDS", 10)
    monkeypatch.setattr("vaultd.worker.BUSY_SECONDS", 0.02)
    monkeypatch.setattr("vaultd.worker.DISK_PROBE", timedelta(seconds=0.02))
    monkeypatch.setattr("vaultd.watcher.watch.FULL_WAIT", 0.02)
    (tmp_path / "vault/raw").mkdir(parents=True)
    vault = Vault(tmp_path / "vault", make_layout(tmp_path / "vault"))
    db, clock = Database(tmp_path / "a.db"), FakeClock()
    other = apsw.Connection(str(tmp_path / "a.db"))
    begun, may_end = asyncio.Event(), asyncio.Event()

    async def ingest(job: Job, progress: Progress) -> dict[str, str]:
        begun.set()
        await may_end.wait()
        return {}

    worker = Worker(
        db, {JobKind.INGEST: ingest}, clock, parallel=2, retry_first=timedelta(seconds=1)
    )
    watcher = Watcher(vault, db, Rules, clock, settle=0.0, rescan=0.05, tell=worker.ring)
    async with asyncio.TaskGroup() as tasks:
        looking = tasks.create_task(watcher.run())
        for lane in worker.lanes():
            tasks.create_task(lane)
        (vault.root / "raw/a.md").write_text("one")
        await begun.wait()
        other.execute("begin immediate")
        (vault.root / "raw/b.md").write_text("two")
        may_end.set()
        worker.ring()
        await asyncio.sleep(0.3)
        other.execute("rollback")
        async with asyncio.timeout(20):
            while len(await db.read(joblist.listed, (JobState.DONE,))) < 2:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        looking.cancel()
        worker.stop()
    other.close()
    db.close()
