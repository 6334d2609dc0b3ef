"""A YAML mapping as values together with the lines they stand on.

Built from the parser's events in one pass, so that depth, growth by aliases and repeated keys
are refused before anything is walked.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from vaultd.errors import PropertiesError

Value = str | int | float | bool | tuple["Value", ...] | Mapping[str, "Value"] | None

MAX_DEPTH = 20  # notes in the wild nest twice; recursion never gets near Python's limit
MAX_VALUES = 20_000  # values after aliases are followed: nine levels of nine would be 10^8
MAX_LENGTH = 200_000  # characters; longer blocks are data, not properties

_LOADER: type[Any] = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_INT = re.compile(r"(0|-?[1-9]\d{0,17})\Z")
_FLOAT = re.compile(r"-?(0|[1-9]\d{0,14})\.\d{1,6}\Z")
_WORDS: Mapping[str, bool | None] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a block list, with its first and last line in the block, from 0."""

    value: Value
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One property, with its first and last line in the block, from 0.

    `items` is filled for block lists only. `comment` stands behind the value on its one line,
    or behind the key of a block list.
    """

    key: str
    value: Value
    first_line: int
    last_line: int
    comment: str = ""
    items: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class Tree:
    """A top-level mapping. `flow` is set when it is written with braces."""

    entries: tuple[Entry, ...] = ()
    indent: int = 0
    flow: bool = False

    @property
    def values(self) -> Mapping[str, Value]:
        """The values by key, in the order of the block."""
        return {entry.key: entry.value for entry in self.entries}

    def find(self, key: str) -> Entry | None:
        """Return the entry of `key`; Obsidian does not mind the case, the exact one goes first."""
        near = [entry for entry in self.entries if entry.key.casefold() == key.casefold()]
        return next((entry for entry in near if entry.key == key), near[0] if near else None)


@dataclass(frozen=True, slots=True)
class _Part:
    """A key, a value or an item, from `start` to `end` in the block."""

    value: Value
    start: int
    end: int
    weight: int
    items: tuple[_Part, ...] = ()


@dataclass(slots=True)
class _Open:
    """A collection whose end has not come yet."""

    mapping: bool
    start: int
    flow: bool
    anchor: str | None
    parts: list[_Part] = field(default_factory=list)
    weight: int = 1


def read_tree(block: str) -> Tree:
    """Read the text between the two `---` lines.

    Raises:
        PropertiesError: not a mapping, a key twice, too deep, too large, or no YAML at all;
            the message begins with the line in the note, counted from 1.
    """
    if len(block) > MAX_LENGTH:
        raise PropertiesError(f"line 2: the property block is longer than {MAX_LENGTH} characters.")
    return _Reader(block).read()


class _Reader:
    """Turns parser events into one tree."""

    def __init__(self, block: str) -> None:
        self._block = block
        self._starts = [0, *(match.end() for match in re.finditer("\n", block))]
        self._anchors: dict[str, _Part] = {}
        self._stack: list[_Open] = []
        self._top: _Open | None = None

    def read(self) -> Tree:
        """Return the whole block; an empty one is an empty tree."""
        for event in self._events():
            if isinstance(event, (yaml.AliasEvent, yaml.ScalarEvent)):
                self._add(self._leaf(event), event.anchor)
            elif isinstance(event, yaml.CollectionStartEvent):
                self._open(event)
            elif isinstance(event, yaml.CollectionEndEvent):
                self._close(event)
            elif getattr(event, "explicit", False):
                raise self._error(event.start_mark.index, "a second document begins here")
        return self._tree(self._top) if self._top else Tree()

    def _events(self) -> Iterator[Any]:
        try:
            yield from yaml.parse(self._block, Loader=_LOADER)
        except yaml.MarkedYAMLError as error:
            mark: Any = error.problem_mark or error.context_mark
            problem = str(error.problem or error.context)
            raise self._error(mark.index if mark else 0, problem) from error
        except (yaml.YAMLError, ValueError) as error:
            raise PropertiesError(f"line 2: the property block is not readable: {error}") from error

    def _error(self, index: int, problem: str) -> PropertiesError:
        return PropertiesError(f"line {self._row(index) + 2}: {problem}.")

    def _row(self, index: int) -> int:
        return bisect_right(self._starts, index) - 1

    def _leaf(self, event: Any) -> _Part:
        start, end = event.start_mark.index, event.end_mark.index
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise self._error(start, f"nothing is named {event.anchor}")
            named = self._anchors[event.anchor]
            return _Part(named.value, start, end, named.weight)
        parent = self._stack[-1] if self._stack else None
        is_key = parent is not None and parent.mapping and len(parent.parts) % 2 == 0
        plain = event.implicit[0] and not is_key
        return _Part(_resolved(event.value) if plain else str(event.value), start, end, 1)

    def _add(self, part: _Part, anchor: str | None) -> None:
        if not self._stack:
            raise self._error(part.start, "this is not a list of properties")
        parent = self._stack[-1]
        parent.parts.append(part)
        parent.weight += part.weight
        if parent.weight > MAX_VALUES:
            raise self._error(part.start, "aliases make the properties too large")
        if anchor and anchor not in self._anchors:
            self._anchors[anchor] = part

    def _open(self, event: Any) -> None:
        mapping = isinstance(event, yaml.MappingStartEvent)
        start = event.start_mark.index
        if not self._stack and (not mapping or self._top):
            raise self._error(start, "this is not a list of properties")
        if len(self._stack) >= MAX_DEPTH:
            raise self._error(start, f"nested deeper than {MAX_DEPTH} levels")
        self._stack.append(_Open(mapping, start, bool(event.flow_style), event.anchor))

    def _close(self, event: Any) -> None:
        closed = self._stack.pop()
        if not self._stack:
            self._top = closed
            return
        ends = [part.end for part in closed.parts]
        end = event.end_mark.index if closed.flow or not ends else max(ends)
        value: Value = tuple(part.value for part in closed.parts)
        if closed.mapping:
            value = {str(key.value): item.value for key, item in self._pairs(closed)}
        items = () if closed.mapping or closed.flow else tuple(closed.parts)
        self._add(_Part(value, closed.start, end, closed.weight, items), closed.anchor)

    def _pairs(self, mapping: _Open) -> list[tuple[_Part, _Part]]:
        pairs = list(zip(mapping.parts[::2], mapping.parts[1::2], strict=True))
        seen: set[Value] = set()
        for key, _ in pairs:
            if not isinstance(key.value, str):
                raise self._error(key.start, "this is not a property name")
            if key.value in seen:
                raise self._error(key.start, f"the property {key.value} is there twice")
            seen.add(key.value)
        return pairs

    def _tree(self, top: _Open) -> Tree:
        entries = tuple(self._entry(key, value) for key, value in self._pairs(top))
        if top.flow or not entries:
            return Tree(entries, 0, top.flow)
        row = self._row(top.parts[0].start)
        line = self._text(row)
        return Tree(entries, len(line) - len(line.lstrip(" ")))

    def _entry(self, key: _Part, value: _Part) -> Entry:
        first, last = self._row(key.start), self._last_row(value)
        items = tuple(
            Item(item.value, self._row(item.start), self._last_row(item)) for item in value.items
        )
        if any(not self._text(item.first_line).lstrip(" ").startswith("-") for item in items):
            items = ()
        comment = ""
        if items or first == last:
            behind = key.end if items else max(value.end, key.end)
            comment = self._comment(behind, first)
        return Entry(str(key.value), value.value, first, last, comment, items)

    def _last_row(self, part: _Part) -> int:
        row = self._row(max(part.end - 1, part.start))
        while row > self._row(part.start) and not self._text(row).strip():
            row -= 1
        return row

    def _text(self, row: int) -> str:
        end = self._starts[row + 1] if row + 1 < len(self._starts) else len(self._block)
        return self._block[self._starts[row] : end]

    def _comment(self, index: int, row: int) -> str:
        rest = self._text(row)[index - self._starts[row] :]
        match = re.search(r"\s(#.*)", rest.rstrip("\r\n"))
        return match[1].rstrip() if match else ""


def _resolved(text: str) -> Value:
    if text in _WORDS:
        return _WORDS[text]
    if _INT.match(text):
        return int(text)
    return float(text) if _FLOAT.match(text) and repr(float(text)) == text else text
