"""`status` and `jobs`, with and without a daemon that answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import NOON
from vaultd.cli.looking import figures_of
from vaultd.cli.target import now, target_at
from vaultd.core.timing import stamp
from vaultd.model.jobs import JobKind, NewJob
from vaultd.model.paths import SourceId, VaultPath
from vaultd.store import files, jobs, ledger, sources
from vaultd.store.database import Connection, Database
from vaultd.store.ledger import EndedCall, StartedCall
from vaultd.vault.lock import VaultLock

STATUS_KEYS = {
    "vault",
    "state",
    "counts",
    "files",
    "model",
    "reviews_open",
    "folders",
    "usage",
    "problems",
}
STATES = ("queued", "running")
COUNTS = {"done", "queued", "running", "waiting", "parked", "skipped", "cancelled"}


@pytest.fixture
def queued(root: Path) -> int:
    """One source that waits to be read; the id of its job."""
    path = VaultPath("raw/文档 one.pdf")

    def fill(db: Connection) -> int:
        sources.see(db, SourceId("文档 one.pdf"), path, "a" * 64, now=NOON)
        files.expect(db, path, "a" * 64, files.SOURCE)
        (job,) = jobs.enqueue_all(db, [NewJob(JobKind.INGEST, path, "a" * 64)], now=NOON)
        return job

    db = Database(root / ".llm-wiki/vaultd.db")
    try:
        return db.run_sync(fill)
    finally:
        db.close()


def test_an_empty_vault_has_a_whole_status(answer: Callable[..., Any], root: Path) -> None:
    status = answer("status")

    assert set(status) >= STATUS_KEYS
    assert set(status["counts"]) == COUNTS
    assert set(status["folders"]) == {"ok", "fallback", "stale", "failed"}
    assert status["state"] == "stopped"
    assert status["model"]["chat"] == "offline"
    assert not (root / ".llm-wiki/vaultd.db").exists(), "looking makes nothing"


def test_status_and_jobs_without_a_daemon_read_the_database(
    answer: Callable[..., Any], queued: int
) -> None:
    (file,) = answer("status")["files"]
    (job,) = answer("jobs")["jobs"]

    assert (file["path"], file["state"]) == ("raw/文档 one.pdf", "queued")
    assert (job["id"], job["kind"], job["state"]) == (queued, "ingest", "queued")


def test_people_read_the_same_in_lines(run: Callable[..., Any], queued: int) -> None:
    assert "1 queued" in run("status").stdout
    assert "raw/文档 one.pdf" in run("jobs").stdout


def test_in_a_stopped_vault_nothing_runs(root: Path, answer: Any, queued: int) -> None:
    db = Database(root / ".llm-wiki/vaultd.db")
    db.run_sync(jobs.claim, kinds=[JobKind.INGEST], now=now())
    db.close()

    def told() -> tuple[Any, ...]:
        status, (job,) = answer("status"), answer("jobs")["jobs"]
        of_state = [answer("jobs", "--state", each)["total"] for each in STATES]
        numbers = [kept[each] for kept in (status["counts"], status["queue"]) for each in STATES]
        return status["files"][0]["state"], job["state"], numbers, of_state

    with VaultLock(root / ".llm-wiki"):
        assert told() == ("running", "running", [0, 1, 0, 1], [0, 1])
    assert told() == ("queued", "queued", [1, 0, 1, 0], [1, 0])


def test_a_cancelled_source_says_so(run: Callable[..., Any], answer: Any, queued: int) -> None:
    assert answer("cancel", "文档 one.pdf") == {"cancelled": ["ingest"]}

    assert answer("status")["counts"]["cancelled"] == 1
    assert "Nothing is under way" in run("cancel", "raw/文档 one.pdf").stdout


def test_a_source_that_does_not_exist_gets_near_names(run: Callable[..., Any], queued: int) -> None:
    result = run("cancel", "文档 on.pdf")

    assert result.exit_code == 2
    assert "Did you mean 文档 one.pdf?" in result.stderr


class FakeBridge(BaseHTTPRequestHandler):
    """Answers with what its server holds, to those who know the token."""

    def do_GET(self) -> None:
        known = self.headers["Authorization"] == "Bearer secret"
        code, document = self.server.answers.get(  # type: ignore[attr-defined]
            self.path, (404, {"title": "Not found", "detail": f"There is no {self.path}."})
        )
        self.send_response(code if known else 401)
        self.end_headers()
        self.wfile.write(json.dumps(document).encode() if known else b"{}")

    def log_message(self, *_: Any) -> None:
        """Stay silent."""


@pytest.fixture
def bridge(root: Path) -> Iterator[dict[str, tuple[int, Any]]]:
    """A bridge that answers on this vault's port; its answers by path."""
    server = HTTPServer(("127.0.0.1", 0), FakeBridge)
    server.answers = {}  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    runtime = {"pid": 1, "port": server.server_address[1], "protocol": 1}
    (root / ".llm-wiki/bridge.json").write_text(json.dumps(runtime))
    (root / ".llm-wiki/token").write_text("secret\n")
    yield server.answers  # type: ignore[attr-defined]
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_daemon_that_answers_is_asked_first(
    answer: Callable[..., Any], bridge: dict[str, tuple[int, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    bridge["/v1/jobs"] = (200, {"jobs": [{"id": 7}]})
    bridge["/v1/jobs?state=waiting,parked"] = (200, {"jobs": []})

    assert answer("jobs") == {"jobs": [{"id": 7}], "total": 1}
    assert answer("jobs", "--state", "waiting", "--state", "parked")["total"] == 0


def test_agents_ask_for_a_status_without_its_files(
    root: Path, bridge: dict[str, tuple[int, Any]]
) -> None:
    bridge["/v1/status?files=0"] = (200, {"state": "running", "files": []})

    assert figures_of(target_at(root)) == {"state": "running", "files": []}


def test_a_refusal_of_the_daemon_is_one_sentence(
    run: Callable[..., Any], bridge: dict[str, tuple[int, Any]]
) -> None:
    bridge["/v1/jobs"] = (500, {"title": "Internal error", "detail": "The disk is full."})
    result = run("jobs")

    assert (result.exit_code, result.stderr) == (1, "vaultd: The disk is full.\n")


@pytest.mark.parametrize("broken", ["no json", '{"port": 1}', '{"pid": 3}', "[]"])
def test_what_a_dead_daemon_left_behind_is_passed_over(
    answer: Callable[..., Any], root: Path, broken: str
) -> None:
    (root / ".llm-wiki/bridge.json").write_text(broken)
    (root / ".llm-wiki/token").write_text("secret\n")

    assert answer("jobs") == {"jobs": [], "total": 0}


def test_a_foreign_program_on_the_port_is_passed_over(
    answer: Callable[..., Any], root: Path, bridge: dict[str, tuple[int, Any]]
) -> None:
    (root / ".llm-wiki/token").write_text("another\n")

    assert answer("jobs") == {"jobs": [], "total": 0}


def test_of_very_many_jobs_is_said_how_many_there_are(
    answer: Callable[..., Any], run: Callable[..., Any], root: Path
) -> None:
    def fill(db: Connection) -> None:
        new = [NewJob(JobKind.INDEX, VaultPath(f"wiki/{n}.md"), f"{n:x}") for n in range(1_203)]
        jobs.enqueue_all(db, new, now=NOON)

    database = Database(root / ".llm-wiki/vaultd.db")
    database.run_sync(fill)
    database.close()

    assert "… and 203 jobs more." in run("jobs").stdout
    assert len(answer("jobs")["jobs"]) == 1_000
    assert answer("jobs")["total"] == 1_203
    assert answer("jobs", "--state", "parked") == {"jobs": [], "total": 0}


def test_usage_adds_up_by_day(answer: Callable[..., Any], run: Any, root: Path) -> None:
    assert answer("usage") == {
        "days": [],
        "totals": {"calls": 0, "input_tokens": 0, "output_tokens": 0},
    }

    def spend(db: Connection) -> None:
        started = stamp(now() - timedelta(minutes=1))
        for number in range(3):
            call = ledger.begin_call(
                db, StartedCall(str(number), "analysis", "raw/a.pdf", "m", "p", started, 100)
            )
            ledger.end_call(db, call, EndedCall(started, "ok", output_tokens=20, reply="x"))

    db = Database(root / ".llm-wiki/vaultd.db")
    db.run_sync(spend)
    db.close()
    (day,) = answer("usage", "--days", "2")["days"]

    assert (day["calls"], day["input_tokens"], day["output_tokens"]) == (3, 300, 60)
    assert "3 calls" in run("usage").stdout


def test_of_very_many_files_the_first_in_each_state_are_told(
    run: Callable[..., Any], queued: int, root: Path
) -> None:
    def fill(db: Connection) -> None:
        for number in range(60):
            identity = SourceId(f"{number:02}.zip")
            sources.skip(db, identity, VaultPath(f"raw/{identity}"), code="x", reason="r", now=NOON)

    db = Database(root / ".llm-wiki/vaultd.db")
    db.run_sync(fill)
    db.close()

    told = run("status").stdout.splitlines()

    assert sum(line.startswith("skipped") for line in told) == 25
    assert told[-2].startswith("queued")
    assert told[-1] == "… and 35 more: `vaultd status --json` has them all."
