"""Changing commands: the work is done here, or by whoever holds the lock, or here after all."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from vaultd.cli import working
from vaultd.cli.outcome import DEGRADED, FAILED, INTERRUPTED
from vaultd.cli.target import Target, is_free, now, target_at
from vaultd.cli.terminal import say
from vaultd.cli.watching import Bars, Lines
from vaultd.cli.working import carry_out, exit_code
from vaultd.model.jobs import Done, JobKind, JobState, NewJob
from vaultd.store import joblist, jobs
from vaultd.store.database import Database
from vaultd.store.events import Event
from vaultd.store.joblist import JobRow
from vaultd.vault.lock import VaultLock

NOTE = NewJob(JobKind.INDEX, "note.md", person=True)


@pytest.fixture
def target(root: Path, monkeypatch: pytest.MonkeyPatch) -> Target:
    """A vault with one note that is not indexed."""
    (root / "note.md").write_text("Rye takes more water than wheat.\n")
    monkeypatch.setattr(working, "LOCK_SECONDS", 0.05)
    monkeypatch.setattr(working, "LAST_SECONDS", 0.05)
    return target_at(root)


def beside(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_with_the_lock_free_the_work_is_done_here(target: Target) -> None:
    (row,) = carry_out(target, [NOTE])

    assert row.state is JobState.DONE
    assert is_free(target)


def test_beside_a_daemon_its_work_is_followed(target: Target) -> None:
    lock = VaultLock(target.state)
    lock.take()

    def daemon() -> None:
        db = Database(target.state / "vaultd.db")
        while (job := db.run_sync(jobs.claim, kinds=[JobKind.INDEX], now=now())) is None:
            time.sleep(0.01)
        db.run_sync(jobs.finish, job.id, Done({"by": "the daemon"}), now=now())
        db.close()

    thread = beside(daemon)
    (row,) = carry_out(target, [NOTE])
    thread.join()
    lock.release()

    assert row.result == {"by": "the daemon"}


def test_when_the_holder_of_the_lock_ends_first_the_work_is_done_here(target: Target) -> None:
    lock = VaultLock(target.state)
    lock.take()

    def short_command() -> None:
        db = Database(target.state / "vaultd.db")
        while not db.read_sync(joblist.listed):
            time.sleep(0.01)
        db.close()
        lock.release()

    thread = beside(short_command)
    (row,) = carry_out(target, [NOTE])
    thread.join()

    assert row.state is JobState.DONE


def row(state: JobState) -> JobRow:
    return JobRow(
        id=1,
        kind=JobKind.INGEST,
        subject="raw/a.pdf",
        digest="",
        state=state,
        attempts=0,
        deaths=0,
        person=False,
        run_at="",
        stage="",
        step=0,
        steps=0,
        reason="",
        code="",
        result={},
        changed_at="",
    )


@pytest.mark.parametrize(
    ("states", "code"),
    [
        ([JobState.DONE, JobState.DONE], 0),
        ([JobState.DONE, JobState.PARKED], DEGRADED),
        ([JobState.WAITING], DEGRADED),
        ([JobState.PAUSED], DEGRADED),
        ([JobState.CANCELLED], FAILED),
        ([JobState.DONE, JobState.RUNNING], INTERRUPTED),
        ([], 0),
    ],
)
def test_exit_codes_say_how_the_jobs_ended(states: list[JobState], code: int) -> None:
    assert exit_code([row(state) for state in states]) == code


def event(name: str, /, **payload: object) -> Event:
    return Event(1, "2026-11-29T12:00:00.000000Z", name, payload)


EVENTS = [
    event("progress", id=1, kind="ingest", subject="raw/[a].pdf", stage="reading", done=1, total=4),
    event("job", id=1, kind="ingest", subject="raw/[a].pdf", state="done", reason=""),
    event("job", id=2, kind="index", subject="wiki/a.md", state="done", reason=""),
    event("job", id=3, kind="ingest", subject="raw/b.pdf", state="parked", reason="no text"),
    event("job", id=4, kind="ingest", subject="raw/c.pdf", state="queued", reason="broken stream"),
    event("problem", code="low_space", text="The disk is almost full."),
    event("paused", need="model", code="endpoint_closed", reason="The key was refused."),
]
TOLD = [
    "raw/[a].pdf: done",
    "raw/b.pdf: parked: no text",
    "raw/c.pdf: will be tried again: broken stream",
    "The disk is almost full.",
]


def test_elsewhere_than_on_a_terminal_ends_are_lines(capsys: pytest.CaptureFixture[str]) -> None:
    for each in EVENTS:
        Lines()(each)

    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines() == [*TOLD, "Waiting: The key was refused."]


def test_no_name_of_a_file_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    name = "raw/\x1b[2J\u202egnp\nx.md"
    Lines()(event("job", id=9, kind="ingest", subject=name, state="done", reason=""))
    say(f"{name}\tتمام")

    told = capsys.readouterr()
    assert told.err == "raw/\\x1b[2J\\u202egnp\\nx.md: done\n"
    assert told.out == "raw/\\x1b[2J\\u202egnp\nx.md\tتمام\n"


def test_what_is_tried_again_for_the_same_reason_is_told_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = Lines()
    for each in [*EVENTS, *EVENTS]:
        lines(each)

    assert capsys.readouterr().err.count("will be tried again: broken stream") == 1


def test_on_a_terminal_running_jobs_have_bars() -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=100, color_system=None)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[stage]}"))
    with Progress(*columns, console=console, auto_refresh=False) as progress:
        bars = Bars(progress)
        bars(EVENTS[0])
        progress.refresh()
        (task,) = progress.tasks
        assert (task.completed, task.total) == (1, 4)
        for each in EVENTS[1:]:
            bars(each)
        assert progress.tasks == []

    for line in TOLD:
        assert line in screen.getvalue()
