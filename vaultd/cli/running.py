"""`vaultd run`: the daemon, or one pass over the vault."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from functools import partial
from typing import Annotated, NoReturn

import typer

from vaultd.cli.options import VaultOption
from vaultd.cli.outcome import DEGRADED
from vaultd.cli.target import now, target_at
from vaultd.cli.terminal import remark


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("run")(run)


def run(
    vault: VaultOption = None,
    once: Annotated[
        bool, typer.Option("--once", help="Do what is due within a minute, then end.")
    ] = False,
) -> None:
    """Work on the vault until stopped.

    With --once: look at the whole vault, read what is new, refresh folder notes, index, and end,
    with exit code 3 if something waits, is paused or parked.
    """
    from vaultd.cli.logs import write_logs

    target = target_at(vault)
    write_logs(target.state / "logs", terminal=not once)
    from vaultd.cli.watching import watching
    from vaultd.daemon.run import run_daemon, run_once  # half a second of imports

    if once:
        with watching() as tell:
            code = asyncio.run(run_once(target.root, target.settings, now, tell))
        if code == DEGRADED:
            remark("Not everything could be done: `vaultd status` says what waits, and why.")
        raise typer.Exit(code)
    begun = partial(remark, f"vaultd works on {target.root}. Stop it with Ctrl-C.")
    _leave(asyncio.run(run_daemon(target.root, target.settings, now, begun)))


def _leave(code: int) -> NoReturn:
    """End the process without taking Python apart first: seconds, where the machine is busy."""
    logging.shutdown()
    sys.stdout.flush()
    os._exit(code)
