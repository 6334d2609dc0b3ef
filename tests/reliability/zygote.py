"""Starts the real program again and again, fast: one process that has imported it, and forks.

Every run is a process of its own in its own session, with its own environment, as the shell
would start it; only the seconds of importing are saved.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any

from vaultd.store import nodes

FOLDERS_REST = "FOLDERS_REST_SECONDS"  # before folders are described; as in the program if unset
ROOT = Path(__file__).resolve().parents[2]


@dataclass(slots=True)
class Run:
    """One run of `vaultd …`, a process of its own."""

    zygote: Zygote
    pid: int
    code: int | None = None

    def wait(self, seconds: float) -> int | None:
        """Return the exit code (negative: the signal), None if it still runs after `seconds`."""
        end = time.monotonic() + seconds
        while self.code is None:
            self.code = self.zygote.ask(wait=self.pid)
            if self.code is None and time.monotonic() > end:
                return None
            time.sleep(0.01)
        return self.code

    def kill(self) -> None:
        """End its whole process group as the system would."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)  # it may be too young to lead its group
            os.killpg(self.pid, signal.SIGKILL)

    def signal(self, number: int) -> None:
        """Send a signal to the process alone."""
        os.kill(self.pid, number)


class Zygote:
    """Speaks with the process that forks: one JSON line there, one back. For any thread."""

    def __init__(self) -> None:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("VAULTD_")}
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.reliability.zygote"],
            cwd=ROOT,
            env=environment | {"OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(self, arguments: Sequence[str], environment: Mapping[str, str], log: Path) -> Run:
        """Start `vaultd ARGUMENTS`; what it prints is added to the file `log`."""
        pid = self.ask(start=list(arguments), environment=dict(environment), log=str(log))
        return Run(self, pid)

    def ask(self, **request: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._lock:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            return json.loads(self._process.stdout.readline())

    def __enter__(self) -> Zygote:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()


def main() -> None:
    """Answer requests until the input ends."""
    import numpy  # noqa: F401  # everything a run may import, once
    import openai  # noqa: F401
    import sqlite_vec  # noqa: F401

    import vaultd.cli.application
    import vaultd.cli.running
    import vaultd.daemon.run  # noqa: F401

    for line in sys.stdin:
        request = json.loads(line)
        answer = _started(request) if "start" in request else _waited(request)
        print(json.dumps(answer), flush=True)  # noqa: T201


def _started(request: Mapping[str, Any]) -> int:
    pid = os.fork()
    if pid:
        return pid
    os.setsid()
    os.environ.update(request["environment"])
    output = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, descriptor in ((0, nothing), (1, output), (2, output)):
        os.dup2(descriptor, number)
    sys.argv = ["vaultd", *request["start"]]
    if seconds := request["environment"].get(FOLDERS_REST):
        nodes.QUIET = timedelta(seconds=float(seconds))
    code = 1
    try:
        from vaultd.cli import main as program

        program()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        _tell_points(request["environment"])
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _tell_points(environment: Mapping[str, str]) -> None:
    """Write down which crash points the run passed, and how often."""
    from vaultd import crash

    if name := environment.get("POINTS_FILE"):
        Path(name).write_text(json.dumps(crash.passed), encoding="utf-8")


def _waited(request: Mapping[str, Any]) -> int | None:
    pid, status = os.waitpid(request["wait"], os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if pid else None


if __name__ == "__main__":
    main()
