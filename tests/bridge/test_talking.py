from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from tests.bridge.conftest import Daemon, events_in, running, until
from tests.model_server import Call, ModelServer
from tests.reliability.zygote import Zygote
from vaultd.store.database import Database

KEY = "sk-never-to-be-seen"


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as running_server:
        yield running_server


@pytest.fixture(scope="module")
def modelled(
    zygote: Zygote, server: ModelServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Daemon]:
    """A daemon that writes with the scripted model."""
    settings = {
        "VAULTD_LLM__MODEL": "scripted",
        "VAULTD_LLM__BASE_URL": server.url,
        "OPENAI_API_KEY": KEY,
    }
    with running(zygote, tmp_path_factory.mktemp("talking"), **settings) as started:
        yield started


def begin(daemon: Daemon) -> str:
    """Begin a conversation about the cat; return its session."""
    events = daemon.stream("/v1/ingest/analysis", path="raw/cat.md")
    assert [name for name, _ in events][-1] == "done"
    return str(events[0][1]["session"])


def test_analysis_talk_and_writing(modelled: Daemon, server: ModelServer) -> None:
    session = begin(modelled)
    answer = modelled.stream(f"/v1/ingest/{session}/messages", text="Mind the MOONSHINE, please.")
    talk = modelled.get(f"/v1/ingest/{session}")
    calls = len(server.calls)
    job = modelled.job(modelled.post(f"/v1/ingest/{session}/write")["id"])
    asked = [call for call in server.calls[calls:] if call.stage == "generation"]

    assert [name for name, _ in answer][0] == "session"
    assert {name for name, _ in answer} == {"session", "piece", "done"}
    assert [turn["role"] for turn in talk["turns"]] == ["assistant", "user", "assistant"]
    assert talk["turns"][2]["text"] == "".join(d["text"] for n, d in answer if n == "piece")
    assert job["state"] == "done"
    assert "wiki/sources/cat.md" in job["result"]["pages"]
    assert asked
    assert all("MOONSHINE" in call.prompt for call in asked)
    assert not [call for call in server.calls[calls:] if call.stage == "analysis"]
    assert modelled.get(f"/v1/ingest/{session}")["state"] == "written"


def test_the_command_talks_through_the_running_daemon(modelled: Daemon) -> None:
    (modelled.root / "raw" / "whey.md").write_text("# Whey\n\nWhey runs off when milk sets.\n")
    said = subprocess.run(
        [sys.executable, "-m", "vaultd", "ingest", "--chat", str(modelled.root / "raw/whey.md")],
        input="Mind the pigs.\n/write\n",
        env=modelled.surroundings | {"VAULTD_VAULT": str(modelled.root)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert said.returncode == 0, said.stderr
    assert said.stdout.splitlines()[-1].startswith("the conversation: done, ")
    assert (modelled.root / "wiki" / "sources" / "whey.md").exists()


def test_a_session_survives_a_restart(modelled: Daemon) -> None:
    session = begin(modelled)
    modelled.stream(f"/v1/ingest/{session}/messages", text="What does it look at?")
    before = modelled.get(f"/v1/ingest/{session}")

    modelled.stop()
    modelled.start()

    assert modelled.get(f"/v1/ingest/{session}") == before
    assert modelled.stream(f"/v1/ingest/{session}/messages", text="And then?")[-1][0] == "done"
    job = modelled.post(f"/v1/ingest/{session}/write")
    assert modelled.job(job["id"])["state"] == "done"


def test_a_written_session_is_over_and_an_unknown_one_is_none(modelled: Daemon) -> None:
    session = begin(modelled)
    modelled.job(modelled.post(f"/v1/ingest/{session}/write")["id"])

    over = modelled.problem("POST", f"/v1/ingest/{session}/messages", json={"text": "More."})
    unknown = modelled.problem("POST", f"/v1/ingest/{'0' * 16}/write", json={})

    assert over["status"] == 409
    assert unknown["status"] == 404


def test_a_file_that_changed_needs_a_new_session(modelled: Daemon) -> None:
    source = modelled.root / "raw" / "animals" / "dog.md"
    events = modelled.stream("/v1/ingest/analysis", path="raw/animals/dog.md")
    source.write_text(f"{source.read_text()}\nIt swims, too.\n")

    problem = modelled.problem(
        "POST", f"/v1/ingest/{events[0][1]['session']}/messages", json={"text": "Well?"}
    )

    modelled.job(modelled.post("/v1/ingest", path="raw/animals/dog.md")["id"])  # before others ask
    assert problem["status"] == 409
    assert "changed" in problem["detail"]


def test_a_stop_waits_for_nobody(modelled: Daemon, server: ModelServer) -> None:
    ends: list[float] = []
    gate = threading.Event()
    held = threading.Event()
    waiting = threading.Event()
    source = f"raw/held {time.time_ns()}.md"  # another one if this is tried again

    def hold(_: Call) -> None:
        held.set()
        gate.wait(60)

    def listen() -> None:
        with modelled.client.stream("GET", "/v1/events/stream") as answer:
            for _ in events_in(answer.iter_lines()):
                continue
        ends.append(time.monotonic())

    def wait() -> None:
        cursor = modelled.get("/v1/events")["cursor"]
        waiting.set()
        modelled.get("/v1/events", since=cursor, wait=30)
        ends.append(time.monotonic())

    server.rules.append(hold)
    (modelled.root / source).write_text(f"# Held\n\nThe model never answers this: {source}.\n")
    modelled.post("/v1/ingest", path=source)
    clients = [threading.Thread(target=each) for each in (listen, wait)]
    for client in clients:
        client.start()
    try:
        with socket.create_connection(("127.0.0.1", modelled.port)) as deaf:
            request = "GET /v1/events/stream?since=0 HTTP/1.1\r\n"
            request += f"Host: 127.0.0.1:{modelled.port}\r\n"
            deaf.sendall(f"{request}Authorization: Bearer {modelled.token}\r\n\r\n".encode())
            assert held.wait(20)
            assert waiting.wait(20)
            time.sleep(0.3)  # its request is on the way
            runtime = modelled.state / "bridge.json"
            assert runtime.exists()
            took = modelled.stop()
            assert not runtime.exists()
    finally:
        server.rules.remove(hold)
        gate.set()
        for client in clients:
            client.join(10)
        log = modelled.output()
        if not modelled.runs:
            modelled.start()
    modelled.idle()

    assert took < 5
    assert len(ends) == 2
    assert "Traceback" not in log
    assert '"level": "error"' not in log


def test_a_rotated_token_counts_at_once(modelled: Daemon) -> None:
    from vaultd.bridge.keys import new_token
    from vaultd.vault.files import Vault

    with modelled.client.stream("GET", "/v1/events/stream") as opened_before:
        new = new_token(Vault(modelled.root, modelled.state))
        refused = modelled.client.get("/v1/status").status_code
        modelled.client.headers["Authorization"] = f"Bearer {new}"
        cursor = modelled.get("/v1/events")["cursor"]
        modelled.post("/v1/lint")
        told = [event["id"] for _, event in events_in(opened_before.iter_lines())]

    assert refused == 401
    assert modelled.client.get("/v1/status").status_code == 200
    assert all(number <= cursor for number in told), "it ends with the key that opened it"


def test_no_key_is_in_any_log_c14(modelled: Daemon) -> None:
    modelled.client.post("/v1/search", json={"query": "MOONSHINE-QUERY"})

    assert until(lambda: "bridge listens" in modelled.output(), 5)
    for secret in (KEY, modelled.token, "MOONSHINE"):
        assert secret not in modelled.output()


def test_what_was_written_offline_is_written_by_the_model(
    modelled: Daemon, server: ModelServer
) -> None:
    db = Database(modelled.state / "vaultd.db")
    db.run_sync(lambda c: c.execute("update ingest_cache set recipe = 'offline'").get)
    db.close()
    calls = len(server.calls)

    tried = modelled.post("/v1/retry", what="offline")["jobs"]
    ended = [modelled.job(job["id"]) for job in tried]

    assert {job["subject"] for job in ended} >= {"raw/cat.md", "raw/animals/dog.md"}
    assert {job["state"] for job in ended} == {"done"}
    assert [call for call in server.calls[calls:] if call.stage == "generation"]
    assert modelled.post("/v1/retry", what="offline")["jobs"] == []
