"""The one way of every changing command: jobs, done here or by whoever holds the vault's lock."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Sequence

import typer

from vaultd.cli.outcome import DEGRADED, FAILED, INTERRUPTED
from vaultd.cli.target import Target, is_free, now
from vaultd.cli.terminal import remark
from vaultd.errors import VaultLockedError
from vaultd.model.jobs import JobState, NewJob
from vaultd.store.events import Event
from vaultd.store.joblist import JobRow

LOCK_SECONDS = 2.0  # between looks whether the process that holds the lock has ended
LEAST_FREE = 1024 * 1024  # bytes; with less not even that the work waits could be stored
LAST_SECONDS = 1.0  # what it finished last is seen within that time

Tell = Callable[[Event], None]


def carry_out(target: Target, new: Sequence[NewJob], *, silent: bool = False) -> list[JobRow]:
    """Queue `new` and return its rows when each is over or cannot go on by itself.

    Works here if the vault's lock is free, else follows the process that holds it. `silent`
    shows no bars.
    """
    from vaultd.cli.logs import write_logs  # these two bring structlog and rich
    from vaultd.cli.watching import watching

    write_logs(target.state / "logs", terminal=False)
    if shutil.disk_usage(target.root).free < LEAST_FREE:
        remark("The disk is full; work goes on by itself when there is space again.")
    with watching(silent=silent) as tell:
        return asyncio.run(_carried_out(target, new, tell))


async def _carried_out(target: Target, new: Sequence[NewJob], tell: Tell) -> list[JobRow]:
    from vaultd.daemon.run import run_jobs  # half a second of imports, for commands that work

    while True:
        try:
            return await run_jobs(target.root, target.settings, now, new, tell)
        except VaultLockedError:
            if (rows := await _followed(target, new, tell)) is not None:
                return rows


async def _followed(target: Target, new: Sequence[NewJob], tell: Tell) -> list[JobRow] | None:
    """Follow the jobs beside another process; None if it ended before they were over."""
    from vaultd.daemon.run import follow_jobs

    following = asyncio.ensure_future(follow_jobs(target.root, target.settings, now, new, tell))
    try:
        while not following.done() and not await asyncio.to_thread(is_free, target):
            await asyncio.wait({following}, timeout=LOCK_SECONDS)
        await asyncio.wait({following}, timeout=LAST_SECONDS)
        return following.result() if following.done() else None
    finally:
        following.cancel()


def exit_code(rows: Sequence[JobRow]) -> int:
    """Return the exit code that says how the jobs ended."""
    states = {row.state for row in rows}
    if states & {JobState.QUEUED, JobState.RUNNING}:
        return INTERRUPTED
    if states <= {JobState.DONE}:
        return 0
    return FAILED if states == {JobState.CANCELLED} else DEGRADED


def end_with(rows: Sequence[JobRow]) -> None:
    """Leave the program with the exit code of `rows`."""
    if code := exit_code(rows):
        raise typer.Exit(code)
