"""A document's title: from its properties, else from its first heading, else from its name."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from vaultd.core.plain import plain
from vaultd.core.text import unwrapped
from vaultd.model.document import Extraction

SEARCHED_CHARS = 3_000  # a title page; what comes later is a chapter
SHORTEST, LONGEST = 3, 200

_HEADING = re.compile(r"^(#{1,4})[ \t]+(.+?)[ \t]*#*$", re.M)
# What programs leave in the title property instead of a title.
_LEFTOVER = re.compile(
    r"\.[a-z0-9]{2,5}$|^\([^()]*\)$|^(microsoft word|powerpoint)\b"
    r"|^(untitled|unnamed|unknown|unspecified|(new )?document|presentation|(work)?book|slide|sheet"
    r"|(no )?title|无标题|無標題|未命名|無題|제목 없음|unbenannt|sans titre|sin título)[\s\d]*$",
    re.I,
)
_NO_TITLE = re.compile(
    r"^(abstract|contents|table of contents|introduction|(front )?cover|title page"
    r"|目\s*录|摘要|前言|封面)$",
    re.I,
)


def document_title(extraction: Extraction, name: str) -> str:
    """Return the title of what was read from a file called `name`, folders before it or not."""
    beginning = next((page.text for page in extraction.pages if page.text.strip()), "")
    if extraction.kind == "xlsx":
        beginning = ""  # what it begins with is the name of one sheet
    return title_of(extraction.metadata.get("title", ""), beginning, name)


def title_of(property_title: str, text: str, name: str) -> str:
    """Return the title of a document whose text begins with `text`.

    A heading that runs over several lines, each a heading of one level, is one title.
    """
    written = " ".join(property_title.split())
    if _is_title(written) and not _LEFTOVER.search(written):
        return written
    return _first_heading(text[:SEARCHED_CHARS]) or PurePosixPath(name).stem


def _first_heading(text: str) -> str:
    headings = list(_HEADING.finditer(text))
    for number, first in enumerate(headings):
        title = " ".join(plain(first[2]).split())
        if not _is_title(title) or _NO_TITLE.match(title):
            continue
        for before, after in zip(headings[number:], headings[number + 1 :], strict=False):
            if after[1] != first[1] or text[before.end() : after.start()].strip():
                break
            title = unwrapped(f"{title}\n{plain(after[2])}")
        return title if len(title) <= LONGEST else ""
    return ""


def _is_title(text: str) -> bool:
    letters = sum(char.isalpha() for char in text)
    return SHORTEST <= len(text) <= LONGEST and letters >= 2
