"""One look for all who ask the same at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class SharedLooks:
    """Lets those who ask the same while a look is under way share the next one.

    Nobody gets an answer that was begun before they asked: it holds what they did themselves.
    """

    def __init__(self) -> None:
        self._coming: dict[Hashable, asyncio.Task[Any]] = {}
        self._turn = asyncio.Lock()

    async def answer(self, asked: Hashable, look: Callable[[], Awaitable[T]]) -> T:
        """Return what `look` gives; equal `asked` means the same look."""
        if asked not in self._coming:
            self._coming[asked] = coming = asyncio.ensure_future(self._begun(asked, look))
            coming.add_done_callback(_seen)
        answer: T = await asyncio.shield(self._coming[asked])
        return answer

    async def _begun(self, asked: Hashable, look: Callable[[], Awaitable[T]]) -> T:
        async with self._turn:
            del self._coming[asked]  # who comes from here on gets another one
            return await look()


def _seen(looked: asyncio.Task[Any]) -> None:
    """Take notice of a failure that everybody who asked went away from."""
    if not looked.cancelled():
        looked.exception()
