"""What is wrong now, in a sentence for the person; gone when the cause is gone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from vaultd.core.timing import stamp
from vaultd.store import events
from vaultd.store.database import Connection


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong; `since` is fixed-width UTC text."""

    code: str
    text: str
    since: str


def all_problems(db: Connection) -> tuple[Problem, ...]:
    """Return what is wrong now, by code."""
    return tuple(
        Problem(str(code), str(text), str(since))
        for code, text, since in db.execute("select code, text, since from problems order by code")
    )


def report(db: Connection, code: str, text: str, *, now: datetime) -> None:
    """Record what is wrong under `code` ("" as text: it is over); told once as an event."""
    if not text:
        db.execute("delete from problems where code = ?", (code,))
        return
    db.execute(
        """
        insert into problems (code, text, since) values (?1, ?2, ?3)
        on conflict (code) do update set text = ?2 where text <> ?2
        """,
        (code, text, stamp(now)),
    )
    if db.changes():
        events.append(db, "problem", {"code": code, "text": text}, now=now)
