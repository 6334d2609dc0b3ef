"""`history`: what vaultd replaced can be read again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import NOON
from vaultd.model.paths import VaultPath
from vaultd.publish.history import keep_version
from vaultd.vault.files import Vault

PAGE = VaultPath("wiki/concepts/Koji.md")


@pytest.fixture
def _replaced_twice(root: Path) -> None:
    vault = Vault(root, root / ".llm-wiki")
    keep_version(vault, PAGE, b"# Koji\n\nfirst\n", NOON)
    keep_version(vault, PAGE, "# Koji\n\n第二版\n".encode(), NOON + timedelta(days=1))


@pytest.mark.usefixtures("_replaced_twice")
def test_versions_are_listed_newest_first_and_can_be_read(answer: Any, run: Any) -> None:
    newest, oldest = answer("history", "wiki/concepts/Koji")["versions"]

    assert newest["at"] > oldest["at"]
    assert "第二版" in run("history", PAGE, "--show", newest["version"]).stdout
    assert "first" in run("history", PAGE, "--show", oldest["version"]).stdout


@pytest.mark.usefixtures("_replaced_twice")
def test_a_version_that_is_not_there(run: Callable[..., Any]) -> None:
    result = run("history", PAGE, "--show", "yesterday")

    assert result.exit_code == 2
    assert "no version 'yesterday'" in result.stderr


def test_a_page_never_replaced_has_no_versions(root: Path, answer: Any, run: Any) -> None:
    page = root / "wiki/concepts/Salt.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text("Salt.")

    assert answer("history", "wiki/concepts/Salt.md")["versions"] == []
    assert "never replaced" in run("history", "wiki/concepts/Salt.md").stdout


def test_no_path_leads_out_of_the_vault(run: Callable[..., Any]) -> None:
    assert run("history", "../../etc/passwd").exit_code == 1
