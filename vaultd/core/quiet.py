"""The parts of a Markdown body that are not prose: code, math and comments.

Links, tags and markers in them are text and are left alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum


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


_TOKEN = re.compile(
    r"(?P<fence>(?m:^)[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?"
    r"(?P<mark>`{3,}|~{3,})[^\n]*)"
    r"|(?P<escape>\\.)|(?P<ticks>`+)|(?P<comment>%%)|(?P<display>\$\$)|(?P<html><!--)"
    r"|(?P<math>(?<![\w\\])\$(?=[^\s$]))"
)
_ENDS = {
    "comment": ("%%", Quiet.COMMENT),
    "html": ("-->", Quiet.HTML),
    "display": ("$$", Quiet.MATH),
}
_BLANK = re.compile(r"\n[ \t]*\n")
_MATH_END = re.compile(r"(?<=[^\s\\])\$(?!\d)")
_FENCE_END = re.compile(r"^[ \t]*(?:>[ \t]?)*[ \t]*(`{3,}|~{3,})[ \t]*\r?$", re.MULTILINE)
_TICKS = re.compile(r"(?<!`)`+(?!`)")


def quiet_spans(body: str) -> list[Span]:
    """Return the parts of `body` that are not prose, in order, without overlap."""
    return _Scanner(body).spans()


class _Scanner:
    """One pass from left to right; what opens first wins, as in a renderer."""

    def __init__(self, body: str) -> None:
        self._body = body
        self._blanks = [match.start() for match in _BLANK.finditer(body)]
        self._fence_ends = [(m.start(), m.end(), m[1]) for m in _FENCE_END.finditer(body)]
        self._ticks: dict[int, list[int]] = {}
        for match in _TICKS.finditer(body):
            self._ticks.setdefault(len(match[0]), []).append(match.start())

    def spans(self) -> list[Span]:
        found: list[Span] = []
        position = 0
        while match := _TOKEN.search(self._body, position):
            span = self._span(match)
            position = match.end()
            if span:
                found.append(span)
                position = max(span.end, match.end())
        return found

    def _span(self, match: re.Match[str]) -> Span | None:
        kind = match.lastgroup or ""
        if kind in _ENDS:
            return self._until(*_ENDS[kind], match)
        if kind in ("fence", "mark"):
            return self._fence(match)
        if kind == "ticks":
            return self._code_at(match.start(), len(match["ticks"]))
        return self._math(match) if kind == "math" else None

    def _fence(self, match: re.Match[str]) -> Span | None:
        mark = match["mark"]
        if mark[0] == "`" and "`" in match["fence"][match["fence"].index(mark) + len(mark) :]:
            return self._code_at(match.start("mark"), len(mark))
        first = bisect_right(self._fence_ends, (match.end(), -1, ""))
        for _, end, closing in self._fence_ends[first:]:
            if closing[0] == mark[0] and len(closing) >= len(mark):
                return Span(Quiet.FENCE, match.start(), end)
        return Span(Quiet.FENCE, match.start(), len(self._body), closed=False)

    def _code_at(self, start: int, size: int) -> Span | None:
        places = self._ticks.get(size, [])
        number = bisect_left(places, start + size)
        if number == len(places) or places[number] > self._paragraph_end(start):
            return None
        return Span(Quiet.CODE, start, places[number] + size)

    def _until(self, mark: str, kind: Quiet, match: re.Match[str]) -> Span:
        end = self._body.find(mark, match.end())
        if end < 0:
            return Span(kind, match.start(), len(self._body), closed=False)
        return Span(kind, match.start(), end + len(mark))

    def _math(self, match: re.Match[str]) -> Span | None:
        end = self._body.find("\n", match.end())
        found = _MATH_END.search(self._body, match.end(), end if end >= 0 else len(self._body))
        return Span(Quiet.MATH, match.start(), found.end()) if found else None

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
