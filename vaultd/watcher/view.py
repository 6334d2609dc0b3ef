"""The difference between what is known of the vault and what was seen of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from vaultd.core.ignore import Fate
from vaultd.model.paths import VaultPath
from vaultd.store.files import KnownFile
from vaultd.vault.scan import Sighting

NAMED = 5  # paths in a sentence


@dataclass
class View:
    """The difference between what is known and what was seen."""

    changed: list[Sighting] = field(default_factory=list)
    back: list[str] = field(default_factory=list)
    absent: dict[str, KnownFile] = field(default_factory=dict)


def compare(known: dict[str, KnownFile], sightings: Iterable[Sighting]) -> View:
    """Return what changed, what is back, and what is absent.

    Files below a folder that cannot be read now, and notes that are online only, are neither.
    """
    view, seen, blind = View(), set(), []
    for each in sightings:
        seen.add(each.path)
        if each.code == "blind":
            blind.append(f"{each.path}/" if each.path else "")
        if each.fate not in (Fate.SOURCE, Fate.NOTE):
            continue
        file = known.get(each.path)
        if file is None or file.stat != each.stat:
            view.changed.append(each)
        if file is not None and file.missing_since is not None:
            view.back.append(each.path)
    view.absent = {
        path: file
        for path, file in known.items()
        if path not in seen and not path.startswith(tuple(blind))
    }
    return view


def folders_above(path: str) -> list[VaultPath]:
    """Return the folders that `path` lies in, the nearest first, without the root."""
    parts = path.split("/")[:-1]
    return [VaultPath("/".join(parts[:end])) for end in range(len(parts), 0, -1)]


def conflicts_text(sightings: Iterable[Sighting]) -> str:
    """Return the sentence about conflict copies of sync tools, "" if there is none."""
    paths = sorted(each.path for each in sightings if each.code == "conflict")
    if not paths:
        return ""
    named = ", ".join(paths[:NAMED]) + (" and others" if len(paths) > NAMED else "")
    return f"Sync tools left {len(paths)} conflict copies, which are not read: {named}."


def loss_text(held: Iterable[str]) -> str:
    """Return the sentence about files that are missing all at once, "" if none is."""
    paths = sorted(held)
    if not paths:
        return ""
    return (
        f"{len(paths)} files are missing at once ({paths[0]} and others): an unmounted disk or "
        "a cloud folder that is not there? Nothing was deleted. If it is meant, use "
        "`vaultd forget`."
    )
