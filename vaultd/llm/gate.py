"""How many calls run at once, and whose turn it is."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Gate:
    """At most `limit` at once in this process; waiting lanes take turns.

    A lane is whoever the calls are for, so that a folder with a thousand calls to make does
    not keep a dropped document waiting. Within a lane the order is that of arrival.
    """

    def __init__(self, limit: int) -> None:
        self._free = max(1, limit)
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @asynccontextmanager
    async def turn(self, lane: str) -> AsyncIterator[None]:
        """Wait for a turn and keep it until the end of the block."""
        await self._enter(lane)
        try:
            yield
        finally:
            self._leave()

    async def _enter(self, lane: str) -> None:
        if self._free and not self._waiting:
            self._free -= 1
            return
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(lane, deque()).append(mine)
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():
                self._leave()  # the turn was given in the moment of the cancelling
            else:
                self._forget(lane, mine)
            raise

    def _leave(self) -> None:
        while self._waiting:
            lane, queue = self._waiting.popitem(last=False)
            following = queue.popleft()
            if queue:
                self._waiting[lane] = queue
            if not following.done():
                following.set_result(None)
                return
        self._free += 1

    def _forget(self, lane: str, mine: asyncio.Future[None]) -> None:
        queue = self._waiting.get(lane)
        if queue is None or mine not in queue:
            return
        queue.remove(mine)
        if not queue:
            del self._waiting[lane]
