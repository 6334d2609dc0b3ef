from __future__ import annotations

from pathlib import Path

import pytest

from vaultd.errors import UsageError
from vaultd.vault.layout import (
    database_folder,
    find_vault,
    machine_id,
    make_layout,
    state_folder,
    vault_id,
)


def test_vault_is_named_or_set_or_around_the_working_folder(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    inner = vault / "wiki" / "concepts"
    inner.mkdir(parents=True)
    (vault / ".obsidian").mkdir()

    assert find_vault(vault, {}, tmp_path) == vault
    assert find_vault(None, {"VAULTD_VAULT": str(vault)}, tmp_path) == vault
    assert find_vault(None, {}, inner) == vault
    with pytest.raises(UsageError, match="--vault"):
        find_vault(tmp_path / "missing", {}, tmp_path)


def test_layout_is_made_once(tmp_path: Path) -> None:
    state = make_layout(tmp_path)
    ignore = (state / ".gitignore").stat()

    assert make_layout(tmp_path) == state
    assert (state / ".gitignore").read_text() == "*\n"
    assert (state / ".gitignore").stat() == ignore
    assert (tmp_path / "raw").is_dir()


def test_state_of_the_desktop_app_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".llm-wiki").mkdir()
    (tmp_path / ".llm-wiki" / "ingest-queue.json").write_text("[]")

    state = make_layout(tmp_path)

    assert state == tmp_path / ".llm-wiki" / "vaultd"
    assert state_folder(tmp_path) == state
    assert not (tmp_path / ".llm-wiki" / ".gitignore").exists()


def test_own_state_stays_where_it_is_when_the_app_comes_later(tmp_path: Path) -> None:
    state = make_layout(tmp_path)
    vault_id(state)
    (state / "ingest-queue.json").write_text("[]")

    assert state_folder(tmp_path) == state


def test_ids_are_kept(tmp_path: Path) -> None:
    state = make_layout(tmp_path)
    home = {"HOME": str(tmp_path / "home"), "XDG_STATE_HOME": str(tmp_path / "state")}

    assert vault_id(state) == vault_id(state)
    assert machine_id(home) == machine_id(home)
    assert vault_id(state) != machine_id(home)


def test_database_goes_where_it_was_told(tmp_path: Path) -> None:
    assert database_folder(tmp_path, "") == tmp_path / ".llm-wiki"
    assert database_folder(tmp_path, str(tmp_path / "fast")) == tmp_path / "fast"
