"""The last word of a published plan: everything it changes besides its files, from plain data.

The note is stored with the plan, so that a plan cut short by a crash gets the same receipt.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vaultd.core.timing import moment
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import ReviewKind
from vaultd.store import ingest_cache, reviews, sessions, sources
from vaultd.store.database import Connection
from vaultd.store.reviews import ReviewItem


def record(db: Connection, note: Mapping[str, Any]) -> None:
    """Carry out `note`. Keys, all but `at` optional, in the order they are carried out:

    `at` (the plan's moment), `reviews` (new items, each with its note's path), `answered` (a
    list of decisions), `moved` (source identities), `forgotten` (source identities),
    `session` (id and state), `pages` (source and the pages it contributed to), `cache`,
    `ingested` (the receipt of a source's content).
    """
    now = moment(note["at"])
    for facts in note.get("reviews", ()):
        _propose(db, facts, note["at"])
    for facts in note.get("answered", ()):
        reviews.answered(
            db,
            facts["id"],
            action=facts["action"],
            answer=facts.get("answer", ""),
            state=facts.get("state", "answered"),
            now=now,
        )
        reviews.set_note(db, facts["id"], None)
    for facts in note.get("moved", ()):
        old, new = SourceId(facts["old"]), SourceId(facts["new"])
        sources.move(db, old, new, VaultPath(facts["path"]), now=now)
        ingest_cache.move(db, old, new)
    for identity in note.get("forgotten", ()):
        sources.remove(db, SourceId(identity))
        ingest_cache.forget(db, SourceId(identity))
    if facts := note.get("session"):
        sessions.set_state(db, facts["id"], facts["state"], now=now)
    for facts in note.get("pages", ()):
        sources.set_pages(db, SourceId(facts["source"]), facts["pages"], now=now)
    if facts := note.get("cache"):
        ingest_cache.remember(
            db,
            SourceId(facts["source"]),
            text_sha256=facts["text_sha256"],
            recipe=facts["recipe"],
            pages=facts["pages"],
            now=now,
        )
    if facts := note.get("ingested"):
        sources.record_ingested(
            db, SourceId(facts["source"]), facts["sha256"], facts["pages"], now=now
        )


def _propose(db: Connection, facts: Mapping[str, Any], at: str) -> None:
    item = ReviewItem(
        facts["id"],
        ReviewKind(facts["kind"]),
        facts["title"],
        facts["text"],
        tuple(facts["options"]),
        tuple(facts["pages"]),
        tuple(facts["searches"]),
        tuple(facts["sources"]),
        facts["proposal"],
    )
    fresh = reviews.propose(db, [item], now=moment(at))
    if fresh and facts["note"]:
        reviews.set_note(db, item.id, VaultPath(facts["note"]))
