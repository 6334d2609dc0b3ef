"""Jobs asked for over the bridge: queued, waited for a while, followed to their end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from vaultd.bridge.answers import Job, job_answer
from vaultd.bridge.operation import UNDER_WAY
from vaultd.bridge.program import Program
from vaultd.errors import NotFoundError
from vaultd.model.jobs import NewJob
from vaultd.store import events, joblist, jobs
from vaultd.store.joblist import JobRow

PATIENCE_SECONDS = 20.0  # below the 30 s that clients wait for an answer
TURN_SECONDS = 5.0  # between two looks at a job of which no event came


async def queued(program: Program, new: Sequence[NewJob]) -> list[JobRow]:
    """Queue the jobs and let the worker look at once."""
    ids = await program.db.run(jobs.enqueue_all, new, now=program.clock())
    program.ring()
    return [await row_of(program, id_) for id_ in ids]


async def row_of(program: Program, job_id: int) -> JobRow:
    """Return the job.

    Raises:
        NotFoundError: there is none with this number.
    """
    row = await program.db.read(joblist.find, job_id)
    if row is None:
        raise NotFoundError(
            f"There is no job {job_id}: `GET /v1/jobs` lists them. One that is over is forgotten "
            "after a week."
        )
    return row


async def settled(program: Program, new: NewJob) -> Job:
    """Queue a job and return it when it is over or held, or as it stands after a while."""
    loop = asyncio.get_running_loop()
    end = loop.time() + PATIENCE_SECONDS
    cursor = await program.db.read(events.latest)
    (row,) = await queued(program, [new])
    while row.state in UNDER_WAY and not row.reason and loop.time() < end:
        page = await program.feed.after(cursor, min(TURN_SECONDS, end - loop.time()))
        cursor = page.cursor
        row = await row_of(program, row.id)
        if program.feed.closing.is_set():
            break
    return job_answer(row)


async def followed(program: Program, new: NewJob) -> AsyncIterator[Job]:
    """Queue a job and yield how it stands whenever that changes, until it is over or held."""
    cursor = await program.db.read(events.latest)
    (row,) = await queued(program, [new])
    shown = job_answer(row)
    yield shown
    while row.state in UNDER_WAY and not row.reason:
        page = await program.feed.after(cursor, TURN_SECONDS)
        cursor = page.cursor
        row = await row_of(program, row.id)
        if (now := job_answer(row)) != shown:
            shown = now
            yield shown
