"""RTF documents, with the extra `rtf`."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path

from vaultd.extract.content import Content, PageText, broken, readable, unsupported

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
    lines = [line.rstrip() for line in readable(text).split("\n")]
    return Content([PageText(None, "\n".join(lines).strip())])
