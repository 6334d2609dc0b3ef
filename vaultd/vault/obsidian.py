"""What a person has set in Obsidian about files. Read at every look, never written."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vaultd.core.ignore import ExcludedFiles

CONFIG = ".obsidian"
APP = "app.json"
TYPES = "types.json"
TEMPLATE_SETTINGS = (
    ("templates.json", "folder"),
    ("plugins/templater-obsidian/data.json", "templates_folder"),
)

FOLDER_NAME = "{{folder_name}}"  # how plugins spell "the name of the folder"
FOLDER_NOTE_PLUGINS = ("folder-notes", "notebook-navigator")


@dataclass(frozen=True, slots=True)
class ObsidianSettings:
    """Folders are vault paths. `excluded` are the filters of "excluded files", as typed."""

    templates: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    local_trash: bool = False


def obsidian_settings(root: Path) -> ObsidianSettings:
    """Return what the vault's config folders say; those of several add up.

    A file that is not there, or that Obsidian is saving right now, says nothing.
    """
    templates: list[str] = []
    attachments: list[str] = []
    excluded: list[str] = []
    local_trash = False
    for config in config_folders(root):
        templates += [_folder(_read(config / file).get(key)) for file, key in TEMPLATE_SETTINGS]
        app = _read(config / APP)
        attachments.append(_folder(app.get("attachmentFolderPath")))
        excluded += _texts(app.get("userIgnoreFilters"))
        local_trash = local_trash or app.get("trashOption") == "local"
    return ObsidianSettings(
        _distinct(templates), _distinct(attachments), _distinct(excluded), local_trash
    )


def excluded_files(root: Path) -> ExcludedFiles:
    """Return which files a person does not want to find."""
    return ExcludedFiles(obsidian_settings(root).excluded)


def folder_note_names(root: Path) -> tuple[str, ...]:
    """Return what the folder-note plugins of the vault call a folder's note."""
    found = [
        _read(config / f"plugins/{plugin}/data.json").get("folderNoteName")
        for config in config_folders(root)
        for plugin in FOLDER_NOTE_PLUGINS
    ]
    return _distinct([name for name in found if isinstance(name, str)])


def property_types(root: Path) -> Mapping[str, str]:
    """Return the types that properties have in this vault, by their name in small letters."""
    found: dict[str, str] = {}
    for config in config_folders(root):
        types = _read(config / TYPES).get("types")
        for name, kind in types.items() if isinstance(types, dict) else ():
            if isinstance(kind, str):
                found.setdefault(name.casefold(), kind)
    return found


def config_folder(root: Path) -> Path:
    """Return the config folder to write to: the first there is, else the usual one."""
    return next((folder for folder in config_folders(root) if folder.is_dir()), root / CONFIG)


def config_folders(root: Path) -> Iterator[Path]:
    """Yield where Obsidian keeps its settings of this vault: any hidden folder may be chosen."""
    yield root / CONFIG
    for folder in sorted(root.glob(".*/")):
        if folder.name != CONFIG and (folder / APP).is_file():
            yield folder


def _read(file: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _folder(value: object) -> str:
    """Return a folder of the vault; "" for its root and for folders beside each note."""
    if not isinstance(value, str) or value.startswith("./"):
        return ""
    name = unicodedata.normalize("NFC", value.strip("/ "))
    return "" if name == "." else name


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _distinct(found: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for each in found if each.strip()))
