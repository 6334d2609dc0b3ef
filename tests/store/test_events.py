from __future__ import annotations

import pytest

from tests.fakes import NOON
from vaultd.store import events
from vaultd.store.database import Connection, Database


def add(db: Database, number: int) -> None:
    def many(connection: Connection) -> None:
        for each in range(number):
            events.append(connection, "job", {"n": each}, now=NOON)

    db.run_sync(many)


def test_events_come_once_and_in_order(db: Database) -> None:
    add(db, 3)
    first = db.read_sync(events.since, 0, 2)
    second = db.read_sync(events.since, first.cursor, 2)

    assert [each.payload["n"] for each in (*first.events, *second.events)] == [0, 1, 2]
    assert db.read_sync(events.since, second.cursor).events == ()
    assert db.read_sync(events.latest) == second.cursor


def test_view_that_slept_too_long_is_told_to_start_over(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "KEPT", 50)
    add(db, 200)

    late = db.read_sync(events.since, 10)

    assert late.reset
    assert late.cursor == 200
    assert not db.read_sync(events.since, 160).reset
    assert len(db.read_sync(events.since, 160).events) == 40


def test_cursor_of_another_database_is_told_to_start_over(db: Database) -> None:
    add(db, 3)

    assert db.read_sync(events.since, 99).reset
