from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.fakes import NOON, FakeClock
from vaultd.errors import (
    DatabaseError,
    DiskFullError,
    EndpointClosedError,
    ModelUnavailableError,
    RateLimitedError,
    TransientError,
    UnreadableSourceError,
    WaitingError,
)
from vaultd.model.jobs import Job, JobKind, JobState, NewJob, Progress
from vaultd.store import events, joblist, jobs
from vaultd.store.database import Connection, Database
from vaultd.worker import Worker, Workflow

MINUTE = timedelta(minutes=1)


def worker_of(db: Database, clock: FakeClock, workflow: Workflow, *, parallel: int = 1) -> Worker:
    worker = Worker(
        db,
        {JobKind.INGEST: workflow, JobKind.INDEX: workflow},
        clock,
        parallel=parallel,
        retry_first=timedelta(seconds=30),
    )
    worker.chance = lambda: 0.5
    worker.monotonic = lambda: (clock() - NOON).total_seconds()
    worker._clocks = (clock(), worker.monotonic())
    return worker


@asynccontextmanager
async def working(worker: Worker) -> AsyncIterator[None]:
    async with asyncio.TaskGroup() as tasks:
        for lane in worker.lanes():
            tasks.create_task(lane)
        try:
            yield
        finally:
            worker.stop()


async def queue(db: Database, clock: FakeClock, *names: str) -> list[int]:
    new = [NewJob(JobKind.INGEST, f"raw/{name}.md", name) for name in names]
    return await db.run(jobs.enqueue_all, new, now=clock())


async def state(db: Database, job_id: int) -> tuple[JobState, str]:
    row = await db.read(joblist.find, job_id)
    assert row is not None
    return row.state, row.code


def failing(error: Callable[[], BaseException]) -> Workflow:
    async def workflow(job: Job, progress: Progress) -> Mapping[str, Any]:
        raise error()

    return workflow


async def test_jobs_are_done_in_order_and_their_results_kept(
    db: Database, clock: FakeClock
) -> None:
    seen = []

    async def workflow(job: Job, progress: Progress) -> Mapping[str, Any]:
        seen.append(job.subject)
        progress("reading", 1, 2)
        return {"pages": 3}

    ids = await queue(db, clock, "a", "b", "c")
    worker = worker_of(db, clock, workflow)
    async with working(worker):
        await worker.idle_until(MINUTE)

    row = await db.read(joblist.find, ids[0])
    assert seen == ["raw/a.md", "raw/b.md", "raw/c.md"]
    assert row is not None
    assert (row.state, row.result, row.stage) == (JobState.DONE, {"pages": 3}, "reading")
    told = (await db.read(events.since, 0)).events
    states = [each.payload["state"] for each in told if each.kind == "job"]
    assert states == ["queued"] * 3 + ["done"] * 3
    assert "progress" in {each.kind for each in told}


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (lambda: UnreadableSourceError("no text", "needs_ocr"), (JobState.PARKED, "needs_ocr")),
        (lambda: EndpointClosedError("no"), (JobState.PAUSED, "endpoint_closed")),
        (lambda: WaitingError("ask"), (JobState.WAITING, "waiting")),
        (lambda: ModelUnavailableError("x"), (JobState.QUEUED, "model_unavailable")),
        (lambda: KeyError("x"), (JobState.PARKED, "bug")),
        (
            lambda: ExceptionGroup("x", [EndpointClosedError("no"), KeyError("x")]),
            (JobState.PARKED, "bug"),
        ),
    ],
)
async def test_errors_become_outcomes(
    db: Database,
    clock: FakeClock,
    error: Callable[[], BaseException],
    expected: tuple[JobState, str],
) -> None:
    (job_id,) = await queue(db, clock, "a")
    worker = worker_of(db, clock, failing(error))
    async with working(worker):
        await worker.idle_until(timedelta(0))

    assert await state(db, job_id) == expected


async def test_parallel_ingests_and_no_more(db: Database, clock: FakeClock) -> None:
    now, most = 0, 0

    async def workflow(job: Job, progress: Progress) -> Mapping[str, Any]:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.02)
        now -= 1
        return {}

    await queue(db, clock, *"abcdefgh")
    worker = worker_of(db, clock, workflow, parallel=3)
    async with working(worker):
        await worker.idle_until(MINUTE)

    assert most == 3


async def test_hanging_job_does_not_stop_the_others(db: Database, clock: FakeClock) -> None:
    over = asyncio.Event()

    async def workflow(job: Job, progress: Progress) -> Mapping[str, Any]:
        if job.digest == "a":
            await over.wait()
        return {}

    ids = await queue(db, clock, *"abcde")
    worker = worker_of(db, clock, workflow, parallel=2)
    async with working(worker):
        for _ in range(500):
            if [(await state(db, id_))[0] for id_ in ids[1:]] == [JobState.DONE] * 4:
                break
            await asyncio.sleep(0.01)
        assert (await state(db, ids[0]))[0] is JobState.RUNNING
        over.set()


async def test_running_job_is_cancelled_by_a_person(db: Database, clock: FakeClock) -> None:
    started = asyncio.Event()

    async def workflow(job: Job, progress: Progress) -> Mapping[str, Any]:
        started.set()
        await asyncio.sleep(60)
        return {}

    (job_id,) = await queue(db, clock, "a")
    worker = worker_of(db, clock, workflow)
    async with working(worker):
        await started.wait()
        await db.run(jobs.cancel, job_id, now=clock())
        await worker.tick()
        await worker.idle_until(MINUTE)

    assert (await state(db, job_id))[0] is JobState.CANCELLED


async def test_stop_lets_a_running_job_end(db: Database, clock: FakeClock) -> None:
    started = asyncio.Event()

    async def workflow(job: Job, progress: Progress) -> Mapping[str, Any]:
        started.set()
        await asyncio.sleep(0.1)
        return {}

    first, second = await queue(db, clock, "a", "b")
    async with working(worker_of(db, clock, workflow)):
        await started.wait()

    assert (await state(db, first))[0] is JobState.DONE
    assert (await state(db, second))[0] is JobState.QUEUED


async def test_job_that_does_not_end_is_put_back_without_an_attempt(
    db: Database, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vaultd.worker.STOP_SECONDS", 0.05)
    started = asyncio.Event()

    async def workflow(job: Job, progress: Progress) -> Mapping[str, Any]:
        started.set()
        await asyncio.sleep(60)
        return {}

    (job_id,) = await queue(db, clock, "a")
    async with working(worker_of(db, clock, workflow)):
        await started.wait()

    row = await db.read(joblist.find, job_id)
    assert row is not None
    assert (row.state, row.attempts, row.deaths) == (JobState.QUEUED, 0, 0)


async def test_a_stop_is_clean_where_nothing_can_be_stored(
    db: Database, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vaultd.worker.STOP_SECONDS", 0.05)
    started = asyncio.Event()

    async def workflow(job: Job, progress: Progress) -> Mapping[str, Any]:
        started.set()
        await asyncio.sleep(60)
        return {}

    def put_back(connection: Connection, job_id: int, *, now: datetime) -> None:
        raise TransientError("The database did not answer.")

    (job_id,) = await queue(db, clock, "a")
    monkeypatch.setattr("vaultd.store.jobs.put_back", put_back)
    async with working(worker_of(db, clock, workflow)):
        await started.wait()

    await db.run(jobs.recover, now=clock())  # what the next start does
    assert (await state(db, job_id))[0] is JobState.QUEUED


async def test_full_disk_marks_nothing_and_work_goes_on_by_itself_w15(
    db: Database, clock: FakeClock
) -> None:
    full = True

    async def workflow(job: Job, progress: Progress) -> Mapping[str, Any]:
        if full:
            raise DiskFullError("The disk is full.")
        return {}

    ids = await queue(db, clock, "a", "b")
    worker = worker_of(db, clock, workflow)
    async with working(worker):
        await worker.idle_until(MINUTE)
        assert (await state(db, ids[0]))[0] is JobState.PAUSED
        full = False
        clock.pass_(seconds=31)
        for _ in range(100):
            await worker.tick()
            if [(await state(db, id_))[0] for id_ in ids] == [JobState.DONE] * 2:
                break
            await asyncio.sleep(0.02)

    assert [(await state(db, id_))[0] for id_ in ids] == [JobState.DONE] * 2


async def test_nothing_is_begun_while_space_is_low(db: Database, clock: FakeClock) -> None:
    low = True

    async def workflow(job: Job, progress: Progress) -> Mapping[str, Any]:
        return {}

    (job_id,) = await queue(db, clock, "a")
    worker = worker_of(db, clock, workflow)
    worker.low_space = lambda: low
    await worker.tick()
    async with working(worker):
        await asyncio.sleep(0.05)
        assert (await state(db, job_id))[0] is JobState.QUEUED
        low = False
        clock.pass_(seconds=31)
        await worker.tick()
        await worker.idle_until(MINUTE)

    assert (await state(db, job_id))[0] is JobState.DONE


async def test_damaged_database_ends_the_program(db: Database, clock: FakeClock) -> None:
    await queue(db, clock, "a")
    worker = worker_of(db, clock, failing(lambda: DatabaseError("damaged")))

    with pytest.raises(ExceptionGroup) as caught:
        async with working(worker):
            await asyncio.sleep(1)
    assert caught.group_contains(DatabaseError)


async def test_retry_is_woken_when_it_is_due(db: Database, clock: FakeClock) -> None:
    tries = 0

    async def workflow(job: Job, progress: Progress) -> Mapping[str, Any]:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise ModelUnavailableError("timed out")
        return {}

    (job_id,) = await queue(db, clock, "a")
    worker = worker_of(db, clock, workflow)
    async with working(worker):
        await worker.idle_until(timedelta(0))
        for seconds in (30, 120):
            clock.pass_(seconds=seconds)
            await worker.tick()
            await worker.idle_until(timedelta(0))

    assert tries == 3
    assert (await state(db, job_id))[0] is JobState.DONE


@pytest.mark.parametrize("query", ["claim", "finish"])
async def test_nothing_is_idle_between_two_steps_of_the_queue(
    db: Database, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    run, watched = db.run, getattr(jobs, query)

    async def late(asked: Any, *args: Any, **named: Any) -> Any:
        found = await run(asked, *args, **named)
        if asked is watched:
            await asyncio.sleep(0.05)  # the row is changed, and the lane does not know yet
        return found

    async def workflow(job: Job, progress: Progress) -> Mapping[str, Any]:
        return {}

    ids = await queue(db, clock, "a", "b")
    monkeypatch.setattr(db, "run", late)
    worker = worker_of(db, clock, workflow)
    async with working(worker):
        await worker.idle_until(MINUTE)

        assert [(await state(db, id_))[0] for id_ in ids] == [JobState.DONE] * 2


async def test_clock_that_jumps_a_year_brings_no_burst(db: Database, clock: FakeClock) -> None:
    tries = 0

    async def workflow(job: Job, progress: Progress) -> Mapping[str, Any]:
        nonlocal tries
        tries += 1
        raise ModelUnavailableError("timed out")

    await queue(db, clock, "a")
    worker = worker_of(db, clock, workflow)
    async with working(worker):
        await worker.idle_until(timedelta(0))
        worker.monotonic = lambda: 0.0
        clock.pass_(days=365)
        await worker.tick()
        await worker.idle_until(timedelta(0))

    assert tries == 1


class CountingDatabase(Database):
    """Counts how often a job is looked for."""

    claims = 0

    async def run(self, query: Any, *args: Any, **kwargs: Any) -> Any:
        self.claims += query is jobs.claim
        return await super().run(query, *args, **kwargs)


async def test_waiting_for_a_long_job_is_not_a_busy_loop(clock: FakeClock) -> None:
    async def workflow(job: Job, progress: Progress) -> Mapping[str, Any]:
        await asyncio.sleep(0.2)
        return {}

    db = CountingDatabase(":memory:")
    await queue(db, clock, "a", "b", "c")
    worker = worker_of(db, clock, workflow)
    async with working(worker):
        await worker.idle_until(MINUTE)

    assert db.claims < 40
    db.close()


async def test_a_pass_makes_the_probe_whose_time_has_come(db: Database, clock: FakeClock) -> None:
    closed = [True]

    async def workflow(job: Job, progress: Progress) -> Mapping[str, Any]:
        if closed:
            raise EndpointClosedError("no")
        return {}

    ids = await queue(db, clock, "a", "b")
    worker = worker_of(db, clock, workflow)
    async with working(worker):
        await worker.idle_until(MINUTE)
        assert [(await state(db, each))[0] for each in ids] == [JobState.PAUSED, JobState.QUEUED]
        closed.clear()
        clock.pass_(minutes=1)
        await worker.idle_until(MINUTE)

    assert [(await state(db, each))[0] for each in ids] == [JobState.DONE] * 2


async def test_work_that_does_not_get_on_is_left_when_it_is_enough(
    db: Database, clock: FakeClock
) -> None:
    asked: list[str] = []

    async def workflow(job: Job, progress: Progress) -> Mapping[str, Any]:
        asked.append(job.subject)
        raise RateLimitedError("slow down", retry_after=timedelta(0))

    async def enough() -> bool:
        return len(asked) > 9

    ids = await queue(db, clock, "a", "b")
    worker = worker_of(db, clock, workflow, parallel=2)
    async with working(worker):
        assert not await worker.idle_until(MINUTE, enough)
        before = len(asked)
        assert not await worker.idle_until(MINUTE, enough), "it is not begun again"

    assert len(asked) == before
    assert {await state(db, each) for each in ids} == {(JobState.QUEUED, "rate_limited")}


async def test_what_runs_is_waited_for_and_may_bring_the_rest_on(
    db: Database, clock: FakeClock
) -> None:
    going_on = asyncio.Event()

    async def workflow(job: Job, progress: Progress) -> Mapping[str, Any]:
        await going_on.wait()
        return {}

    async def enough() -> bool:
        going_on.set()
        return (await db.read(joblist.movement))[1] == 0

    ids = await queue(db, clock, "a long one", "the next")
    worker = worker_of(db, clock, workflow)
    async with working(worker):
        assert await worker.idle_until(MINUTE, enough)

    assert {(await state(db, each))[0] for each in ids} == {JobState.DONE}


async def test_a_pause_without_a_job_holds_no_pass_up(db: Database, clock: FakeClock) -> None:
    (id_,) = await queue(db, clock, "a")
    worker = worker_of(db, clock, failing(lambda: EndpointClosedError("no")))
    async with working(worker):
        await worker.idle_until(MINUTE)
        await db.run(jobs.cancel, id_, now=clock())
        clock.pass_(minutes=10)
        async with asyncio.timeout(5):
            await worker.idle_until(MINUTE)
