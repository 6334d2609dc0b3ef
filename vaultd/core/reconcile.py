"""What the difference between two looks at the vault means: moves, losses, and false alarms."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from pathlib import PurePosixPath

from vaultd.model.paths import SourceId, VaultPath

RAW = "raw/"
FEW_SOURCES = 3  # fewer lost sources are never a mass disappearance
FEW_NOTES = 10  # people delete a handful of notes at a time


def identity_of(path: VaultPath) -> SourceId:
    """Return the source identity of the file at `path`: below `raw/`, in normal form C."""
    return SourceId(unicodedata.normalize("NFC", path.removeprefix(RAW)))


def pair_moves(gone: Mapping[str, str], arrived: Mapping[str, str]) -> dict[str, str]:
    """Match files that came with files that went, by content; return new path -> old path.

    Both map a path to a content hash. Each file is matched once; where several hold the same
    content, the same name is preferred, then the order of the paths.
    """
    by_content: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(gone):
        by_content[gone[path]].append(path)
    pairs: dict[str, str] = {}
    for keep_name in (True, False):
        for path in sorted(arrived):
            candidates = by_content[arrived[path]]
            match = next(
                (old for old in candidates if not keep_name or _name(old) == _name(path)), None
            )
            if path not in pairs and match is not None:
                candidates.remove(match)
                pairs[path] = match
    return pairs


def held_back(
    known: Collection[str], missing: Collection[str], emptied: Collection[str]
) -> frozenset[str]:
    """Return the missing files whose loss looks like an accident, and so is not acted upon.

    `emptied` are folders that still exist with nothing in them. That is how an unmounted disk
    or an evicted cloud folder looks, as does the loss of more than half of all files.
    """
    few = FEW_SOURCES if all(path.startswith(RAW) for path in missing) else FEW_NOTES
    if len(missing) >= few and 2 * len(missing) > len(known):
        return frozenset(missing)
    below = Counter(folder for path in missing for folder in _above(path) if folder in set(emptied))
    unplugged = {folder for folder, number in below.items() if number >= few}
    return frozenset(path for path in missing if unplugged.intersection(_above(path)))


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _above(path: str) -> list[str]:
    return [str(parent) for parent in PurePosixPath(path).parents if str(parent) != "."]
