"""Command-line tests run in a folder of their own, without settings from outside."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import structlog
from typer.testing import CliRunner, Result

from vaultd.cli.application import app
from vaultd.cli.logs import keep_silent
from vaultd.vault.layout import make_layout

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in os.environ:
        if name.startswith("VAULTD_"):
            monkeypatch.delenv(name)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setenv("VAULTD_EMBEDDING__PROVIDER", "none")
    monkeypatch.setenv("VAULTD_INGEST__SETTLE_SECONDS", "0.05")
    monkeypatch.setenv("VAULTD_BRIDGE__ENABLED", "false")
    monkeypatch.setattr("vaultd.store.nodes.QUIET", timedelta(seconds=0.05))
    monkeypatch.setattr("vaultd.daemon.run.FOLLOW_SECONDS", 0.02)
    yield
    keep_silent()  # closes the log file
    structlog.reset_defaults()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A vault with the layout and nothing in it."""
    root = tmp_path / "vault"
    root.mkdir()
    make_layout(root)
    return root


@pytest.fixture
def run(root: Path) -> Run:
    """Run a command on the vault."""

    def run(*arguments: str, **options: Any) -> Result:
        return CliRunner().invoke(app, ["--vault", str(root), *arguments], **options)

    return run


@pytest.fixture
def answer(run: Run) -> Callable[..., Any]:
    """Run a command with --json and return the document it printed, which is all it printed."""

    def answer(*arguments: str) -> Any:
        return json.loads(run("--json", *arguments).stdout)

    return answer
