"""Split text into passages along its structure, and passages into windows to embed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from vaultd.core.script import DENSE_CHARACTER, SENTENCE_END

SPLITTER_VERSION = "5"  # raise it when the same text would be split otherwise

LIMIT = 900  # characters; 800 to 900 brought back most of the answers' characters when measured
ENOUGH = 800  # prose this long takes no further sentence
SMALL = 200  # a section shorter than this shares its passage with the next one

WINDOW = 420.0  # Latin characters: about 100 tokens, beyond which the built-in embedder blurs
DENSE_WEIGHT = 420.0 / 160.0  # the same 100 tokens are about 160 CJK characters

_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\Z")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*\Z")
_MARK = re.compile(r"^%% vaultd:(?:begin|end)\b[^\n]*%%[ \t]*\r?$", re.MULTILINE)
_BINARY = re.compile(r"data:[\w/+.;=-]{1,80};base64,[A-Za-z0-9+/=]+")
_CONTENTS = re.compile(
    r"^[^\n]*?(?<!\.)(?<!\. )(?:\. ?){8,}+[*_ \t]*(?:\d{1,4}|[ivxlc]+)\b[^\n]*$", re.MULTILINE
)  # a heading, a row of dots, and the page that it stands on
_NOT_LINE_END = re.compile(r"[^\r\n]")

_JOINS = frozenset(
    {("prose", "prose"), ("item", "prose"), ("table", "table"), ("fence", "code"), ("code", "code")}
)
_Headings = tuple[tuple[int, str], ...]  # level and title, outermost first


@dataclass(frozen=True, slots=True)
class Passage:
    """A searchable piece: `text` equals `visible(whole)[start:end]`.

    `headings` is the path of headings above it, outermost first. `line` counts from 1 and
    is the line of `start`. Offsets and lines count within the file, or within the page where
    the text has pages.
    """

    text: str
    headings: tuple[str, ...]
    line: int
    start: int
    end: int
    page: int | None = None


@dataclass(frozen=True, slots=True)
class _Block:
    start: int
    end: int
    kind: str
    lines: int = 1
    level: int = 0  # of a heading; 0 otherwise
    title: str = ""


def visible(text: str) -> str:
    """Return `text` with what nobody reads replaced by spaces, so that offsets stay.

    That is the marks of managed regions, embedded binary data, and lists of contents: they
    repeat the headings, and lead to where something is said.
    """
    for pattern in (_MARK, _BINARY, _CONTENTS):
        text = pattern.sub(lambda found: _NOT_LINE_END.sub(" ", found[0]), text)
    return text


def passages_of_pages(pages: Iterable[tuple[int | None, str]]) -> list[Passage]:
    """Split the numbered pages of one document; headings reach over the page break."""
    found: list[Passage] = []
    headings: _Headings = ()
    for number, text in pages:
        pieces, headings = _split(visible(text), number, headings)
        found += pieces
    return found


def passages_of(text: str, page: int | None = None) -> list[Passage]:
    """Split Markdown or plain text into passages of at most `LIMIT` characters, in order.

    Every visible character that is no white space is in exactly one passage. Code and tables
    are cut between lines, lists between items, prose between sentences; only a line or a
    sentence longer than `LIMIT` is cut inside.
    """
    return passages_of_pages([(page, text)])


def _split(text: str, page: int | None, headings: _Headings) -> tuple[list[Passage], _Headings]:
    found: list[Passage] = []
    packer = _Packer(text, headings)
    line, counted = 1, 0
    for start, end, path in packer.pieces():
        start, end = _trimmed(text, start, end)
        if start == end:
            continue
        line, counted = line + text.count("\n", counted, start), start
        names = tuple(name for _, name in path if name)
        found.append(Passage(text[start:end], names, line, start, end, page))
    return found, packer.headings


class _Packer:
    """Gathers neighbouring blocks of one text into pieces of at most `LIMIT` characters."""

    def __init__(self, text: str, headings: _Headings) -> None:
        self.headings = headings  # above the place reached
        self._text = text
        self._path = headings  # above the first body block of the open piece
        self._start = self._end = 0
        self._open = False
        self._bare = True  # nothing but headings in the open piece

    def pieces(self) -> Iterator[tuple[int, int, _Headings]]:
        """Yield start, end and the path of headings of each piece."""
        for block in _blocks(self._text):
            if self._is_full(block):
                yield self._start, self._end, self._path
                self._open = False
            self._take(block)
            if self._end - self._start > LIMIT:
                *full, (self._start, self._end) = _pieces(
                    self._text, self._start, self._end, at_lines=block.kind in ("fence", "table")
                )
                yield from ((start, end, self._path) for start, end in full)
                self._path = self.headings
        if self._open:
            yield self._start, self._end, self._path

    def _is_full(self, block: _Block) -> bool:
        if not self._open or self._bare:
            return False
        begins_section = block.level > 0 and self._end - self._start >= SMALL
        return begins_section or block.end - self._start > LIMIT

    def _take(self, block: _Block) -> None:
        if not self._open:
            self._open, self._bare, self._start = True, True, block.start
        if block.level:
            above = (h for h in self.headings if h[0] < block.level)
            self.headings = (*above, (block.level, block.title))
        if self._bare:
            self._path = self.headings
        self._bare = self._bare and block.level > 0
        self._end = block.end


def _pieces(text: str, start: int, end: int, *, at_lines: bool) -> list[tuple[int, int]]:
    """Cut text[start:end] into pieces of at most `LIMIT`, each as full as its cuts allow."""
    pieces: list[tuple[int, int]] = []
    begin = cut = start
    for stop in _stops(text, start, end, at_lines=at_lines):
        if cut > begin and (stop - begin > LIMIT or (cut - begin >= ENOUGH and not at_lines)):
            pieces.append((begin, cut))
            begin = cut
        while stop - begin > LIMIT:
            hard = _hard_cut(text, begin)
            pieces.append((begin, hard))
            begin = hard
        cut = stop
    return [*pieces, (begin, end)]


def _stops(text: str, start: int, end: int, *, at_lines: bool) -> Iterator[int]:
    if at_lines:
        at = text.find("\n", start, end)
        while at >= 0:
            yield at + 1
            at = text.find("\n", at + 1, end)
    else:
        yield from (found.end() for found in SENTENCE_END.finditer(text, start, end))
    yield end


def _hard_cut(text: str, begin: int) -> int:
    """Return the last place behind a space in the second half of the limit, else the limit."""
    space = text.rfind(" ", begin + LIMIT // 2, begin + LIMIT)
    return space + 1 if space >= 0 else begin + LIMIT


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    body = piece.strip()
    left = start + len(piece) - len(piece.lstrip()) if body else start
    return left, left + len(body)


def _blocks(text: str) -> Iterator[_Block]:
    """Group lines into headings, fences, tables, list items and paragraphs; blanks are dropped."""
    last: _Block | None = None
    for line in _lines(text):
        if last and line.kind == "underline" and last.kind == "prose" and last.lines == 1:
            title = text[last.start : last.end].strip()
            level = 1 if "=" in text[line.start : line.end] else 2
            last = replace(last, end=line.end, kind="heading", level=level, title=title)
            continue
        joined = replace(line, kind="prose") if line.kind == "underline" else line
        if last and (last.kind, joined.kind) in _JOINS:
            last = replace(last, end=line.end, lines=last.lines + 1)
            continue
        if last:
            yield last
        last = None if joined.kind == "blank" else joined
    if last:
        yield last


def _lines(text: str) -> Iterator[_Block]:
    """Name every line: blank, heading, underline, item, table, fence (its opener), code, prose."""
    fence = ""
    for found in _LINE.finditer(text):
        line = found[0].rstrip()
        block = _Block(found.start(), found.end(), "code")
        opener = _FENCE.match(line)
        if fence:
            closes = (
                opener is not None and opener[1].startswith(fence) and opener.end() == len(line)
            )
            fence = "" if closes else fence
        elif opener:
            fence, block = opener[1], replace(block, kind="fence")
        elif heading := _HEADING.match(line):
            title = (heading[2] or "").strip()
            block = replace(block, kind="heading", level=len(heading[1]), title=title)
        else:
            block = replace(block, kind=_kind(line))
        yield block


def _kind(line: str) -> str:
    if not line:
        return "blank"
    if _UNDERLINE.match(line):
        return "underline"
    if _ITEM.match(line):
        return "item"
    return "table" if line.lstrip().startswith("|") else "prose"


def windows_of(text: str) -> list[str]:
    """Split the plain text of a passage into windows of about equal length to embed.

    A window holds about 420 Latin or 160 CJK characters and ends with a sentence where one
    ends near enough; an overlong sentence is cut at a space. Empty text gives no window.
    """
    sentences = list(_short_sentences(text))
    total = sum(weight for _, weight in sentences)
    if not total:
        return []
    count = max(1, -int(-total // WINDOW))
    target = total / count
    windows: list[str] = []
    gathered: list[str] = []
    weight = reached = 0.0
    for sentence, size in sentences:
        goal = target * (len(windows) + 1)
        if gathered and (weight + size > WINDOW * 1.25 or reached + size / 2 > goal):
            windows.append(" ".join(gathered))
            gathered, weight = [], 0.0
        gathered.append(sentence)
        weight, reached = weight + size, reached + size
    return [*windows, " ".join(gathered)]


def weight_of(text: str) -> float:
    """Return the length of `text` in Latin characters that take as many tokens."""
    return len(text) + (DENSE_WEIGHT - 1) * len(DENSE_CHARACTER.findall(text))


def _short_sentences(text: str) -> Iterator[tuple[str, float]]:
    start = 0
    for stop in [*(found.end() for found in SENTENCE_END.finditer(text)), len(text)]:
        sentence = " ".join(text[start:stop].split())
        start = stop
        while (size := weight_of(sentence)) > WINDOW:
            room = int(WINDOW)
            while room > 1 and weight_of(sentence[:room]) > WINDOW:
                room = room * 4 // 5
            cut = sentence.rfind(" ", room // 2, room) + 1 or room
            yield sentence[:cut].strip(), weight_of(sentence[:cut])
            sentence = sentence[cut:].strip()
        if sentence:
            yield sentence, size
