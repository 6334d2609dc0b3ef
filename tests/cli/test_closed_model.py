"""A model that cannot be had pauses the work, says why in a sentence, and loses nothing."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.model_faults import FAULTS, error
from tests.model_server import ModelServer
from tests.reliability.zygote import FOLDERS_REST, Zygote
from vaultd.store.database import Database

TEXT = "# Salt\n\nSalt draws water out of cabbage, and in that brine lactic acid bacteria grow. "
SOURCE = "raw/Salt.md"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def source(root: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One source in a vault whose model is the scripted one."""
    monkeypatch.setenv("VAULTD_LLM__MODEL", "scripted")
    monkeypatch.setenv("VAULTD_LLM__BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-shown")
    monkeypatch.setenv("VAULTD_INGEST__RETRY_FIRST_SECONDS", "0.05")
    (root / SOURCE).write_text(TEXT * 5)
    return root / SOURCE


@pytest.mark.parametrize(
    ("fault", "code", "words"),
    [
        ("401", "endpoint_closed", "key"),
        pytest.param("404 model", "endpoint_closed", "scripted", marks=pytest.mark.full),
        pytest.param("429 quota", "endpoint_closed", "quota", marks=pytest.mark.full),
    ],
)
def test_what_the_endpoint_refuses_pauses_the_work_until_it_answers(
    source: Path,
    server: ModelServer,
    run: Callable[..., Any],
    answer: Callable[..., Any],
    fault: str,
    code: str,
    words: str,
) -> None:
    server.rules.append(lambda call: FAULTS[fault])

    result = run("ingest", str(source))

    (line,) = result.stdout.splitlines()
    assert result.exit_code == 3
    assert line.startswith(f"{SOURCE}: paused")
    assert words in line.casefold()
    assert "sk-never-shown" not in result.output
    status = answer("status")
    (file,) = status["files"]
    assert (file["state"], file["code"]) == ("waiting", code)
    assert [problem["code"] for problem in status["problems"]] == [code]
    assert words in run("status").stdout.casefold()

    server.forget()
    assert run("retry", "Salt.md").exit_code == 0
    assert answer("status")["counts"]["done"] == 1
    assert answer("status")["problems"] == []


def test_nobody_listening_pauses_the_work(
    source: Path,
    run: Callable[..., Any],
    answer: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    monkeypatch.setenv("VAULTD_LLM__BASE_URL", address)

    result = run("run", "--once")

    assert result.exit_code == 3
    assert address in run("status").stdout
    assert answer("status")["counts"]["waiting"] == 1
    assert answer("jobs")["jobs"][0]["state"] == "paused"


@pytest.mark.parametrize("command", [("run", "--once"), ("ingest", SOURCE)])
def test_an_endpoint_that_asks_to_wait_for_ever_does_not_keep_a_command(
    command: tuple[str, ...],
    source: Path,
    server: ModelServer,
    root: Path,
    run: Callable[..., Any],
    answer: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(root)
    server.rules.append(lambda call: error(429, "Slow down", retry_after="0"))

    with monkeypatch.context() as hasty:
        hasty.setattr("vaultd.daemon.patience.ENOUGH", timedelta(seconds=0.4))
        result = run(*command)

    assert result.exit_code == 3
    assert "Nothing got on" in result.stderr
    assert "Slow down" in result.stderr
    (file,) = answer("status")["files"]
    assert (file["state"], file["code"]) == ("waiting", "rate_limited")
    assert run("status").exit_code == 3

    server.forget()
    assert run("run", "--once").exit_code == 0
    assert answer("status")["counts"]["done"] == 1


def test_what_is_tried_again_after_the_run_is_not_told_as_done(
    source: Path, server: ModelServer, run: Callable[..., Any], answer: Callable[..., Any]
) -> None:
    server.rules.append(lambda call: error(429, "Come back later", retry_after="300"))

    result = run("run", "--once")

    assert result.exit_code == 3
    assert "Nothing got on" not in result.stderr, "it did not wait"
    (file,) = answer("status")["files"]
    assert (file["state"], file["code"]) == ("waiting", "rate_limited")


def test_a_model_that_fails_every_time_parks_the_source(
    source: Path, server: ModelServer, run: Callable[..., Any], answer: Callable[..., Any]
) -> None:
    server.rules.append(lambda call: FAULTS["500"])

    result = run("run", "--once")

    assert result.exit_code == 3
    (file,) = answer("status")["files"]
    assert file["state"] == "parked"
    assert file["reason"]

    server.forget()
    assert run("retry", "--all").exit_code == 0
    assert answer("status")["counts"]["done"] == 1


def test_folders_that_the_model_did_not_describe_are_told_by_the_exit_code(
    source: Path, server: ModelServer, root: Path, run: Callable[..., Any]
) -> None:
    (root / "wiki/concepts/Brine.md").write_text("---\ntype: concept\n---\nSalt in water.\n")
    server.rules.append(lambda call: FAULTS["401"])

    without = run("summarize", "wiki")
    server.forget()
    time.sleep(0.1)  # the endpoint is left alone for a moment
    again = run("summarize", "wiki")

    assert (without.exit_code, again.exit_code) == (3, 0)
    assert "fallback" in without.stdout
    assert "fallback" not in again.stdout


def test_trying_everything_again_includes_folders_that_were_given_up(
    source: Path, server: ModelServer, root: Path, run: Callable[..., Any], answer: Any
) -> None:
    assert run("run", "--once").exit_code == 0
    db = Database(root / ".llm-wiki/vaultd.db")
    db.run_sync(
        lambda connection: connection.execute(
            "update nodes set state = 'fallback', attempts = 9, next_try = null"
            " where path = 'wiki/concepts' and kind = 'folder'"
        )
    )
    db.close()
    assert answer("status")["folders"]["fallback"] == 1

    assert run("retry", "--all").exit_code == 0

    assert answer("status")["folders"]["fallback"] == 0
    assert run("status").exit_code == 0


def test_a_running_job_is_cancelled_and_can_be_tried_again(
    zygote: Zygote,
    source: Path,
    server: ModelServer,
    root: Path,
    run: Callable[..., Any],
    answer: Any,
) -> None:
    server.latency = 30.0
    said = root.parent / "said"
    command = ["ingest", str(source), "--vault", str(root)]
    working = zygote.start(command, {**os.environ, FOLDERS_REST: "0.1"}, said)
    while not server.calls:
        assert working.wait(0) is None
        time.sleep(0.02)

    assert "Cancelled 1 job" in run("cancel", "Salt.md").stdout

    assert working.wait(30) == 1
    assert "cancelled by a person" in said.read_text()
    assert answer("status")["counts"]["cancelled"] == 1
    assert not list((root / "wiki/sources").glob("Salt*"))

    server.forget()
    assert run("retry", "Salt.md").exit_code == 0
    assert answer("status")["counts"]["done"] == 1
