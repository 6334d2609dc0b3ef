"""What is wrong gets one clear sentence and its exit code, from the real program too."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vaultd.vault.lock import VaultLock


def one_sentence(result: Any, code: int, *words: str) -> None:
    assert result.exit_code == code
    assert result.stdout == ""
    assert result.stderr.startswith("vaultd: ")
    assert result.stderr.count("\n") == 1
    for word in words:
        assert word in result.stderr


def test_no_vault_around(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "vaultd", "status"], capture_output=True, text=True, check=False
    )

    assert result.returncode == 2
    assert result.stderr.startswith("vaultd: No vault found")
    assert result.stderr.count("\n") == 1


def test_a_vault_that_is_not_there(run: Callable[..., Any], tmp_path: Path) -> None:
    one_sentence(run("status", "--vault", str(tmp_path / "gone")), 2, "There is no folder", "gone")


def test_a_folder_that_is_no_vault(run: Callable[..., Any], tmp_path: Path) -> None:
    one_sentence(run("run", "--once", "--vault", str(tmp_path / "elsewhere")), 2, "vaultd init")

    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_misspelt_setting(run: Callable[..., Any], root: Path) -> None:
    (root / ".llm-wiki/config.toml").write_text("[ingest]\nparalel = 2\n")

    one_sentence(run("status"), 2, "'ingest.paralel'", "Did you mean 'parallel'?")


def test_settings_that_are_no_toml(run: Callable[..., Any], root: Path) -> None:
    (root / ".llm-wiki/config.toml").write_text("[ingest\n")

    one_sentence(run("run", "--once"), 2, "config.toml is not valid TOML")


def test_a_locked_vault(run: Callable[..., Any], root: Path) -> None:
    with VaultLock(root / ".llm-wiki"):
        one_sentence(run("run", "--once"), 1, "Another vaultd is working on this vault")


def test_a_database_that_is_none(run: Callable[..., Any], root: Path) -> None:
    (root / ".llm-wiki/vaultd.db").write_bytes(b"this is no database" * 100)

    one_sentence(run("status"), 1, "database")


def test_one_pass_replaces_a_damaged_database(run: Callable[..., Any], root: Path) -> None:
    (root / ".llm-wiki/vaultd.db").write_bytes(b"this is no database" * 100)

    assert run("run", "--once").exit_code == 0
    assert list((root / ".llm-wiki").glob("vaultd.db.damaged-*"))


def test_a_file_that_is_not_there(run: Callable[..., Any]) -> None:
    one_sentence(run("extract", "gone.pdf"), 2, "There is no file gone.pdf")


@pytest.mark.parametrize("command", ["status", "jobs", "run", "extract", "init"])
def test_every_command_explains_itself(run: Callable[..., Any], command: str) -> None:
    result = run(command, "--help")

    assert result.exit_code == 0
    assert "Usage: " in result.stdout
