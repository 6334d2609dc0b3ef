"""A note's property block: read as the person typed it, written by splicing our own lines.

A block is never loaded and dumped again: that sorts keys, drops comments, and turns `10:30` into
630 and `NO` into false. Whatever is not ours keeps its bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime

from vaultd.core.yaml_tree import Entry, Value, read_tree
from vaultd.errors import PropertiesError

Settable = str | int | float | bool | date | tuple[str, ...] | list[str] | None
"""What can be set; None takes the property away."""

BOM = "\ufeff"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r"---[ \t]*\r?\n?\Z")
_KEY_LIKE = re.compile(r"""[ \t]*(\{|["']?[^\s#'"-][^\n]*?:(?=[\s]|$)|\?[ ])""")
_PLAIN_WORD = re.compile(r"[^\W\d_][\w/-]*\Z")
_PLAIN_KEY = re.compile(r"[A-Za-z_][\w-]*\Z")
_YAML_1_1_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORD_KEYS = frozenset(("type", "tags"))  # written without quotes where every parser agrees
_FILE_NAMES = frozenset(("sources",))  # a blank at the end of one belongs to it
_LIST_BREAK = {"tags": re.compile(r"[,\s]+"), "aliases": re.compile(r"\s*,\s*")}


@dataclass(frozen=True, slots=True)
class Note:
    """A note cut where its property block begins and ends; the parts joined are the note.

    `opener` and `closer` are the two `---` lines, both "" where there is no block.
    """

    bom: str
    opener: str
    block: str
    closer: str
    body: str

    @property
    def text(self) -> str:
        """The whole note, byte for byte."""
        return self.head + self.body

    @property
    def head(self) -> str:
        """Everything before the body."""
        return self.bom + self.opener + self.block + self.closer

    @property
    def newline(self) -> str:
        """The line ending of the first line: what we add is written with it."""
        first = _LINE.match(self.opener or self.body)
        return "\r\n" if first and first[0].endswith("\r\n") else "\n"


def split_note(text: str) -> Note:
    """Cut `text` into its property block and its body.

    A note that begins with a rule and prose, or whose block is never closed, has no block.
    """
    bom = BOM if text.startswith(BOM) else ""
    rest = text[len(bom) :]
    lines = _LINE.findall(rest)
    without = Note(bom, "", "", "", rest)
    if not lines or not _FENCE.match(lines[0]) or not lines[0].endswith("\n"):
        return without
    closing = next((n for n, line in enumerate(lines[1:], 1) if _FENCE.match(line)), None)
    if closing is None or not _looks_like_properties(lines[1:closing]):
        return without
    return Note(
        bom, lines[0], "".join(lines[1:closing]), lines[closing], "".join(lines[closing + 1 :])
    )


def read_properties(text: str) -> Mapping[str, Value]:
    """Return the properties of a note; plain scalars stay what the person typed.

    Only `true`, `false`, `null` and canonical numbers are anything but text: `yes`, `10:30`,
    `01234`, `1.10` and dates stay text.

    Raises:
        PropertiesError: the block cannot be read or names a key twice; the message has the line.
    """
    return read_tree(split_note(text).block).values


def properties_or_none(text: str) -> Mapping[str, Value] | None:
    """As `read_properties`, but None for a block that cannot be read."""
    try:
        return read_properties(text)
    except PropertiesError:
        return None


def texts(value: Value, key: str = "") -> tuple[str, ...]:
    """Return a property's value as a list of texts, whatever form the person chose.

    A scalar `tags` or `aliases` is cut as Obsidian once did; an unquoted `[[Page]]`, which
    is a list in a list, becomes the link it was meant to be; mappings are left out.
    """
    if value is None or isinstance(value, Mapping):
        return ()
    if isinstance(value, tuple):
        if len(value) == 1 and isinstance(value[0], tuple):
            return _as_link(value)
        return tuple(text for item in value for text in _item_texts(item, key))
    whole = _trimmed(_spelt(value), key)
    parts = _LIST_BREAK[key].split(whole) if key in _LIST_BREAK else [whole]
    return tuple(part for part in parts if part.strip())


def set_properties(text: str, changes: Mapping[str, Settable]) -> str:
    """Return `text` with `changes` made in its property block and no other byte changed.

    A value that is there already is not written again, so a person's spelling of it stays.
    New keys are added at the end of the block; a note without one gets it.

    Raises:
        PropertiesError: the block cannot be read, names a key twice, or is not written as one
            property a line.
    """
    note = split_note(text)
    if not note.opener:
        return _with_new_block(note, changes)
    tree = read_tree(note.block)
    if tree.flow:
        raise PropertiesError("line 2: the properties are written as JSON; they are left alone.")
    lines = _LINE.findall(note.block)
    added: list[str] = []
    edits: list[tuple[int, int, list[str]]] = []
    for key, value in changes.items():
        entry = tree.find(key)
        if entry is not None and not _same(entry.value, value):
            fresh = [] if value is None else _edited(entry, lines, value, tree.indent)
            edits.append((entry.first_line, entry.last_line + 1, fresh))
        elif entry is None and value is not None:
            added.append(render_property(key, value))
    for first, last, replacement in sorted(edits, reverse=True):
        lines[first:last] = replacement
    lines += _lines_for("".join(added), tree.indent, note.newline)
    return note.bom + note.opener + "".join(lines) + note.closer + note.body


def render_property(key: str, value: Settable) -> str:
    """Return the lines of one property, each ending in a line feed.

    Strings are double-quoted, lists have one item a line, dates and numbers are plain, so
    that YAML 1.1, YAML 1.2 and Obsidian read the same; the words of `type` and `tags` stand
    without quotes where that is safe.
    """
    name = key if _PLAIN_KEY.match(key) else quoted(key)
    if isinstance(value, (list, tuple)):
        if not value:
            return f"{name}: []\n"
        items = "".join(f"  - {_scalar(key, item)}\n" for item in value)
        return f"{name}:\n{items}"
    return f"{name}: {_scalar(key, value)}\n"


def render_block(values: Iterable[tuple[str, Settable]]) -> str:
    """Return a whole property block; properties without a value are left out."""
    lines = "".join(
        render_property(key, value) for key, value in values if value not in (None, (), [], "")
    )
    return f"---\n{lines}---\n"


def quoted(text: str) -> str:
    """Return `text` as a double-quoted scalar on one line."""
    escaped = _SURROGATE.sub("", text).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", escaped) + '"'


def _looks_like_properties(lines: list[str]) -> bool:
    meant = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    return not meant or any(_KEY_LIKE.match(line) for line in meant)


def _item_texts(item: Value, key: str) -> tuple[str, ...]:
    if item is None or isinstance(item, Mapping):
        return ()
    if isinstance(item, tuple):
        return _as_link(item)
    text = _trimmed(_spelt(item), key)
    return (text,) if text.strip() else ()


def _trimmed(text: str, key: str) -> str:
    return text if key in _FILE_NAMES else text.strip()


def _as_link(value: tuple[Value, ...]) -> tuple[str, ...]:
    inner = value
    while len(inner) == 1 and isinstance(inner[0], tuple):
        inner = inner[0]
    target = ", ".join(_spelt(part) for part in inner if not isinstance(part, (tuple, Mapping)))
    return (f"[[{target}]]",) if target else ()


def _spelt(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _with_new_block(note: Note, changes: Mapping[str, Settable]) -> str:
    lines = _LINE.findall(note.body)
    if lines and _FENCE.match(lines[0]):
        closed = any(_FENCE.match(line) for line in lines[1:])
        if closed or (len(lines) > 1 and _KEY_LIKE.match(lines[1])):
            raise PropertiesError("line 1: the property block is not closed or not readable.")
    kept = [(key, value) for key, value in changes.items() if value is not None]
    if not kept:
        return note.text
    block = f"---\n{''.join(render_property(key, value) for key, value in kept)}---\n"
    return note.bom + block.replace("\n", note.newline) + note.body


def _same(there: Value, wanted: Settable) -> bool:
    if isinstance(wanted, (list, tuple)):
        return isinstance(there, tuple) and list(there) == [str(item) for item in wanted]
    if isinstance(wanted, (date, datetime)):
        return there == _dated(wanted)
    return type(there) is type(wanted) and there == wanted


def _dated(value: date) -> str:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%S")
    return value.isoformat()


def _scalar(key: str, value: Settable) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case date():
            return _dated(value)
        case int() | float():
            return repr(value)
        case str() if key in _WORD_KEYS and _is_plain(value):
            return value
        case _:
            return quoted(str(value))


def _is_plain(word: str) -> bool:
    return bool(_PLAIN_WORD.match(word)) and word.lower() not in _YAML_1_1_WORDS


def _edited(entry: Entry, lines: list[str], value: Settable, indent: int) -> list[str]:
    """Return the lines that take the place of an entry's."""
    newline = "\r\n" if lines[entry.first_line].endswith("\r\n") else "\n"
    if isinstance(value, (list, tuple)) and entry.items:
        kept = _edited_items(entry, lines, [str(item) for item in value], newline)
        if kept is not None:
            return kept
    fresh = _lines_for(render_property(entry.key, value), indent, newline)
    if entry.comment:
        fresh[0] = f"{fresh[0].rstrip()} {entry.comment}{newline}"
    span = lines[entry.first_line + 1 : entry.last_line + 1] if entry.items else []
    return fresh[:1] + [line for line in span if line.lstrip().startswith("#")] + fresh[1:]


def _edited_items(
    entry: Entry, lines: list[str], wanted: list[str], newline: str
) -> list[str] | None:
    """Return the lines of a block list with items dropped and added; None if the order changes.

    An item that stays keeps its line, with its quotes and comments.
    """
    kept = [item for item in entry.items if item.value in wanted]
    stay = [str(item.value) for item in kept]
    if not kept or wanted[: len(stay)] != stay:
        return None
    dropped = {
        line
        for item in entry.items
        if item not in kept
        for line in range(item.first_line, item.last_line + 1)
    }
    span = range(entry.first_line, entry.last_line + 1)
    lead = lines[kept[0].first_line]
    margin = lead[: lead.index("-")]
    added = [f"{margin}- {_scalar(entry.key, text)}{newline}" for text in wanted[len(stay) :]]
    return [lines[number] for number in span if number not in dropped] + added


def _lines_for(text: str, indent: int, newline: str) -> list[str]:
    return [" " * indent + line.replace("\n", newline) for line in _LINE.findall(text)]
