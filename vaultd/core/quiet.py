"""The parts of a Markdown body that are not prose: code, math and comments.

Links, tags and markers in them are text and are left alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache


class Quiet(StrEnum):
    """Why a part is not prose."""

    FENCE = "fence"
    CODE = "code"
    MATH = "math"
    COMMENT = "comment"
    HTML = "html comment"


@dataclass(frozen=True, slots=True)
class Span:
    """A part from `start` to `end`; `closed` is False where its end mark never came."""

    kind: Quiet
    start: int
    end: int
    closed: bool = True


_TOKEN = re.compile(r"[\\`%$<]")
_MARK = re.compile(
    r"(?P<escape>\\.)|(?P<ticks>`+)|(?P<comment>%%)|(?P<display>\$\$)|(?P<html><!--)"
    r"|(?P<math>(?<![\w\\])\$(?=[^\s$]))"
)
_FENCE = re.compile(
    r"^[ \t]*+(?:>[ \t]*+)*+(?:[-*+][ \t]++|\d{1,9}[.)][ \t]++)?"
    r"(?P<mark>`{3,}|~{3,})(?P<label>[^\n]*)",
    re.MULTILINE,
)
_ENDS = {
    "comment": ("%%", Quiet.COMMENT),
    "html": ("-->", Quiet.HTML),
    "display": ("$$", Quiet.MATH),
}
_BLANK = re.compile(r"\n[ \t]*\n")
_MATH_END = re.compile(r"(?<=[^\s\\])\$(?!\d)")
_FENCE_END = re.compile(r"^[ \t]*+(?:>[ \t]*+)*+(`{3,}|~{3,})[ \t]*+\r?$", re.MULTILINE)
_TICKS = re.compile(r"(?<!`)`+(?!`)")


@lru_cache(maxsize=4)  # writing one region asks several times, and an index has a megabyte
def quiet_spans(body: str) -> tuple[Span, ...]:
    """Return the parts of `body` that are not prose, in order, without overlap."""
    return tuple(_Scanner(body).spans())


class _Scanner:
    """One pass from left to right; what opens first wins, as in a renderer."""

    def __init__(self, body: str) -> None:
        self._body = body
        self._blanks = [match.start() for match in _BLANK.finditer(body)]
        self._fence_ends = [(m.start(), m.end(), m[1]) for m in _FENCE_END.finditer(body)]
        self._absent: set[str] = set()  # end marks that do not come any more
        self._math_ends = [match.start() for match in _MATH_END.finditer(body)]
        self._lines = [match.start() for match in re.finditer(r"\n|\Z", body)]
        self._ticks: dict[int, list[int]] = {}
        for match in _TICKS.finditer(body):
            self._ticks.setdefault(len(match[0]), []).append(match.start())

    def spans(self) -> list[Span]:
        """Return all quiet parts."""
        found: list[Span] = []
        position = 0
        for fence in (*_FENCE.finditer(self._body), None):
            if fence is not None and fence.start() < position:
                continue
            limit = fence.start() if fence else len(self._body)
            position = self._inline(position, limit, found)
            if fence is not None and position <= fence.start():
                span = self._fence(fence)
                found += [span] if span else []
                position = span.end if span else fence.end("mark")
        return found

    def _inline(self, position: int, limit: int, found: list[Span]) -> int:
        """Add the parts that begin before `limit`; return where the search goes on."""
        while position < limit and (token := _TOKEN.search(self._body, position, limit)):
            match = _MARK.match(self._body, token.start())
            span = self._span(match) if match else None
            position = max(match.end() if match else token.end(), span.end if span else 0)
            found += [span] if span else []
        return max(position, limit) if position <= limit else position

    def _span(self, match: re.Match[str]) -> Span | None:
        kind = match.lastgroup or ""
        if kind in _ENDS:
            return self._until(*_ENDS[kind], match)
        if kind == "ticks":
            return self._code_at(match.start(), len(match["ticks"]))
        return self._math(match) if kind == "math" else None

    def _fence(self, match: re.Match[str]) -> Span | None:
        mark = match["mark"]
        if mark[0] == "`" and "`" in match["label"]:
            return self._code_at(match.start("mark"), len(mark))
        number = bisect_right(self._fence_ends, (match.end(), -1, ""))
        while number < len(self._fence_ends):
            _, end, closing = self._fence_ends[number]
            if closing[0] == mark[0] and len(closing) >= len(mark):
                return Span(Quiet.FENCE, match.start(), end)
            number += 1
        return Span(Quiet.FENCE, match.start(), len(self._body), closed=False)

    def _code_at(self, start: int, size: int) -> Span | None:
        places = self._ticks.get(size, [])
        number = bisect_left(places, start + size)
        if number == len(places) or places[number] > self._paragraph_end(start):
            return None
        return Span(Quiet.CODE, start, places[number] + size)

    def _until(self, mark: str, kind: Quiet, match: re.Match[str]) -> Span:
        end = -1 if mark in self._absent else self._body.find(mark, match.end())
        if end < 0:
            self._absent.add(mark)
            return Span(kind, match.start(), len(self._body), closed=False)
        return Span(kind, match.start(), end + len(mark))

    def _math(self, match: re.Match[str]) -> Span | None:
        number = bisect_left(self._math_ends, match.end())
        if number == len(self._math_ends):
            return None
        end = self._math_ends[number]
        line_end = self._lines[bisect_left(self._lines, match.end())]
        return Span(Quiet.MATH, match.start(), end + 1) if end < line_end else None

    def _paragraph_end(self, start: int) -> int:
        number = bisect_left(self._blanks, start)
        return self._blanks[number] if number < len(self._blanks) else len(self._body)


class Loud:
    """Tells whether a place of a body is prose."""

    def __init__(self, body: str, spans: Iterable[Span] | None = None) -> None:
        chosen = list(quiet_spans(body) if spans is None else spans)
        self._starts = [span.start for span in chosen]
        self._ends = [span.end for span in chosen]

    def at(self, place: int) -> bool:
        """Whether the character at `place` stands outside every quiet part."""
        number = bisect_right(self._starts, place) - 1
        return number < 0 or self._ends[number] <= place


def change_prose(body: str, change: Callable[[str], str]) -> str:
    """Return `body` with `change` made to each stretch of prose; the rest keeps its bytes."""
    pieces: list[str] = []
    position = 0
    for span in quiet_spans(body):
        pieces += change(body[position : span.start]), body[span.start : span.end]
        position = span.end
    return "".join((*pieces, change(body[position:])))
