"""A real daemon on a free port, asked over real HTTP."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.reliability.zygote import FOLDERS_REST, Zygote

PATIENCE = 30.0  # seconds: a loaded machine starts Python slowly
CAT = "# Cat\n\nThe cat sat on the mat and looked at the moon. Cats like mats and the moon.\n"
PLAN = "# Plan\n\nTomorrow we look at the moon through the old telescope on the roof.\n"
SOURCES = 2  # that a new vault holds
DOG = "# Dog\n\nThe dog barks at the postman. Dogs like bones and long walks in the rain.\n"


class Daemon:
    """A running `vaultd run` and a client that knows its token."""

    def __init__(self, zygote: Zygote, root: Path, **settings: str) -> None:
        self.zygote = zygote
        self.root = root
        self.state = root / ".llm-wiki"
        self._settings = settings
        self.start()

    @property
    def surroundings(self) -> dict[str, str]:
        """The environment that it runs in, and commands beside it."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith("VAULTD_")}
        return kept | {
            "VAULTD_BRIDGE__PORT": "0",
            "VAULTD_EMBEDDING__PROVIDER": "none",
            "VAULTD_INGEST__SETTLE_SECONDS": "0.05",
            "VAULTD_WATCH__RESCAN_SECONDS": "1",
            "XDG_STATE_HOME": str(self.root.parent / "state"),
            FOLDERS_REST: "0.1",
            **self._settings,
        }

    def start(self) -> None:
        output = self.root.parent / "output"
        output.touch()
        command = ["run", "--vault", str(self.root)]
        self.process = self.zygote.start(command, self.surroundings, output)
        assert until(self._answers), self.output()
        self.client = httpx.Client(
            base_url=self.url, headers=self.headers, timeout=PATIENCE, trust_env=False
        )
        self.stranger = httpx.Client(base_url=self.url, timeout=PATIENCE, trust_env=False)

    def _answers(self) -> bool:
        assert self.runs, self.output()
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return True
        except (OSError, ValueError):
            return False

    @property
    def runs(self) -> bool:
        return self.process.wait(0) is None

    @property
    def port(self) -> int:
        return int(json.loads((self.state / "bridge.json").read_text())["port"])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        return (self.state / "token").read_text().strip()

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def get(self, route: str, /, **query: Any) -> Any:
        answer = self.client.get(route, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, route: str, /, **body: Any) -> Any:
        answer = self.client.post(route, json=body)
        assert answer.status_code in (200, 202), answer.text
        return answer.json()

    def problem(self, method: str, route: str, /, **request: Any) -> dict[str, Any]:
        answer = self.client.request(method, route, **request)
        assert answer.headers["content-type"] == "application/problem+json", answer.text
        return dict(answer.json())

    def stream(self, route: str, /, **body: Any) -> list[tuple[str, Any]]:
        """Return the events of a stream that ends by itself, as (name, data)."""
        with self.client.stream("POST", route, json=body) as answer:
            answer.read() if answer.status_code != 200 else None
            assert answer.status_code == 200, answer.text
            return list(events_in(answer.iter_lines()))

    def job(self, number: int) -> dict[str, Any]:
        """Return the job once it is over or held."""
        found: dict[str, Any] = {}

        def settled() -> bool:
            found.update(self.get(f"/v1/jobs/{number}"))
            return found["state"] not in ("queued", "running")

        assert until(settled), found
        return found

    def idle(self) -> None:
        """Wait until nothing is queued or running."""
        assert until(lambda: not self.get("/v1/jobs", state="queued,running")["jobs"], 60)

    def output(self) -> str:
        logs = self.state / "logs" / "vaultd.log"
        text = (self.root.parent / "output").read_text()
        return text + (logs.read_text() if logs.exists() else "")

    def stop(self) -> float:
        """Stop it as a service manager would; return the seconds that took."""
        begun = time.monotonic()
        if self.runs:
            self.process.signal(signal.SIGTERM)
        try:
            assert self.process.wait(15) == 0, self.output()
        finally:
            self.kill()
        return time.monotonic() - begun

    def kill(self) -> None:
        """End it at once, with whatever it started."""
        if self.runs:
            self.process.kill()
            self.process.wait(10)
        self.client.close()
        self.stranger.close()


def until(condition: Callable[[], bool], within: float = PATIENCE) -> bool:
    end = time.monotonic() + within
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def events_in(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    """Yield (name, data) of every event of a stream."""
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))
            name = ""


def new_vault(folder: Path) -> Path:
    """Make a vault with two sources, a note, and what nobody may read."""
    root = folder / "vault"
    for name in (".obsidian", ".git", "raw/animals", "notes"):
        (root / name).mkdir(parents=True)
    (root / "raw" / "cat.md").write_text(CAT)
    (root / "raw" / "animals" / "dog.md").write_text(DOG)
    (root / "notes" / "plan.md").write_text(PLAN)
    (root / ".obsidian" / "app.json").write_text('{"secret": "SESAME"}')
    (root / ".git" / "config").write_text("SESAME")
    (folder / "outside.md").write_text("SESAME")
    (root / "notes" / "way-out.md").symlink_to(folder / "outside.md")
    (root / "notes" / "way-up").symlink_to(folder)
    return root


@contextmanager
def running(zygote: Zygote, folder: Path, **settings: str) -> Iterator[Daemon]:
    daemon = Daemon(zygote, new_vault(folder), **settings)
    try:
        assert until(lambda: daemon.get("/v1/status")["counts"]["done"] == SOURCES, 60)
        daemon.idle()
        yield daemon
    finally:
        daemon.stop()


@pytest.fixture(scope="session")
def daemon(zygote: Zygote, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """One daemon for all tests that leave it as they found it."""
    with running(zygote, tmp_path_factory.mktemp("bridge")) as started:
        yield started
