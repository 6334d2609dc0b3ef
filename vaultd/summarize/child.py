"""What a folder's text knows of its children: their abstracts, as they stand on the disk."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from vaultd.core.fallback import first_characters, name_key
from vaultd.core.markdown import abstract_of
from vaultd.core.properties import properties_or_none, split_note, texts
from vaultd.core.staleness import name_of
from vaultd.extract.encoding import decoded
from vaultd.model.paths import Clock, VaultPath
from vaultd.model.summary import ChildSummary, Node, NodeState
from vaultd.vault.files import Vault

REGION = "overview"  # id of the managed region of a folder note
NOTE = "note"
REST_SECONDS = 2  # coarser than any file system's clock
MOST_KNOWN = 50_000  # about 25 MB; a vault beyond it is read anew now and then
FOLDER = "folder"
TITLE_CHARS = 120
NUMBER = re.compile(r"([0-9]+)")


@dataclass(frozen=True, slots=True)
class NoteText:
    """A note as a child: `content` is the hash of its bytes, `is_folder_note` its role.

    `title` is that of its properties, "" where it is none or only the name again.
    """

    path: VaultPath
    content: str
    body: str
    category: str
    abstract: str
    is_folder_note: bool
    title: str = ""

    @property
    def wants_text(self) -> bool:
        """Whether there is text of which the note itself gives no abstract."""
        return not self.abstract and bool(self.body.strip())


def is_directory_uri(uri: str) -> bool:
    """Tell whether a path at the interface means a folder: it ends in "/" (spec/000).

    Inside, only the file system says what is a folder.
    """
    return uri.endswith("/")


def read_note(vault: Vault, path: VaultPath) -> NoteText | None:
    """Return the note at `path`, None if it is gone. Blocking.

    Raises:
        VaultdError: it cannot be read, or lies outside the vault.
    """
    content = vault.read(path)
    if content is None:
        return None
    text = _decoded(content)
    body = split_note(text).body
    properties = properties_or_none(text) or {}
    category = texts(properties.get("type"))
    return NoteText(
        path=path,
        content=hashlib.sha256(content).hexdigest(),
        body=body,
        category=category[0] if category else NOTE,
        abstract=abstract_of(body),
        is_folder_note=_is_folder_note(path, text),
        title=_title(texts(properties.get("title")), PurePosixPath(path).stem),
    )


class KnownNotes:
    """Notes as last read, so that a wide folder with one changed note is not read whole.

    A note is taken from here only if its size, times and inode are what they were, and it was
    at rest for a moment when it was read. Of its body only the first letter is kept.
    """

    def __init__(self, vault: Vault, clock: Clock) -> None:
        self._vault = vault
        self._clock = clock
        self._known: dict[VaultPath, tuple[tuple[int, ...], NoteText]] = {}

    def read(self, path: VaultPath) -> NoteText | None:
        """As `read_note`."""
        look = self._look(path)
        known = self._known.get(path)
        if known is not None and known[0] == look:
            return known[1]
        self._known.pop(path, None)
        note = read_note(self._vault, path)
        at_rest = look is not None and self._clock().timestamp() - look[1] / 1e9 > REST_SECONDS
        if note is not None and look is not None and at_rest:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[path] = (look, replace(note, body=note.body.strip()[:1]))
        return note

    def _look(self, path: VaultPath) -> tuple[int, ...] | None:
        try:
            found = (self._vault.root / path).lstat()
        except OSError:
            return None
        return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_mode


def note_child(note: NoteText, abstract: str) -> ChildSummary:
    """Return a note as a child; `abstract` is its own or the stored one, "" for none."""
    name = PurePosixPath(note.path).stem
    return ChildSummary(
        uri=note.path,
        name=name,
        abstract=abstract,
        category=note.category,
        is_directory=False,
        has_abstract=bool(abstract),
        title=note.title,
    )


def folder_child(path: VaultPath, node: Node | None) -> ChildSummary:
    """Return a folder as a child. A fallback's prose stays below: its listing is read instead."""
    abstract = upward_text(node)
    return ChildSummary(
        uri=f"{path}/",
        name=name_of(path),
        abstract=abstract,
        category=FOLDER,
        is_directory=True,
        has_abstract=bool(abstract),
    )


def upward_text(node: Node | None) -> str:
    """Return what the folder above reads of a summary, "" if there is nothing to read."""
    if node is None:
        return ""
    return node.listing if node.state is NodeState.FALLBACK else node.abstract


def in_order(children: Iterable[ChildSummary]) -> tuple[ChildSummary, ...]:
    """Return folders, then notes, by what is shown of them: "note 2" before "note 10"."""
    return tuple(
        sorted(
            children, key=lambda child: (not child.is_directory, *_counted(child.shown), child.uri)
        )
    )


def _counted(name: str) -> tuple[tuple[str | int, ...], str]:
    """Return a name's sorting key, in which runs of digits are numbers."""
    folded, spelt = name_key(name)
    parts = NUMBER.split(folded)  # text and digits in turn, so that only like is compared
    return tuple(int(part) if place % 2 else part for place, part in enumerate(parts)), spelt


def is_folder_note_name(path: VaultPath) -> bool:
    """Tell whether a note is called like the folder it lies in."""
    pure = PurePosixPath(path)
    return _same(pure.stem, pure.parent.name)


def _is_folder_note(path: VaultPath, text: str) -> bool:
    return is_folder_note_name(path) or f"vaultd:begin {REGION} " in text


def _title(titles: Sequence[str], name: str) -> str:
    """Return a title on one line, cut where it is no title any more; "" for the name again."""
    title = first_characters(" ".join(" ".join(titles[:1]).split()), TITLE_CHARS)
    return "" if _same(title, name) else title


def _same(one: str, other: str) -> bool:
    return (
        unicodedata.normalize("NFC", one).casefold()
        == unicodedata.normalize("NFC", other).casefold()
    )


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return decoded(content)
