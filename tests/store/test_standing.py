from __future__ import annotations

import itertools
from collections import Counter

from tests.fakes import NOON
from vaultd.core.timing import stamp
from vaultd.model.jobs import JobState
from vaultd.model.paths import SourceId, VaultPath
from vaultd.status import status_of
from vaultd.store import files, sources, standing
from vaultd.store.database import Connection, Database
from vaultd.store.standing import Part

CODES = ("", "settling", "incomplete", "empty", "ignored")
JOBS = (None, *JobState)
MANY = 5_000


def put(db: Connection, number: int, code: str, job: str | None, *, ingested: bool) -> None:
    """Record one source with what the last look, its receipt and its job say of it."""
    path = VaultPath(f"raw/{number:05}.pdf")
    sources.see(db, SourceId(path.removeprefix("raw/")), path, f"{number:x}", now=NOON)
    files.expect(db, path, f"{number:x}", files.SOURCE)
    taken = f"{number:x}" if ingested else None
    db.execute(
        "update sources set code = ?, ingested_sha256 = ? where path = ?", (code, taken, path)
    )
    if job is not None:
        db.execute(
            "insert into jobs (kind, subject, digest, state, run_at, changed_at)"
            " values ('ingest', ?1, ?1, ?2, ?3, ?3)",
            (path, str(job), stamp(NOON)),
        )


def test_files_are_counted_as_they_are_listed(db: Database) -> None:
    every = list(itertools.product(CODES, JOBS, (False, True)))
    for number, (code, job, ingested) in enumerate(every):
        db.run_sync(put, number, code, job, ingested=ingested)

    listed = db.read_sync(standing.standings)

    assert len(listed) == len(every)
    assert db.read_sync(standing.counts) == Counter(each.state for each in listed)
    assert {each.state for each in listed} == set(standing.STATES)


def test_one_file_and_those_that_are_not_simply_done_are_found_as_they_are_listed(
    db: Database,
) -> None:
    for number, (code, job) in enumerate(itertools.product(CODES, JOBS)):
        db.run_sync(put, number, code, job, ingested=bool(number % 2))
    listed = db.read_sync(standing.standings)

    assert [db.read_sync(standing.standing, each.path) for each in listed] == listed
    assert db.read_sync(standing.standing, VaultPath("raw/unseen.pdf")) is None
    unsettled = [each for each in listed if each.state not in ("done", "skipped")]
    assert db.read_sync(standing.standings, Part(unsettled=True)) == unsettled
    assert (
        db.read_sync(standing.standings, Part(unsettled[0].path, 2, unsettled=True))
        == (unsettled[1:3])
    )


def test_a_status_of_many_files_is_read_in_parts(db: Database) -> None:
    def fill(connection: Connection) -> None:
        for number in range(MANY):
            put(connection, number, "", JobState.PARKED if number % 2 else None, ingested=True)

    db.run_sync(fill)
    told = {"vault": "v", "running": True, "chat": "", "embedding": ""}
    short = db.read_sync(status_of, **told, part=Part(limit=0))  # type: ignore[arg-type]
    first = db.read_sync(standing.standings, Part(limit=3_000))
    rest = db.read_sync(standing.standings, Part(first[-1].path, 3_000))

    assert short["files"] == []
    assert (short["counts"]["done"], short["counts"]["parked"]) == (MANY / 2, MANY / 2)
    assert [*first, *rest] == db.read_sync(standing.standings)
