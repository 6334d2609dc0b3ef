"""A page: its properties and its body, read from a note and written as a new one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import PurePosixPath

from vaultd.core.markdown import abstract_of
from vaultd.core.properties import (
    BOM,
    Settable,
    properties_or_none,
    render_block,
    split_note,
    texts,
)
from vaultd.core.yaml_tree import Value
from vaultd.errors import PropertiesError
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import PageRef

OWN_KEYS = (  # in the order they are written
    "type",
    "title",
    "created",
    "updated",
    "tags",
    "aliases",
    "related",
    "sources",
    "source_sha256",
    "transcribed",
    "unread",
    "author",
)
LISTED_KEYS = ("tags", "aliases", "related", "sources")


@dataclass(frozen=True, slots=True)
class Page:
    """A note taken apart; `text` puts it together again, byte for byte.

    `properties` is empty, and `readable` False, where the block cannot be read.
    """

    head: str
    body: str
    properties: Mapping[str, Value]
    readable: bool = True

    @property
    def text(self) -> str:
        """The whole note."""
        return self.head + self.body

    @property
    def type(self) -> str:
        """The page type, "" where none is given."""
        return self.word("type")

    @property
    def title(self) -> str:
        """The title property, "" where none is given."""
        return self.word("title")

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags, without "#"."""
        found = (*self.listed("tags"), *self.listed("tag"))
        return tuple(tag.lstrip("#") for tag in found)

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of the page."""
        return (*self.listed("aliases"), *self.listed("alias"))

    @property
    def sources(self) -> tuple[SourceId, ...]:
        """The identities of the sources the page was written from."""
        return tuple(SourceId(_source_name(each)) for each in self.listed("sources"))

    @property
    def reviewed(self) -> bool:
        """Whether a person has locked the page: only additions then."""
        return self.properties.get("reviewed") is True or self.properties.get("locked") is True

    def word(self, key: str) -> str:
        """Return a property as one line of text, "" where it is not there."""
        found = self.listed(key)
        return found[0] if found else ""

    def listed(self, key: str) -> tuple[str, ...]:
        """Return a property as a list of texts."""
        return texts(self._value(key), key)

    def _value(self, key: str) -> Value:
        if key in self.properties:
            return self.properties[key]
        near = [value for name, value in self.properties.items() if name.casefold() == key]
        return near[0] if near else None


@dataclass(frozen=True, slots=True)
class NewProperties:
    """What code writes above a new page. `related` holds whole links; `extra` comes last.

    `transcribed` says who read the source from pictures of its pages, `unread` which pages nobody
    could read.
    """

    type: str
    title: str
    created: date
    updated: date
    author: str
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    sources: tuple[SourceId, ...] = ()
    source_sha256: str = ""
    transcribed: str = ""
    unread: str = ""
    extra: Mapping[str, str] = field(default_factory=dict)


def parse_page(text: str) -> Page:
    """Take a note apart; an unreadable property block leaves it without properties."""
    note = split_note(text)
    values = properties_or_none(text)
    return Page(note.head, note.body, values or {}, readable=values is not None)


def new_page_text(properties: NewProperties, body: str) -> str:
    """Return the text of a new page: properties in their order, a blank line, the body."""
    values: list[tuple[str, Settable]] = [(key, getattr(properties, key)) for key in OWN_KEYS]
    block = render_block([*values, *properties.extra.items()])
    trimmed = body.strip("\n")
    return f"{block}\n{trimmed}\n" if trimmed else block


def page_ref(path: VaultPath, text: str) -> PageRef:
    """Return what the index knows of the page at `path`; untitled, it has its file's name."""
    page = parse_page(text)
    return PageRef(
        path=path,
        title=page.title or PurePosixPath(path).stem,
        type=page.type,
        abstract=abstract_of(page.body),
        aliases=page.aliases,
        sources=page.sources,
    )


def decode_note(content: bytes, path: str) -> str:
    """Return the text of a note's bytes.

    Raises:
        PropertiesError: they are not UTF-8: writing them back would not give the same bytes.
    """
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PropertiesError(f"{path} is not UTF-8 text; it is left as it is.") from error


def with_body(text: str, body: str) -> str:
    """Return the note with its body replaced; head and line endings stay."""
    note = split_note(text)
    lines = body.replace("\r\n", "\n")
    if note.opener:
        gap = "" if lines.startswith("\n") else "\n"
        lines = gap + lines
    return note.head + (lines if note.newline == "\n" else lines.replace("\n", "\r\n"))


def _source_name(text: str) -> str:
    name = text.lstrip(BOM)
    link = name.strip()
    if link.startswith("[[") and link.endswith("]]"):
        name = link[2:-2].split("|", 1)[0].split("#", 1)[0]
    return name.removeprefix("raw/")
