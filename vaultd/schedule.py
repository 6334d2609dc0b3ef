"""The clock: calls what is due at regular intervals. Nothing durable is kept here."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, timedelta

from apscheduler.events import EVENT_JOB_ERROR, JobExecutionEvent
from apscheduler.schedulers.asyncio import AsyncIOScheduler

Chore = Callable[[], Awaitable[None]]


class Schedule:
    """Calls chores at intervals, each by itself, in UTC; a late call is made once, not dropped."""

    def __init__(self) -> None:
        # The library drops calls that are more than a second late unless told otherwise.
        defaults = {"coalesce": True, "misfire_grace_time": None, "max_instances": 1}
        self._scheduler = AsyncIOScheduler(timezone=UTC, job_defaults=defaults)
        self._scheduler.add_listener(self._failed, EVENT_JOB_ERROR)
        self._failure: asyncio.Future[BaseException] | None = None

    def every(self, interval: timedelta, chore: Chore) -> None:
        """Call `chore` every `interval`, the first time after one interval."""
        self._scheduler.add_job(self._call, "interval", [chore], seconds=interval.total_seconds())

    async def run(self) -> None:
        """Keep time until cancelled; a chore's error ends it and is raised."""
        self._failure = asyncio.get_running_loop().create_future()
        self._scheduler.start()
        try:
            raise await self._failure
        finally:
            self._scheduler.shutdown(wait=False)

    async def _call(self, chore: Chore) -> None:
        with suppress(asyncio.CancelledError):  # by a stop, which the library takes for a fault
            await chore()

    def _failed(self, event: JobExecutionEvent) -> None:
        if self._failure is not None and not self._failure.done():
            self._failure.set_result(event.exception)
