"""What a folder's text is made from: its children as they are on the disk and in the rows."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import structlog

from vaultd.core.folder_note import note_path_of
from vaultd.errors import UnreadableSourceError, VaultdError
from vaultd.model.paths import Clock, VaultPath
from vaultd.model.summary import ChildSummary, NodeKind
from vaultd.store import folders, nodes
from vaultd.store.database import Connection, Database
from vaultd.store.folders import FolderState
from vaultd.summarize.ask import Tally
from vaultd.summarize.child import (
    KnownNotes,
    NoteText,
    folder_child,
    in_order,
    note_child,
    read_note,
)
from vaultd.summarize.file_nodes import FileNodes, FileText
from vaultd.summarize.files import Wish
from vaultd.summarize.note import NoteRecord
from vaultd.summarize.tree import Tree

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Inputs:
    """A folder's children as they are now; `unreadable` of them could not be read."""

    children: tuple[ChildSummary, ...]
    unreadable: int
    strays: tuple[VaultPath, ...] = ()
    record: NoteRecord | None = None

    @property
    def described(self) -> tuple[ChildSummary, ...]:
        """The children there is something to say about."""
        return tuple(child for child in self.children if child.has_abstract)


class InputReader:
    """Reads the children of folders, and has notes without an abstract summarised."""

    def __init__(self, db: Database, tree: Tree, files: FileNodes, clock: Clock) -> None:
        self._db = db
        self._tree = tree
        self._files = files
        self._clock = clock
        self._notes = KnownNotes(tree.vault, clock)

    async def read(self, folder: VaultPath, stored: FolderState, tally: Tally) -> Inputs:
        """Return the children of `folder`, of which `stored` is known; rows of lost files go.

        Raises:
            FileNotFoundError, NotADirectoryError: the folder is gone.
            OSError: it cannot be listed.
        """
        found = await asyncio.to_thread(self._look, folder, stored)
        made = await asyncio.gather(*(self._summary(note, stored, tally) for note in found.open))
        if found.lost:
            await self._db.run(_drop_all, found.lost, now=self._clock())
        texts = dict(zip((note.path for note in found.open), made, strict=True))
        return await asyncio.to_thread(_inputs, folder, found, stored, texts)

    def _look(self, folder: VaultPath, stored: FolderState) -> _Found:
        """Return what lies in `folder`. Notes that vanish meanwhile do not. Blocking."""
        listing = self._tree.children(folder)
        notes, unreadable = [], 0
        for path in listing.notes:
            try:
                note = self._notes.read(path)
            except (OSError, VaultdError) as error:
                log.warning("note cannot be read", path=path, reason=str(error))
                unreadable += 1
                continue
            if note is not None:
                notes.append(note)
        there = set(listing.notes)
        return _Found(
            listing.folders,
            notes,
            [note for note in notes if not (note.is_folder_note or self._is_settled(note, stored))],
            [p for p, row in stored.below.items() if row.kind is NodeKind.FILE and p not in there],
            unreadable,
        )

    def _is_settled(self, note: NoteText, stored: FolderState) -> bool:
        """Tell whether a note needs no summary, or has the one it needs.

        One with an abstract of its own has a summary because a person asked for it.
        """
        known = stored.below.get(note.path)
        if not note.body.strip():
            return True
        if known is None:
            return not note.wants_text
        current = self._files.is_current(known, note.content, by_any=bool(note.abstract))
        return current and note.path not in stored.unembedded

    async def _summary(self, note: NoteText, stored: FolderState, tally: Tally) -> str:
        """Bring a note's summary up to date; "" where none is wanted, or no text is left."""
        if note.path not in stored.below and await self._db.read(folders.is_left_out, note.path):
            return ""
        file = await self._files.indexed(note.path)
        if file.content != note.content:
            whole = await asyncio.to_thread(read_note, self._tree.vault, note.path)
            if whole is None:
                return ""
            file = FileText(whole.path, whole.content, (whole.body,))
        try:
            return (await self._files.refresh(file, Wish(), tally)).abstract
        except UnreadableSourceError:
            return ""


@dataclass(frozen=True, slots=True)
class _Found:
    """What lies in a folder: `open` are the notes that need a summary made, `lost` is gone."""

    folders: tuple[VaultPath, ...]
    notes: list[NoteText]
    open: list[NoteText]
    lost: list[VaultPath]
    unreadable: int


def _inputs(
    folder: VaultPath, found: _Found, stored: FolderState, made: Mapping[VaultPath, str]
) -> Inputs:
    """Return what a folder's text is made from; `made` are summaries as they are by now."""
    below = stored.below
    # a folder without a row has nothing in it, or is new and will tell when it has a text
    children = [folder_child(path, below[path]) for path in found.folders if path in below]
    strays = []
    for note in found.notes:
        if note.is_folder_note:
            strays.append(note.path)
            continue
        known = below.get(note.path)
        summary = made.get(note.path, known.abstract if known and note.body.strip() else "")
        children.append(note_child(note, note.abstract or summary))
    mine = note_path_of(folder)
    record = None if stored.note is None else NoteRecord.of(*stored.note)
    others = tuple(path for path in strays if path != mine)
    return Inputs(in_order(children), found.unreadable, others, record)


def _drop_all(db: Connection, paths: list[VaultPath], *, now: datetime) -> None:
    for path in paths:
        nodes.drop_node(db, path, asked=False, now=now)
