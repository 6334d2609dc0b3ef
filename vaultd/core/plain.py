"""Markdown as a reader hears it: the words without the markup."""

from __future__ import annotations

import re

# What has to stand in a text before a rule can find anything, the rule, what takes its place:
# most passages hold little markup, and looking for a mark is a hundred times cheaper.
_RULES: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("%%", re.compile(r"%%.*?%%", re.DOTALL), " "),
    ("<!--", re.compile(r"<!--.*?-->", re.DOTALL), " "),
    ("<", re.compile(r"</?[A-Za-z][^<>\n]{0,200}>"), " "),
    ("`", re.compile(r"^[ \t]*`{3,}[^\n]*$", re.MULTILINE), " "),
    ("~", re.compile(r"^[ \t]*~{3,}[^\n]*$", re.MULTILINE), " "),
    ("[[", re.compile(r"!?\[\[[^\[\]\n|]*\|([^\[\]\n]*)\]\]"), r"\1"),
    ("[[", re.compile(r"!?\[\[([^\[\]\n]*)\]\]"), r"\1"),
    ("](", re.compile(r"!?\[([^\[\]\n]*)\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)"), r"\1"),
    (">", re.compile(r"^[ \t]*>+[ \t]?(?:\[![\w-]+\][+-]?)?", re.MULTILINE), ""),
    (
        "",
        re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?", re.MULTILINE),
        "",
    ),
    ("#", re.compile(r"^ {0,3}#{1,6}[ \t]+", re.MULTILINE), ""),
    ("", re.compile(r"^[ \t|:=*_-]+$", re.MULTILINE), ""),
    ("|", re.compile(r"[ \t]*\|[ \t]*"), " "),
    ("*", re.compile(r"(\*{1,3})(?=\S)([^\n]*?\S)\1"), r"\2"),
    ("~~", re.compile(r"~~(?=\S)([^\n]*?\S)~~"), r"\1"),
    ("==", re.compile(r"==(?=\S)([^\n]*?\S)=="), r"\1"),
    ("_", re.compile(r"(?<!\w)(_{1,2})(?=\S)([^\n_]*\S)\1(?!\w)"), r"\2"),
    ("`", re.compile(r"`+"), ""),
    ("", re.compile(r"[ \t]{2,}|\t"), " "),
)


def plain(text: str) -> str:
    """Return `text` without Markdown markup; line breaks stay."""
    for mark, pattern, replacement in _RULES:
        if mark in text:
            text = pattern.sub(replacement, text)
    return text.strip()
