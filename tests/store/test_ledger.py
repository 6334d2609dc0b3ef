"""What the ledger keeps of every call."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from vaultd.model.jobs import JobKind, NewJob
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import PageRef
from vaultd.store import jobs, ledger
from vaultd.store.database import Connection, connect, migrate
from vaultd.store.ledger import EndedCall, StartedCall

NOON = "2026-11-29T12:00:00.000000Z"
NEXT = "2026-11-30T12:00:00.000000Z"


@pytest.fixture
def db() -> Iterator[Connection]:
    db = connect(":memory:")
    migrate(db)
    yield db
    db.close()


def call(digest: str = "d1", started: str = NOON, subject: str = "a.pdf") -> StartedCall:
    return StartedCall(digest, "analysis", subject, "m", "analysis-1", started, input_tokens=100)


def end(outcome: str = "ok", reply: str | None = "Reply.", tokens: int | None = 7) -> EndedCall:
    return EndedCall(NOON, outcome, "stop", tokens, tokens, estimated=False, reply=reply)


def test_a_reply_is_found_by_what_was_asked(db: Connection) -> None:
    ledger.end_call(db, ledger.begin_call(db, call()), end())

    assert ledger.stored_reply(db, "d1") == ledger.StoredReply("Reply.", "stop")
    assert ledger.stored_reply(db, "d2") is None


@pytest.mark.parametrize("outcome", ["bad_reply", "cancelled", "started"])
def test_only_a_usable_reply_is_found(db: Connection, outcome: str) -> None:
    ledger.end_call(db, ledger.begin_call(db, call()), end(outcome))

    assert ledger.stored_reply(db, "d1") is None


def test_the_newest_usable_reply_is_found(db: Connection) -> None:
    for reply in ("first", "second"):
        ledger.end_call(db, ledger.begin_call(db, call()), end(reply=reply))
    ledger.end_call(db, ledger.begin_call(db, call()), end("bad_reply", "third"))

    found = ledger.stored_reply(db, "d1")

    assert found is not None
    assert found.text == "second"


def test_a_call_whose_process_died_counts_with_its_prompt(db: Connection) -> None:
    ledger.begin_call(db, call())

    assert ledger.totals(db) == ledger.Totals(1, 100, 0)
    assert ledger.tokens_since(db, NOON) == 100


def test_usage_is_told_by_day_model_and_stage(db: Connection) -> None:
    for started, outcome in ((NOON, "ok"), (NOON, "bad_reply"), (NEXT, "ok")):
        ledger.end_call(db, ledger.begin_call(db, call(started=started)), end(outcome))

    days = ledger.usage(db, since="2026-11-29")

    assert [(day.day, day.calls, day.failed, day.input_tokens) for day in days] == [
        ("2026-11-30", 1, 0, 7),
        ("2026-11-29", 2, 1, 14),
    ]
    assert ledger.usage(db, since="2027") == []
    assert ledger.tokens_since(db, "2026-11-30") == 14


def test_pruning_drops_texts_and_keeps_costs(db: Connection) -> None:
    ledger.end_call(db, ledger.begin_call(db, call()), end())
    before = ledger.totals(db)

    assert ledger.prune_replies(db, before=NEXT) == 1
    assert ledger.prune_replies(db, before=NEXT) == 0
    assert ledger.stored_reply(db, "d1") is None
    assert ledger.totals(db) == before


def test_what_an_unfinished_source_was_answered_is_not_pruned(db: Connection) -> None:
    for number, subject in enumerate(("held.pdf", "long.pdf", "done.pdf")):
        ledger.end_call(db, ledger.begin_call(db, call(f"d{number}", subject=subject)), end())
    noon = datetime(2026, 11, 29, 12, tzinfo=UTC)
    jobs.enqueue_all(db, [NewJob(JobKind.INGEST, VaultPath("raw/held.pdf"), "x")], now=noon)
    ledger.save_checkpoint(db, "long.pdf", "{}", now=NOON)

    assert ledger.prune_replies(db, before=NEXT) == 1
    assert ledger.stored_reply(db, "d2") is None


def test_the_last_thing_learnt_of_a_model_holds(db: Connection) -> None:
    ledger.remember_trait(db, "m", "context_chars", "9")
    ledger.remember_trait(db, "m", "context_chars", "5")
    ledger.remember_trait(db, "n", "drop:temperature", "1")

    assert ledger.traits(db, "m") == {"context_chars": "5"}


def test_a_checkpoint_lives_until_it_is_dropped(db: Connection) -> None:
    ledger.save_checkpoint(db, "a.pdf", "{}", now=NOON)
    ledger.save_checkpoint(db, "a.pdf", '{"x": 1}', now=NOON)

    assert ledger.checkpoint(db, "a.pdf") == '{"x": 1}'
    ledger.drop_checkpoint(db, "a.pdf")
    assert ledger.checkpoint(db, "a.pdf") is None


def test_a_job_lists_what_it_listed_before(db: Connection) -> None:
    page = PageRef(VaultPath("wiki/a.md"), "A", "concept", "About.", ("B",), (SourceId("x.pdf"),))
    ledger.keep_listing(db, SourceId("a.pdf"), 1, (page,), 40, now=NOON)

    assert ledger.kept_listing(db, SourceId("a.pdf"), 1) == ((page,), 40)
    assert ledger.kept_listing(db, SourceId("a.pdf"), 2) is None
    ledger.keep_listing(db, SourceId("a.pdf"), 2, (), 41, now=NOON)
    assert ledger.kept_listing(db, SourceId("a.pdf"), 1) is None


def test_looking_up_a_reply_uses_its_index(db: Connection) -> None:
    plan = str(
        list(
            db.execute(
                "explain query plan select reply from model_calls"
                " where digest = 'x' and outcome = 'ok'"
            )
        )
    )

    assert "model_calls_by_digest" in plan
