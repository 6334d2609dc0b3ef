"""What a person has set in Obsidian holds, wherever Obsidian keeps it."""

from __future__ import annotations

import unicodedata

import pytest

from vaultd.core.ignore import DEFAULT_EXCLUDE, DEFAULT_INCLUDE
from vaultd.model.paths import VaultPath
from vaultd.summarize.tree import Tree
from vaultd.vault.files import Vault
from vaultd.vault.obsidian import ObsidianSettings, config_folder, obsidian_settings
from vaultd.vault.scan import rules_of, scan


def put(vault: Vault, path: str, text: str = "Text.") -> None:
    place = vault.root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, "utf-8")


def sighted(vault: Vault) -> set[str]:
    rules = rules_of(
        vault, include=DEFAULT_INCLUDE, exclude=DEFAULT_EXCLUDE, max_bytes=10 * 1024 * 1024
    )
    return {each.path for each in scan(vault, rules)}


@pytest.mark.parametrize("config", [".obsidian", ".obsidian-work", ".notes"])
def test_settings_are_read_from_whatever_hidden_folder_holds_them(
    vault: Vault, config: str
) -> None:
    app = (
        '{"attachmentFolderPath": "Files/", "userIgnoreFilters": ["Old/"], "trashOption": "local"}'
    )
    put(vault, f"{config}/app.json", app)
    put(vault, f"{config}/templates.json", '{"folder": "Meta/Templates"}')
    put(vault, f"{config}/plugins/templater-obsidian/data.json", '{"templates_folder": "T"}')

    assert obsidian_settings(vault.root) == ObsidianSettings(
        templates=("Meta/Templates", "T"),
        attachments=("Files",),
        excluded=("Old/",),
        local_trash=True,
    )


@pytest.mark.parametrize(
    "app",
    ['{"attachmentFolderPath": "./"', "[]", '{"attachmentFolderPath": "/"}']
    + ['{"attachmentFolderPath": "./files", "userIgnoreFilters": "Old"}', '{"trashOption": 3}'],
)
def test_settings_that_name_no_folder_say_nothing(vault: Vault, app: str) -> None:
    put(vault, ".obsidian/app.json", app)
    put(vault, ".obsidian/templates.json", '{"folder": "  "}')

    assert obsidian_settings(vault.root) == ObsidianSettings()


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_templates_are_neither_notes_nor_folders_to_describe(vault: Vault, form: str) -> None:
    folder = unicodedata.normalize(form, "Vorträge")  # type: ignore[arg-type]
    put(vault, ".config/app.json", "{}")
    put(vault, ".config/templates.json", '{"folder": "Vorträge"}')
    put(vault, f"{folder}/day.md", "---\ncreated: {{date}}\n---\n")
    put(vault, "Projects/p.md")

    assert sighted(vault) == {"Projects/p.md"}
    assert not Tree(vault).holds(VaultPath(folder))
    assert Tree(vault).holds(VaultPath("Projects"))


@pytest.mark.parametrize(
    ("files", "folder"),
    [
        ([], ".obsidian"),
        ([".obsidian/app.json", ".other/app.json"], ".obsidian"),
        ([".git/config", ".notes/app.json"], ".notes"),
    ],
)
def test_the_plugin_goes_where_obsidian_keeps_its_settings(
    vault: Vault, files: list[str], folder: str
) -> None:
    for file in files:
        put(vault, file, "{}")

    assert config_folder(vault.root) == vault.root / folder


def test_deleted_pages_go_to_the_trash_named_in_a_renamed_config_folder(vault: Vault) -> None:
    put(vault, ".notes/app.json", '{"trashOption": "local"}')
    put(vault, "wiki/page.md")

    kept = vault.trash(VaultPath("wiki/page.md"), expect=b"Text.")

    assert kept == vault.root / ".trash/wiki/page.md"
