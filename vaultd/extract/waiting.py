"""How long a document may hold up the next one, and how long it may take."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Deadline:
    """Ends a conversion in time; one that a busy machine keeps waiting has longer.

    `starves(seconds)` tells whether it got too little of the `seconds` since it was asked before.
    """

    def __init__(
        self, clock: asyncio.Timeout, starves: Callable[[float], bool], most: float
    ) -> None:
        self._clock = clock
        self._starves = starves
        self._most = most
        self._loop = asyncio.get_running_loop()
        self._begun = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def allow(self, seconds: float) -> None:
        """Let what is done now take `seconds`, the longest time at most."""
        self._begun = self._loop.time()
        self._starves(0)  # from here on it is counted
        self._wait(min(seconds, self._most))

    def over(self) -> None:
        """Wait for nothing any more."""
        if self._timer is not None:
            self._timer.cancel()

    def _wait(self, seconds: float) -> None:
        self.over()
        self._timer = self._loop.call_later(seconds, self._due, seconds)

    def _due(self, seconds: float) -> None:
        left = self._begun + self._most - self._loop.time()
        if left > 0 and self._starves(seconds):
            self._wait(min(seconds, left))
        else:
            self._clock.reschedule(self._loop.time())


class Turn:
    """Holds a semaphore for at most `seconds`, though the work goes on."""

    def __init__(self, turns: asyncio.Semaphore, seconds: float) -> None:
        self._turns = turns
        self._seconds = seconds
        self._timer: asyncio.TimerHandle | None = None
        self._held = False

    async def __aenter__(self) -> None:
        await self._turns.acquire()
        self._held = True
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._release)

    async def __aexit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._release()

    def _release(self) -> None:
        if self._held:
            self._held = False
            self._turns.release()
