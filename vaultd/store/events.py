"""The ring of events: what happened lately, for whoever watches."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vaultd.core.timing import stamp
from vaultd.store.database import Connection

KEPT = 5_000  # events; a view that slept longer starts over from the status
PAGE = 500  # events in one answer


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. `id` rises and never comes back; `at` is fixed-width UTC text."""

    id: int
    at: str
    kind: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EventPage:
    """Events after a cursor, oldest first.

    `cursor` goes into the next call. `reset` says that events were lost (or the cursor is
    from another database): start over from the status.
    """

    events: tuple[Event, ...]
    cursor: int
    reset: bool


def append(db: Connection, kind: str, payload: Mapping[str, Any], *, now: datetime) -> int:
    """Add an event and drop the oldest beyond `KEPT`; return its id."""
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    db.execute("insert into events (at, kind, payload) values (?, ?, ?)", (stamp(now), kind, text))
    event_id = db.last_insert_rowid()
    if event_id % 100 == 0:
        db.execute("delete from events where id <= ?", (event_id - KEPT,))
    return event_id


def latest(db: Connection) -> int:
    """Return the cursor behind the newest event, 0 if there never was one."""
    return int(
        db.execute("select coalesce(max(seq), 0) from sqlite_sequence where name='events'").get
    )


def since(db: Connection, cursor: int, limit: int = PAGE) -> EventPage:
    """Return at most `limit` events after `cursor`."""
    newest = latest(db)
    oldest = db.execute("select min(id) from events").get
    lost = cursor > newest or (oldest is not None and 0 < cursor < oldest - 1)
    if lost:
        return EventPage((), newest, reset=True)
    rows: list[tuple[Any, ...]] = db.execute(
        "select id, at, kind, payload from events where id > ? order by id limit ?",
        (cursor, limit),
    ).fetchall()
    found = tuple(Event(id_, at, kind, json.loads(text)) for id_, at, kind, text in rows)
    return EventPage(found, found[-1].id if found else max(cursor, 0), reset=False)
