"""Waits for events, for everybody who wants to know: one look at the database for all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import structlog

from vaultd.core.timing import stamp
from vaultd.errors import DiskFullError, TransientError
from vaultd.model.paths import Clock
from vaultd.store import events
from vaultd.store.database import Database
from vaultd.store.events import Event, EventPage

LOOK_SECONDS = 0.1  # between two looks while somebody waits; nobody sees a tenth of a second
TURN_SECONDS = 30.0  # a stream asks anew after so long without events
RESET = "reset"  # kind of the event that says: events were lost, start over from the status

log = structlog.get_logger()


class Feed:
    """Events as they come. Looks at the database only while somebody waits."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._waiting = 0
        self._seen = -1  # the newest event that was told of
        self._wanted = asyncio.Event()
        self._moved = asyncio.Event()
        self.closing = asyncio.Event()

    async def run(self) -> None:
        """Look for new events until `close`."""
        while not self.closing.is_set():
            await self._wanted.wait()
            await self._look()
            with suppress(TimeoutError):
                await asyncio.wait_for(self.closing.wait(), LOOK_SECONDS)

    async def _look(self) -> None:
        """Wake those who wait if there is something new; a silent database is asked again."""
        try:
            newest = await self._db.read(events.latest)
        except (DiskFullError, TransientError) as error:
            log.warning("no look at the events", reason=str(error))
            return
        if newest != self._seen:
            self._seen = newest
            self._wake()

    def close(self) -> None:
        """Let everybody who waits go."""
        self.closing.set()
        self._wanted.set()
        self._wake()

    async def after(self, cursor: int, seconds: float) -> EventPage:
        """Return the events after `cursor`, as soon as there is one, at the latest in `seconds`."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while True:
            moved = self._moved
            page = await self._db.read(events.since, cursor)
            left = end - loop.time()
            if page.events or page.reset or left <= 0 or self.closing.is_set():
                return page
            await self._wait(moved, left)

    async def stream(self, cursor: int) -> AsyncIterator[Event]:
        """Yield the events after `cursor` for ever; lost ones are told by one of kind "reset"."""
        while not self.closing.is_set():
            page = await self.after(cursor, TURN_SECONDS)
            cursor = page.cursor
            if page.reset:
                yield Event(cursor, stamp(self._clock()), RESET, {})
            for event in page.events:
                yield event

    async def _wait(self, moved: asyncio.Event, seconds: float) -> None:
        self._waiting += 1
        self._wanted.set()
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(moved.wait(), seconds)
        finally:
            self._waiting -= 1
            if not self._waiting and not self.closing.is_set():
                self._wanted.clear()

    def _wake(self) -> None:
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()
