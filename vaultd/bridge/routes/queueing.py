"""The queue: what is to be done, and a person's wishes about it."""

from __future__ import annotations

import asyncio

from vaultd.bridge.answers import Job, Jobs, job_answer
from vaultd.bridge.asked import IngestFile, ListJobs, OneJob, RetryAll
from vaultd.bridge.operation import operation
from vaultd.bridge.program import Program
from vaultd.bridge.queue import queued, row_of
from vaultd.bridge.routes.finding import check_there
from vaultd.errors import ConflictError, UsageError
from vaultd.ingest.submission import handed_in, see
from vaultd.model.paths import VaultPath
from vaultd.model.wiki import OFFLINE
from vaultd.store import joblist
from vaultd.store import jobs as queue
from vaultd.store.release import release, release_all, written_offline


async def jobs(program: Program, asked: ListJobs) -> Jobs:
    """List jobs in the order of the queue: in the states named, or all that are not over."""
    rows = await program.db.read(joblist.listed, asked.state, asked.limit, kinds=asked.kind)
    return Jobs(jobs=[job_answer(row) for row in rows])


async def job(program: Program, asked: OneJob) -> Job:
    """Say how one job stands."""
    return job_answer(await row_of(program, asked.id))


async def retry_job(program: Program, asked: OneJob) -> Job:
    """Queue a held or delayed job at once; what it waited for is confirmed by that."""
    row = await row_of(program, asked.id)
    if not await program.db.run(release, asked.id, now=program.clock()):
        raise ConflictError(f"Job {row.id} is {row.state}: there is nothing to try again.")
    program.ring()
    return job_answer(await row_of(program, asked.id))


async def retry(program: Program, asked: RetryAll) -> Jobs:
    """Queue everything that is held at once, or have a model rewrite what was written offline.

    Costs that something waited for are confirmed by that.
    """
    if asked.what == "held":
        ids = await program.db.run(release_all, now=program.clock())
        program.ring()
        rows = [await row_of(program, id_) for id_ in ids]
    else:
        if program.chat == OFFLINE:
            raise UsageError("No model is configured: set llm.model first.")
        rows = await queued(program, await program.db.read(written_offline))
    return Jobs(jobs=[job_answer(row) for row in rows])


async def cancel_job(program: Program, asked: OneJob) -> Job:
    """Cancel a job that is not over; a running one stops at its next safe point."""
    row = await row_of(program, asked.id)
    if not await program.db.run(queue.cancel, asked.id, now=program.clock()):
        raise ConflictError(f"Job {row.id} is {row.state}: there is nothing to cancel.")
    program.ring()
    return job_answer(await row_of(program, asked.id))


async def ingest(program: Program, asked: IngestFile) -> Job:
    """Queue a file of the vault, before everything else.

    Answers with the job: follow it by `GET /v1/jobs/{id}` or the events. Its result names the
    `pages` that were written, and how many `reviews` it asks.
    """
    path = VaultPath(asked.path)
    await check_there(program, path)
    taken = await asyncio.to_thread(handed_in, program.vault, path)
    new = await program.db.run(see, [taken], now=program.clock())
    (row,) = await queued(program, new)
    return job_answer(row)


OPERATIONS = (
    operation("GET", "/v1/jobs", jobs),
    operation("GET", "/v1/jobs/{id:int}", job, fails=(404,)),
    operation("POST", "/v1/jobs/{id:int}/retry", retry_job, fails=(404, 409)),
    operation("DELETE", "/v1/jobs/{id:int}", cancel_job, fails=(404, 409)),
    operation("POST", "/v1/retry", retry, statuses=(202,)),
    operation("POST", "/v1/ingest", ingest, statuses=(202,), fails=(404, 507)),
)
