"""Bytes to text, in whatever encoding they are."""

from __future__ import annotations

import codecs
import re

import charset_normalizer

MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16: its mark begins with the same two bytes
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
DETECTOR_STEPS = 10  # pieces of the file the detector looks at; it still decodes all of it
# Letters that Windows-1252 has and a Western text uses beside ASCII.
WESTERN = re.compile(rb"[\x80-\xff]")


def decoded(content: bytes, declared: str = "") -> str:
    """Return `content` as text: by its mark, as UTF-8, as `declared`, or as most likely.

    The detector sees all bytes: on the first part of a long text it misleads.
    """
    for start, name in MARKS:
        if content.startswith(start):
            return content.decode(name, "replace").removeprefix("\ufeff")
    unmarked = _unmarked_utf16(content)
    if unmarked:
        return content.decode(unmarked, "replace")
    for name in ("utf-8", declared):
        text = _strictly(content, name)
        if text is not None:
            return text
    return _detected(content)


def _unmarked_utf16(content: bytes) -> str:
    head = content[:4096]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) < 0.3 * len(head) / 2 or not head:
        return ""
    return "utf-16-be" if even > odd else "utf-16-le"


def _strictly(content: bytes, name: str) -> str | None:
    try:
        return content.decode(name) if name else None
    except (UnicodeDecodeError, LookupError):
        return None


def _detected(content: bytes) -> str:
    if len(WESTERN.findall(content)) < 0.01 * len(content) and _mostly_utf8(content):
        return content.decode("utf-8", "replace")
    best = charset_normalizer.from_bytes(content, steps=DETECTOR_STEPS).best()
    if best is not None:
        return str(best)
    western = _strictly(content, "cp1252")
    return content.decode("utf-8", "replace") if western is None else western


def _mostly_utf8(content: bytes) -> bool:
    """Tell whether at most one in ten non-ASCII bytes does not belong to UTF-8."""
    text = content.decode("utf-8", "replace")
    return text.count("\ufffd") * 10 < len(WESTERN.findall(content))
