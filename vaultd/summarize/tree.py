"""The folders and notes that are described, as they lie on the disk."""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import structlog

from vaultd.core.fallback import name_key
from vaultd.core.ignore import CONFLICT, FOREIGN_FOLDERS
from vaultd.core.staleness import is_within
from vaultd.model.paths import VaultPath
from vaultd.vault.files import Vault

log = structlog.get_logger()

WIKI = VaultPath("wiki")
OWN_NOTES = frozenset(("index.md", "overview.md", "log.md"))  # of the wiki's top, written by code
NEVER = (VaultPath("raw"), VaultPath("wiki/media"), VaultPath("wiki/reviews"))

# Where Obsidian and its template plugins keep the names of folders that hold no notes to read.
FOLDER_SETTINGS = (
    (".obsidian/app.json", "attachmentFolderPath"),
    (".obsidian/templates.json", "folder"),
    (".obsidian/plugins/templater-obsidian/data.json", "templates_folder"),
)


@dataclass(frozen=True, slots=True)
class Listing:
    """The direct children of a folder, in order of name; folder notes are still among them."""

    folders: tuple[VaultPath, ...]
    notes: tuple[VaultPath, ...]


class Tree:
    """Says which folders of a vault are described, and lists them. Blocking."""

    def __init__(
        self, vault: Vault, roots: Iterable[str] = ("wiki",), excluded: Iterable[str] = ()
    ) -> None:
        self.vault = vault
        self.roots = tuple(VaultPath(root) for root in roots)
        configured = configured_folders(vault.root)
        self._excluded = tuple(dict.fromkeys((*NEVER, *map(VaultPath, excluded), *configured)))

    def holds(self, folder: VaultPath) -> bool:
        """Tell whether `folder` may be described: no raw, dot, template or attachment folder."""
        parts = PurePosixPath(folder).parts
        if any(part.startswith(".") or part.casefold() in FOREIGN_FOLDERS for part in parts):
            return False
        return not any(is_within(folder, excluded) for excluded in self._excluded)

    def exists(self, folder: VaultPath) -> bool:
        """Tell whether `folder` is a folder on the disk, and no link."""
        place = self.vault.locate(folder)
        return place.is_dir() and not place.is_symlink()

    def children(self, folder: VaultPath) -> Listing:
        """Return what lies in `folder`. Links to folders are not followed.

        Raises:
            FileNotFoundError, NotADirectoryError: the folder is gone.
            OSError: it cannot be listed, which does not mean that it is empty.
        """
        folders: list[VaultPath] = []
        notes: list[VaultPath] = []
        with os.scandir(self.vault.locate(folder)) as entries:
            for entry in sorted(entries, key=lambda each: name_key(each.name)):
                path = VaultPath(entry.name if folder == "." else f"{folder}/{entry.name}")
                if not _is_readable_name(entry.name):
                    log.warning("name cannot be read", folder=folder)
                elif entry.is_dir(follow_symlinks=False):
                    folders += [path] if self.holds(path) else []
                elif _is_note(folder, entry.name) and entry.is_file():
                    notes.append(path)
        return Listing(tuple(folders), tuple(notes))

    def folders_below(self, root: VaultPath) -> Iterator[VaultPath]:
        """Yield `root` and every described folder below it, parents first, each once.

        A folder reached a second time by another name (a mount, a spelling of the same name)
        is left out; one that cannot be listed is still yielded, without what is below it.
        """
        seen: set[tuple[int, int]] = set()
        waiting = [root]
        while waiting:
            folder = waiting.pop()
            try:
                about = self.vault.locate(folder).stat()
                children = self.children(folder).folders
            except FileNotFoundError:
                continue
            except OSError as error:
                log.warning("folder cannot be listed", folder=folder, reason=error.strerror)
                yield folder
                continue
            if (about.st_dev, about.st_ino) in seen:
                continue
            seen.add((about.st_dev, about.st_ino))
            yield folder
            waiting.extend(reversed(children))


def configured_folders(root: Path) -> list[VaultPath]:
    """Return the template and attachment folders that the vault's Obsidian settings name."""
    found = []
    for file, key in FOLDER_SETTINGS:
        try:
            settings = json.loads((root / file).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue  # no such plugin, or a file that is being written: nothing is configured
        value = settings.get(key) if isinstance(settings, dict) else None
        if isinstance(value, str) and value.strip("/ ") not in ("", "."):
            found.append(VaultPath(unicodedata.normalize("NFC", value.strip("/ "))))
    return [folder for folder in found if not folder.startswith("./")]


def _is_readable_name(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _is_note(folder: VaultPath, name: str) -> bool:
    if name.startswith((".", "~$")) or not name.casefold().endswith(".md"):
        return False
    if folder == WIKI and name.casefold() in OWN_NOTES:
        return False
    return not CONFLICT.search(name)
