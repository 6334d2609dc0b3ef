"""How many calls run at once, and which goes first."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from vaultd.errors import (
    EndpointClosedError,
    ModelUnavailableError,
    RateLimitedError,
    VaultdError,
    WaitingError,
)
from vaultd.model.paths import Clock

T = TypeVar("T")

PATIENCE = 0.25  # seconds: longer than storing a folder and reading the one above it take
LONGEST_CLOSED = timedelta(minutes=5)  # a provider is back unseen for no longer than this
SILENT_CALLS = 5  # so many calls in a row without an answer are no longer one folder's bad luck


Urgency = tuple[int, ...]
"""Smaller ones are more urgent; compared from the left."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who wants to come in: the folder or file that is asked about."""

    name: str
    urgency: Urgency


class Gate:
    """Lets at most `width` callers in at once; the more urgent ones first, then by arrival.

    One for the whole process: every folder, bucket and file of every run goes through it. Who
    leaves may name the caller that it makes ready: a place is kept for that one from all less
    urgent ones for a moment, or a folder stored a little late waits for a whole call.
    """

    def __init__(self, width: int, *, patience: float = PATIENCE) -> None:
        self._free = width
        self._patience = patience
        self._waiting: list[tuple[Urgency, int, asyncio.Future[None]]] = []
        self._expected: dict[str, tuple[Urgency, asyncio.TimerHandle]] = {}
        self._arrivals = 0

    @asynccontextmanager
    async def turn(self, caller: Caller, *, then: Caller | None = None) -> AsyncIterator[None]:
        """Wait for a place, and give it back afterwards."""
        await self._enter(caller)
        try:
            yield
        finally:
            self._leave(then)

    async def _enter(self, caller: Caller) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._arrivals += 1
        heapq.heappush(self._waiting, (caller.urgency, self._arrivals, turn))
        self._forget(caller.name)
        self._let_in()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave(None)
            raise

    def _leave(self, then: Caller | None) -> None:
        self._free += 1
        if then is not None:
            self._forget(then.name)
            timer = asyncio.get_running_loop().call_later(self._patience, self._give_up, then.name)
            self._expected[then.name] = then.urgency, timer
        self._let_in()

    def _give_up(self, name: str) -> None:
        self._forget(name)
        self._let_in()

    def _forget(self, name: str) -> None:
        if name in self._expected:
            _, timer = self._expected.pop(name)
            timer.cancel()

    def _let_in(self) -> None:
        while self._waiting and self._free:
            urgency, _, turn = self._waiting[0]
            if not turn.done():
                if self._free <= sum(each < urgency for each, _ in self._expected.values()):
                    return
                self._free -= 1
                turn.set_result(None)
            heapq.heappop(self._waiting)


class Breaker:
    """Keeps calls from an endpoint that is closed or asks for a pause; one probe ends that.

    `until` is when the next probe may start; None while the endpoint is taken to be open. The
    waits double from `first` to five minutes, unless the other side names its own.
    """

    def __init__(self, clock: Clock, first: timedelta) -> None:
        self._clock = clock
        self._first = first
        self._fault: VaultdError | None = None
        self._failures = 0
        self._silent = 0
        self._probe = asyncio.Lock()
        self.until: datetime | None = None

    async def call(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Return what `ask` gives, or raise the known fault without asking.

        Raises:
            VaultdError: the fault that closed the endpoint, as long as `until` is not reached.
        """
        if self._fault is None:
            return await self._try(ask)
        async with self._probe:
            if self._fault is not None and self.until is not None and self._clock() < self.until:
                raise type(self._fault)(str(self._fault))
            return await self._try(ask)

    async def _try(self, ask: Callable[[], Awaitable[T]]) -> T:
        try:
            result = await ask()
        except (EndpointClosedError, RateLimitedError, WaitingError) as fault:
            self._close(fault)
            raise
        except ModelUnavailableError as fault:
            self._silent += 1
            if self._silent >= SILENT_CALLS:
                self._close(fault)
            raise
        self._fault, self._failures, self._silent, self.until = None, 0, 0, None
        return result

    def _close(self, fault: VaultdError) -> None:
        now = self._clock()
        if self._fault is not None and self.until is not None and now < self.until:
            return  # one of the calls that were under way when the first one failed
        wait = min(self._first * 2**self._failures, LONGEST_CLOSED)
        if isinstance(fault, RateLimitedError) and fault.retry_after is not None:
            wait = fault.retry_after
        self._fault, self._failures, self.until = fault, self._failures + 1, now + wait


async def together(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Return what all of `works` give, in order; the first failure stops the others."""
    try:
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(work) for work in works]
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
    return [task.result() for task in running]
