"""Managed regions: the part of a person's note that code writes, between two marker lines.

    %% vaultd:begin overview v1 sha256:0123456789ab in:ba9876543210 state:ok %%
    …
    %% vaultd:end overview %%

The first hash is that of the text between the markers as last written: another one there means
that somebody edited it. The second tells which inputs it was made from.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import NoReturn

from vaultd.core.properties import split_note
from vaultd.core.quiet import Quiet, Span, quiet_spans
from vaultd.errors import PermanentError

VERSION = "v1"
HASH_LENGTH = 12  # hex digits: enough to tell an edit, short enough to read past
MAX_HEADING = 6

_ID = r"[a-z0-9][a-z0-9-]{0,63}"
_BEGIN = (
    rf"vaultd:begin (?P<begin>{_ID}) v1 sha256:(?P<hash>[0-9a-f]{{12}})"
    r"(?: in:(?P<inputs>[0-9a-f]{12}))?(?: state:(?P<state>ok|fallback|stale))?"
)
_MARKER = re.compile(
    rf"^(?P<open>%%|<!--) (?:{_BEGIN}|vaultd:end (?P<end>{_ID})) (?P<close>%%|-->)[ \t]*\r?\n?",
    re.MULTILINE,
)
_MARKER_LIKE = re.compile(r"(?:%%|<!--)\s*vaultd:(?:begin|end)\b", re.IGNORECASE)
_HEADING = re.compile(r"^(#{1,6})(?=[ \t])", re.MULTILINE)


class RegionState(StrEnum):
    """How good the text of a region is."""

    OK = "ok"
    FALLBACK = "fallback"
    STALE = "stale"


class RegionError(PermanentError):
    """The markers of a note do not pair up: the note is left byte for byte."""

    code = "fix_markers"


@dataclass(frozen=True, slots=True)
class Region:
    """A region found in a note; `start` and `end` include its marker lines.

    `body` is the text between the markers with "\\n" line ends. `edited` says that it is not
    what was last written there.
    """

    id: str
    body: str
    inputs: str
    state: RegionState
    edited: bool
    start: int
    end: int


def short_hash(text: str) -> str:
    """Return the first twelve hex digits of the SHA-256 of `text`."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_LENGTH]


def find_regions(text: str) -> Mapping[str, Region]:
    """Return the regions of a note by id, in the order they stand in.

    Markers in code and in properties are text.

    Raises:
        RegionError: a marker is alone, nested, repeated, reversed or misspelt.
    """
    offset = len(split_note(text).head)
    fenced = [span for span in quiet_spans(text[offset:]) if span.kind in (Quiet.FENCE, Quiet.CODE)]
    found: dict[str, Region] = {}
    opened: re.Match[str] | None = None
    known = set[int]()
    for match in _MARKER.finditer(text, offset):
        if _inside(match.start() - offset, fenced):
            continue
        known.add(match.start())
        if match["begin"] and opened is None and match["begin"] not in found:
            opened = match
        elif match["end"] and opened is not None and opened["begin"] == match["end"]:
            found[match["end"]] = _region(text, opened, match)
            opened = None
        else:
            _refuse(text, match.start())
    for match in _MARKER_LIKE.finditer(text, offset):
        if match.start() not in known and not _inside(match.start() - offset, fenced):
            _refuse(text, match.start())
    if opened is not None:
        _refuse(text, opened.start())
    return found


def put_region(
    text: str,
    region_id: str,
    body: str,
    *,
    inputs: str,
    state: RegionState = RegionState.OK,
    insert: bool = True,
) -> str:
    """Return `text` with the region holding `body`; all other bytes stay.

    `inputs` is the text or hash the region was made from; it is hashed. A region that is not
    there is added at the end if `insert` is set: a person who takes the markers away wants
    to be left alone, so the caller remembers that it was there. `body` is made fit by
    `region_body`. Whether a person edited the region is the caller's question: see
    `Region.edited`.

    Raises:
        RegionError: the note's markers do not pair up.
    """
    there = find_regions(text).get(region_id)
    if there is None and not insert:
        return text
    newline = "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n"
    before = text[: there.start] if there else text
    inner = region_body(body, _level_above(before))
    block = render_region(region_id, inner, inputs=inputs, state=state)
    if there is None:
        return text + (_gap(text) + block).replace("\n", newline)
    after = text[there.end :]
    block = block if after or text.endswith("\n") else block.rstrip("\n")
    return before + block.replace("\n", newline) + after


def without_regions(text: str) -> str:
    """Return `text` without its managed regions: what a person or a model reads and writes.

    Raises:
        RegionError: the note's markers do not pair up.
    """
    pieces, position = list[str](), 0
    for region in sorted(find_regions(text).values(), key=lambda each: each.start):
        pieces.append(text[position : region.start])
        position = region.end
    return "".join((*pieces, text[position:]))


def render_region(region_id: str, inner: str, *, inputs: str, state: RegionState) -> str:
    """Return marker lines and text of a region, `inner` as `region_body` gives it."""
    return (
        f"%% vaultd:begin {region_id} {VERSION} sha256:{short_hash(_canonical(inner))}"
        f" in:{short_hash(inputs)} state:{state} %%\n"
        f"{inner}%% vaultd:end {region_id} %%\n"
    )


def region_body(body: str, level_above: int = 0) -> str:
    """Return `body` as it may stand in a region: it ends in a line feed.

    No marker text, no `%%`, no rule at its start, code fences closed, and headings below the
    heading it stands under, which has `level_above` (0: none).
    """
    text = re.sub(r"%{2,}", "%", body.replace("\r\n", "\n").replace("\r", "\n")).strip("\n")
    text = re.sub(r"<!--\s*vaultd:", "<!-- ", text)
    text = re.sub(r"\A(?:[ \t]*-{3,}[ \t]*(?:\n+|\Z))+", "", text)
    spans = quiet_spans(text)
    if spans and spans[-1].kind is Quiet.FENCE and not spans[-1].closed:
        mark = re.search(r"`{3,}|~{3,}", text[spans[-1].start :])
        text += f"\n{mark[0] if mark else '```'}"
    return _lowered(text, level_above) + "\n" if text else ""


def _region(text: str, begin: re.Match[str], end: re.Match[str]) -> Region:
    body = _canonical(text[begin.end() : end.start()])
    return Region(
        id=begin["begin"],
        body=body,
        inputs=begin["inputs"] or "",
        state=RegionState(begin["state"] or RegionState.OK),
        edited=short_hash(body) != begin["hash"],
        start=begin.start(),
        end=end.end(),
    )


def _canonical(body: str) -> str:
    """Editors and sync tools change line ends and blanks at the ends of lines unasked."""
    lines = body.replace("\r\n", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def _inside(place: int, spans: Sequence[Span]) -> bool:
    return any(span.start <= place < span.end for span in spans)


def _refuse(text: str, place: int) -> NoReturn:
    line = text.count("\n", 0, place) + 1
    raise RegionError(f"line {line}: this vaultd marker has no partner, or stands where none may.")


def _level_above(before: str) -> int:
    fenced = [span for span in quiet_spans(before) if span.kind is Quiet.FENCE]
    levels = [
        len(match[1]) for match in _HEADING.finditer(before) if not _inside(match.start(), fenced)
    ]
    return levels[-1] if levels else 0


def _lowered(text: str, level_above: int) -> str:
    fenced = [span for span in quiet_spans(text) if span.kind is Quiet.FENCE]
    headings = [m for m in _HEADING.finditer(text) if not _inside(m.start(), fenced)]
    if not headings:
        return text
    shift = level_above + 1 - min(len(match[1]) for match in headings)
    if shift <= 0:
        return text
    pieces, position = list[str](), 0
    for match in headings:
        level = min(MAX_HEADING, len(match[1]) + shift)
        pieces += text[position : match.start()], "#" * level
        position = match.end()
    return "".join((*pieces, text[position:]))


def _gap(text: str) -> str:
    if not text or text.endswith(("\n\n", "\r\n\r\n")):
        return ""
    return "\n" if text.endswith("\n") else "\n\n"
