"""The command line as a whole: its commands, and the exit codes of what goes wrong."""

from __future__ import annotations

import difflib
import sys
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from vaultd import __version__
from vaultd.cli.options import JsonOption, VaultOption
from vaultd.cli.outcome import FAILED, MISUSED
from vaultd.cli.terminal import remark, say, widen
from vaultd.errors import DiskFullError, NotFoundError, UsageError, VaultdError

HELP = """Turn documents dropped into an Obsidian vault into linked, searchable pages.

Exit codes: 0 done; 1 failed; 2 usage or settings; 3 done, but something is waiting, parked or
degraded; 130 interrupted."""

MODULES = {  # of each command, in the order of the help; loaded when the command is asked for
    "init": "preparing",
    "run": "running",
    "ingest": "queueing",
    "retry": "queueing",
    "cancel": "queueing",
    "status": "looking",
    "jobs": "looking",
    "usage": "looking",
    "search": "searching",
    "related": "searching",
    "summarize": "summarizing",
    "reviews": "reviewing",
    "review": "reviewing",
    "history": "versions",
    "restore": "taking_back",
    "undo": "taking_back",
    "forget": "taking_back",
    "lint": "upkeep",
    "rebuild": "upkeep",
    "doctor": "upkeep",
    "estimate": "upkeep",
    "take-over": "upkeep",
    "extract": "extracting",
    "open": "opening",
    "token": "opening",
    "mcp": "agents",
    "service": "service",
}
FREE_SPACE = "Free some space where the vault lies, then do this again: what was stored is kept."
WITHOUT_LOG = frozenset({"status", "jobs", "usage"})  # ask the database only: nothing there logs


class Commands(TyperGroup):
    """The commands, with one sentence and an exit code for every error raised on purpose."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Name the commands in the order of the help."""
        del ctx
        return list(MODULES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; only its own module is loaded for it."""
        if cmd_name in MODULES and cmd_name not in self.commands:
            group = typer.Typer(rich_markup_mode=None)
            import_module(f"vaultd.cli.{MODULES[cmd_name]}").register(group)
            group.callback()(lambda: None)  # or a single command would not stay one of a group
            self.commands.update(get_group(group).commands)
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that `args` begin with; a wrong name is told with near ones."""
        if args and args[0] not in MODULES and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], MODULES)
            ctx.fail(NotFoundError(f"No such command {args[0]!r}.", tuple(near)).sentence)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except (VaultdError, PermissionError, ModuleNotFoundError) as error:
            remark(f"vaultd: {_sentence(error)}")
            raise typer.Exit(MISUSED if isinstance(error, UsageError) else FAILED) from error
        except typer.BadParameter as error:
            error.message = _plain(error.message)
            raise


def _plain(message: str) -> str:
    """Return what is wrong with an option, without the words of whatever checked it."""
    return message.removeprefix("Value error, ").partition(", unable to parse")[0]


def _sentence(error: Exception) -> str:
    """Return what a person is told of an error that ends a command."""
    match error:
        case NotFoundError():
            return error.sentence
        case DiskFullError():
            return f"{error} {FREE_SPACE}"
        case PermissionError():
            return f"The system refuses: {error.strerror} ({error.filename})."
        case ModuleNotFoundError():
            return f"The package {error.name} is not installed: install vaultd again."
        case _:
            return str(error)


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
    ctx: typer.Context,
    vault: VaultOption = None,
    as_json: JsonOption = False,
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Hold what may stand before a command's name; the options read it from there."""
    del vault, as_json, version
    if ctx.invoked_subcommand not in WITHOUT_LOG:
        from vaultd.cli.logs import keep_silent  # a fifth of a second

        keep_silent()


def main() -> None:
    """Run the command line and exit with its code."""
    widen((sys.stdout, sys.stderr))
    app(prog_name="vaultd")
