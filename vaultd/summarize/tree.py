"""The folders and notes that are described, as they lie on the disk."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

import structlog

from vaultd.core.block_path import same_path
from vaultd.core.fallback import name_key
from vaultd.core.ignore import CONFLICT, FOREIGN_FOLDERS, visible_name
from vaultd.core.staleness import is_within, root_of
from vaultd.errors import UsageError
from vaultd.model.paths import VaultPath
from vaultd.vault.files import Vault
from vaultd.vault.obsidian import obsidian_settings

log = structlog.get_logger()

WIKI = VaultPath("wiki")
OWN_NOTES = frozenset(("index.md", "overview.md", "log.md"))  # of the wiki's top, written by code
NEVER = (VaultPath("raw"), VaultPath("wiki/media"), VaultPath("wiki/reviews"))


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
        theirs = obsidian_settings(vault.root)
        apart = (*excluded, *theirs.templates, *theirs.attachments)
        self._excluded = tuple(dict.fromkeys((*NEVER, *map(same_path, apart))))

    def holds(self, folder: VaultPath) -> bool:
        """Tell whether `folder` may be described: no raw, dot, template or attachment folder."""
        parts = PurePosixPath(folder).parts
        if any(part.startswith(".") or part.casefold() in FOREIGN_FOLDERS for part in parts):
            return False
        spellings = (folder, same_path(folder))
        return not any(
            is_within(spelt, excluded) for excluded in self._excluded for spelt in spellings
        )

    def check(self, folder: VaultPath) -> None:
        """Refuse a folder that is never described.

        Raises:
            UsageError: it lies below none of the roots, or is left out.
        """
        if not self.holds(folder):
            raise UsageError(
                f"{folder} is never described: raw/, media, reviews, templates, attachments and "
                "hidden folders are left out."
            )
        if root_of(folder, self.roots) is None:
            raise UsageError(
                f"{folder} is in none of the folders that are described: `[summaries] roots` "
                f"names {', '.join(self.roots) or 'none'}."
            )

    def exists(self, folder: VaultPath) -> bool:
        """Tell whether `folder` is a folder on the disk, and no link."""
        try:
            return stat.S_ISDIR(self.vault.locate(folder).lstat().st_mode)
        except OSError:
            return False

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
                name = visible_name(entry.name) or entry.name
                path = VaultPath(name if folder == "." else f"{folder}/{name}")
                if not _is_readable_name(entry.name):
                    log.warning("name cannot be read", folder=folder)
                elif entry.is_dir(follow_symlinks=False):
                    folders += [path] if self.holds(path) else []
                elif _is_note(folder, name) and entry.is_file():
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
