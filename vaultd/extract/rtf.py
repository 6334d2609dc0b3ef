"""RTF documents, with the extra `rtf`."""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path

from vaultd.core.table import markdown_table
from vaultd.extract.content import Content, PageText, broken, readable, unsupported

CELL_BREAK = re.compile(r"\n+\|")  # a cell that ends with a paragraph
BULLET = re.compile(r"^[·•▪■◦]\s+")
FAULTS = (ValueError, IndexError, KeyError, TypeError, AttributeError, LookupError)


def read_rtf(path: Path) -> Content:
    """Read an RTF document as one page of text.

    Raises:
        UnreadableError: the extra is not installed, or the file is damaged.
    """
    if importlib.util.find_spec("striprtf") is None:
        raise unsupported("RTF files need the extra: pip install 'vaultd[rtf]'.")
    to_text: Callable[..., str] = importlib.import_module("striprtf.striprtf").rtf_to_text
    source = path.read_bytes().decode("latin-1")
    try:
        text = to_text(source, encoding="cp1252", errors="replace")
    except FAULTS as error:
        raise broken(f"The RTF file is damaged: {error}.") from error
    return Content([PageText(None, _markdown(readable(text).split("\n")))])


def _markdown(lines: Sequence[str]) -> str:
    """Return paragraphs and list items as such, lines of cells that end with bars as tables."""
    whole = CELL_BREAK.sub("|", "\n".join(lines)).split("\n")
    runs = groupby((line.strip() for line in whole), key=lambda line: "|" in line)
    blocks = [
        block
        for is_table, run in runs
        for block in (
            [markdown_table([row.split("|") for row in run])]
            if is_table
            else (BULLET.sub("- ", line) for line in run)
        )
    ]
    return "\n\n".join(filter(None, blocks))
