from __future__ import annotations

import asyncio

from tests.fakes import FakeClock
from vaultd.bridge.feed import Feed
from vaultd.errors import TransientError
from vaultd.model.jobs import JobKind, NewJob
from vaultd.store import events, jobs
from vaultd.store.database import Database, P, Query, T


class Silent(Database):
    """A database that does not answer when it is first asked what is new."""

    silent = 2

    async def read(self, query: Query[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        if query is events.latest and self.silent:
            self.silent -= 1
            raise TransientError("The database did not answer.")
        return await super().read(query, *args, **kwargs)


async def test_a_database_that_does_not_answer_is_asked_again(clock: FakeClock) -> None:
    db = Silent(":memory:")
    feed = Feed(db, clock)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(feed.run())
        waiting = tasks.create_task(feed.after(0, 10))
        await asyncio.sleep(0)
        await db.run(jobs.enqueue_all, [NewJob(JobKind.INGEST, "raw/a.md")], now=clock())
        page = await waiting
        feed.close()
    db.close()

    assert page.events
    assert db.silent == 0
