"""Answers of a daemon to fifty clients at once, while it ingests and while it rests."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx

CLIENTS = 50
ROUNDS = 8  # questions of each client
NOTES = int(os.environ.get("VAULTD_BENCH_NOTES", "500"))
SOURCES = int(os.environ.get("VAULTD_BENCH_SOURCES", "40"))
PATIENCE = 300.0  # seconds for the index to be built
WORDS = ["telescope", "moon", "harbour", "engine", "garden", "letter", "river", "museum"]
WORDS += ["winter", "bridge", "kernel", "orchard", "signal"]


def main() -> Iterator[dict[str, Any]]:
    """Yield one line per figure."""
    with tempfile.TemporaryDirectory() as folder:
        root = _vault(Path(folder))
        daemon = _started(root, Path(folder))
        try:
            yield from asyncio.run(_measured(root))
        finally:
            daemon.send_signal(signal.SIGTERM)
            daemon.wait(30)


def _vault(folder: Path) -> Path:
    root = folder / "vault"
    for name in (".obsidian", "raw", "notes"):
        (root / name).mkdir(parents=True)
    for number in range(NOTES):
        (root / "notes" / f"note {number}.md").write_text(_text(number), encoding="utf-8")
    return root


def _text(number: int) -> str:
    lines = [
        " ".join(WORDS[(number * step + place) % len(WORDS)] for place in range(12)) + "."
        for step in range(1, 12)
    ]
    return f"# Note {number}\n\n" + "\n\n".join(lines) + "\n"


def _started(root: Path, folder: Path) -> subprocess.Popen[bytes]:
    environ = os.environ | {
        "VAULTD_BRIDGE__PORT": "0",
        "VAULTD_INGEST__SETTLE_SECONDS": "0.1",
        "VAULTD_WATCH__RESCAN_SECONDS": "2",
        "XDG_STATE_HOME": str(folder / "state"),
    }
    with (folder / "output").open("wb") as output:
        daemon = subprocess.Popen(
            [sys.executable, "-m", "vaultd", "run", "--vault", str(root)],
            env=environ,
            stdout=output,
            stderr=output,
        )
    while not (root / ".llm-wiki" / "bridge.json").exists():
        time.sleep(0.1)
    return daemon


async def _measured(root: Path) -> Iterator[dict[str, Any]]:
    state = root / ".llm-wiki"
    port = json.loads((state / "bridge.json").read_text())["port"]
    headers = {"Authorization": f"Bearer {(state / 'token').read_text().strip()}"}
    limits = httpx.Limits(max_connections=CLIENTS)
    async with httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{port}",
        headers=headers,
        limits=limits,
        timeout=PATIENCE,
        trust_env=False,
    ) as client:
        await _idle(client)
        await _search(client, 0)  # wakes the embedder
        idle = [await _p95(client, kind) for kind in (_status, _search)]
        for number in range(SOURCES):
            (root / "raw" / f"source {number}.md").write_text(_text(number), encoding="utf-8")
        await _busy(client)
        busy = [await _p95(client, kind) for kind in (_status, _search)]
        still = bool((await client.get("/v1/jobs")).json()["jobs"])
    note = f"{CLIENTS} clients, {NOTES} notes, {SOURCES} sources"
    told = note if still else f"{note}; the ingest ended before the measurement did"
    return iter(
        [
            _line("bridge_status_p95_idle_ms", idle[0], "ms", note),
            _line("bridge_status_p95_ingest_ms", busy[0], "ms", told),
            _line("bridge_status_ingest_over_idle", busy[0] / idle[0], "ratio", "target 3"),
            _line("bridge_search_p95_idle_ms", idle[1], "ms", note),
            _line("bridge_search_p95_ingest_ms", busy[1], "ms", told),
        ]
    )


async def _idle(client: httpx.AsyncClient) -> None:
    """Wait until every note is indexed and nothing is to be done."""
    end = time.monotonic() + PATIENCE
    seen = False
    while time.monotonic() < end:
        jobs = (await client.get("/v1/jobs")).json()["jobs"]
        seen = seen or bool(jobs)
        if seen and not jobs:
            return
        await asyncio.sleep(0.5)


async def _busy(client: httpx.AsyncClient) -> None:
    """Wait until sources are read."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if (await client.get("/v1/jobs", params={"state": "running"})).json()["jobs"]:
            return
        await asyncio.sleep(0.05)


async def _status(client: httpx.AsyncClient, number: int) -> None:
    del number
    (await client.get("/v1/status")).raise_for_status()


async def _search(client: httpx.AsyncClient, number: int) -> None:
    query = f"{WORDS[number % len(WORDS)]} and {WORDS[(number * 7 + 3) % len(WORDS)]}"
    (await client.post("/v1/search", json={"query": query})).raise_for_status()


async def _p95(
    client: httpx.AsyncClient, ask: Callable[[httpx.AsyncClient, int], Awaitable[None]]
) -> float:
    """Return the 95th percentile of an answer's time in milliseconds."""
    times: list[float] = []

    async def one(client_number: int) -> None:
        for number in range(ROUNDS):
            begun = time.perf_counter()
            await ask(client, client_number * ROUNDS + number)
            times.append((time.perf_counter() - begun) * 1000)

    async with asyncio.TaskGroup() as clients:
        for number in range(CLIENTS):
            clients.create_task(one(number))
    return sorted(times)[int(len(times) * 0.95)]


def _line(figure: str, value: float, unit: str, note: str) -> dict[str, Any]:
    return {"figure": figure, "value": round(value, 2), "unit": unit, "note": note}
