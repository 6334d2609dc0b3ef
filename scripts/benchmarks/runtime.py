"""Scanning, queueing and idling, with real files and a real database."""

from __future__ import annotations

import asyncio
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vaultd.core.ignore import Rules
from vaultd.store.database import Database
from vaultd.vault.files import Vault
from vaultd.vault.layout import make_layout
from vaultd.vault.notices import Notices
from vaultd.vault.scan import scan
from vaultd.watcher import Watcher

FILES = int(os.environ.get("VAULTD_BENCH_FILES", "100000"))
BURST = 20_000
IDLE_FILES = 10_000
IDLE_SECONDS = 30


def main() -> Iterator[dict[str, Any]]:
    """Yield one line per figure."""
    for kind in ("notes", "raw"):
        with tempfile.TemporaryDirectory() as folder:
            yield from _scanned(_filled(Path(folder), FILES, kind), f"{FILES} files in {kind}/")
    with tempfile.TemporaryDirectory() as folder:
        vault = _filled(Path(folder), BURST, "raw")
        yield from asyncio.run(_burst(vault))
    with tempfile.TemporaryDirectory() as folder:
        yield from asyncio.run(_idle(_filled(Path(folder), IDLE_FILES, "notes")))


def _scanned(vault: Vault, note: str) -> Iterator[dict[str, Any]]:
    """Look at a vault and walk it barely, in turn."""
    rules = Rules()
    ours, bare = _best(lambda: sum(1 for _ in scan(vault, rules)), lambda: _walked(str(vault.root)))
    yield _line("scan_over_scandir", ours / bare, "ratio", f"{note}, target 3")
    yield _line("scan_seconds", ours, "s", note)


async def _burst(vault: Vault) -> Iterator[dict[str, Any]]:
    db = Database(vault.state / "vaultd.db")
    watcher = _watcher(vault, db, settle=0.0)
    start = time.perf_counter()
    look = await watcher.look()
    while look.due is not None:
        await asyncio.sleep(look.due)
        look = await watcher.look()
    spent = time.perf_counter() - start
    start = time.perf_counter()
    again = await watcher.look()
    second = time.perf_counter() - start
    db.close()
    return iter(
        [
            _line("burst_queue_seconds", spent, "s", f"{BURST} new sources, target 30"),
            _line("unchanged_look_seconds", second, "s", f"{BURST} sources, {again.taken} taken"),
        ]
    )


async def _idle(vault: Vault) -> Iterator[dict[str, Any]]:
    db = Database(vault.state / "vaultd.db")
    watcher = _watcher(vault, db, settle=0.1)
    watcher.watch_natively(lambda wake: Notices(vault.root, wake))
    await watcher.look()
    await asyncio.sleep(0.2)
    await watcher.look()
    running = asyncio.ensure_future(watcher.run())
    await asyncio.sleep(3)
    before, changes = _processor(), db.read_sync(lambda connection: connection.total_changes())
    await asyncio.sleep(IDLE_SECONDS)
    share = (_processor() - before) / IDLE_SECONDS
    written = db.read_sync(lambda connection: connection.total_changes()) - changes
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    db.close()
    note = f"{IDLE_FILES} files, looked at every 10 s, target 1"
    return iter(
        [
            _line("idle_processor_percent", share * 100, "%", note),
            _line("idle_rows_written", written, "rows", f"in {IDLE_SECONDS} s, target 0"),
        ]
    )


def _watcher(vault: Vault, db: Database, *, settle: float) -> Watcher:
    rules = Rules()
    return Watcher(
        vault,
        db,
        lambda: rules,
        lambda: datetime.now(UTC),
        settle=settle,
        rescan=10.0,
        tell=lambda: None,
    )


def _filled(folder: Path, number: int, name: str) -> Vault:
    vault = Vault(folder, make_layout(folder))
    for each in range(number):
        place = folder / name / str(each // 200)
        if each % 200 == 0:
            place.mkdir(parents=True)
        (place / f"{each}.md").write_text(f"note {each}")
    return vault


def _walked(folder: str) -> int:
    count = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                count += _walked(entry.path)
            else:
                entry.stat(follow_symlinks=False)
                count += 1
    return count


def _best(*works: Callable[[], object]) -> list[float]:
    """Return the best of five times of each, taken in turn."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(5):
        for work, taken in zip(works, times, strict=True):
            start = time.perf_counter()
            work()
            taken.append(time.perf_counter() - start)
    return [min(taken) for taken in times]


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _line(figure: str, value: float, unit: str, note: str) -> dict[str, Any]:
    return {"figure": figure, "value": round(value, 3), "unit": unit, "note": note}
