"""Claims jobs, runs the workflow of their kind, and records what came of it."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog

from vaultd.core.timing import DISK_PROBE, cause_of, outcome_of
from vaultd.errors import DatabaseError, DiskFullError, TransientError
from vaultd.model.jobs import Cancelled, Done, Job, JobKind, Outcome, Progress
from vaultd.model.paths import Clock
from vaultd.store import joblist, jobs, problems
from vaultd.store.database import Database

log = structlog.get_logger()

Workflow = Callable[[Job, Progress], Awaitable[Mapping[str, Any]]]

STOP_SECONDS = 2.0  # a running job may end by itself for that long; 5 s are promised in all
STEPPED_SECONDS = 30.0  # a wall clock that jumps by more was set, not merely corrected
SPACE_SECONDS = 30.0  # between looks at the free space
BUSY_SECONDS = 5.0  # before a database that did not answer is asked for work again
LOW_SPACE = "The disk is almost full; work goes on by itself when there is space again."


@dataclass(frozen=True, slots=True)
class Step:
    """How far a job has come."""

    stage: str
    done: int
    total: int


class Worker:
    """Runs jobs in lanes: `parallel` for ingests, one for every other kind of work.

    `retry_first` is the wait before the second try. `low_space` tells whether the disk is too
    full to begin anything. `chance` gives a number in [0, 1) for the spread of waits.
    """

    def __init__(
        self,
        db: Database,
        workflows: Mapping[JobKind, Workflow],
        clock: Clock,
        *,
        parallel: int,
        retry_first: timedelta,
        low_space: Callable[[], bool] = lambda: False,
    ) -> None:
        self.db, self.workflows, self.clock = db, dict(workflows), clock
        self.parallel, self.retry_first, self.low_space = parallel, retry_first, low_space
        self.chance: Callable[[], float] = random.random
        self.monotonic: Callable[[], float] = time.monotonic
        self._bell = asyncio.Event()
        self._running: dict[int, asyncio.Task[Mapping[str, Any]]] = {}
        self._steps: dict[int, Step] = {}
        self._awake = self._wakings = 0  # lanes that are not idle now; how often one woke
        self._stuck = 0  # of the awake ones, those that wait for space to record an outcome
        self._wanted_off: set[int] = set()
        self._stopping = asyncio.Event()
        self._resting = False
        self._full = False
        self._space_checked = float("-inf")
        self._version = -1
        self._clocks = (clock(), self.monotonic())
        self._looked = datetime.min.replace(tzinfo=UTC)

    def lanes(self) -> list[Coroutine[Any, Any, None]]:
        """Return the loops to run at once; each ends some time after `stop` was called."""
        kinds = [kind for kind in self.workflows for _ in range(self._width(kind))]
        return [self._lane(kind) for kind in kinds]

    def _width(self, kind: JobKind) -> int:
        return self.parallel if kind is JobKind.INGEST else 1

    def ring(self) -> None:
        """Let idle lanes look for work."""
        bell, self._bell = self._bell, asyncio.Event()
        bell.set()

    def stop(self) -> None:
        """Take no more work; what runs may end by itself within `STOP_SECONDS`."""
        self._stopping.set()
        self.ring()

    @property
    def busy(self) -> bool:
        """Whether a lane is at work, from looking for a job to recording what came of it."""
        return self._awake > self._stuck

    async def idle_until(
        self, horizon: timedelta, enough: Callable[[], Awaitable[bool]] | None = None
    ) -> bool:
        """Return when nothing runs and nothing is due within `horizon`.

        What is paused holds nobody up, but a probe whose time has come is made. While `enough`
        is true nothing more is begun; if it still is when what runs has ended, the answer is false.
        """
        while self._resting or not await self._is_idle(horizon):
            nothing_runs = not self.busy
            resting = enough is not None and await enough()
            if resting and self._resting and nothing_runs:
                return False
            if resting is not self._resting:
                self._resting = resting
                self.ring()
            bell = self._bell
            await self.tick()
            with suppress(TimeoutError):
                await asyncio.wait_for(bell.wait(), 0.2)
        return True

    async def _is_idle(self, horizon: timedelta) -> bool:
        if self.busy:
            return False
        wakings = self._wakings  # a lane that wakes during the look may take what is due
        return not await self._due_within(horizon) and wakings == self._wakings

    async def _due_within(self, horizon: timedelta) -> bool:
        if self._full:
            return False
        now = self.clock()
        due = await self.db.read(joblist.next_due, tuple(self.workflows))
        probe = await self.db.read(joblist.next_probe)
        return (due is not None and due <= now + horizon) or (probe is not None and probe <= now)

    async def tick(self) -> None:
        """Look up what came from outside: new rows, due retries, cancellations, free space.

        Called about once a second; writes only what changed. Lanes are woken when a moment comes,
        not again for as long as it is past: what is due then waits for its lane, not for a look.
        """
        await self._follow_clock()
        await self._check_space()
        await self._store_steps()
        for job_id in await self.db.read(jobs.stopping):
            if (task := self._running.get(job_id)) and job_id not in self._wanted_off:
                self._wanted_off.add(job_id)
                task.cancel()
        version = await self.db.read(joblist.data_version)
        due = await self.db.read(joblist.next_due, tuple(self.workflows))
        probe = await self.db.read(joblist.next_probe)
        planned = [moment for moment in (due, probe) if moment is not None]
        before, self._looked = self._looked, self.clock()
        came = any(before < moment <= self._looked for moment in planned)
        if version != self._version or came:
            self._version = version
            if await self.db.read(joblist.is_waiting_over, self.clock()):
                await self.db.run(jobs.wake_waiting, now=self.clock())
            self.ring()

    async def _lane(self, kind: JobKind) -> None:
        while not self._stopping.is_set():
            bell = self._bell
            self._awake += 1
            self._wakings += 1
            try:
                job = None if self._full or self._resting else await self._claim(kind)
                if job is not None:
                    await self.attempt(job)
            finally:
                self._awake -= 1
            if job is None:
                await bell.wait()
            else:
                self.ring()

    async def _claim(self, kind: JobKind) -> Job | None:
        try:
            return await self.db.run(jobs.claim, kinds=(kind,), now=self.clock())
        except DiskFullError:
            self._space_checked, self._full = self.monotonic(), True
        except TransientError as error:
            log.warning("nothing claimed", reason=str(error))
            asyncio.get_running_loop().call_later(BUSY_SECONDS, self.ring)
        return None

    async def attempt(self, job: Job) -> None:
        """Run one claimed job and record its outcome."""
        with structlog.contextvars.bound_contextvars(job=job.id, kind=str(job.kind)):
            try:
                outcome = await self._outcome(job)
            finally:
                self._running.pop(job.id, None)
                self._wanted_off.discard(job.id)
            if outcome is None:
                await self._put_back(job)
            else:
                await self._record(job, outcome)

    async def _outcome(self, job: Job) -> Outcome | None:
        """Return what came of the job, None if it was interrupted by a stop of the program."""
        try:
            return Done(await self._work(job))
        except asyncio.CancelledError:
            if job.id in self._wanted_off:
                return Cancelled("cancelled by a person")
            if self._stopping.is_set():
                return None
            raise
        except Exception as error:  # the one place: outcome_of sorts them all
            cause = cause_of(error)
            if isinstance(cause, DatabaseError):
                raise  # nothing can be recorded: the program ends, and the job is due again
            outcome = outcome_of(
                cause,
                attempt=job.attempt,
                now=self.clock(),
                first=self.retry_first,
                chance=self.chance(),
            )
            bug = getattr(outcome, "code", "") == "bug"
            say = log.exception if bug else log.warning
            say("job did not succeed", outcome=type(outcome).__name__, error=type(cause).__name__)
            return outcome

    async def _work(self, job: Job) -> Mapping[str, Any]:
        def progress(stage: str, done: int = 0, total: int = 0) -> None:
            self._steps[job.id] = Step(stage, done, total)

        log.info("job started", subject=job.subject, attempt=job.attempt)
        task = asyncio.ensure_future(self.workflows[job.kind](job, progress))
        self._running[job.id] = task
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait({task, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                await asyncio.wait({task}, timeout=STOP_SECONDS)
        finally:
            stopping.cancel()
            if not task.done():
                task.cancel()
        return await task

    async def _put_back(self, job: Job) -> None:
        """Have an interrupted job be due again; where that fails, the next start sees to it."""
        try:
            await self.db.run(jobs.put_back, job.id, now=self.clock())
        except (DiskFullError, TransientError) as error:
            log.warning("job not put back", reason=str(error))

    async def _record(self, job: Job, outcome: Outcome) -> None:
        """Store the outcome; while the disk is full or does not answer, keep it and try again."""
        while True:
            try:
                if job.id in self._steps:
                    await self._store_steps()
                await self.db.run(jobs.finish, job.id, outcome, now=self.clock())
            except (DiskFullError, TransientError):
                self._stuck += 1
                try:
                    await asyncio.wait_for(self._stopping.wait(), DISK_PROBE.total_seconds())
                except TimeoutError:
                    continue
                finally:
                    self._stuck -= 1
                return  # still "running" in the table: due again at the next start
            else:
                log.info("job ended", outcome=type(outcome).__name__)
                return

    async def _store_steps(self) -> None:
        steps, self._steps = self._steps, {}
        for job_id, step in steps.items():
            await self.db.run(
                jobs.set_progress, job_id, step.stage, step.done, step.total, now=self.clock()
            )

    async def _check_space(self) -> None:
        if self.monotonic() - self._space_checked < SPACE_SECONDS:
            return
        self._space_checked = self.monotonic()
        low = await asyncio.to_thread(self.low_space)
        if low == self._full:
            return
        self._full = low
        with suppress(DiskFullError):
            text = LOW_SPACE if low else ""
            await self.db.run(problems.report, "low_space", text, now=self.clock())
        self.ring()

    async def _follow_clock(self) -> None:
        """Move planned times along when the wall clock was set: waits stay as long as they were."""
        wall, steady = self.clock(), self.monotonic()
        stepped = (wall - self._clocks[0]).total_seconds() - (steady - self._clocks[1])
        if abs(stepped) > STEPPED_SECONDS:
            log.warning("wall clock stepped", seconds=round(stepped))
            await self.db.run(jobs.shift, self._clocks[0], timedelta(seconds=stepped))
        self._clocks = (wall, steady)
