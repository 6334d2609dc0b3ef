"""Which folder a page belongs to: the vault's own table of page types, else the usual ones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from vaultd.core.block_path import OWN_FOLDERS
from vaultd.core.names import file_stem

SOURCE = "source"
USUAL_FOLDERS: Mapping[str, str] = {
    "source": "wiki/sources",
    "entity": "wiki/entities",
    "concept": "wiki/concepts",
    "query": "wiki/queries",
    "comparison": "wiki/comparisons",
    "synthesis": "wiki/synthesis",
    "thesis": "wiki/thesis",
    "methodology": "wiki/methodology",
    "finding": "wiki/findings",
}
FALLBACK_TYPE = "concept"  # a page without a usable type or folder is kept there, not dropped

_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*\s*$")
_RULE = re.compile(r"\s*\|?[\s:|-]*-[\s:|-]*\|?\s*$")


@dataclass(frozen=True, slots=True)
class Schema:
    """Page types and their folders, `wiki/…` without a final "/"."""

    folders: Mapping[str, str] = field(default_factory=lambda: USUAL_FOLDERS)

    def type_in(self, folder: str) -> str | None:
        """Return the type whose pages stand in `folder`, or in a folder above it."""
        place = PurePosixPath(folder)
        for above in (place, *place.parents):
            for name, home in self.folders.items():
                if home.casefold() == str(above).casefold():
                    return name
        return None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page goes."""

    type: str
    folder: str


def parse_schema(text: str) -> Schema:
    """Read the table below the heading "Page Types" (rows: type | folder | …).

    Its rows overrule the usual folders. A folder that is not below `wiki/`, or that code
    writes itself, is passed over.
    """
    folders = dict(USUAL_FOLDERS)
    for cells in _rows(text):
        name = re.sub(r"[`*\s]+", " ", cells[0]).strip().lower()
        folder = cells[1].strip(" `*").strip("/").replace("\\", "/")
        folder = folder if folder.startswith("wiki/") else f"wiki/{folder}"
        if _is_type(name) and _is_folder(folder):
            folders[name.replace(" ", "-")] = folder
    return Schema(folders)


def route(schema: Schema, page_type: str, asked: str) -> Place:
    """Return type and folder of a page of `page_type` that was asked for at the path `asked`.

    A known type decides; else a known folder does; an unknown type keeps its own folder. A page
    is moved to its folder, never dropped. Pages about other sources are no source pages.
    """
    name = page_type.strip().lower().replace(" ", "-")
    folder = str(PurePosixPath(asked).parent)
    if name in schema.folders and name != SOURCE:
        home = schema.folders[name]
        return Place(name, folder if _below(folder, home) else home)
    there = schema.type_in(folder)
    if there and there != SOURCE and (not name or name == SOURCE):
        home = schema.folders[there]
        return Place(there, folder if _below(folder, home) else home)
    if name and name != SOURCE and _is_type(name):
        own = folder if _is_folder(folder) and not there else f"wiki/{file_stem(name)}"
        return Place(name, own)
    return Place(FALLBACK_TYPE, schema.folders[FALLBACK_TYPE])


def _rows(text: str) -> list[list[str]]:
    inside, rows = False, list[list[str]]()
    for line in text.splitlines():
        heading = _HEADING.match(line)
        if heading:
            inside = heading[1].strip().casefold() == "page types"
        elif inside and "|" in line and not _RULE.match(line):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) > 1:
                rows.append(cells)
    return rows[1:] if rows and rows[0][0].strip("`* ").casefold() == "type" else rows


def _is_type(name: str) -> bool:
    return bool(re.fullmatch(r"[^\W_][\w -]{0,40}", name))


def _is_folder(folder: str) -> bool:
    parts = folder.split("/")
    return (
        len(parts) > 1
        and parts[0] == "wiki"
        and parts[1].casefold() not in OWN_FOLDERS
        and all(file_stem(part) == part for part in parts)
    )


def _below(folder: str, home: str) -> bool:
    return f"{folder}/".casefold().startswith(f"{home}/".casefold()) and _is_folder(folder)
