"""Documents that are ZIP archives of XML: opened within limits, parsed without surprises."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from lxml import etree

from vaultd.extract.content import UnreadableError, broken, encrypted

MOST_ENTRIES = 10_000
MOST_BYTES = 300 * 1024 * 1024  # inflated, counted while reading, over all entries read
MOST_RATIO = 200  # of inflated to packed size, for an entry above
SMALL_ENTRY = 1024 * 1024  # bytes
CHUNK = 256 * 1024
FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError)
DAMAGED = "The file is damaged or incomplete: a part of its archive cannot be read."
PACKED = "The file is packed in a way that is not supported; save it again."
DOCTYPES = (b"<!DOCTYPE", "<!DOCTYPE".encode("utf-16-le"), "<!DOCTYPE".encode("utf-16-be"))
RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"

Element = etree._Element


class Relation(NamedTuple):
    """What a part refers to: the last word of the type, and the part, or "" if outside."""

    type: str
    target: str
    address: str


class Package:
    """An archive whose members are read under limits; nothing is ever unpacked to disk."""

    def __init__(self, path: Path) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
        except FAULTS as error:
            raise broken(DAMAGED) from error
        entries = self._zip.infolist()
        if len(entries) > MOST_ENTRIES:
            raise broken(f"The file is refused: its archive has {len(entries)} entries.")
        if any(entry.flag_bits & 1 for entry in entries):
            raise encrypted("The file wants a password; save it without one.")
        self._entries = {entry.filename: entry for entry in entries}
        self._read = 0

    @property
    def names(self) -> list[str]:
        """The members' names, as they stand in the archive."""
        return list(self._entries)

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def read(self, name: str) -> bytes:
        """Return a member's bytes.

        Raises:
            UnreadableError: it is damaged, or inflates to more than a document may.
            KeyError: there is no such member.
        """
        entry = self._entries[name]
        pieces: list[bytes] = []
        size = 0
        try:
            with self._zip.open(entry) as member:
                while piece := member.read(CHUNK):
                    pieces.append(piece)
                    size += len(piece)
                    self._read += len(piece)
                    self._check(size, entry.compress_size)
        except FAULTS as error:
            raise broken(PACKED if isinstance(error, NotImplementedError) else DAMAGED) from error
        return b"".join(pieces)

    def _check(self, size: int, packed: int) -> None:
        if self._read > MOST_BYTES or (size > SMALL_ENTRY and size > MOST_RATIO * max(packed, 1)):
            raise broken("The file is refused: it inflates to far more than it holds.")

    def picture(self, name: str) -> bytes:
        """Return a member's bytes, b"" if it is missing or damaged."""
        try:
            return self.read(name)
        except (KeyError, UnreadableError):
            return b""

    def xml(self, name: str) -> Element | None:
        """Return the root of an XML member, None if there is no such member."""
        return parsed(self.read(name)) if name in self else None

    def relations(self, part: str) -> dict[str, Relation]:
        """Return what `part` refers to, by id; a damaged list is an empty one."""
        folder, name = posixpath.split(part)
        root = self.xml(posixpath.join(folder, "_rels", name + ".rels"))
        found: dict[str, Relation] = {}
        for node in () if root is None else root.iter(RELATION):
            target = node.get("Target", "")
            outside = node.get("TargetMode") == "External"
            place = "" if outside else joined(folder, target)
            kind = node.get("Type", "").rpartition("/")[2]
            found[node.get("Id", "")] = Relation(kind, place, target if outside else "")
        return found


def joined(folder: str, target: str) -> str:
    """Return the member that `target` names from `folder`, without climbing out."""
    target = unquote(target.partition("#")[0])
    path = target if target.startswith("/") else posixpath.join("/", folder, target)
    return posixpath.normpath(path).lstrip("/")


def parsed(content: bytes) -> Element:
    """Return the root of an XML document; no entity, no other file and no network is used.

    Raises:
        UnreadableError: it is no XML, or declares a document type.
    """
    if any(mark in content for mark in DOCTYPES):
        raise broken("The file is refused: it declares a document type.")
    return rooted(content)


def rooted(content: bytes) -> Element:
    """As `parsed`, for formats that declare a document type; what it declares is left out."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True, recover=False
    )
    try:
        return etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise broken("The file is damaged: its XML does not hold together.") from error


def local(node: Element) -> str:
    """Return the name of an element without its namespace, "" for comments and the like."""
    tag = node.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def words_of(node: Element) -> str:
    """Return all text below `node`, spaced as on one line."""
    return " ".join("".join(map(str, node.itertext())).split())


def attribute(node: Element, name: str) -> str:
    """Return an attribute by its local name, whatever its namespace; "" if there is none."""
    return next(
        (str(v) for key, v in node.attrib.items() if str(key).rpartition("}")[2] == name), ""
    )
