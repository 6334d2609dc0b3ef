"""What a folder's text is made from: its children as they are on the disk and in the rows."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime

import structlog

from vaultd.core.folder_note import note_path_of
from vaultd.errors import UnreadableSourceError, VaultdError
from vaultd.model.paths import Clock, VaultPath
from vaultd.model.summary import ChildSummary, Node, NodeKind
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
from vaultd.summarize.tree import Listing, Tree

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
        listing, notes, unreadable = await asyncio.to_thread(
            _look_into, self._tree, self._notes, folder
        )
        plain = [note for note in notes if not note.is_folder_note]
        abstracts = await asyncio.gather(*(self._abstract(note, stored, tally) for note in plain))
        below = stored.below
        gone = [
            path
            for path, node in below.items()
            if node.kind is NodeKind.FILE and path not in listing.notes
        ]
        if gone:
            await self._db.run(_drop_all, gone, now=self._clock())
        # a folder without a row has nothing in it, or is new and will tell when it has a text
        children = [folder_child(path, below[path]) for path in listing.folders if path in below]
        children += [note_child(*each) for each in zip(plain, abstracts, strict=True)]
        mine = note_path_of(folder)
        strays = (note.path for note in notes if note.is_folder_note and note.path != mine)
        record = None if stored.note is None else NoteRecord.of(*stored.note)
        return Inputs(in_order(children), unreadable, tuple(strays), record)

    async def _abstract(self, note: NoteText, stored: FolderState, tally: Tally) -> str:
        """Return a note's own abstract, else that of its summary, which is brought up to date."""
        known = stored.below.get(note.path)
        if not note.body.strip() or (known is None and not note.wants_text):
            return note.abstract
        if known is None or not self._is_current(known, note, stored):
            known = await self._summarised(note, known, tally)
        return note.abstract or (known.abstract if known else "")

    def _is_current(self, node: Node, note: NoteText, stored: FolderState) -> bool:
        """Tell whether nothing is to be done. A note with an abstract has one for a person only."""
        current = self._files.is_current(node, note.content, by_any=bool(note.abstract))
        return current and node.path not in stored.unembedded

    async def _summarised(self, note: NoteText, known: Node | None, tally: Tally) -> Node | None:
        """Return the summary of a note; None where none is wanted, or nothing is left to read."""
        if known is None and await self._db.read(folders.is_left_out, note.path):
            return None
        file = await self._files.indexed(note.path)
        if file.content != note.content:
            whole = await asyncio.to_thread(read_note, self._tree.vault, note.path)
            if whole is None:
                return None
            file = FileText(whole.path, whole.content, (whole.body,))
        try:
            return await self._files.refresh(file, Wish(), tally)
        except UnreadableSourceError:
            return None


def _look_into(
    tree: Tree, known: KnownNotes, folder: VaultPath
) -> tuple[Listing, list[NoteText], int]:
    """Return what lies in `folder`, the notes that can be read, and how many cannot.

    Notes that vanish meanwhile are neither.
    """
    listing = tree.children(folder)
    found, unreadable = [], 0
    for path in listing.notes:
        try:
            note = known.read(path)
        except (OSError, VaultdError) as error:
            log.warning("note cannot be read", path=path, reason=str(error))
            unreadable += 1
            continue
        if note is not None:
            found.append(note)
    return listing, found, unreadable


def _drop_all(db: Connection, paths: list[VaultPath], *, now: datetime) -> None:
    for path in paths:
        nodes.drop_node(db, path, asked=False, now=now)
