"""The headings of a note, as CommonMark sees them, and the outline they make."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt

from vaultd.core.markdown import prose_lines
from vaultd.core.plain import plain

OUTLINE_LINES = 60  # a longer outline is no overview any more

_COMMONMARK = MarkdownIt("commonmark")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a body; `text` is without markup, `line` counts from 0."""

    level: int
    text: str
    line: int


def headings(body: str) -> list[Heading]:
    """Return the headings of `body`, of both kinds, that stand in no code, quote or comment."""
    shown = {number for number, _ in prose_lines(body)}
    return [
        Heading(int(opener.tag[1:]), plain(inline.content), opener.map[0])
        for opener, inline in pairwise(_COMMONMARK.parse(body))
        if opener.type == "heading_open" and opener.level == 0 and opener.map
        if opener.map[0] in shown and inline.content.strip()
    ]


def outline_of(body: str, title: str = "") -> str:
    """Return the headings of `body` as a nested list, without one that repeats `title`."""
    found = [each for each in headings(body) if each.text.casefold() != title.casefold()]
    if not found:
        return ""
    top = min(each.level for each in found)
    lines = [f"{'  ' * (each.level - top)}- {each.text}" for each in found[:OUTLINE_LINES]]
    return "\n".join(lines)
