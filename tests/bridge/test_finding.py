"""An answer says why there is less in it than there may be."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from tests.bridge.conftest import Daemon, new_vault, running
from tests.reliability.zygote import Zygote
from vaultd.cli.target import now
from vaultd.model.jobs import JobKind, NewJob
from vaultd.store import jobs
from vaultd.store.database import Database

BACKLOG = 11  # files; one more than is passed over in silence


def delay(daemon: Daemon, *subjects: str) -> None:
    """Queue files to be indexed tomorrow."""
    db = Database(daemon.state / "vaultd.db")
    try:
        later = now() + timedelta(days=1)
        new = [NewJob(JobKind.INDEX, each, run_at=later) for each in subjects]
        db.run_sync(jobs.enqueue_all, new, now=now())
    finally:
        db.close()


def test_a_daemon_that_has_just_started_says_that_nothing_is_indexed(
    zygote: Zygote, tmp_path: Path
) -> None:
    daemon = Daemon(zygote, new_vault(tmp_path), VAULTD_INGEST__SETTLE_SECONDS="60")
    try:
        answer = daemon.post("/v1/search", query="moon")
    finally:
        daemon.stop()

    assert answer["results"] == []
    assert len(answer["notes"]) == 1
    assert answer["notes"][0].startswith("Nothing is indexed yet")


def test_files_still_to_be_indexed_are_told_where_they_matter(
    zygote: Zygote, tmp_path: Path
) -> None:
    with running(zygote, tmp_path) as daemon:
        delay(daemon, "notes/1.md")
        one = daemon.post("/v1/search", query="moon")
        nothing = daemon.post("/v1/search", query="zeppelin")
        delay(daemon, *(f"notes/{number}.md" for number in range(2, BACKLOG + 1)))
        many = daemon.post("/v1/search", query="moon")

    assert one["results"]
    assert one["notes"] == []
    assert nothing["notes"] == ["1 file is not indexed yet: there may be more to find."]
    assert many["notes"] == ["11 files are not indexed yet: there may be more to find."]


def test_a_vault_without_an_embedder_says_that_nothing_is_near(daemon: Daemon) -> None:
    near = daemon.post("/v1/related", path="raw/cat.md")
    search = daemon.post("/v1/search", query="moon", mode="vectors")

    assert near["results"] == search["results"] == []
    assert near["notes"] == search["notes"]
    assert "`[embedding] provider`" in near["notes"][0]
