"""Sources are read side by side, and published one after the other in the order they started."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager


class PublishOrder:
    """Lets the holder of the lowest place pass first, and never two at once.

    A place is a job's `started` number, which survives a restart. It is given back when the
    job ends, however it ends, so that a failure or a cancel lets the next one pass.
    """

    def __init__(self) -> None:
        self._places: set[int] = set()
        self._lowest_left = asyncio.Event()
        self._passing = asyncio.Lock()

    @contextmanager
    def place(self, number: int) -> Iterator[int]:
        """Hold place `number` while the body runs; take it before the first await."""
        self._places.add(number)
        try:
            yield number
        finally:
            self._places.discard(number)
            self._lowest_left.set()
            self._lowest_left = asyncio.Event()

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Pass between two ingests, without waiting for those that began earlier."""
        async with self._passing:
            yield

    @asynccontextmanager
    async def turn(self, number: int) -> AsyncIterator[None]:
        """Wait until every lower place has been given back, then pass alone."""
        while min(self._places, default=number) < number:
            await self._lowest_left.wait()
        async with self._passing:
            yield
