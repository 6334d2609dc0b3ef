"""How soon the first answer comes: commands from a cold shell, and a daemon that has just started.

Processor time is taken beside wall time, since machines are shared: the ratio to a bare Python is
what can be compared.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
RUNS = 3
PATIENCE = 60.0  # seconds for a daemon to listen
COMMANDS = {
    "bare_python": ["-c", "pass"],
    "version": ["-m", "vaultd", "--version"],
    "help": ["-m", "vaultd", "--help"],
    "status": ["-m", "vaultd", "status"],
    "search_words": ["-m", "vaultd", "search", "why does koji get hot", "--mode", "words"],
    "search": ["-m", "vaultd", "search", "why does koji get hot"],
}


def main() -> Iterator[dict[str, Any]]:
    """Measure on a copy of the sample vault, worked through once."""
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "vault"
        shutil.copytree(ROOT / "sample-vault", vault)
        os.environ["VAULTD_VAULT"] = str(vault)
        os.environ["VAULTD_BRIDGE__PORT"] = "0"
        subprocess.run([sys.executable, "-m", "vaultd", "run", "--once"], check=True)
        for name, command in COMMANDS.items():
            wall, processor = min(_run(command) for _ in range(RUNS))
            yield {"figure": f"{name}_wall", "value": wall, "unit": "s", "note": f"best of {RUNS}"}
            yield {"figure": f"{name}_processor", "value": processor, "unit": "s", "note": ""}
        yield from _daemon(vault)


def _run(command: list[str]) -> tuple[float, float]:
    """Run a command; return its wall time and its processor time, children included."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *command], stdout=subprocess.DEVNULL, check=True)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return round(wall, 3), round(used, 3)


def _daemon(vault: Path) -> Iterator[dict[str, Any]]:
    runtime = vault / ".llm-wiki" / "bridge.json"
    began = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "vaultd", "run"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as daemon:
        try:
            while not runtime.exists() and time.perf_counter() - began < PATIENCE:
                time.sleep(0.02)
            listening = time.perf_counter() - began
            first, second = _asked(runtime), _asked(runtime)
        finally:
            daemon.terminate()
    note = "from the start of the process"
    yield {"figure": "daemon_listens", "value": round(listening, 3), "unit": "s", "note": note}
    note = "asked at once, while the embedder still loads"
    yield {"figure": "daemon_first_search", "value": round(first, 3), "unit": "s", "note": note}
    yield {"figure": "daemon_second_search", "value": round(second, 3), "unit": "s", "note": ""}


def _asked(runtime: Path) -> float:
    """Return the seconds that a search over the bridge takes."""
    port = json.loads(runtime.read_text(encoding="utf-8"))["port"]
    token = (runtime.parent / "token").read_text(encoding="utf-8").strip()
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/search",
        data=json.dumps({"query": "why does koji get hot"}).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    began = time.perf_counter()
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as response:
        response.read()
    return time.perf_counter() - began
