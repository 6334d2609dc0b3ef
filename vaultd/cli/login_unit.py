"""What each system wants to be told to start vaultd at login: texts and commands, no I/O."""

from __future__ import annotations

import hashlib
import plistlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from xml.sax.saxutils import escape

NAME_CHARACTERS = 24  # of the folder's name; enough to recognise it in a list
RESTART_SECONDS = 10

SYSTEMD = """\
[Unit]
Description=vaultd for {vault}

[Service]
Type=exec
ExecStart={command}
# Keys of models, one NAME=value a line, in a file that only you can read:
EnvironmentFile=-{keys}
Restart=on-failure
RestartSec={seconds}
# Wrong settings do not mend themselves:
RestartPreventExitStatus=2
# A stop finishes or puts back the step at hand, which takes up to five seconds:
TimeoutStopSec=20
KillMode=mixed
Nice=10
NoNewPrivileges=yes

[Install]
WantedBy=default.target
"""
TASK = """\
<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>vaultd for {vault}</Description></RegistrationInfo>
  <Triggers><LogonTrigger><Enabled>true</Enabled></LogonTrigger></Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure><Interval>PT1M</Interval><Count>999</Count></RestartOnFailure>
    <Priority>7</Priority>
  </Settings>
  <Actions>
    <Exec>
      <Command>{program}</Command>
      <Arguments>{arguments}</Arguments>
    </Exec>
  </Actions>
</Task>
"""


@dataclass(frozen=True, slots=True)
class Unit:
    """One definition: where it goes, what stands in it, and the commands around it.

    `active` succeeds while vaultd runs under it.
    """

    name: str
    path: PurePath
    content: bytes
    enable: tuple[tuple[str, ...], ...]
    disable: tuple[tuple[str, ...], ...]
    active: tuple[str, ...]
    forget: tuple[tuple[str, ...], ...] = ()


def unit_name(vault: PurePath) -> str:
    """Return a name that tells vaults apart and can be typed."""
    readable = re.sub(r"[^A-Za-z0-9]+", "-", vault.name).strip("-").lower()[:NAME_CHARACTERS]
    return f"vaultd-{readable or 'vault'}-{hashlib.sha256(str(vault).encode()).hexdigest()[:6]}"


def systemd_unit(python: str, vault: PurePath, config: PurePath) -> Unit:
    """Return a user unit; `config` is the person's configuration folder (`~/.config`)."""
    name = f"{unit_name(vault)}.service"
    content = SYSTEMD.format(
        vault=str(vault).replace("%", "%%"),
        command=" ".join(_systemd_word(word) for word in _command(python, vault)),
        keys=str(config / "vaultd" / "environment").replace("%", "%%"),
        seconds=RESTART_SECONDS,
    )
    control = ("systemctl", "--user")
    return Unit(
        name=name,
        path=config / "systemd" / "user" / name,
        content=content.encode(),
        enable=((*control, "daemon-reload"), (*control, "enable", "--now", name)),
        disable=((*control, "disable", "--now", name),),
        active=(*control, "--quiet", "is-active", name),
        forget=((*control, "daemon-reload"),),
    )


def launchd_agent(python: str, vault: PurePath, home: PurePath, user: int) -> Unit:
    """Return a launch agent; `home` is the person's home folder, `user` their number."""
    name = f"org.vaultd.{unit_name(vault).removeprefix('vaultd-')}"
    path = home / "Library" / "LaunchAgents" / f"{name}.plist"
    log = home / "Library" / "Logs" / f"{name}.log"
    definition = {
        "Label": name,
        "ProgramArguments": list(_command(python, vault)),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": RESTART_SECONDS,
        "ExitTimeOut": 20,
        "ProcessType": "Background",
        "StandardOutPath": str(log),
        "StandardErrorPath": str(log),
    }
    domain = f"gui/{user}"
    return Unit(
        name=name,
        path=path,
        content=plistlib.dumps(definition, sort_keys=False),
        enable=(("launchctl", "bootstrap", domain, str(path)),),
        disable=(("launchctl", "bootout", f"{domain}/{name}"),),
        active=("launchctl", "print", f"{domain}/{name}"),
    )


def windows_task(python: str, vault: PurePath, folder: PurePath) -> Unit:
    """Return a scheduled task; `folder` is where its definition is kept."""
    name = unit_name(vault)
    path = folder / f"{name}.xml"
    program, *arguments = _command(python, vault)
    line = " ".join(f'"{word}"' if " " in word else word for word in arguments)
    content = TASK.format(vault=escape(str(vault)), program=escape(program), arguments=escape(line))
    return Unit(
        name=name,
        path=path,
        content=content.replace("\n", "\r\n").encode("utf-16"),
        enable=(
            ("schtasks", "/Create", "/F", "/TN", name, "/XML", str(path)),
            ("schtasks", "/Run", "/TN", name),
        ),
        disable=(
            ("schtasks", "/End", "/TN", name),
            ("schtasks", "/Delete", "/F", "/TN", name),
        ),
        active=("schtasks", "/Query", "/TN", name),
    )


def config_folder(home: PurePath, environ: Mapping[str, str]) -> PurePath:
    """Return the person's configuration folder by the XDG custom."""
    named = environ.get("XDG_CONFIG_HOME", "")
    return home.joinpath(named) if named.startswith("/") else home / ".config"


def _command(python: str, vault: PurePath) -> tuple[str, ...]:
    return (python, "-m", "vaultd", "run", "--vault", str(vault))


def _systemd_word(word: str) -> str:
    """Quote `word` for ExecStart, where `%` and `$` would be replaced."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("%", "%%").replace("$", "$$") + '"'
