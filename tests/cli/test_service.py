"""Starting at login: what is written for each system, checked by systemd where it is."""

from __future__ import annotations

import os
import plistlib
import shutil
import stat
import subprocess
from pathlib import Path, PurePosixPath, PureWindowsPath
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

from vaultd.cli.application import app
from vaultd.cli.login_unit import Unit, launchd_agent, systemd_unit, unit_name, windows_task

GOLDEN = Path(__file__).parent.parent / "golden" / "service"
runner = CliRunner()

HOSTILE = PurePosixPath('/home/ann/My "Notes" 100% $HOME\\x')
UNITS: dict[str, Unit] = {
    "systemd.service": systemd_unit(
        "/usr/bin/python3", PurePosixPath("/home/ann/My notes"), PurePosixPath("/home/ann/.config")
    ),
    "launchd.plist": launchd_agent(
        "/usr/bin/python3", PurePosixPath("/Users/ann/My notes"), PurePosixPath("/Users/ann"), 501
    ),
    "windows.xml": windows_task(
        r"C:\Python\python.exe", PureWindowsPath(r"C:\Ann & Co\Notes"), PureWindowsPath(r"C:\State")
    ),
}


@pytest.mark.parametrize("name", sorted(UNITS))
def test_each_system_gets_what_is_in_its_golden_file(name: str) -> None:
    encoding = "utf-16" if name.endswith("xml") else "utf-8"

    assert UNITS[name].content.decode(encoding) == (GOLDEN / name).read_bytes().decode()


def test_definitions_are_well_formed() -> None:
    definition = plistlib.loads(UNITS["launchd.plist"].content)
    ET.fromstring(UNITS["windows.xml"].content.decode("utf-16").partition("?>")[2])

    assert definition["ProgramArguments"][-1] == "/Users/ann/My notes"


def test_vaults_of_one_name_get_different_units() -> None:
    one, other = unit_name(PurePosixPath("/a/notes")), unit_name(PurePosixPath("/b/notes"))

    assert one != other
    assert one.startswith("vaultd-notes-")
    assert unit_name(PurePosixPath("/a/笔记")).startswith("vaultd-vault-")


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")
@pytest.mark.parametrize("folder", [PurePosixPath("/home/ann/notes"), HOSTILE], ids=str)
def test_systemd_accepts_the_unit(tmp_path: Path, folder: PurePosixPath) -> None:
    python = shutil.which("python3") or "/usr/bin/python3"
    unit = systemd_unit(python, folder, PurePosixPath("/home/ann/.config"))
    (tmp_path / unit.name).write_bytes(unit.content)

    result = subprocess.run(
        ["systemd-analyze", "--user", "verify", str(tmp_path / unit.name)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path), "SYSTEMD_LOG_LEVEL": "warning"},
    )

    assert (result.returncode, result.stderr) == (0, "")


@pytest.fixture
def systemctl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `systemctl` that writes down what it is asked, in a home of its own."""
    program = tmp_path / "bin" / "systemctl"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >>"{tmp_path}/asked"\n')
    program.chmod(program.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    return tmp_path / "asked"


def test_install_shows_asks_and_starts_and_uninstall_leaves_nothing(
    tmp_path: Path, systemctl: Path
) -> None:
    vault = tmp_path / "notes"
    (vault / "raw").mkdir(parents=True)
    home = tmp_path / "home"
    name = f"{unit_name(vault)}.service"

    refused = runner.invoke(app, ["service", "install", "--vault", str(vault)], input="n\n")
    assert "ExecStart=" in refused.stdout
    assert refused.exit_code == 3
    assert not list(home.rglob("*.service"))

    installed = runner.invoke(app, ["service", "install", "--vault", str(vault), "--yes"])
    assert installed.exit_code == 0
    assert (home / ".config/systemd/user" / name).exists()
    assert f"--user enable --now {name}" in systemctl.read_text()
    assert runner.invoke(app, ["service", "status", "--vault", str(vault)]).exit_code == 0
    assert runner.invoke(app, ["service", "--vault", str(vault), "status"]).exit_code == 0

    removed = runner.invoke(app, ["service", "uninstall", "--vault", str(vault)])
    assert removed.exit_code == 0
    assert not list(home.rglob("*.service"))
    assert runner.invoke(app, ["service", "status", "--vault", str(vault)]).exit_code == 3
    assert runner.invoke(app, ["service", "uninstall", "--vault", str(vault)]).exit_code == 0
