"""Jupyter notebooks: prose as it is, code fenced, and what the code gave as text or picture."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from vaultd.extract.content import Content, Gallery, PageText, broken, readable
from vaultd.extract.data_uri import without_data_uris
from vaultd.extract.encoding import decoded
from vaultd.extract.writer import fenced

MOST_OUTPUT = 4_000  # characters of what one cell gave; a table of thousands of rows tells no more
PICTURES = ("image/png", "image/jpeg")
ATTACHED = re.compile(r"!\[([^\[\]\n]{0,500})\]\(attachment:([^()\n]{1,500})\)")
COLOURS = re.compile(r"\x1b\[[\d;]*m")  # as a terminal shows them

Fields = Mapping[str, Any]


def read_notebook(path: Path) -> Content:
    """Read a notebook; what its code gave is taken from the file, nothing is run.

    Raises:
        UnreadableError: it is no notebook.
    """
    try:
        notebook = json.loads(decoded(path.read_bytes()))
        cells = list(_cells(notebook))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise broken("The notebook is damaged: it cannot be read.") from error
    gallery = Gallery()
    language = _language(notebook)
    parts = [part for cell in cells for part in _parts(cell, language, gallery)]
    text = "\n\n".join(part for part in parts if part.strip())
    return Content([PageText(None, text)], metadata=_metadata(notebook), pictures=gallery)


def _cells(notebook: Fields) -> Iterator[Fields]:
    """Give the cells; in the older format they stand in worksheets."""
    holders = [notebook] if "cells" in notebook else notebook["worksheets"]
    for holder in holders:
        yield from (cell for cell in holder["cells"] if isinstance(cell, dict))


def _language(notebook: Fields) -> str:
    about = _fields(notebook.get("metadata"))
    named = _fields(about.get("language_info")).get("name")
    named = named or _fields(about.get("kernelspec")).get("language") or "python"
    return re.sub(r"[^\w+#-]", "", str(named))[:40]


def _metadata(notebook: Fields) -> dict[str, str]:
    about = _fields(notebook.get("metadata"))
    writers = about.get("authors") if isinstance(about.get("authors"), list) else []
    names = [str(_fields(each).get("name") or "") for each in writers or ()]
    found = {"title": about.get("title"), "author": ", ".join(filter(None, names))}
    return {name: readable(value) for name, value in found.items() if isinstance(value, str)}


def _parts(cell: Fields, language: str, gallery: Gallery) -> Iterator[str]:
    source = _text(cell.get("source", cell.get("input")))
    if cell.get("cell_type") != "code":
        level = cell.get("level") if cell.get("cell_type") == "heading" else 0
        prose = f"{'#' * level} {source}" if isinstance(level, int) and level else source
        yield _with_attachments(without_data_uris(prose, gallery), cell, gallery)
        return
    if source.strip():
        yield fenced(source.strip("\n"), language)
    for output in cell.get("outputs") or ():
        yield _output(_fields(output), gallery)


def _with_attachments(text: str, cell: Fields, gallery: Gallery) -> str:
    attached = _fields(cell.get("attachments"))

    def placed(match: re.Match[str]) -> str:
        data = _picture(_fields(attached.get(match[2])))
        return gallery.place(data, alt=match[1]) if data else match[1]

    return ATTACHED.sub(placed, text)


def _output(output: Fields, gallery: Gallery) -> str:
    """Return what a cell gave: a picture, Markdown, or else its text."""
    data = _fields(output.get("data", output))
    if picture := _picture(data):
        return gallery.place(picture)
    if markdown := _text(data.get("text/markdown")):
        return without_data_uris(markdown, gallery)
    if output.get("output_type") in ("error", "pyerr"):
        said = f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}"
    else:
        said = _text(data.get("text/plain")) or _text(output.get("text"))
    said = without_data_uris(said.strip("\n"))
    if len(said) > MOST_OUTPUT:
        said = said[:MOST_OUTPUT] + "\n…"
    return fenced(said, "text") if said.strip() else ""


def _picture(data: Fields) -> bytes:
    found = next((data[kind] for kind in PICTURES if kind in data), "")
    try:
        return base64.b64decode("".join(found) if isinstance(found, list) else found)
    except (binascii.Error, ValueError, TypeError):
        return b""


def _text(value: object) -> str:
    """Return a text that may be kept as a list of lines."""
    whole = "".join(map(str, value)) if isinstance(value, list) else str(value or "")
    return readable(COLOURS.sub("", whole))


def _fields(value: object) -> Fields:
    return value if isinstance(value, dict) else {}
