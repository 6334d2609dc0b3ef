"""`vaultd service`: start the daemon at login, by the operating system's own means."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from vaultd.cli.login_unit import (
    Unit,
    config_folder,
    launchd_agent,
    systemd_unit,
    windows_task,
)
from vaultd.cli.options import JsonOption, VaultOption
from vaultd.cli.outcome import DEGRADED
from vaultd.cli.target import target_at
from vaultd.cli.terminal import print_json, remark, say
from vaultd.errors import UsageError
from vaultd.vault.layout import user_folder

PATIENCE = 30.0  # seconds for one command of the system
NO_SYSTEMD = (
    "This system has no systemd: start `vaultd run` by other means, such as cron's @reboot."
)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    group = typer.Typer(
        help="Start vaultd at login: install, uninstall, status.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    group.callback()(_of)
    group.command("install")(install)
    group.command("uninstall")(uninstall)
    group.command("status")(status)
    app.add_typer(group, name="service")


def _of(vault: VaultOption = None) -> None:
    """Hold what may stand before the command's name; the commands read it from there."""
    del vault


def install(
    vault: VaultOption = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before writing.")] = False,
) -> None:
    """Start vaultd now and at every login.

    Shows what would be written, asks, writes it, and starts vaultd under it.
    """
    unit = _unit(vault)
    say(f"# {unit.path}")
    say(unit.content.decode("utf-16" if unit.path.suffix == ".xml" else "utf-8"))
    if not yes and not typer.confirm("Write this file and start vaultd?", err=True):
        remark("Nothing was written.")
        raise typer.Exit(DEGRADED)
    path = Path(unit.path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(unit.content)
    if not all([_succeeds(command) for command in unit.enable]):
        remark(f"Written, but not started. By hand: {_lines(unit.enable)}")
        raise typer.Exit(DEGRADED)
    say(f"vaultd runs as {unit.name} and starts at login.")


def uninstall(vault: VaultOption = None) -> None:
    """Stop vaultd and remove what `install` wrote. Safe to repeat."""
    unit = _unit(vault)
    path = Path(unit.path)
    if not path.exists():
        say(f"{unit.name} is not installed.")
        return
    stopped = all([_succeeds(command) for command in unit.disable])
    path.unlink()
    for command in unit.forget:
        _succeeds(command)
    say(f"Removed {path}.")
    if not stopped:
        remark("It was not running, or could not be stopped.")


def status(vault: VaultOption = None, as_json: JsonOption = False) -> None:
    """Say whether vaultd starts at login, and whether it runs so."""
    unit = _unit(vault)
    installed = Path(unit.path).exists()
    active = installed and _succeeds(unit.active)
    if as_json:
        print_json(
            {
                "name": unit.name,
                "path": str(unit.path),
                "installed": installed,
                "active": active,
            }
        )
    elif installed:
        say(f"{unit.name} is installed and {'running' if active else 'not running'}.")
    else:
        say(f"{unit.name} is not installed.")
    if not active:
        raise typer.Exit(DEGRADED)


def _unit(vault: Path | None) -> Unit:
    """Return the definition for this system and this vault."""
    root = target_at(vault).root
    if sys.platform == "darwin":
        return launchd_agent(sys.executable, root, Path.home(), os.getuid())
    elif sys.platform == "win32":
        return windows_task(sys.executable, root, user_folder(os.environ))
    elif shutil.which("systemctl") is not None:
        return systemd_unit(sys.executable, root, config_folder(Path.home(), os.environ))
    else:
        raise UsageError(NO_SYSTEMD)


def _succeeds(command: tuple[str, ...]) -> bool:
    """Run a command of the system; say what it complains about."""
    try:
        result = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",  # Windows answers in the code page of its console
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        remark(f"{command[0]}: {error}")
        return False
    if result.returncode and result.stderr.strip():
        remark(f"{command[0]}: {result.stderr.strip()}")
    return result.returncode == 0


def _lines(commands: tuple[tuple[str, ...], ...]) -> str:
    return "; ".join(" ".join(command) for command in commands)
