from __future__ import annotations

from tests.fakes import FakeClock
from vaultd.model.jobs import JobKind, NewJob
from vaultd.model.paths import SourceId, VaultPath
from vaultd.store import jobs, sources
from vaultd.store.database import Database
from vaultd.store.sources import Source

A, B = SourceId("ml/a.pdf"), SourceId("b.pdf")
PAGES = [VaultPath("wiki/sources/ml/a.md"), VaultPath("wiki/concepts/x.md")]


def found(db: Database, identity: SourceId) -> Source:
    source = db.read_sync(sources.find, identity)
    assert source is not None
    return source


def ingest(db: Database, clock: FakeClock) -> None:
    db.run_sync(sources.see, A, VaultPath("raw/ml/a.pdf"), "hash", now=clock())
    db.run_sync(sources.record_ingested, A, "hash", PAGES, now=clock())


def test_receipt_is_kept_when_the_file_changes(db: Database, clock: FakeClock) -> None:
    ingest(db, clock)
    db.run_sync(sources.see, A, VaultPath("raw/ml/a.pdf"), "newer", now=clock())

    assert (found(db, A).sha256, found(db, A).ingested_sha256) == ("newer", "hash")
    assert found(db, A).pages == tuple(PAGES)


def test_moved_source_keeps_receipt_and_aliases(db: Database, clock: FakeClock) -> None:
    ingest(db, clock)
    db.run_sync(
        sources.see_alias, B, VaultPath("raw/b.pdf"), sha256="hash", alias_of=A, now=clock()
    )
    new = SourceId("better.pdf")
    db.run_sync(sources.move, A, new, VaultPath("raw/better.pdf"), now=clock())

    assert found(db, new).pages == tuple(PAGES)
    assert found(db, new).aliases == (B,)
    assert db.read_sync(sources.find, A) is None


def test_removed_source_hands_its_pages_to_its_alias(db: Database, clock: FakeClock) -> None:
    ingest(db, clock)
    db.run_sync(
        sources.see_alias, B, VaultPath("raw/b.pdf"), sha256="hash", alias_of=A, now=clock()
    )

    assert db.run_sync(sources.remove, A) == B
    assert found(db, B).pages == tuple(PAGES)
    assert found(db, B).alias_of is None
    assert db.run_sync(sources.remove, B) is None


def test_file_that_is_ingested_by_name_is_a_source(db: Database, clock: FakeClock) -> None:
    job = NewJob(JobKind.INGEST, "raw/ml/a.pdf", "hash", person=True)
    db.run_sync(jobs.enqueue_all, [job], now=clock())

    assert found(db, A).path == "raw/ml/a.pdf"
    assert db.read_sync(sources.with_content, "hash") == (found(db, A),)


def test_skipped_file_keeps_what_it_gave_before(db: Database, clock: FakeClock) -> None:
    ingest(db, clock)
    path = VaultPath("raw/ml/a.pdf")
    db.run_sync(sources.skip, A, path, code="placeholder", reason="online only", now=clock())

    assert found(db, A).ingested_sha256 == "hash"
    assert found(db, A).code == "placeholder"
