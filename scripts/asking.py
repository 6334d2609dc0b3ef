"""A daemon of its own beside a vault, asked over its bridge."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from vaultd.model.search import Hit, Question

START_SECONDS = 60.0
QUIET_LOOKS = 25  # five seconds: the watcher has looked by then
QUIET_SECONDS = 1800.0  # to look at every file again: thousands, on a busy machine


class Bridge:
    """Starts `vaultd run` on a vault, asks it over HTTP, and stops it."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._state = root / ".llm-wiki"
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: http.client.HTTPConnection | None = None
        self._token = ""
        self._quiet = 0  # looks in a row that found no job

    async def __aenter__(self) -> Bridge:
        await asyncio.to_thread(self._start)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.to_thread(self._stop)

    async def ask(self, question: Question) -> Sequence[Hit]:
        """Return what the bridge answers."""
        filters = question.filters
        body = {
            "query": question.text,
            "k": question.k,
            "mode": question.mode.value,
            "under": filters.under,
        }
        answer = await asyncio.to_thread(self._request, "POST", "/v1/search", body)
        return [_hit(result) for result in answer["results"]]

    def _start(self) -> None:
        runtime = self._state / "bridge.json"
        command = [sys.executable, "-m", "vaultd", "--vault", str(self._root), "run"]
        self._process = subprocess.Popen(
            command,
            env={**os.environ, "VAULTD_BRIDGE__PORT": "0"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._wait(runtime.exists, START_SECONDS)
        port = json.loads(runtime.read_text(encoding="utf-8"))["port"]
        self._token = (self._state / "token").read_text(encoding="utf-8").strip()
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._wait(self._is_quiet, QUIET_SECONDS)

    def _stop(self) -> None:
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            self._process.terminate()
            self._process.wait(timeout=30)

    def _wait(self, condition: Callable[[], bool], seconds: float) -> None:
        assert self._process is not None
        until = time.monotonic() + seconds
        while not condition():
            if self._process.poll() is not None:
                raise RuntimeError(f"vaultd ended with {self._process.returncode}")
            if time.monotonic() > until:
                raise TimeoutError(f"vaultd was not ready within {seconds:.0f} s")
            time.sleep(0.2)

    def _is_quiet(self) -> bool:
        jobs = self._request("GET", "/v1/status", None)["jobs"]
        self._quiet = 0 if jobs else self._quiet + 1
        return self._quiet >= QUIET_LOOKS

    def _request(self, method: str, path: str, body: object) -> Any:
        assert self._connection is not None
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        content = None if body is None else json.dumps(body)
        self._connection.request(method, path, content, headers)
        reply = self._connection.getresponse()
        text = reply.read()
        if reply.status != 200:
            raise RuntimeError(f"{method} {path}: {reply.status} {text[:200]!r}")
        return json.loads(text)


def _hit(result: dict[str, Any]) -> Hit:
    """Return a result without the other places that say it."""
    fields = {name: result[name] for name in Hit.__slots__ if name != "also"}
    return Hit(**fields)
