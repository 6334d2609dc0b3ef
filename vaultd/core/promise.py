"""Which pages an analysis promises, and which of them came."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from vaultd.core.block_path import LOG, clean_path, path_fault, same_path
from vaultd.model.paths import VaultPath

HEADING = re.compile(r"^ {0,3}#{1,4}[ \t]+pages[ \t]*:?[ \t]*$", re.IGNORECASE)
ANY_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]")
ENTRY = re.compile(r"^\s*(?:[-*]|\d+[.)])\s+[`*\[]*(wiki/.+?\.md)\b", re.IGNORECASE)


def promised_pages(analysis: str, summary: VaultPath, limit: int) -> tuple[VaultPath, ...]:
    """Return the pages listed under the last heading "Pages", the source's own page first.

    Empty when the analysis promises none but the source's own page. Any other path below
    `wiki/sources/` means the source's own page.
    """
    found: dict[str, VaultPath] = {same_path(summary): summary}
    for line in _section(analysis.split("\n")):
        match = ENTRY.match(line)
        path = VaultPath(clean_path(match[1])) if match else VaultPath("")
        usable = not path_fault(path) and same_path(path) != same_path(LOG)
        if usable and not path.startswith("wiki/sources/"):
            found.setdefault(same_path(path), path)
    return tuple(found.values())[:limit] if len(found) > 1 else ()


def _section(lines: Sequence[str]) -> Sequence[str]:
    starts = [number for number, line in enumerate(lines) if HEADING.match(line)]
    if not starts:
        return ()
    following = lines[starts[-1] + 1 :]
    ends = (number for number, line in enumerate(following) if ANY_HEADING.match(line))
    return following[: next(ends, len(following))]


def missing_pages(
    promised: Iterable[VaultPath], written: Iterable[VaultPath], summary: VaultPath
) -> tuple[VaultPath, ...]:
    """Return the promised pages that did not come.

    A page that came in another folder under the same name has come; any page below
    `wiki/sources/` is the source's own.
    """
    keys = {_key(path, summary) for path in written}
    return tuple(path for path in promised if _key(path, summary) not in keys)


def _key(path: VaultPath, summary: VaultPath) -> str:
    own = summary if path.startswith("wiki/sources/") else path
    stem = same_path(own).rsplit("/", 1)[-1].removesuffix(".md")
    return ("source/" if own == summary else "") + re.sub(r"[\s_-]+", "-", stem)


def batches(paths: Sequence[VaultPath], size: int) -> list[tuple[VaultPath, ...]]:
    """Return the paths in groups of at most `size`, in order."""
    return [tuple(paths[at : at + size]) for at in range(0, len(paths), size)]
