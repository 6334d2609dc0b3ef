"""Conversations about one source, kept across a restart."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from vaultd.core.timing import stamp
from vaultd.model.paths import VaultPath
from vaultd.store.database import Connection


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation. `turns` are (role, text), the analysis first, in order."""

    id: str
    path: VaultPath
    sha256: str
    state: str
    turns: tuple[tuple[str, str], ...]


def begin(db: Connection, session_id: str, path: VaultPath, *, sha256: str, now: datetime) -> None:
    """Store a new session about the source at `path`."""
    db.execute(
        "insert into sessions (id, path, sha256, created_at, updated_at) values (?, ?, ?, ?, ?)",
        (session_id, path, sha256, stamp(now), stamp(now)),
    )


def session(db: Connection, session_id: str) -> Session | None:
    """Return the session with all its turns."""
    row = db.execute(
        "select id, path, sha256, state from sessions where id = ?", (session_id,)
    ).fetchone()
    if row is None:
        return None
    turns = db.execute(
        "select role, body from session_turns where session = ? order by number", (session_id,)
    )
    return Session(row[0], VaultPath(row[1]), row[2], row[3], tuple((r, b) for r, b in turns))


def add_turns(
    db: Connection, session_id: str, turns: tuple[tuple[str, str], ...], *, now: datetime
) -> None:
    """Append `turns` (role, text) in one go: a question is stored with its whole answer."""
    for role, text in turns:
        db.execute(
            """
            insert into session_turns (session, number, role, body)
            select ?1, count(*) + 1, ?2, ?3 from session_turns where session = ?1
            """,
            (session_id, role, text),
        )
    db.execute("update sessions set updated_at = ? where id = ?", (stamp(now), session_id))


def set_state(db: Connection, session_id: str, state: str, *, now: datetime) -> None:
    """Move the session to "open", "writing" or "written"."""
    db.execute(
        "update sessions set state = ?, updated_at = ? where id = ?",
        (state, stamp(now), session_id),
    )


def drop_older(db: Connection, before: datetime) -> int:
    """Delete sessions not touched since `before`; return how many."""
    db.execute("delete from sessions where updated_at < ?", (stamp(before),))
    return db.changes()
