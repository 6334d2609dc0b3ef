"""How long a command that ends by itself waits for work that does not get on."""

from __future__ import annotations

import time
from datetime import timedelta

from vaultd.store import joblist, ledger
from vaultd.store.database import Connection, Database
from vaultd.store.events import Event

ENOUGH = timedelta(minutes=3)  # longer than the waits between three tries that count
GAVE_UP = (
    "Nothing got on for some minutes, so this command ends. What waits is kept: the next run, or "
    "a daemon, goes on with it."
)


class Patience:
    """Runs out where an endpoint asks to wait again and again, or a file is written for ever."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._until = float("-inf")
        self._before: tuple[int, ...] = ()

    async def is_over(self) -> bool:
        """Tell whether nothing got on for `ENOUGH`; it may be twice that until it is told."""
        if time.monotonic() < self._until:
            return False
        now = await self._db.read(_got_on)
        if now == self._before:
            return True
        self._before, self._until = now, time.monotonic() + ENOUGH.total_seconds()
        return False


def _got_on(db: Connection) -> tuple[int, ...]:
    """Return numbers that change when a model answered, a file was taken, or work came to an end.

    Looks at folders do not count: a folder that was not described is looked at again and again.
    """
    return ledger.newest_reply(db), *joblist.movement(db)


def gave_up(event_id: int, at: str) -> Event:
    """Return what tells a person that a command ended before its work did."""
    return Event(event_id, at, "problem", {"code": "gave_up", "text": GAVE_UP})
