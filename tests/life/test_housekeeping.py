"""Upkeep: what is over is forgotten after a while."""

from __future__ import annotations

from datetime import timedelta

from tests.fakes import FakeClock
from vaultd.core.timing import stamp
from vaultd.model.jobs import Job, JobKind
from vaultd.store import ledger
from vaultd.store.database import Connection, Database
from vaultd.store.ledger import EndedCall, StartedCall
from vaultd.store.passages import put_words
from vaultd.upkeep.housekeeping import REPLIES_KEPT, tidy
from vaultd.vault.files import Vault

JOB = Job(1, JobKind.UPKEEP, ".", "", {}, 1, 1)


def _called(db: Connection, digest: str, when: str) -> None:
    begun = StartedCall(digest, "analysis", "a.pdf", "m", "p", when, input_tokens=1)
    end = EndedCall(when, "ok", "stop", reply="Reply.")
    ledger.end_call(db, ledger.begin_call(db, begun), end)


def _nothing(stage: str, done: int = 0, total: int = 0) -> None:
    """Tell nobody."""


async def test_old_replies_go_and_what_they_cost_stays(
    db: Database, vault: Vault, clock: FakeClock
) -> None:
    old = clock() - REPLIES_KEPT - timedelta(days=1)
    await db.run(_called, "old", stamp(old))
    await db.run(_called, "new", stamp(clock()))

    result = await tidy(db, vault, clock, JOB, _nothing)

    assert result["replies_forgotten"] == 1
    assert await db.read(ledger.stored_reply, "old") is None
    assert await db.read(ledger.stored_reply, "new") is not None
    assert (await db.read(ledger.totals)).calls == 2


async def test_the_words_of_many_files_become_one_run(
    db: Database, vault: Vault, clock: FakeClock
) -> None:
    for n in range(1, 6):
        await db.run(put_words, n, f"Note {n}", "", f"zebra {n} " * 50)
    runs = "select count(distinct segid) from passage_words_idx"
    assert await db.read(lambda reader: reader.execute(runs).get) > 1

    await tidy(db, vault, clock, JOB, _nothing)

    assert await db.read(lambda reader: reader.execute(runs).get) == 1
    found = "select count(*) from passage_words where passage_words match 'zebra'"
    assert await db.read(lambda reader: reader.execute(found).get) == 5
