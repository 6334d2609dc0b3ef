"""The command line as a whole: its commands, and the exit codes of what goes wrong."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from vaultd import __version__
from vaultd.cli import (
    extracting,
    looking,
    preparing,
    queueing,
    running,
    searching,
    service,
    versions,
)
from vaultd.cli.logs import keep_silent
from vaultd.cli.options import JsonOption, VaultOption
from vaultd.cli.outcome import FAILED, MISUSED
from vaultd.cli.terminal import remark, say
from vaultd.errors import UsageError, VaultdError

HELP = """Turn documents dropped into an Obsidian vault into linked, searchable pages.

Exit codes: 0 done; 1 failed; 2 usage or settings; 3 done, but something is waiting, parked or
degraded; 130 interrupted."""


class Commands(TyperGroup):
    """The commands, with one sentence and an exit code for every error raised on purpose."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except UsageError as error:
            remark(f"vaultd: {error}")
            raise typer.Exit(MISUSED) from error
        except VaultdError as error:
            remark(f"vaultd: {error}")
            raise typer.Exit(FAILED) from error


app = typer.Typer(
    cls=Commands,
    help=HELP,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        say(f"vaultd {__version__}")
        raise typer.Exit


@app.callback()
def _everywhere(
    vault: VaultOption = None,
    as_json: JsonOption = False,
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Hold what may stand before a command's name; the options read it from there."""
    del vault, as_json, version
    keep_silent()


for group in (preparing, running, queueing, looking, searching, versions, extracting, service):
    group.register(app)


def main() -> None:
    """Run the command line and exit with its code."""
    app(prog_name="vaultd")
