"""From a model's reply to a folder's abstract and overview."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from vaultd.core.thinking import Fence, without_thinking
from vaultd.errors import BadReplyError

ABSTRACT_LIMIT = 200  # characters; longer ones are cut at a sentence or a word
OVERVIEW_LIMIT = 8_000  # characters; more is no overview
LABEL = re.compile(r"^\W*(abstract|overview)\W*:\s*", re.IGNORECASE | re.MULTILINE)
LINK = re.compile(r"\[\[([^\]|#]*)(#[^\]|]*)?(?:\|([^\]]*))?\]\]")
SENTENCE = re.compile(r"[.!?]+(?=\s|$)|[。！？]")


def folder_reply(text: str, names: Collection[str]) -> tuple[str, str]:
    """Return abstract and overview from a reply, cleaned; links only to `names`.

    `names` may hold names and paths; of two that mean the same the first is written.
    Accepted: JSON in a fence or between words, with trailing commas or raw line ends, and two
    labelled paragraphs. A link to anything else becomes its text.

    Raises:
        BadReplyError: one of the two is missing or empty; the message says which.
    """
    spoken = without_thinking(text).text
    found = _object(spoken) or _labelled(spoken)
    abstract = _one_line(found.get("abstract"))
    overview = _as_markdown(found.get("overview"))
    if not abstract:
        raise BadReplyError("The reply holds no text under the key abstract.")
    if not overview:
        raise BadReplyError("The reply holds no text under the key overview.")
    known: dict[str, str] = {}
    for name in names:
        known.setdefault(_name_key(name), name)
    return (
        cut_at_sentence(_without_links(abstract), ABSTRACT_LIMIT),
        _known_links(overview, known)[:OVERVIEW_LIMIT].rstrip(),
    )


def _object(text: str) -> Mapping[str, Any]:
    """Return the first JSON object of the text that has one of the keys; empty without one."""
    decoder = json.JSONDecoder(strict=False)
    mended = re.sub(r",(\s*[}\]])", r"\1", text)
    for start in (match.start() for match in re.finditer(r"\{", mended)):
        try:
            value, _ = decoder.raw_decode(mended, start)
        except ValueError:
            continue
        if isinstance(value, dict):
            lowered = {str(key).strip().lower(): item for key, item in value.items()}
            if "abstract" in lowered or "overview" in lowered:
                return lowered
    return {}


def _labelled(text: str) -> Mapping[str, Any]:
    """Read "Abstract: …" and "Overview: …"; what looks like broken JSON is not read."""
    if "{" in text and re.search(r"\"(?:abstract|overview)\"\s*:", text):
        return {}
    marks = list(LABEL.finditer(text))
    if not marks:
        return {}
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return {mark[1].lower(): text[mark.end() : end] for mark, end in zip(marks, ends, strict=True)}


def _one_line(value: Any) -> str:
    return " ".join(value.split()).strip() if isinstance(value, str) else ""


def _as_markdown(value: Any) -> str:
    """Return the overview as text: a string, or a list of lines."""
    if isinstance(value, list):
        value = "\n".join(f"- {line}" for line in value if isinstance(line, str))
    if not isinstance(value, str):
        return ""
    fence = Fence()
    lines = [line.rstrip() for line in value.replace("\r\n", "\n").split("\n")]
    for line in lines:
        fence.reads(line)
    return "\n".join([*lines, fence.mark] if fence.mark else lines).strip("\n")


def cut_at_sentence(text: str, limit: int) -> str:
    """Return `text` within `limit` characters, cut behind a sentence, else behind a word."""
    if len(text) <= limit:
        return text
    ends = [match.end() for match in SENTENCE.finditer(text[:limit])]
    if ends and ends[-1] >= limit // 3:
        return text[: ends[-1]].strip()
    space = text.rfind(" ", limit // 2, limit - 1)
    return text[: space if space > 0 else limit - 1].rstrip(" ,;:") + "…"


def _without_links(text: str) -> str:
    return LINK.sub(lambda match: match[3] or match[1], text)


def _known_links(text: str, known: Mapping[str, str]) -> str:
    """Return the text with links spelt as the names are, others replaced by their words."""

    def link(match: re.Match[str]) -> str:
        words = (match[3] or match[1]).strip()
        name = known.get(_name_key(match[1])) or known.get(_name_key(words))
        if name is None:
            return words
        return f"[[{name}]]" if words in (name, match[1]) else f"[[{name}|{words}]]"

    return LINK.sub(link, text)


def _name_key(name: str) -> str:
    """Return the leaf of a name or path in a form in which slug and title meet."""
    leaf = name.strip().strip("/").rsplit("/", 1)[-1].removesuffix(".md")
    return re.sub(r"[\s_-]+", "-", leaf).casefold()
