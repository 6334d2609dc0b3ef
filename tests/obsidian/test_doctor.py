"""Doctor says what an Obsidian vault and its sync tools make of vaultd's files."""

from __future__ import annotations

import pytest

from vaultd.upkeep.doctor import Check, Place, vault_checks
from vaultd.vault.files import Vault


def looked_at(vault: Vault) -> dict[str, Check]:
    place = Place(vault.root, vault.state, vault.state / "vaultd.db", "here")
    return {check.name: check for check in vault_checks(place)}


@pytest.mark.parametrize(
    "name",
    ["vaultd.sync-conflict-20260101-120000-ABCDEFG.db", "bridge (Kim's conflicted copy).json"],
)
def test_copies_of_our_own_files_are_told_and_not_used_s6(vault: Vault, name: str) -> None:
    (vault.state / name).write_bytes(b"copy")

    check = looked_at(vault)["copies"]

    assert check.state == "warning"
    assert name in check.text


def test_syncthing_gets_the_line_to_add_s5(vault: Vault) -> None:
    (vault.root / ".stfolder").mkdir()

    check = looked_at(vault)["place"]

    assert check.state == "warning"
    assert "the line .llm-wiki to the .stignore" in check.remedy
    assert not (vault.root / ".stignore").exists()


@pytest.mark.parametrize(
    ("plugin", "name", "state"),
    [
        ("folder-notes", "{{folder_name}}", "ok"),
        ("folder-notes", "index", "warning"),
        ("notebook-navigator", "", "ok"),
        ("notebook-navigator", "_about", "warning"),
    ],
)
def test_a_plugin_that_names_folder_notes_otherwise_is_told_f5(
    vault: Vault, plugin: str, name: str, state: str
) -> None:
    settings = vault.root / f".obsidian/plugins/{plugin}/data.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'{{"folderNoteName": "{name}"}}', "utf-8")

    assert looked_at(vault)["folder notes"].state == state


def test_a_vault_without_plugins_has_nothing_to_tell(vault: Vault) -> None:
    found = looked_at(vault)

    assert (found["copies"].state, found["folder notes"].state) == ("ok", "ok")


@pytest.mark.parametrize(
    ("types", "told"),
    [
        ('{"types": {"tags": "tags", "aliases": "aliases", "rating": "number"}}', ""),
        ('{"types": {"Created": "datetime", "sources": "multitext"}}', ""),
        ('{"types": {"Sources": "text", "type": "multitext"}}', "type (text), sources (list)"),
        ('{"types": {"title": 3}, "other": []}', ""),
        ('{"types": ["title"]}', ""),
    ],
)
def test_a_property_of_another_type_is_told_and_left_p12(
    vault: Vault, types: str, told: str
) -> None:
    settings = vault.root / ".obsidian/types.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(types, "utf-8")

    check = looked_at(vault)["properties"]

    assert check.state == ("warning" if told else "ok")
    assert told in check.text
    assert settings.read_text("utf-8") == types
