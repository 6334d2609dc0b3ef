from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from vaultd.schedule import Schedule

SOON = timedelta(seconds=0.05)


async def test_chores_are_called_again_and_again() -> None:
    calls = 0
    enough = asyncio.Event()

    async def chore() -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            enough.set()

    schedule = Schedule()
    schedule.every(SOON, chore)
    running = asyncio.ensure_future(schedule.run())
    await asyncio.wait_for(enough.wait(), 10)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_stop_amid_a_chore_is_no_fault(caplog: pytest.LogCaptureFixture) -> None:
    begun = asyncio.Event()

    async def chore() -> None:
        begun.set()
        await asyncio.sleep(60)

    schedule = Schedule()
    schedule.every(SOON, chore)
    running = asyncio.ensure_future(schedule.run())
    await asyncio.wait_for(begun.wait(), 10)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await asyncio.sleep(0.01)

    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


async def test_failing_chore_is_raised_not_swallowed() -> None:
    async def chore() -> None:
        raise ZeroDivisionError

    schedule = Schedule()
    schedule.every(SOON, chore)

    with pytest.raises(ZeroDivisionError):
        await asyncio.wait_for(schedule.run(), 10)


def test_clock_uses_utc_only_and_never_drops_a_late_call_w35() -> None:
    schedule = Schedule()
    scheduler = schedule._scheduler

    assert str(scheduler.timezone) == "UTC"
    assert scheduler._job_defaults["misfire_grace_time"] is None
    assert scheduler._job_defaults["coalesce"] is True
