"""What is wrong gets one clear sentence and its exit code, from the real program too."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.fakes import NOON
from vaultd.cli.application import MODULES
from vaultd.cli.asking import read_database
from vaultd.cli.target import target_at
from vaultd.errors import DatabaseDamagedError, DiskFullError
from vaultd.model.paths import SourceId, VaultPath
from vaultd.store import files, sources
from vaultd.store.database import Database
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
        one_sentence(run("run"), 1, "Another vaultd is working on this vault")


def test_a_vault_that_cannot_be_written_to(run: Callable[..., Any], root: Path) -> None:
    (root / ".llm-wiki/lock").unlink(missing_ok=True)
    (root / ".llm-wiki/lock").mkdir()

    one_sentence(run("run", "--once"), 1, "The vault cannot be written to", ".llm-wiki/lock")
    one_sentence(run("lint"), 1, "The vault cannot be written to")
    assert run("status").exit_code == 0


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (PermissionError(13, "Permission denied", "raw/x.md"), "Permission denied (raw/x.md)"),
        (ModuleNotFoundError("No module named 'x'", name="x"), "The package x is not installed"),
    ],
)
def test_what_the_system_lacks_or_refuses(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, error: Exception, sentence: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("vaultd.cli.looking.target_at", refuse)

    one_sentence(run("status"), 1, sentence)


def test_a_database_that_is_none(run: Callable[..., Any], root: Path) -> None:
    (root / ".llm-wiki/vaultd.db").write_bytes(b"this is no database" * 100)

    for command in (["status"], ["jobs"], ["search", "x"], ["retry", "--all"]):
        one_sentence(run(*command), 1, "The database is damaged", "Run `vaultd run --once`")


def test_every_command_takes_a_vault(run: Callable[..., Any]) -> None:
    for command in sorted(set(MODULES) - {"service"}):
        assert "--vault PATH" in run(command, "--help").stdout, command
    assert "--vault PATH" in run("service", "install", "--help").stdout


def test_what_stands_in_a_damaged_database_may_look_like_anything(root: Path) -> None:
    path = root / ".llm-wiki/vaultd.db"
    db = Database(path)
    db.run_sync(lambda connection: connection.execute("create table more as select zeroblob(9999)"))
    db.close()

    async def misled(db: Database) -> None:
        raise ValueError("no state of a job")

    with pytest.raises(ValueError, match="no state"):
        read_database(target_at(root), misled)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 5_000)
    with pytest.raises(DatabaseDamagedError, match="Run `vaultd run --once`"):
        read_database(target_at(root), misled)


def test_a_full_disk(run: Callable[..., Any], root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def full(*_: Any) -> int:
        raise DiskFullError("The disk is full: nothing was stored.")

    for starting in ("run_once", "run_daemon", "run_jobs"):
        monkeypatch.setattr(f"vaultd.daemon.run.{starting}", full)

    for command in (["run", "--once"], ["run"], ["summarize"], ["rebuild"], ["lint"]):
        one_sentence(run(*command), 1, "The disk is full", "Free some space")


def test_one_pass_replaces_a_damaged_database(run: Callable[..., Any], root: Path) -> None:
    (root / ".llm-wiki/vaultd.db").write_bytes(b"this is no database" * 100)

    assert run("run", "--once").exit_code == 0
    assert list((root / ".llm-wiki").glob("vaultd.db.damaged-*"))


def test_work_that_waits_for_space_is_told(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(total=9, free=9, used=0))

    assert run("lint").stderr.startswith("The disk is full; work goes on by itself")


def test_a_file_that_is_not_there(run: Callable[..., Any]) -> None:
    one_sentence(run("extract", "gone.pdf"), 2, "There is no file gone.pdf")


def test_a_folder_in_the_place_of_a_document(run: Callable[..., Any], root: Path) -> None:
    for command in ("ingest", "estimate", "extract"):
        one_sentence(run(command, str(root / "raw")), 2, "raw is a folder: name the documents")


def test_a_misspelt_command(run: Callable[..., Any]) -> None:
    result = run("statsu")

    assert result.exit_code == 2
    assert "No such command 'statsu'. Did you mean status?" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["init", "--template", "foo"], "'foo' is not one of 'research', 'reading', 'personal'"),
        (["search", "x", "--mode", "foo"], "'foo' is not one of 'hybrid', 'words', 'vectors'."),
        (["search", "x", "-k", "many"], "Input should be a valid integer\n"),
    ],
)
def test_a_value_that_does_not_fit_is_told_with_those_that_do(
    run: Callable[..., Any], arguments: list[str], words: str
) -> None:
    result = run(*arguments)

    option = arguments[-2]
    assert result.exit_code == 2
    assert f"Invalid value for '{option}': {words}" in result.stderr


def test_a_version_that_is_not_there_is_told_with_those_that_are(
    run: Callable[..., Any], root: Path
) -> None:
    kept = root / ".llm-wiki/page-history/wiki/log.md/20261130T072741.133098Z.md"
    kept.parent.mkdir(parents=True)
    kept.write_text("As it was.")

    one_sentence(run("restore", "wiki/log", "x"), 2, "Did you mean 20261130T072741.133098Z?")


def test_names_of_nothing(run: Callable[..., Any]) -> None:
    one_sentence(run("history", "wiki/Nowhere"), 2, "There is no page wiki/Nowhere.md.")
    one_sentence(run("search", "x", "--under", "nowhere"), 2, "There is no folder 'nowhere'")


def test_a_conversation_about_two_documents_takes_neither(
    run: Callable[..., Any], root: Path, tmp_path: Path
) -> None:
    files = [tmp_path / "a.md", tmp_path / "b.md"]
    for file in files:
        file.write_text("Outside.")

    one_sentence(run("ingest", "--chat", *map(str, files)), 2, "about one document")
    assert list((root / "raw").iterdir()) == []


@pytest.mark.parametrize("command", MODULES)
def test_every_command_explains_itself(run: Callable[..., Any], command: str) -> None:
    result = run(command, "--help")

    assert result.exit_code == 0
    usage, _, text, *_ = result.stdout.splitlines()
    assert usage.partition(f" {command} ")[2].isupper()
    assert text.strip()


def test_names_in_any_script_are_told_in_any_encoding(root: Path) -> None:
    (root / "raw/面包🍞.md").write_text("A note about bread and how the dough of the mill rises.")
    db = Database(root / ".llm-wiki/vaultd.db")
    db.run_sync(sources.see, SourceId("面包🍞.md"), VaultPath("raw/面包🍞.md"), "1", now=NOON)
    db.run_sync(files.expect, VaultPath("raw/面包🍞.md"), "1", files.SOURCE)
    db.close()
    told = {}
    for option in ([], ["--json"]):
        result = subprocess.run(
            [sys.executable, "-m", "vaultd", "--vault", str(root), "status", *option],
            capture_output=True,
            env=os.environ | {"PYTHONIOENCODING": "cp1252"},
            check=False,
        )
        assert (result.returncode, result.stderr) == (0, b"")
        told[bool(option)] = result.stdout.decode("cp1252")

    assert "raw/\\u9762\\u5305" in told[False]
    assert json.loads(told[True])["files"][0]["path"] == "raw/面包🍞.md"
