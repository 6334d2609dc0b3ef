"""A folder's two texts by rule, for when no model answers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import groupby

from vaultd.model.summary import ChildSummary, DirectorySummary

ITEM_CHARACTERS = 50  # spec/000: an item shows the first 50 characters of its abstract
CUT = "..."  # stands only where something was cut

# A character that would start markup where a plain sentence is meant, with the backslashes before
# it. "_" within a word and "#" before a space are text in Obsidian, too.
_ACTIVE = re.compile(
    r"(\\*)([`*\[\]<>$]|(?<![^\W_])_|_(?![^\W_])|(?<![^\s\\])#(?=\S)|(?<=%)%|(?<==)=|(?<=~)~)"
)


def name_key(name: str) -> tuple[str, str]:
    """Return the sorting key of a name: without regard to case and Unicode form, then as spelt."""
    return unicodedata.normalize("NFC", name).casefold(), name


def categories_of(children: Sequence[ChildSummary]) -> tuple[str, ...]:
    """Return the children's categories, sorted, without repeats."""
    return tuple(sorted({child.category for child in children}))


def fallback_abstract(children: Sequence[ChildSummary], language: str) -> str:
    """Return one line with the number of children and their categories.

    Chinese for "zh", English for every other language.
    """
    categories = categories_of(children)
    if language.startswith("zh"):
        return f"包含 {len(children)} 条{'、'.join(categories)}相关记忆"
    return f"Contains {len(children)} items about {', '.join(categories)}"


def fallback_overview(children: Sequence[ChildSummary], language: str) -> str:
    """Return the children's first words as Markdown, by category; both sorted.

    The same children give the same text in any order; nothing in it can act as markup.
    """
    chinese = language.startswith("zh")
    ordered = sorted(children, key=lambda child: (child.category, name_key(child.name)))
    sections = ["# 目录内容概览" if chinese else "# Contents"]
    for category, group in groupby(ordered, key=lambda child: child.category):
        items = [f"- {_item(child)}" for child in group]
        count = f"{len(items)}条" if chinese else str(len(items))
        sections.append("\n".join([f"## {escaped(category)} ({count})", *items]))
    return "\n\n".join(sections) + "\n"


def fallback_summary(children: Sequence[ChildSummary], language: str) -> DirectorySummary:
    """Return both texts with the children's number and categories."""
    return DirectorySummary(
        abstract=fallback_abstract(children, language),
        overview=fallback_overview(children, language),
        child_count=len(children),
        categories=categories_of(children),
    )


def listing_of(children: Sequence[ChildSummary], limit: int = 200) -> str:
    """Return the children's names in one line of at most `limit` characters."""
    line = ""
    for child in sorted(children, key=lambda child: name_key(child.name)):
        longer = f"{line}, {child.name}" if line else child.name
        if len(longer) > limit - 1:
            return f"{line or longer[: limit - 1].rstrip()}…"
        line = longer
    return line


def escaped(text: str) -> str:
    """Return `text` on one line, with every character that would act as markup made plain.

    What is plain already, with a backslash before it, stays as it is: twice is once.
    """

    def inert(match: re.Match[str]) -> str:
        slashes = match[1]
        return match[0] if len(slashes) % 2 else f"{slashes}\\{match[2]}"

    return _ACTIVE.sub(inert, " ".join(text.split()))


def _item(child: ChildSummary) -> str:
    text = " ".join((child.abstract or child.name).split())
    return escaped(first_characters(text, ITEM_CHARACTERS)) + (
        CUT if len(text) > ITEM_CHARACTERS else ""
    )


def first_characters(text: str, limit: int) -> str:
    """Return at most `limit` characters of `text`, never ending within a composed one."""
    if len(text) <= limit:
        return text
    end = limit
    while end > 0 and (unicodedata.combining(text[end]) or "\u200d" in text[end - 1 : end + 1]):
        end -= 1
    return text[: end or limit].rstrip()
