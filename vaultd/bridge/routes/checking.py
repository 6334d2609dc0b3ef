"""Looking whether all is well: the wiki, the program, what documents would cost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

from vaultd.bridge.answers import Checks, Cost, Job, LintReport
from vaultd.bridge.asked import EstimateFiles
from vaultd.bridge.operation import Nothing, job_operation, operation
from vaultd.bridge.program import Program
from vaultd.bridge.queue import settled
from vaultd.bridge.routes.finding import check_there
from vaultd.core.lint import REPORT, as_document
from vaultd.model.jobs import JobKind, JobState, NewJob
from vaultd.model.paths import VaultPath
from vaultd.store import joblist

WHOLE = "."  # the subject of work on the vault as a whole


async def lint(program: Program, asked: Nothing) -> Job:
    """Look over the wiki: broken links, orphans, unlisted and stale pages, duplicates.

    The job's result holds the findings. Answers once it is done, or with the job (202).
    """
    del asked
    return await settled(program, NewJob(JobKind.LINT, WHOLE, person=True))


async def lint_report(program: Program, asked: Nothing) -> LintReport:
    """Return what the last look over the wiki found; nothing is looked at anew."""
    del asked
    looks = await program.db.read(joblist.of_subject, WHOLE, JobKind.LINT)
    last = next((row for row in looks if row.state is JobState.DONE), None)
    found = last.result if last else {**as_document([]), "report": REPORT}
    return LintReport.model_validate({"at": last.changed_at if last else "", **found})


async def rebuild(program: Program, asked: Nothing) -> Job:
    """Make records, indexes and listings anew from the files; no model is asked.

    Answers once it is done, or with the job (202).
    """
    del asked
    return await settled(program, NewJob(JobKind.REBUILD, WHOLE, person=True))


async def doctor(program: Program, asked: Nothing) -> Checks:
    """Check program, model, embedder, vault and database; say what helps."""
    del asked
    return Checks(checks=list(await asyncio.to_thread(lambda: tuple(program.check()))))


async def estimate(program: Program, asked: EstimateFiles) -> AsyncIterator[Cost]:
    """Say how many tokens files would take with a model; streams one after the other.

    No model is asked. Without `paths`: every source whose content was not ingested yet.
    """
    paths = [VaultPath(path) for path in asked.paths]
    for path in paths:
        await check_there(program, path)
    async with aclosing(program.estimate(paths)) as costs:
        async for cost in costs:
            yield cost


OPERATIONS = (
    job_operation("/v1/lint", lint),
    operation("GET", "/v1/lint", lint_report),
    job_operation("/v1/rebuild", rebuild),
    operation("GET", "/v1/doctor", doctor),
    operation("POST", "/v1/estimate", estimate, fails=(404,)),
)
