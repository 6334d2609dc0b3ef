"""From a FILE block to a page proposal: properties mended, body alone."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vaultd.core.loose_properties import (
    TAG_LIMIT,
    VALUE_LIMIT,
    as_list,
    as_text,
    entries,
    split_properties,
)
from vaultd.core.reply import BLOCK_ENDS, FileBlock
from vaultd.core.tags import clean_tags
from vaultd.core.thinking import Fence
from vaultd.model.paths import VaultPath
from vaultd.model.wiki import PageDraft

LISTS = ("tags", "aliases", "related", "sources")
BY_CODE = frozenset(  # never taken from a model
    ["type", "title", *LISTS, "created", "updated", "author", "source_sha256", "transcribed"]
    + ["unread", "end"]
)
EXTRA_LIMIT = 20  # further properties kept of one page
TITLE_LIMIT = 250  # characters; longer is a sentence that lost its way
FOLDER_TYPES = {
    "sources": "source",
    "entities": "entity",
    "concepts": "concept",
    "queries": "query",
    "comparisons": "comparison",
    "synthesis": "synthesis",
}
HEADING = re.compile(r"#[ \t]+(\S.*?)[ \t]*#*$")


@dataclass(frozen=True, slots=True)
class Drafted:
    """A page proposal, or None when the block holds no body; warnings name the path."""

    page: PageDraft | None
    warnings: tuple[str, ...]


def page_draft(block: FileBlock) -> Drafted:
    """Read one block as a page: every property as plain text, the body without wrapping.

    Missing properties are filled from the body's first heading, the file name and the folder.
    An open code fence at the end of the body is closed.
    """
    split = split_properties(block.text)
    warnings = [f"mended {what}: {block.path}" for what in split.repaired]
    lists: dict[str, tuple[str, ...]] = {}
    plain: dict[str, str] = {}
    for key, rest, below in entries(split.properties):
        if key in LISTS:
            lists[key], odd = as_list(rest, below)
            if odd:
                warnings.append(f"mended the property {key}: {block.path}")
        elif value := as_text(rest, below)[:VALUE_LIMIT]:
            plain[key] = value
    body, closed = _closed_fences(split.body)
    if closed:
        warnings.append(f"closed a code fence: {block.path}")
    if not body.strip():
        return Drafted(None, (*warnings, f"empty page: {block.path}"))
    page = PageDraft(
        path=block.path,
        type=_type(plain.get("type", ""), block.path),
        title=_title(plain.get("title", ""), body, block.path),
        body=body,
        tags=clean_tags(lists.get("tags", ()), {})[:TAG_LIMIT],
        aliases=tuple(_target(alias) for alias in lists.get("aliases", ())),
        related=tuple(_target(link) for link in lists.get("related", ())),
        sources=tuple(_target(source) for source in lists.get("sources", ())),
        extra=_extra(plain),
    )
    return Drafted(page, tuple(warnings))


def body_of(text: str) -> str:
    """Return the body of a page given as text, with or without properties; fences closed."""
    return _closed_fences(split_properties(text).body)[0]


def _closed_fences(body: str) -> tuple[str, bool]:
    """Return the body without stray markers, its last fence closed; and whether one was open."""
    fence = Fence()
    kept = [line for line in body.split("\n") if fence.reads(line) or not BLOCK_ENDS.match(line)]
    text = "\n".join(kept).strip("\n")
    return (f"{text}\n{fence.mark}", True) if fence.mark else (text, False)


def _type(written: str, path: VaultPath) -> str:
    name = written.strip().lower()
    if re.fullmatch(r"[^\W_][\w -]{0,40}", name):
        return re.sub(r"\s+", "-", name)
    return FOLDER_TYPES.get(path.split("/")[1], "")


def _title(written: str, body: str, path: VaultPath) -> str:
    title = _target(written) if written.startswith("[[") else written
    if not title:
        first = next((line for line in body.split("\n") if line.strip()), "")
        match = HEADING.match(first)
        title = match[1] if match else path.rsplit("/", 1)[-1][: -len(".md")].replace("-", " ")
    return title[:TITLE_LIMIT].strip()


def _target(link: str) -> str:
    """Return what a wikilink points to; anything else as it is."""
    match = re.fullmatch(r"\[\[([^\]|]*)(?:\|[^\]]*)?\]\]", link.strip())
    return (match[1] if match else link).strip()


def _extra(plain: dict[str, str]) -> dict[str, str]:
    kept = [(key, value) for key, value in plain.items() if key not in BY_CODE]
    return dict(kept[:EXTRA_LIMIT])
