"""`vaultd init` and the frame around every command."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from vaultd.cli.application import app
from vaultd.cli.preparing import Template

runner = CliRunner()


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_init_makes_the_layout(tmp_path: Path) -> None:
    vault = tmp_path / "new" / "vault"

    result = runner.invoke(app, ["init", "--vault", str(vault)])

    assert result.exit_code == 0
    for folder in ("raw", "wiki/sources", "wiki/entities", "wiki/concepts", ".llm-wiki"):
        assert (vault / folder).is_dir()
    assert (vault / ".llm-wiki/.gitignore").read_text() == "*\n"
    assert not (vault / "schema.md").exists()


def test_init_twice_changes_nothing(tmp_path: Path) -> None:
    arguments = ["init", "--vault", str(tmp_path), "--template", "reading"]
    runner.invoke(app, arguments)
    before = tree(tmp_path)

    result = runner.invoke(app, [*arguments, "--json"])

    assert json.loads(result.stdout)["made"] == []
    assert tree(tmp_path) == before


def test_init_overwrites_nothing_of_a_person(tmp_path: Path) -> None:
    (tmp_path / "schema.md").write_text("mine")
    (tmp_path / ".llm-wiki").mkdir()
    (tmp_path / ".llm-wiki/config.toml").write_text("[ingest]\nparallel = 1\n")

    result = runner.invoke(app, ["init", "--vault", str(tmp_path), "--template", "general"])

    assert result.exit_code == 0
    assert (tmp_path / "schema.md").read_text() == "mine"
    assert "parallel = 1" in (tmp_path / ".llm-wiki/config.toml").read_text()
    assert (tmp_path / "purpose.md").exists()


@pytest.mark.parametrize("template", list(Template))
def test_every_template_names_types_and_their_folders(tmp_path: Path, template: Template) -> None:
    runner.invoke(app, ["init", str(tmp_path), "--template", template.value])

    schema = (tmp_path / "schema.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in schema.splitlines() if line.startswith("| ")]
    folders = {cells[1].strip(): cells[2].strip() for cells in rows[2:]}

    assert "## Page Types" in schema
    assert {"source", "entity", "concept", "query", "comparison"} <= set(folders)
    assert all(folder.startswith("wiki/") for folder in folders.values())
    assert (tmp_path / "purpose.md").read_text(encoding="utf-8").startswith("# ")


def test_beside_the_desktop_app_our_files_have_their_own_folder(tmp_path: Path) -> None:
    (tmp_path / ".llm-wiki").mkdir()
    (tmp_path / ".llm-wiki/review.json").write_text("[]")

    runner.invoke(app, ["init", "--vault", str(tmp_path)])

    assert (tmp_path / ".llm-wiki/vaultd/config.toml").exists()
    assert not (tmp_path / ".llm-wiki/config.toml").exists()


def test_the_vault_may_stand_before_the_command(tmp_path: Path) -> None:
    result = runner.invoke(app, ["--vault", str(tmp_path / "a"), "--json", "init"])

    assert json.loads(result.stdout)["vault"] == str(tmp_path / "a")


def test_a_file_is_no_vault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    result = runner.invoke(app, ["init", "--vault", str(tmp_path / "file")])

    assert result.exit_code == 2
    assert "is a file" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--version"], 0, ""),
        (["init", "--no-such-option"], 2, "No such option"),
    ],
)
def test_exit_codes_of_the_real_program(arguments: list[str], code: int, words: str) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "vaultd", *arguments], capture_output=True, text=True, check=False
    )

    assert result.returncode == code
    assert words in result.stderr
    assert "Traceback" not in result.stderr


def test_a_vault_inside_another_is_told(run: Callable[..., Any], root: Path) -> None:
    inner = root / "raw/inner"

    result = run("init", str(inner))

    assert result.exit_code == 0
    assert f"lies inside the vault {root}" in result.stderr
    assert "lies inside" not in run("init", str(root)).stderr
