"""Power cuts: every state that the disk may be left in recovers to all of a plan or nothing."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import NOON, FakeClock
from tests.publish.test_publish import FailingDisk, Wiki, make_wiki, plan
from tests.reliability.power import CuttableDisk, cut
from vaultd.model.jobs import JobKind, NewJob
from vaultd.store import jobs
from vaultd.store.database import Connection, Database
from vaultd.store.health import open_database
from vaultd.vault.files import Vault
from vaultd.vault.layout import make_layout

SEED = 20261130


class RememberingDatabase(Database):
    """Hands a copy of itself to the recorder after every commit: that much is durable."""

    disk: CuttableDisk

    async def run(self, query: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        result = await super().run(query, *args, **kwargs)
        self.disk.steps.append(await super().run(_copy))
        return result


def _copy(db: Connection) -> bytes:
    # A page made by this very transaction is not part of it: nothing was written yet.
    return db.serialize("main")


async def recorded(root: Path) -> tuple[Wiki, dict[Path, tuple[int, bytes]], CuttableDisk]:
    """Publish the plan; return the wiki, its files before, and what the disk went through."""
    wiki = make_wiki(root)
    top = wiki.vault.root
    before = {
        path: (path.stat().st_ino, path.read_bytes()) for path in top.rglob("*") if path.is_file()
    }
    disk = CuttableDisk()
    wiki.db.close()
    db = RememberingDatabase(root / "vaultd.db")
    db.disk = disk
    wiki.db, wiki.vault.disk = db, disk
    disk.steps.append(db.run_sync(_copy))
    await wiki.publish(plan())
    return wiki, before, disk


async def check(tmp_path: Path, states: int) -> None:
    wiki, before, disk = await recorded(tmp_path / "made")
    whole = wiki.files()
    top = wiki.vault.root
    untouched = {str(path.relative_to(top)): content for path, (_, content) in before.items()}
    untouched = {path: text for path, text in untouched.items() if not path.startswith(".llm")}
    wiki.db.close()
    chance = random.Random(SEED)
    seen = set()
    for number in range(states):
        end = 1 + number % len(disk.steps)
        root = tmp_path / "cut"
        cut(before, disk.steps, end, chance).lay_out(top, root)
        cut_short = Wiki(
            root, FailingDisk(), FakeClock(), Database(root / "vaultd.db"),
            Vault(root / "vault", make_layout(root / "vault")),
        )  # fmt: skip
        cut_short.vault.sweep()
        finished = await cut_short.recover()
        found = cut_short.files()
        if not finished and found != whole:  # the plan never was: its pictures are no pages
            found = {path: text for path, text in found.items() if "/media/" not in path}
            assert found == untouched, (number, end)
            seen.add("nothing")
        else:
            assert found == whole, (number, end)
            seen.add("all")
        cut_short.db.close()
        shutil.rmtree(root)
    assert seen == {"nothing", "all"}


async def test_a_power_cut_while_a_plan_is_published_a6(tmp_path: Path) -> None:
    await check(tmp_path, 40)


@pytest.mark.full
@pytest.mark.timeout(600)
async def test_a_thousand_power_cuts_while_a_plan_is_published_a6(tmp_path: Path) -> None:
    await check(tmp_path, 1000)


async def test_without_syncing_a_power_cut_would_be_noticed(tmp_path: Path) -> None:
    wiki, before, disk = await recorded(tmp_path / "made")
    whole = wiki.files()
    wiki.db.close()
    careless = [s for s in disk.steps if isinstance(s, bytes) or s.kind in ("write", "names")]
    chance = random.Random(SEED)
    torn = 0
    for _ in range(20):
        left = cut(before, careless, len(careless), chance)
        found = {str(p.relative_to(wiki.vault.root)): text for p, text in left.files.items()}
        torn += any(found.get(path) != text for path, text in whole.items())

    assert torn > 10


def acknowledged(path: Path, transactions: int) -> tuple[bytes, bytes]:
    """Queue jobs, one a transaction; return database and log as they were before closing."""
    db = Database(path)
    db.run_sync(lambda connection: connection.execute("pragma wal_autocheckpoint = 0"))
    for number in range(transactions):
        job = NewJob(JobKind.INGEST, f"raw/{number}.md", str(number))
        db.run_sync(jobs.enqueue_all, [job], now=NOON)
    main, log = path.read_bytes(), path.with_name(path.name + "-wal").read_bytes()
    db.close()
    return main, log


def survivors(path: Path) -> list[str]:
    """Open the database as a start does; return the subjects that are queued, in order."""
    db, damaged = open_database(path, journal="wal", now=NOON)
    assert damaged is None
    try:
        return db.read_sync(
            lambda connection: [
                str(row[0]) for row in connection.execute("select subject from jobs order by id")
            ]
        )
    finally:
        db.close()


def check_log(tmp_path: Path, states: int) -> None:
    main, log = acknowledged(tmp_path / "whole.db", 40)
    queued = [f"raw/{number}.md" for number in range(40)]
    chance = random.Random(SEED)
    path = tmp_path / "cut.db"
    lengths = set()
    for number in range(states):
        place = chance.randrange(32, len(log))
        hurt = bytearray(log)
        if number % 2:
            del hurt[place:]
        else:
            hurt[place] ^= 1 << chance.randrange(8)
        path.write_bytes(main)
        path.with_name("cut.db-wal").write_bytes(hurt)
        found = survivors(path)
        assert found == queued[: len(found)], (number, place)
        lengths.add(len(found))
        for ending in ("", "-wal", "-shm"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
    assert len(lengths) > 5


def test_a_cut_or_flipped_log_gives_a_prefix_of_what_was_acknowledged_a6(tmp_path: Path) -> None:
    check_log(tmp_path, 20)


@pytest.mark.full
@pytest.mark.timeout(300)
def test_three_hundred_cut_or_flipped_logs_a6(tmp_path: Path) -> None:
    check_log(tmp_path, 300)
