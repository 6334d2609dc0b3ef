"""The last word of a published plan: everything it changes besides its files, from plain data.

The note is stored with the plan, so that a plan cut short by a crash gets the same receipt.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from vaultd.core.timing import moment
from vaultd.model.jobs import JobKind
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import ReviewKind
from vaultd.store import (
    contributions,
    files,
    ingest_cache,
    joblist,
    jobs,
    pages,
    passages,
    plans,
    reviews,
    sessions,
    sources,
)
from vaultd.store.database import Connection
from vaultd.store.renaming import rename_files
from vaultd.store.reviews import ReviewItem


def record(db: Connection, note: Mapping[str, Any]) -> None:
    """Carry out `note`. Keys, all but `at` optional, in the order they are carried out:

    `at` (the plan's moment), `reviews` (new items, each with its note's path), `answered` (a
    list of decisions), `moved` (source identities), `renamed` (pairs of paths), `theirs` (notes
    that are the person's alone), `gone` (paths of files that are no more), `forgotten` (source
    identities; with a code and a reason where the file is still there), `undone` (a plan),
    `session` (id and state), `pages` (source and the pages it contributed to), `cache`,
    `contributions` (what a source says on each page), `ingested` (the receipt of a source's
    content).
    """
    now = moment(note["at"])
    _record_reviews(db, note, now)
    _record_files(db, note, now)
    _record_sources(db, note, now)


def _record_reviews(db: Connection, note: Mapping[str, Any], now: datetime) -> None:
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


def _record_files(db: Connection, note: Mapping[str, Any], now: datetime) -> None:
    for facts in note.get("moved", ()):
        old, new = SourceId(facts["old"]), SourceId(facts["new"])
        _call_off(db, old, VaultPath(facts["path"]), now=now)
        sources.move(db, old, new, VaultPath(facts["path"]), now=now)
        for follow in (ingest_cache.move, contributions.move_source, plans.move_source):
            follow(db, old, new)
    if pairs := note.get("renamed"):
        rename_files(db, {VaultPath(old): VaultPath(new) for old, new in pairs}, now=now)
    for path in note.get("theirs", ()):
        pages.forget(db, VaultPath(path))
    if gone := note.get("gone"):
        _forget_files(db, [VaultPath(path) for path in gone])


def _record_sources(db: Connection, note: Mapping[str, Any], now: datetime) -> None:
    for facts in note.get("forgotten", ()):
        _forget_source(db, facts, now=now)
    if plan := note.get("undone"):
        plans.undone(db, plan)
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
    if facts := note.get("contributions"):
        contributions.replace(db, SourceId(facts["source"]), facts["pages"])
    if facts := note.get("ingested"):
        sources.record_ingested(
            db, SourceId(facts["source"]), facts["sha256"], facts["pages"], now=now
        )


def _call_off(db: Connection, old: SourceId, to: VaultPath, *, now: datetime) -> None:
    """Cancel the ingests, at its former path, of content that is to be ingested where it is now."""
    source, there = sources.find(db, old), files.find(db, to)
    if source is None or there is None:
        return
    for row in joblist.of_subject(db, source.path, JobKind.INGEST):
        if row.digest == there.sha256:
            jobs.cancel(db, row.id, now=now, reason=f"moved to {to}")


def _forget_files(db: Connection, gone: list[VaultPath]) -> None:
    """Let nothing of files that are no more be found; their own records went with the plan."""
    for path in gone:
        passages.forget_file(db, path)
    files.forget(db, [path for path in gone if not path.startswith("raw/")])
    contributions.unlink(db, gone)


def _forget_source(db: Connection, facts: Mapping[str, Any], *, now: datetime) -> None:
    identity = SourceId(facts["source"])
    source = sources.find(db, identity)
    contributions.forget(db, identity)
    ingest_cache.forget(db, identity)
    if source is None:
        return
    if not facts.get("code"):
        sources.remove(db, identity)
        return
    code, reason = facts["code"], facts["reason"]
    sources.see(db, identity, source.path, source.sha256, now=now)
    sources.clear(db, identity)
    sources.skip(db, identity, source.path, code=code, reason=reason, now=now)


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
