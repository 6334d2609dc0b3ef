"""Quoting: a sentence as it stands, and a link to where it stands."""

from __future__ import annotations

import re

from vaultd.author.offline.labels import Labels
from vaultd.core import link
from vaultd.core.content import Heading, Statement
from vaultd.model.wiki import SourceText

LABEL_CHARS = 40  # of a section's name in a link: longer breaks the line

# What would act as markup where the document only has characters.
_ACTIVE = re.compile(
    r"[`\\]|\*(?=\S)|(?<=\S)\*|\[(?=\[)|(?<=\])\]|<(?=[A-Za-z/!?])|\$(?=\S)|(?<!\S)#(?=[^\W\d])"
    r"|%(?=%)|=(?==)|~(?=~)|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)|\^(?=\[)|^[-+*>#](?=\s)|^\d+(?=[.)]\s)"
)
_NOT_IN_LABEL = re.compile(r"[\[\]|#^\n]+")


def quoted(text: str) -> str:
    """Return a sentence that Markdown shows exactly as the document has it."""
    return _ACTIVE.sub(_escaped, " ".join(text.split()))


def _escaped(match: re.Match[str]) -> str:
    sign = match[0]
    if sign.isdigit():  # "1. Introduction" would begin a list
        return f"{sign}\\"
    return f"{sign[:-1]}\\{sign[-1]}" if len(sign) == 1 else f"{sign}\\"


def place_of(source: SourceText, place: Statement | Heading, labels: Labels) -> str:
    """Return a link to the page of the source, or to its section where it has no pages."""
    if place.page is not None:
        return link.passage_link(source.path, place.page, labels.page.format(n=place.page))
    heading = place.title if isinstance(place, Heading) else (place.section or ("",))[-1]
    label = label_of(heading) or label_of(source.title) or "source"
    note = source.path.lower().endswith((".md", ".markdown"))
    anchor = f"#{label_of(heading, 200)}" if note and heading else ""
    return link.link_to(source.path, label, fragment=anchor)


def label_of(text: str, limit: int = LABEL_CHARS) -> str:
    """Return `text` as the label of a link: no sign that ends it, cut at a word."""
    shown = " ".join(_NOT_IN_LABEL.sub(" ", text).split())
    if len(shown) <= limit:
        return shown
    head = shown[:limit].rsplit(" ", 1)[0] if " " in shown[limit // 2 : limit] else shown[:limit]
    return head.rstrip(" ,;:-–—，、；：") + "…"


def link_to(path: str, title: str) -> str:
    """Return a link to a page of the vault by its path."""
    return f"[[{path.removesuffix('.md')}|{label_of(title, 200)}]]"
