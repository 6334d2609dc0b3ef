"""Review items: questions to the person, and what was answered."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vaultd.core.review import FOR_ONCE
from vaultd.core.timing import stamp
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import ReviewKind
from vaultd.store.database import Connection

COLUMNS = "id, kind, title, body, options, pages, searches, sources, proposal, note, state, action"


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One question. `proposal` is what vaultd would write, for a person's page in conflict."""

    id: str
    kind: ReviewKind
    title: str
    text: str
    options: tuple[str, ...]
    pages: tuple[VaultPath, ...] = ()
    searches: tuple[str, ...] = ()
    sources: tuple[SourceId, ...] = ()
    proposal: dict[str, Any] | None = None
    note: VaultPath | None = None
    state: str = "open"
    action: str | None = None


def _item(row: tuple[Any, ...]) -> ReviewItem:
    return ReviewItem(
        row[0],
        ReviewKind(row[1]),
        row[2],
        row[3],
        tuple(json.loads(row[4])),
        tuple(json.loads(row[5])),
        tuple(json.loads(row[6])),
        tuple(json.loads(row[7])),
        json.loads(row[8]) if row[8] else None,
        row[9],
        row[10],
        row[11],
    )


def review(db: Connection, review_id: str) -> ReviewItem | None:
    """Return the item with this id, whatever its state."""
    row = db.execute(f"select {COLUMNS} from reviews where id = ?", (review_id,)).fetchone()
    return _item(row) if row else None


def reviews(db: Connection, *, state: str = "open", limit: int = 1000) -> list[ReviewItem]:
    """Return the items in `state`, oldest first."""
    rows = db.execute(
        f"select {COLUMNS} from reviews where state = ? order by created_at, id limit ?",
        (state, limit),
    )
    return [_item(row) for row in rows]


def open_count(db: Connection) -> int:
    """Return how many items wait for the person."""
    return int(db.execute("select count(*) from reviews where state = 'open'").get)


def propose(db: Connection, items: Iterable[ReviewItem], *, now: datetime) -> list[ReviewItem]:
    """Store new items and return those that are open and have no note yet.

    An item that is over stays so when it comes again; an open one gains the new pages, searches
    and sources, and a newer proposal replaces the older.
    """
    fresh: list[ReviewItem] = []
    for item in items:
        known = review(db, item.id)
        if known is None or comes_again(known):
            _insert(db, item, now=now)
            fresh.append(item)
        elif known.state == "open":
            _unite(db, known, item, now=now)
    return fresh


def comes_again(item: ReviewItem) -> bool:
    """Tell whether an item that is not open is asked anew when its cause is back.

    What a person tried, what settled itself and what went with its source says nothing about the
    next time.
    """
    return item.state == "closed" or (item.state == "answered" and item.action in FOR_ONCE)


def _insert(db: Connection, item: ReviewItem, *, now: datetime) -> None:
    db.execute(
        """
        insert or replace into reviews (id, kind, title, body, options, pages, searches, sources,
                             proposal, created_at, updated_at)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            item.id,
            item.kind.value,
            item.title,
            item.text,
            json.dumps(item.options, ensure_ascii=False),
            json.dumps(item.pages, ensure_ascii=False),
            json.dumps(item.searches, ensure_ascii=False),
            json.dumps(item.sources, ensure_ascii=False),
            json.dumps(item.proposal, ensure_ascii=False) if item.proposal else None,
            stamp(now),
            stamp(now),
        ),
    )


def _unite(db: Connection, known: ReviewItem, new: ReviewItem, *, now: datetime) -> None:
    proposal = new.proposal or known.proposal
    db.execute(
        """
        update reviews set pages = ?, searches = ?, sources = ?, proposal = ?, updated_at = ?
        where id = ?
        """,
        (
            json.dumps(list(dict.fromkeys((*known.pages, *new.pages))), ensure_ascii=False),
            json.dumps(list(dict.fromkeys((*known.searches, *new.searches))), ensure_ascii=False),
            json.dumps(list(dict.fromkeys((*known.sources, *new.sources))), ensure_ascii=False),
            json.dumps(proposal, ensure_ascii=False) if proposal else None,
            stamp(now),
            known.id,
        ),
    )


def set_note(db: Connection, review_id: str, note: VaultPath | None) -> None:
    """Remember where the item's note stands, None once it has left the vault."""
    db.execute("update reviews set note = ? where id = ?", (note, review_id))


def by_note(db: Connection, note: VaultPath) -> ReviewItem | None:
    """Return the item whose note stands at `note`."""
    row = db.execute(f"select {COLUMNS} from reviews where note = ?", (note,)).fetchone()
    return _item(row) if row else None


def answered(
    db: Connection, review_id: str, *, action: str, answer: str, state: str, now: datetime
) -> None:
    """Record what the person decided; `state` is "answered", or "closed" by the sweep."""
    db.execute(
        "update reviews set state = ?, action = ?, answer = ?, updated_at = ? where id = ?",
        (state, action, answer, stamp(now), review_id),
    )
