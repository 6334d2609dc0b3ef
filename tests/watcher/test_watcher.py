from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from watchdog.observers import Observer

from tests.fakes import FakeClock
from vaultd.core.ignore import Rules
from vaultd.model.jobs import Done, JobKind, JobState, NewJob
from vaultd.model.paths import SourceId, VaultPath
from vaultd.store import events, files, joblist, jobs, problems, sources, standing
from vaultd.store.database import Connection, Database
from vaultd.store.standing import Standing
from vaultd.vault import scan
from vaultd.vault.files import Vault
from vaultd.vault.notices import Notices
from vaultd.vault.scan import Content
from vaultd.watcher import Look, Watcher, watch

SETTLE = 5.0
RESCAN = 60.0


class Scene:
    """A vault, its watcher, and hands that move both clocks."""

    def __init__(self, vault: Vault, db: Database, clock: FakeClock) -> None:
        self.vault, self.db, self.clock = vault, db, clock
        self.steady = 1000.0
        self.watcher = Watcher(
            vault, db, Rules, clock, settle=SETTLE, rescan=RESCAN, tell=lambda: None
        )
        self.watcher.monotonic = lambda: self.steady

    def put(self, path: str, content: str | bytes = "content") -> Path:
        place = self.vault.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
        return place

    async def look(self, after: float = 0.0) -> Look:
        self.steady += after
        self.clock.pass_(seconds=after)
        return await self.watcher.look()

    async def settle(self) -> Look:
        """Look twice, a settle time apart."""
        await self.look()
        return await self.look(SETTLE)

    def jobs(self, kind: JobKind) -> list[str]:
        """Return the subjects of the open jobs of a kind."""
        return sorted(row.subject for row in self.db.read_sync(joblist.listed) if row.kind is kind)

    def finish_all(self) -> None:
        """Do every open job with an ingest that writes its receipt and one page."""

        def done(db: Connection) -> None:
            while job := jobs.claim(db, kinds=tuple(JobKind), now=self.clock()):
                if job.kind is JobKind.INGEST:
                    source = sources.find_by_path(db, VaultPath(job.subject))
                    assert source is not None
                    page = VaultPath(f"wiki/sources/{source.identity}.md")
                    now = self.clock()
                    sources.record_ingested(db, source.identity, job.digest, [page], now=now)
                if job.kind is JobKind.MOVE and job.payload["role"] == "source":
                    path = VaultPath(job.payload["to"])
                    old = SourceId(job.subject.removeprefix("raw/"))
                    new = SourceId(path.removeprefix("raw/"))
                    sources.move(db, old, new, path, now=self.clock())
                jobs.finish(db, job.id, Done(), now=self.clock())

        self.db.run_sync(done)

    def standing(self) -> dict[str, Standing]:
        return {each.path: each for each in self.db.read_sync(standing.standings)}

    def count(self, kind: JobKind) -> int:
        """Return how many jobs of a kind there ever were."""
        counts = self.db.read_sync(joblist.counts)
        return sum(number for (each, _), number in counts.items() if each is kind)


@pytest.fixture
def scene(vault: Vault, db: Database, clock: FakeClock) -> Scene:
    return Scene(vault, db, clock)


async def test_file_is_taken_after_it_kept_still(scene: Scene) -> None:
    scene.put("raw/a.md")

    assert (await scene.look()).pending == 1
    assert (await scene.look(SETTLE - 0.1)).taken == 0
    assert (await scene.look(0.1)).taken == 1
    assert scene.jobs(JobKind.INGEST) == ["raw/a.md"]


async def test_slow_writer_gives_one_ingest_of_the_final_bytes_w12(scene: Scene) -> None:
    for number in range(30):
        scene.put("raw/scan.txt", "x" * (number + 1))
        assert (await scene.look(SETTLE * 0.9)).taken == 0
    await scene.look(SETTLE)

    job = scene.db.read_sync(joblist.listed)[0]
    known = scene.db.read_sync(files.find, "raw/scan.txt")
    assert scene.jobs(JobKind.INGEST) == ["raw/scan.txt"]
    assert known is not None
    assert known.sha256 == job.digest


async def test_a_read_that_never_ends_delays_no_other_file_for_long_b13(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    wedged = threading.Event()
    real = scan.read_content

    def read(vault: Vault, path: VaultPath, stop: Callable[[], bool]) -> Content | None:
        if path == "raw/b.md":
            wedged.wait(10)
        return real(vault, path, stop)

    monkeypatch.setattr("vaultd.watcher.watch.read_content", read)
    monkeypatch.setattr(watch, "READ_SECONDS", 0.02)
    for name in "abcd":
        scene.put(f"raw/{name}.md", name)
    await scene.settle()
    assert scene.jobs(JobKind.INGEST) == ["raw/a.md"]
    assert scene.standing()["raw/b.md"].code == "unreadable"

    await scene.look(RESCAN)
    wedged.set()

    assert scene.jobs(JobKind.INGEST) == ["raw/a.md", "raw/c.md", "raw/d.md"]
    assert (await scene.look(RESCAN)).taken == 0


async def test_a_new_version_of_what_is_gone_is_not_waited_for(scene: Scene) -> None:
    others = [scene.put(f"raw/{number}.md", f"text {number}") for number in range(5)]
    await scene.settle()
    scene.finish_all()
    others[0].write_text("a new version")
    await scene.settle()
    assert scene.jobs(JobKind.INGEST) == ["raw/0.md"]

    others[0].unlink()
    for _ in range(4):
        await scene.look(RESCAN)

    assert scene.jobs(JobKind.INGEST) == []
    assert scene.jobs(JobKind.RETRACT) == ["raw/0.md"]


@pytest.mark.parametrize("code", sources.UNWANTED)
async def test_a_file_that_a_person_does_not_want_is_followed_and_not_taken(
    scene: Scene, code: str
) -> None:
    scene.put("raw/a.md")
    await scene.settle()
    scene.finish_all()

    def unwanted(db: Connection) -> None:
        sources.clear(db, SourceId("a.md"))
        path = VaultPath("raw/a.md")
        sources.skip(db, SourceId("a.md"), path, code=code, reason="no", now=scene.clock())

    scene.db.run_sync(unwanted)
    (scene.vault.root / "raw/a.md").rename(scene.vault.root / "raw/b.md")
    await scene.settle()
    assert scene.jobs(JobKind.MOVE) == ["raw/a.md"]
    scene.finish_all()
    assert scene.count(JobKind.INGEST) == 1
    assert scene.standing()["raw/b.md"].code == code

    (scene.vault.root / "raw/b.md").unlink()
    await scene.look()
    await scene.look(RESCAN * 2)
    assert scene.jobs(JobKind.RETRACT) == ["raw/b.md"], "links to it stand on pages that were kept"


async def test_a_file_that_was_put_off_and_went_is_forgotten(scene: Scene) -> None:
    path = scene.put("raw/half.pdf", b"%PDF-1.7 half")
    await scene.settle()
    assert scene.watcher._put_off

    path.unlink()
    await scene.look()

    assert not scene.watcher._put_off


async def test_continuous_writer_delays_no_other_file(scene: Scene) -> None:
    scene.put("raw/good.md")
    for number in range(3):
        scene.put("raw/busy.log.txt", "x" * (number + 1))
        await scene.look(SETTLE / 2)

    assert scene.jobs(JobKind.INGEST) == ["raw/good.md"]


def save_in_place(path: Path, text: bytes) -> None:
    path.write_bytes(text)


def save_by_rename(path: Path, text: bytes) -> None:
    path.with_name(".tmp123").write_bytes(text)
    path.with_name(".tmp123").replace(path)


def save_with_backup(path: Path, text: bytes) -> None:
    backup = path.with_name("a.md.bak")
    path.replace(backup)
    path.write_bytes(text)
    backup.unlink()


def save_by_delete(path: Path, text: bytes) -> None:
    path.unlink()
    path.write_bytes(text)


def save_by_link(path: Path, text: bytes) -> None:
    new = path.with_name(".new")
    new.write_bytes(text)
    path.unlink()
    path.hardlink_to(new)
    new.unlink()


SAVES = [save_in_place, save_by_rename, save_with_backup, save_by_delete, save_by_link]


@pytest.mark.parametrize("save", SAVES)
async def test_save_of_any_tool_is_one_ingest_with_the_final_content(
    scene: Scene, save: Callable[[Path, bytes], None]
) -> None:
    path = scene.put("raw/a.md", "old")
    await scene.settle()
    scene.finish_all()

    save(path, b"new text")
    await scene.settle()
    scene.finish_all()

    assert scene.count(JobKind.INGEST) == 2
    assert scene.standing()["raw/a.md"].state == "done"


@pytest.mark.parametrize("pairs", [50, pytest.param(1_000, marks=pytest.mark.full)])
async def test_touched_files_are_only_hashed_w07(scene: Scene, pairs: int) -> None:
    for number in range(pairs):
        scene.put(f"raw/{number}.md", str(number))
        scene.put(f"note{number}.md", str(number))
    await scene.settle()
    scene.finish_all()
    before = scene.db.read_sync(joblist.counts)

    for path in scene.vault.root.rglob("*.md"):
        os.utime(path, (1, 1))
    look = await scene.settle()

    assert look.taken == 2 * pairs
    assert scene.db.read_sync(joblist.counts) == before


async def test_equal_size_and_restored_time_is_noticed_w22(scene: Scene) -> None:
    path = scene.put("raw/a.md", "aaaa")
    times = path.stat().st_mtime_ns
    await scene.settle()
    scene.finish_all()

    path.write_text("bbbb")
    os.utime(path, ns=(times, times))
    await scene.settle()

    assert scene.jobs(JobKind.INGEST) == ["raw/a.md"]


async def test_idle_vault_causes_no_write_w40(scene: Scene) -> None:
    scene.put("raw/a.md")
    scene.put("raw/x.exe")
    scene.put("raw/empty.md", "")
    scene.put("note.md")
    await scene.settle()
    scene.finish_all()
    before = scene.db.read_sync(lambda db: db.total_changes())

    for _ in range(5):
        assert (await scene.look(RESCAN)).taken == 0

    assert scene.db.read_sync(lambda db: db.total_changes()) == before


async def test_own_write_is_known_by_its_content_and_a_later_edit_is_seen(scene: Scene) -> None:
    path = VaultPath("wiki/concepts/A.md")
    scene.vault.write(path, b"ours", expect=None)
    ours = NewJob(JobKind.INDEX, path, hashlib.sha256(b"ours").hexdigest())
    scene.db.run_sync(jobs.enqueue_all, [ours], now=scene.clock())
    scene.finish_all()
    await scene.settle()
    assert scene.count(JobKind.INDEX) == 1

    scene.put(path, "a person's edit")
    await scene.settle()
    assert scene.count(JobKind.INDEX) == 2


async def test_written_pages_and_temporary_files_queue_nothing_else_w24(scene: Scene) -> None:
    for number in range(20):
        scene.vault.write(
            VaultPath("wiki/x.md"), b"%d" % number, expect=scene.vault.read(VaultPath("wiki/x.md"))
        )
        await scene.look()

    assert {row.subject for row in scene.db.read_sync(joblist.listed)} <= {"wiki/x.md"}


async def test_rename_is_a_move_without_a_new_ingest(scene: Scene) -> None:
    path = scene.put("raw/a.md")
    await scene.settle()
    scene.finish_all()

    (scene.vault.root / "raw/ml").mkdir()
    path.rename(scene.vault.root / "raw/ml/better.md")
    await scene.settle()

    assert scene.jobs(JobKind.MOVE) == ["raw/a.md"]
    assert scene.jobs(JobKind.INGEST) == []
    scene.finish_all()
    for _ in range(3):
        await scene.look(RESCAN * 2)
    assert scene.jobs(JobKind.RETRACT) == []
    assert list(scene.standing()) == ["raw/ml/better.md"]
    assert scene.standing()["raw/ml/better.md"].state == "done"


async def test_second_move_follows_the_first_however_much_is_queued_before_it(scene: Scene) -> None:
    path = scene.put("raw/a.md")
    await scene.settle()
    scene.finish_all()
    there = [scene.vault.root / name for name in ("raw/b.md", "raw/c.md")]
    path.rename(there[0])
    await scene.settle()
    many = [NewJob(JobKind.LINT, f"{number}", person=True) for number in range(1001)]
    await scene.db.run(jobs.enqueue_all, many, now=scene.clock())

    there[0].rename(there[1])
    await scene.settle()

    moves = scene.db.read_sync(joblist.listed, (JobState.QUEUED,), -1, kinds=(JobKind.MOVE,))
    assert [job.subject for job in moves] == ["raw/a.md", "raw/b.md"]


async def test_moved_note_is_moved_in_the_index(scene: Scene) -> None:
    path = scene.put("note.md", "text")
    await scene.settle()
    scene.finish_all()

    path.rename(scene.vault.root / "renamed.md")
    await scene.settle()

    assert scene.jobs(JobKind.MOVE) == ["note.md"]
    assert scene.jobs(JobKind.INDEX) == []


async def test_file_moved_before_its_turn_is_ingested_once_w14(scene: Scene) -> None:
    path = scene.put("raw/a.md")
    await scene.settle()

    path.rename(scene.vault.root / "raw/b.md")
    await scene.settle()

    assert scene.jobs(JobKind.INGEST) == ["raw/b.md"]
    assert list(scene.standing()) == ["raw/b.md"]


@pytest.mark.parametrize("many", [200, pytest.param(1_500, marks=pytest.mark.full)])
async def test_folder_renamed_with_many_files_asks_for_moves_only(scene: Scene, many: int) -> None:
    for number in range(many):
        scene.put(f"raw/old/{number}.md", f"text {number}")
    await scene.settle()
    scene.finish_all()

    (scene.vault.root / "raw/old").rename(scene.vault.root / "raw/new")
    await scene.settle()

    assert scene.count(JobKind.MOVE) == many
    assert scene.count(JobKind.INGEST) == many
    assert scene.db.read_sync(problems.all_problems) == ()


async def test_same_content_twice_is_one_ingest_and_an_alias_w31(scene: Scene) -> None:
    scene.put("raw/a.md", "same")
    scene.put("raw/b.md", "same")
    await scene.settle()
    assert scene.jobs(JobKind.INGEST) == ["raw/a.md"]
    scene.finish_all()

    scene.put("raw/c.md", "same")
    await scene.settle()

    assert scene.count(JobKind.INGEST) == 1
    source = scene.db.read_sync(sources.find, SourceId("a.md"))
    assert source is not None
    assert source.aliases == ("b.md", "c.md")
    assert {each.state for each in scene.standing().values()} == {"done"}


async def test_duplicate_of_an_unfinished_source_is_not_called_done_w31(scene: Scene) -> None:
    scene.put("raw/a.md", "same")
    await scene.settle()
    scene.put("raw/b.md", "same")
    await scene.settle()

    assert scene.standing()["raw/b.md"].state == "queued"


async def test_alias_that_is_edited_becomes_a_source_of_its_own(scene: Scene) -> None:
    scene.put("raw/a.md", "same")
    scene.put("raw/b.md", "same")
    await scene.settle()
    scene.finish_all()

    scene.put("raw/b.md", "different now")
    await scene.settle()

    assert scene.jobs(JobKind.INGEST) == ["raw/b.md"]


async def test_edited_original_leaves_its_content_to_the_alias(scene: Scene) -> None:
    scene.put("raw/a.md", "same")
    scene.put("raw/b.md", "same")
    await scene.settle()
    scene.finish_all()

    scene.put("raw/a.md", "different now")
    await scene.settle()

    assert scene.jobs(JobKind.INGEST) == ["raw/a.md", "raw/b.md"]


async def test_deleted_source_is_retracted_after_grace_and_a_second_look(scene: Scene) -> None:
    for name in "abcd":
        scene.put(f"raw/{name}.md", name)
    await scene.settle()
    scene.finish_all()

    (scene.vault.root / "raw/a.md").unlink()
    await scene.look(RESCAN)
    await scene.look(RESCAN)
    assert scene.jobs(JobKind.RETRACT) == []
    await scene.look(RESCAN)

    assert scene.jobs(JobKind.RETRACT) == ["raw/a.md"]


async def test_source_that_comes_back_is_not_retracted(scene: Scene) -> None:
    for name in "abcd":
        scene.put(f"raw/{name}.md", name)
    await scene.settle()
    scene.finish_all()
    (scene.vault.root / "raw/a.md").unlink()
    for _ in range(4):
        await scene.look(RESCAN)
    assert scene.jobs(JobKind.RETRACT) == ["raw/a.md"]

    scene.put("raw/a.md", "a")
    await scene.settle()

    assert scene.jobs(JobKind.RETRACT) == []
    assert scene.jobs(JobKind.INGEST) == []
    assert scene.standing()["raw/a.md"].state == "done"


async def test_deleted_original_hands_over_to_its_alias(scene: Scene) -> None:
    scene.put("raw/a.md", "same")
    scene.put("raw/b.md", "same")
    scene.put("raw/c.md", "other")
    await scene.settle()
    scene.finish_all()

    (scene.vault.root / "raw/a.md").unlink()
    for _ in range(4):
        await scene.look(RESCAN)

    assert scene.jobs(JobKind.MOVE) == ["raw/a.md"]
    assert scene.jobs(JobKind.RETRACT) == []
    scene.finish_all()
    assert scene.standing()["raw/b.md"].state == "done"


async def test_folder_moved_out_is_forgotten_file_by_file_w18(scene: Scene, tmp_path: Path) -> None:
    for number in range(30):
        scene.put(f"keep/{number}.md", f"k{number}")
    for number in range(5):
        scene.put(f"gone/{number}.md", f"g{number}")
    await scene.settle()
    scene.finish_all()

    shutil.move(scene.vault.root / "gone", tmp_path / "elsewhere")
    for _ in range(4):
        await scene.look(RESCAN)

    assert scene.jobs(JobKind.INDEX) == [f"gone/{number}.md" for number in range(5)]


async def test_mass_disappearance_is_held_and_told(scene: Scene) -> None:
    for number in range(10):
        scene.put(f"raw/cloud/{number}.md", str(number))
    await scene.settle()
    scene.finish_all()

    shutil.rmtree(scene.vault.root / "raw/cloud")
    looks = [await scene.look(RESCAN) for _ in range(5)]

    assert looks[-1].problem == "mass_loss"
    assert scene.jobs(JobKind.RETRACT) == []
    assert len(scene.standing()) == 10
    assert [each.code for each in scene.db.read_sync(problems.all_problems)] == ["mass_loss"]


async def test_a_source_that_was_lost_sight_of_is_missed_after_a_start(scene: Scene) -> None:
    for name in "ab":
        scene.put(f"raw/{name}.md", name)
    await scene.settle()
    scene.finish_all()
    (scene.vault.root / "raw/a.md").unlink()
    scene.db.run_sync(files.forget, ["raw/a.md", "raw/b.md"])

    started = Scene(scene.vault, scene.db, scene.clock)
    for _ in range(4):
        await started.look(RESCAN)

    assert started.jobs(JobKind.RETRACT) == ["raw/a.md"]
    assert started.jobs(JobKind.INGEST) == []


async def test_root_that_is_away_deletes_nothing_and_comes_back(scene: Scene) -> None:
    scene.put("raw/a.md")
    await scene.settle()
    scene.finish_all()

    scene.vault.root.rename(scene.vault.root.with_name("unplugged"))
    for _ in range(4):
        assert (await scene.look(RESCAN)).problem == "root_missing"
    assert scene.db.read_sync(problems.all_problems)[0].code == "root_missing"

    scene.vault.root.with_name("unplugged").rename(scene.vault.root)
    await scene.settle()

    assert scene.db.read_sync(problems.all_problems) == ()
    assert scene.db.read_sync(joblist.listed) == ()


async def test_every_file_has_a_state_and_a_reason_s24(scene: Scene) -> None:
    scene.put("raw/good.md")
    scene.put("raw/program.exe")
    scene.put("raw/unknown.xyz")
    scene.put("raw/empty.md", "")
    scene.put("raw/half.pdf", b"%PDF-1.7 half")
    scene.put("raw/x.sync-conflict-20250101-000000-ABCDEFG.md")
    scene.put("raw/~$lock.docx")
    (scene.vault.root / "raw/link.md").symlink_to("/etc/hostname")
    os.mkfifo(scene.vault.root / "raw/pipe.md")
    with scene.put("raw/cloud.md").open("wb") as file:
        file.truncate(4096)
    await scene.settle()
    await scene.look(1)

    states = scene.standing()

    assert {path: each.state for path, each in states.items()} == {
        "raw/good.md": "queued",
        "raw/program.exe": "skipped",
        "raw/unknown.xyz": "skipped",
        "raw/empty.md": "parked",
        "raw/half.pdf": "waiting",
        "raw/x.sync-conflict-20250101-000000-ABCDEFG.md": "skipped",
        "raw/~$lock.docx": "skipped",
        "raw/link.md": "skipped",
        "raw/pipe.md": "skipped",
        "raw/cloud.md": "waiting",
    }
    assert all(each.reason for path, each in states.items() if path != "raw/good.md")
    assert "conflict" in scene.db.read_sync(problems.all_problems)[0].code


async def test_incomplete_file_waits_ten_minutes_and_is_taken_as_it_is_d39(scene: Scene) -> None:
    scene.put("raw/half.pdf", b"%PDF-1.7 half")
    await scene.settle()
    assert scene.jobs(JobKind.INGEST) == []
    await scene.look(300)
    assert scene.jobs(JobKind.INGEST) == []

    await scene.look(301)

    assert scene.jobs(JobKind.INGEST) == ["raw/half.pdf"]


async def test_rest_of_an_incomplete_file_is_awaited(scene: Scene) -> None:
    scene.put("raw/a.pdf", b"%PDF-1.7 half")
    await scene.settle()
    scene.put("raw/a.pdf", b"%PDF-1.7 half and the rest\n%%EOF\n")
    await scene.settle()

    assert scene.jobs(JobKind.INGEST) == ["raw/a.pdf"]


async def test_form_c_and_d_twins_are_two_sources_where_the_disk_says_so(scene: Scene) -> None:
    scene.put("raw/caf\u00e9.md", "one")
    await scene.settle()
    scene.put("raw/cafe\u0301.md", "two")
    await scene.settle()

    assert len(scene.jobs(JobKind.INGEST)) == 2
    assert len(scene.standing()) == 2


async def test_refused_file_that_vanishes_leaves_no_trace(scene: Scene) -> None:
    path = scene.put("raw/x.exe")
    await scene.look()
    path.unlink()
    await scene.look()

    assert scene.standing() == {}


async def test_burst_of_files_is_queued_once_each_w01(scene: Scene) -> None:
    for number in range(600):
        scene.put(f"raw/{number}.md", str(number))
    await scene.settle()
    await scene.look(RESCAN)

    assert scene.count(JobKind.INGEST) == 600


async def test_clock_that_is_set_back_does_not_stall_a_file(scene: Scene) -> None:
    scene.put("raw/a.md")
    await scene.look()
    scene.clock.now -= timedelta(days=1)

    assert (await scene.look(SETTLE)).taken == 1


async def test_late_look_is_unhealthy(scene: Scene) -> None:
    await scene.look()
    assert scene.watcher.healthy()
    scene.steady += RESCAN + 31

    assert not scene.watcher.healthy()


class Mute:
    """An observer that is alive and never reports anything."""

    emitters: tuple[object, ...] = ()

    def __init__(self) -> None:
        self.emitters = (self,)

    def schedule(self, *_: object, **__: object) -> None:
        self.watching = True

    def start(self) -> None:
        self.watching = True

    def stop(self) -> None:
        self.watching = False

    def join(self, timeout: float) -> None:
        self.watching = False

    def is_alive(self) -> bool:
        return True


async def _until(condition: Callable[[], bool], within: float = 10.0) -> bool:
    for _ in range(int(within / 0.02)):
        if condition():
            return True
        await asyncio.sleep(0.02)
    return False


async def test_mute_watcher_is_found_out_by_the_timed_look_w04(
    vault: Vault, db: Database, clock: FakeClock
) -> None:
    started = []

    def start() -> Mute:
        started.append(Mute())
        return started[-1]

    watcher = Watcher(vault, db, Rules, clock, settle=0.1, rescan=0.5, tell=lambda: None)
    watcher.watch_natively(lambda wake: Notices(vault.root, wake, start))
    task = asyncio.ensure_future(watcher.run())
    try:
        await asyncio.sleep(0.2)
        (vault.root / "raw/a.md").write_text("x")
        queued = await _until(lambda: db.read_sync(joblist.counts) != {})
        rebuilt = await _until(lambda: len(started) > 1)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    assert queued
    assert rebuilt


async def test_real_notice_brings_a_look_long_before_the_timed_one(
    vault: Vault, db: Database, clock: FakeClock
) -> None:
    watcher = Watcher(vault, db, Rules, clock, settle=0.1, rescan=600, tell=lambda: None)
    builds: list[None] = []

    def build() -> object:
        builds.append(None)
        return Observer()

    watcher.watch_natively(lambda wake: Notices(vault.root, wake, build))
    task = asyncio.ensure_future(watcher.run())
    try:
        await asyncio.sleep(0.5)
        (vault.root / "raw/a.md").write_text("x")
        queued = await _until(lambda: db.read_sync(joblist.counts) != {})
        await asyncio.sleep(0.5)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    assert queued
    assert len(builds) == 1
    assert db.read_sync(joblist.counts) == {(JobKind.INGEST, JobState.QUEUED): 1}


async def test_problem_is_told_once_as_an_event(scene: Scene) -> None:
    scene.put("raw/a.sync-conflict-20250101-000000-ABCDEFG.md")
    for _ in range(3):
        await scene.look()

    told = scene.db.read_sync(events.since, 0).events
    assert [each.kind for each in told] == ["problem"]
