"""A real daemon left alone, and one kept busy: what it writes, uses and leaks.

`VAULTD_SOAK_MINUTES` is how long it is kept busy (3 unless set; the promise is about 30).
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MINUTES = float(os.environ.get("VAULTD_SOAK_MINUTES", "3"))
IDLE_FILES, IDLE_SECONDS = 10_000, 300
WARM_UP = 0.25  # share of the soak after which memory is expected to stand still
EVENTS = 20  # changes a second: a hundred times what a person does
TEXT = "# {name}\n\nThe {name} is a device of {number} parts, built in 1874 in Lisbon.\n"


def main() -> Iterator[dict[str, Any]]:
    """Yield one line per figure."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _idle(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        yield from _soak(Path(folder))


def _daemon(root: Path, **settings: str) -> subprocess.Popen[bytes]:
    environment = os.environ | {
        "VAULTD_EMBEDDING__PROVIDER": "none",
        "VAULTD_BRIDGE__ENABLED": "false",
        **settings,
    }
    command = [sys.executable, "-m", "vaultd", "--vault", str(root), "run"]
    return subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)


def _idle(root: Path) -> Iterator[dict[str, Any]]:
    """Let it index a vault, then watch it do nothing."""
    (root / ".obsidian").mkdir()
    for number in range(IDLE_FILES):
        (root / f"{number}.md").write_text(TEXT.format(name=f"device {number}", number=number))
    with _daemon(root) as daemon:
        _until_quiet(daemon.pid)
        before, spent = _written(daemon.pid), _processor(daemon.pid)
        began = time.monotonic()
        time.sleep(IDLE_SECONDS)
        share = 100 * (_processor(daemon.pid) - spent) / (time.monotonic() - began)
        writes = _written(daemon.pid) - before
        daemon.send_signal(signal.SIGTERM)
    note = f"{IDLE_FILES} notes, {IDLE_SECONDS} s"
    yield _line("idle_writes", writes, "bytes", f"{note}; promised: 0")
    yield _line("idle_processor", round(share, 2), "%", f"{note}; promised: 1")


def _soak(root: Path) -> Iterator[dict[str, Any]]:
    """Change files without end; compare what the daemon holds after warming up and at the end."""
    (root / ".obsidian").mkdir()
    (root / "raw").mkdir()
    chance = random.Random(20261130)
    with _daemon(root, VAULTD_INGEST__SETTLE_SECONDS="0.2") as daemon:
        end = time.monotonic() + MINUTES * 60
        warm = time.monotonic() + MINUTES * 60 * WARM_UP
        after_warm_up: dict[str, int] = {}
        changes = 0
        while time.monotonic() < end and daemon.poll() is None:
            for _ in range(EVENTS):
                _change(root, chance)
            changes += EVENTS
            if not after_warm_up and time.monotonic() > warm:
                after_warm_up = _at_rest(daemon.pid)
            time.sleep(1)
        alive = daemon.poll() is None
        last = _at_rest(daemon.pid) if alive else {}
        daemon.send_signal(signal.SIGTERM)
        code = daemon.wait(30)
    note = f"{MINUTES:g} min, {changes} changes"
    yield _line("soak_survived", int(alive and code == 0), "", note)
    for what, unit in (("memory", "kB"), ("handles", ""), ("threads", ""), ("zombies", "")):
        grown = last.get(what, 0) - after_warm_up.get(what, 0)
        yield _line(f"soak_{what}_growth", grown, unit, f"{note}; from {after_warm_up.get(what)}")


def _change(root: Path, chance: random.Random) -> None:
    """Write, change, rename, touch or remove one of a hundred files."""
    folder = root / chance.choice(["raw", "."])
    place = folder / f"{chance.randrange(50)}.md"
    name = chance.choice(["anemometer", "barograph", "chronometer", "dynamometer"])
    match chance.randrange(5):
        case 0 if place.exists():
            place.unlink()
        case 1 if place.exists():
            place.replace(folder / f"{chance.randrange(50)}.md")
        case 2 if place.exists():
            os.utime(place)
        case _:
            place.write_text(TEXT.format(name=name, number=chance.randrange(40)))


def _until_quiet(pid: int) -> None:
    """Wait until the daemon has written nothing for twenty seconds."""
    last, since = -1, time.monotonic()
    while time.monotonic() - since < 20:
        now = _written(pid)
        if now != last:
            last, since = now, time.monotonic()
        time.sleep(1)


def _at_rest(pid: int) -> dict[str, int]:
    """Return what it holds when all changes are taken care of: a file being read is no leak."""
    _until_quiet(pid)
    return _held(pid)


def _held(pid: int) -> dict[str, int]:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    return {
        "memory": int(fields["VmRSS"].split()[0]),
        "handles": sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir()),
        "threads": int(fields["Threads"]),
        "zombies": sum(") Z " in Path(f"/proc/{child}/stat").read_text() for child in children),
    }


def _written(pid: int) -> int:
    """Return how many bytes the process has sent to the disk."""
    lines = Path(f"/proc/{pid}/io").read_text(encoding="utf-8").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("write_bytes")))


def _processor(pid: int) -> float:
    """Return the seconds of processor time the process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _line(figure: str, value: float, unit: str, note: str) -> dict[str, Any]:
    return {"figure": figure, "value": value, "unit": unit, "note": note}
