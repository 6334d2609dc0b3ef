"""Cutting a long source into chunks at its own seams."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from vaultd.core.thinking import FENCE, closes_fence

HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*?)[ \t]*#*$")
TABLE_ROW = re.compile(r"[ \t]*\|")
SENTENCE_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s)|[。！？；…]+[」』”’）】]*")
OVERLAP_KEPT = 0.4  # an overlap that starts at a seam keeps more than this share of its size
REPEATED = 0.25  # a table's head or a fence's first line is repeated up to this share of a chunk


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a source. `overlap` is the end of the chunk before, `heading` the path to it.

    `text` with its repeated table head or fence mark is never longer than the target.
    """

    text: str
    overlap: str
    heading: str


@dataclass(frozen=True, slots=True)
class _Block:
    """A span of the source that stays together; `prefix`, `suffix` make a part readable alone."""

    start: int
    end: int
    prefix: str = ""
    suffix: str = ""
    heading: bool = False

    @property
    def size(self) -> int:
        return self.end - self.start + len(self.prefix) + len(self.suffix)


def split_chunks(text: str, target: int, overlap: int) -> list[Chunk]:
    """Cut `text` into chunks of at most `target` characters; nothing but blank space is lost.

    Cut, best first: before a heading or paragraph, between rows, lines of a fence or sentences,
    between words, anywhere.
    """
    blocks = [part for block in _blocks(text) for part in _fitting(text, block, target)]
    headings = _headings(text)
    starts = [start for start, _ in headings]
    chunks: list[Chunk] = []
    for group in _packed(blocks, target):
        start, end = group[0].start, group[-1].end
        written = group[0].prefix + text[start:end] + group[-1].suffix
        above = bisect_right(starts, start) - 1
        before = _overlap(text[max(0, start - 2 * overlap) : start], overlap)
        chunks.append(Chunk(written, before, headings[above][1] if above >= 0 else ""))
    return chunks


def _headings(text: str) -> list[tuple[int, str]]:
    """Return where each heading starts and the path of headings down to it."""
    found: list[tuple[int, str]] = []
    stack: list[tuple[int, str]] = []
    mark = ""
    position = 0
    for line in text.split("\n"):
        if mark:
            mark = "" if closes_fence(line, mark) else mark
        elif fence := FENCE.match(line):
            mark = fence[1]
        elif match := HEADING.match(line):
            level = len(match[1])
            stack = [entry for entry in stack if entry[0] < level] + [(level, match[2])]
            found.append((position, " > ".join(title for _, title in stack)))
        position += len(line) + 1
    return found


def _blocks(text: str) -> Iterator[_Block]:
    """Yield paragraphs, fences, tables and headings as spans, in order."""
    start, end, kind, mark = -1, 0, "", ""
    position = 0
    for line in text.split("\n"):
        line_kind = _kind(line, mark)
        fence_goes_on = bool(mark)
        alone = line_kind == "heading" or (line_kind == "fence" and not fence_goes_on)
        if start >= 0 and not fence_goes_on and (line_kind != kind or alone):
            yield _Block(start, end, heading=kind == "heading")
            start = -1
        if start < 0 and line_kind:
            start, kind = position, line_kind
        if line_kind == "fence":
            mark = _next_mark(line, mark)
            kind = "fence" if mark else "closed fence"
        position += len(line) + 1
        end = position - 1
    if start >= 0:
        yield _Block(start, end, heading=kind == "heading")


def _kind(line: str, mark: str) -> str:
    if mark or FENCE.match(line):
        return "fence"
    if not line.strip():
        return ""
    if HEADING.match(line):
        return "heading"
    return "table" if TABLE_ROW.match(line) else "paragraph"


def _next_mark(line: str, mark: str) -> str:
    """Return the mark of the fence that is open after a line that stands in or opens one."""
    if mark:
        return "" if closes_fence(line, mark) else mark
    match = FENCE.match(line)
    return match[1] if match else ""


def _fitting(text: str, block: _Block, target: int) -> Iterator[_Block]:
    """Yield the block, or its parts if it is larger than a chunk."""
    if block.size <= target:
        yield block
        return
    written = text[block.start : block.end]
    prefix, suffix = _repeated(written, target)
    room = max(1, target - len(prefix) - len(suffix))
    start = block.start
    while start < block.end:
        first = start == block.start
        reach = min(block.end, start + (target - len(suffix) if first else room))
        stop = reach if reach == block.end else _seam(text, start, reach)
        yield _Block(start, stop, "" if first else prefix, "" if stop == block.end else suffix)
        start = stop
        while start < block.end and text[start].isspace() and not prefix:
            start += 1
        if prefix and start < block.end and text[start] == "\n":
            start += 1


def _repeated(written: str, target: int) -> tuple[str, str]:
    """Return what each later part of a table or fence begins with, and what a part ends with."""
    lines = written.split("\n", 2)
    fence = FENCE.match(lines[0])
    if fence and len(lines[0]) < target * REPEATED:
        return lines[0] + "\n", "\n" + fence[1]
    if TABLE_ROW.match(lines[0]) and len(lines) > 2 and set(lines[1]) <= set("|-: \t"):
        head = f"{lines[0]}\n{lines[1]}\n"
        return (head, "") if len(head) < target * REPEATED else ("", "")
    return "", ""


def _seam(text: str, start: int, reach: int) -> int:
    """Return the last good place to cut in text[start:reach], after `start`."""
    least = start + (reach - start) // 2
    line = text.rfind("\n", least, reach)
    sentences = [match.end() for match in SENTENCE_END.finditer(text, least, reach)]
    if line > start and (TABLE_ROW.match(text[start : start + 80]) or not sentences):
        return line
    if sentences:
        return max(sentences[-1], line)
    space = max(text.rfind(" ", least, reach), text.rfind("\t", least, reach))
    return space if space > start else reach


def _packed(blocks: list[_Block], target: int) -> Iterator[list[_Block]]:
    """Group neighbouring blocks up to the target; a heading goes with what follows it."""
    group: list[_Block] = []
    for block in blocks:
        joined = [*group, block]
        size = block.end - joined[0].start + len(joined[0].prefix) + len(block.suffix)
        apart = bool(group) and bool(group[-1].suffix or block.prefix)
        if group and (size > target or apart):
            moved = _trailing_headings(group, block, target)
            yield group[: len(group) - len(moved)]
            joined = [*moved, block]
        group = joined
    if group:
        yield group


def _trailing_headings(group: list[_Block], block: _Block, target: int) -> list[_Block]:
    """Return the headings at the end of `group` that fit before `block` in the next chunk."""
    count = 0
    while count < len(group) - 1 and group[-1 - count].heading:
        count += 1
    moved = group[len(group) - count :]
    fits = moved and not block.prefix and block.end - moved[0].start + len(block.suffix) <= target
    return moved if fits else []


def _overlap(before: str, size: int) -> str:
    """Return the end of `before`, at most `size` long, from a paragraph or sentence on."""
    tail = before[-size:].rstrip() if size > 0 else ""
    if len(before.rstrip()) <= size:
        return tail.lstrip()
    least = int(len(tail) * (1 - OVERLAP_KEPT))
    paragraph = tail.find("\n\n")
    if 0 <= paragraph < least:
        return tail[paragraph:].lstrip()
    for match in SENTENCE_END.finditer(tail, 0, least):
        return tail[match.end() :].lstrip()
    return tail.lstrip()
