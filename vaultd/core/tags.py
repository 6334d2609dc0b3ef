"""Tags as Obsidian accepts them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

# What ends a tag in Obsidian: blanks, ASCII punctuation other than "_-/", and two blocks of
# punctuation. Letters of any script and emoji are part of one.
_ENDING = r"""\s\u2000-\u206f\u2e00-\u2e7f!-,.:-@\[-^`{-~"""
TAG_SIGN = rf"#(?=[^{_ENDING}])(?!\d+(?:[{_ENDING}]|\Z))"
"""A "#" that begins a tag where a blank or nothing stands before it: `#123` is none."""

TAG_TEXT = rf"[^{_ENDING}]+"
INLINE_TAG = re.compile(rf"(?:(?<=\s)|\A){TAG_SIGN}({TAG_TEXT})")
_ILLEGAL = re.compile(rf"[{_ENDING}\u00a0-\u00a9\u00ab-\u00b4\u00b6-\u00b9]|[、-〃〈-〟]")


def clean_tag(text: str) -> str | None:
    """Return `text` as a valid tag without "#", None if nothing is left.

    Blanks become hyphens; a tag of digits alone gets a leading "y", as in `y2024`.
    """
    name = unicodedata.normalize("NFC", text).strip().lstrip("#").strip()
    name = _ILLEGAL.sub("", re.sub(r"[\s,;:|]+", "-", name))
    name = re.sub(r"/{2,}", "/", re.sub(r"-{2,}", "-", name)).strip("-/")
    if not name.strip("_-/"):
        return None
    return f"y{name}" if not re.search(r"[^\d/_-]", name) else name


def clean_tags(texts: Iterable[str], known: Mapping[str, str]) -> tuple[str, ...]:
    """Return the valid tags among `texts`, without repeats, in the casing the vault has.

    `known` maps a case-folded tag to the spelling in use.
    """
    kept: dict[str, str] = {}
    for text in texts:
        tag = clean_tag(text)
        if tag:
            kept.setdefault(tag.casefold(), known.get(tag.casefold(), tag))
    return tuple(kept.values())
