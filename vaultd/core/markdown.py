"""A page's abstract, from its own text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vaultd.core.plain import plain
from vaultd.core.quiet import Quiet, quiet_spans
from vaultd.core.text import sentence_ends

ABSTRACT_LENGTH = 200  # characters; what a folder and the index show of a page

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_RULE = re.compile(r" {0,3}(?:[-*_][ \t]*){3,}$")
_TABLE = re.compile(r"\s*\|")
_PICTURE = re.compile(r"\s*!\[")
_CALLOUT = re.compile(r"\s*>\s*\[!")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+")


def abstract_of(body: str) -> str:
    """Return the first paragraph of `body` as plain text, at most 200 characters.

    Headings, rules, tables, pictures, callouts, code and comments are passed over; where there
    is no paragraph, the first list item is taken. Cut at a sentence where one ends, else at a
    word. "" where there is no text.
    """
    first_item = ""
    for paragraph in _paragraphs(body):
        text = " ".join(plain("\n".join(paragraph)).split())
        if not text:
            continue
        if not _ITEM.match(paragraph[0]):
            return cut_at_sentence(text, ABSTRACT_LENGTH)
        first_item = first_item or " ".join(plain(paragraph[0]).split())
    return cut_at_sentence(first_item, ABSTRACT_LENGTH)


def cut_at_sentence(text: str, limit: int) -> str:
    """Return the sentences of `text` that fit `limit` characters; else words and an ellipsis."""
    if len(text) <= limit:
        return text
    fitting = [end for end in sentence_ends(text[: 2 * limit]) if end <= limit]
    if fitting:
        return text[: fitting[-1]]
    head = text[: limit - 1]
    blank = head.rfind(" ")
    return (head[:blank] if blank > limit // 2 else head).rstrip(" ,;:，；：、") + "…"


def prose_lines(body: str) -> Iterator[tuple[int, str]]:
    """Yield number and text of each line that does not begin in code, display math or a comment."""
    hidden = [span for span in quiet_spans(body) if span.kind is not Quiet.CODE]
    position, index = 0, 0
    for number, line in enumerate(body.split("\n")):
        while index < len(hidden) and hidden[index].end <= position:
            index += 1
        begin = position + len(line) - len(line.lstrip())
        inside = index < len(hidden) and hidden[index].start <= begin and len(line.strip()) > 0
        starts_here = inside and hidden[index].start >= position
        if not inside or (starts_here and hidden[index].kind is Quiet.MATH):
            yield number, line.rstrip("\r")
        position += len(line) + 1


def _paragraphs(body: str) -> Iterator[list[str]]:
    """Yield the paragraphs of prose, each as its lines."""
    paragraph: list[str] = []
    last = -1
    for number, line in prose_lines(body):
        skipped = number != last + 1
        last = number
        if skipped or not line.strip() or _is_passed_over(line):
            if paragraph:
                yield paragraph
            paragraph = []
            if not line.strip() or _is_passed_over(line):
                continue
        paragraph.append(line)
    if paragraph:
        yield paragraph


def _is_passed_over(line: str) -> bool:
    patterns = (_HEADING, _RULE, _TABLE, _PICTURE, _CALLOUT)
    return any(pattern.match(line) for pattern in patterns)
