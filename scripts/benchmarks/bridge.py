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
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import httpx

CLIENTS = 50
SECONDS = 3.0  # of asking: a moment at which the machine is taken must not decide
NOTES = int(os.environ.get("VAULTD_BENCH_NOTES", "500"))
SOURCES = int(os.environ.get("VAULTD_BENCH_SOURCES", "120"))
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
        "VAULTD_WATCH__RESCAN_SECONDS": "60",
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
    token = (state / "token").read_text().strip()
    async with httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{port}",
        headers={"Authorization": f"Bearer {token}"},
        timeout=PATIENCE,
        trust_env=False,
    ) as client:
        await _idle(client)
        await _p95(port, token, _search)  # wakes the embedder
        idle = [await _p95(port, token, kind) for kind in (_status, _search)]
        for number in range(SOURCES):
            (root / "raw" / f"source {number}.md").write_text(_text(number), encoding="utf-8")
        await _busy(client)
        busy = [await _p95(port, token, kind) for kind in (_status, _search)]
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


def _status(number: int) -> tuple[str, bytes]:
    """Return the head of a request and its body."""
    del number
    return "GET /v1/status", b""


def _search(number: int) -> tuple[str, bytes]:
    query = f"{WORDS[number % len(WORDS)]} and {WORDS[(number * 7 + 3) % len(WORDS)]}"
    return "POST /v1/search", json.dumps({"query": query}).encode()


async def _p95(port: int, token: str, wanted: Callable[[int], tuple[str, bytes]]) -> float:
    """Return the 95th percentile of an answer's time in milliseconds.

    Each client keeps one connection and reads plain bytes, so that it costs next to nothing.
    """
    times: list[float] = []
    end = time.perf_counter() + SECONDS
    fields = f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
    fields += "Content-Type: application/json\r\n"

    async def one(client_number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number in count(client_number):
            if time.perf_counter() > end:
                break
            request, body = wanted(number)
            head = f"{request} HTTP/1.1\r\n{fields}Content-Length: {len(body)}\r\n\r\n"
            begun = time.perf_counter()
            writer.write(head.encode() + body)
            answer = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            assert answer.startswith("http/1.1 200"), answer
            length = answer.partition("content-length: ")[2].partition("\r\n")[0]
            await reader.readexactly(int(length))
            times.append((time.perf_counter() - begun) * 1000)
        writer.close()

    async with asyncio.TaskGroup() as clients:
        for number in range(CLIENTS):
            clients.create_task(one(number))
    return sorted(times)[int(len(times) * 0.95)]


def _line(figure: str, value: float, unit: str, note: str) -> dict[str, Any]:
    return {"figure": figure, "value": round(value, 2), "unit": unit, "note": note}
