"""Which notes below `wiki/` link where: read once, and again only where size or time changed."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from vaultd.core.block_path import same_path
from vaultd.core.ignore import visible_name
from vaultd.core.link import Resolver, find_links
from vaultd.core.page import parse_page
from vaultd.errors import VaultdError
from vaultd.model.paths import VaultPath
from vaultd.vault.files import Vault
from vaultd.vault.obsidian import obsidian_settings

WIKI, RAW = "wiki/", "raw/"
ABOUT = ("purpose.md", "schema.md")


@dataclass(frozen=True, slots=True)
class NoteLinks:
    """The targets a note names, in its text and among its related pages, in order."""

    size: int
    mtime_ns: int
    targets: tuple[str, ...]


class LinkMap:
    """The links of the wiki's notes, kept between two looks. Blocking."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self.notes: Mapping[VaultPath, NoteLinks] = {}
        self.files: tuple[VaultPath, ...] = ()

    def look(self) -> None:
        """Bring the map abreast of the disk."""
        found: dict[VaultPath, NoteLinks] = {}
        files: list[VaultPath] = []
        for path, entry in vault_files(self._vault):
            files.append(path)
            if not (path.startswith(WIKI) and path.lower().endswith(".md")):
                continue
            about = entry.stat(follow_symlinks=False)
            there = self.notes.get(path)
            if there and (there.size, there.mtime_ns) == (about.st_size, about.st_mtime_ns):
                found[path] = there
            else:
                targets = self._targets(path)
                found[path] = NoteLinks(about.st_size, about.st_mtime_ns, targets)
        self.notes, self.files = found, tuple(sorted(files))

    def resolver(
        self, *, back: Iterable[VaultPath] = (), without: Collection[str] = ()
    ) -> Resolver:
        """Return Obsidian's resolver over the vault, as if `back` were there and `without` not."""
        stay = [path for path in self.files if path not in without]
        return Resolver.over([*stay, *back])

    def naming(self, paths: Collection[VaultPath]) -> list[VaultPath]:
        """Return the notes that may link to one of `paths`: they name its file, in any folder."""
        leaves = set().union(*map(_leaves, paths))
        return [
            path
            for path, note in self.notes.items()
            if any(not leaves.isdisjoint(_leaves(target)) for target in note.targets)
        ]

    def _targets(self, path: VaultPath) -> tuple[str, ...]:
        try:
            content = self._vault.read(path)
        except VaultdError:
            return ()  # a link out of the vault, a pipe: it names nothing of ours
        return targets_in((content or b"").decode("utf-8", "replace"))


def targets_in(text: str) -> tuple[str, ...]:
    """Return the targets of a note's links, those of its related pages included."""
    related = "\n".join(parse_page(text).listed("related"))
    found = (*find_links(text), *find_links(related))
    return tuple(dict.fromkeys(link.target for link in found if link.target))


def own_notes(vault: Vault, names: Collection[str]) -> dict[str, VaultPath]:
    """Return the person's notes outside `wiki/` and `raw/` that have one of `names`, by name.

    `names` are as `same_path` gives them. Of several the one that a link finds first. Templates
    are none of them, nor what tells us about the wiki, nor a note that is still empty.
    """
    templates = [f"{same_path(each)}/" for each in obsidian_settings(vault.root).templates]
    apart = (WIKI, RAW, *templates)
    theirs = [
        path
        for path, entry in vault_files(vault)
        if _named(path) in names
        and path not in ABOUT
        and not same_path(path).startswith(apart)
        and entry.stat(follow_symlinks=False).st_size > 0
    ]
    named: dict[str, VaultPath] = {}
    for path in sorted(theirs, key=lambda each: (len(each), each)):
        named.setdefault(_named(path), path)
    return named


def vault_files(vault: Vault, below: str = "") -> Iterator[tuple[VaultPath, os.DirEntry[str]]]:
    """Yield every file of the vault, or `below` a folder of it that exists ("wiki/").

    Hidden folders, links and unreadable names are left out. The stub of one that iCloud evicted
    comes with the path of the file it stands for.
    """
    waiting = [(vault.root / below, below)]
    while waiting:
        folder, prefix = waiting.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                name = visible_name(entry.name)
                if not name or not _is_readable(name):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((folder / entry.name, f"{prefix}{entry.name}/"))
                elif entry.is_file(follow_symlinks=False):
                    yield VaultPath(f"{prefix}{name}"), entry


def _is_readable(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _named(path: VaultPath) -> str:
    """Return the name of a note as `same_path` has it, "" for any other file."""
    name = path.rpartition("/")[2]
    return same_path(name[:-3]) if name[-3:].lower() == ".md" else ""


def _leaves(target: str) -> set[str]:
    """Return the names that a target may be meant by: with and without its ending."""
    name = same_path(PurePosixPath(target.strip()).name)
    return {name, name.removesuffix(".md")}
