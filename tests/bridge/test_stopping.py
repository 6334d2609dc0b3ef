"""The daemon is stopped at any moment, whoever listens."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.bridge.conftest import PATIENCE, Daemon, new_vault
from tests.reliability.zygote import Zygote

PROMISED = 5.0  # seconds from SIGTERM to the end
LISTENERS = 11
SEED = 20261130

Ask = Callable[[httpx.Client], object]


def streaming(method: str, route: str, **fields: object) -> Ask:
    """Return what reads a stream slowly until somebody ends it."""

    def ask(client: httpx.Client) -> None:
        with client.stream(method, route, **fields) as answer:  # type: ignore[arg-type]
            for _ in answer.iter_bytes():
                time.sleep(0.05)

    return ask


def asking(method: str, route: str, **fields: object) -> Ask:
    return lambda client: client.request(method, route, **fields)  # type: ignore[arg-type]


ASKS: list[Ask] = [
    streaming("GET", "/v1/events/stream", params={"since": 0}),
    streaming("GET", "/v1/events/stream"),
    asking("GET", "/v1/events", params={"since": 10**6, "wait": 30}),
    asking("POST", "/v1/search", json={"query": "the moon over the harbour"}),
    asking("GET", "/v1/status"),
    asking("GET", "/v1/doctor"),
    asking("POST", "/v1/lint"),
    asking("POST", "/v1/rebuild"),
    asking("POST", "/v1/pages/open", json={"notes": ["notes/plan.md"], "wait": 30}),
    streaming("POST", "/v1/estimate", json={"paths": ["raw/cat.md", "raw/animals/dog.md"]}),
    streaming("POST", "/v1/folders/refresh", json={"path": "wiki"}),
    streaming("POST", "/v1/ingest/analysis", json={"path": "raw/cat.md"}),
]


def listening(daemon: Daemon, ask: Ask) -> threading.Thread:
    """Ask again and again in a thread of its own, until nobody answers."""
    url, headers = daemon.url, daemon.headers

    def run() -> None:
        with (
            suppress(httpx.HTTPError),
            httpx.Client(base_url=url, headers=headers, timeout=60, trust_env=False) as client,
        ):
            while True:
                ask(client)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def stopped(zygote: Zygote, folder: Path, chance: random.Random) -> float:
    """Start a daemon with work to do, listen, stop it at some moment; return the seconds."""
    root = new_vault(folder)
    for number in range(chance.randrange(12)):
        (root / "raw" / f"{number}.md").write_text(f"# {number}\n\nA text about {number} moons.\n")
    daemon = Daemon(zygote, root)
    asks = chance.choices(ASKS, k=chance.randint(0, LISTENERS))
    threads = [listening(daemon, ask) for ask in asks]
    time.sleep(chance.uniform(0, 4))
    seconds = daemon.stop()
    for thread in threads:
        thread.join(PATIENCE)
    return seconds


@pytest.mark.parametrize(
    "turn", [0, *(pytest.param(turn, marks=pytest.mark.full) for turn in range(1, 60))]
)
def test_a_stop_takes_less_than_five_seconds_at_any_moment(
    zygote: Zygote, tmp_path: Path, turn: int
) -> None:
    assert stopped(zygote, tmp_path, random.Random(SEED + turn)) < PROMISED
