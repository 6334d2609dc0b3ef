"""What else is stored of folders: their notes, the buckets of wide ones, a person's refusal."""

from __future__ import annotations

import json
from dataclasses import dataclass

from vaultd.model.paths import VaultPath
from vaultd.model.summary import Node
from vaultd.store import nodes, summaries
from vaultd.store.database import Connection


@dataclass(frozen=True, slots=True)
class FolderState:
    """All that is stored of a folder: its newest mark, its row, its children's, its note's.

    `left_out` says that a person wants no summary there; `unembedded` are the summaries in it
    and of it that lack vectors of the embedder asked for ("" asks for none).
    """

    seen: int
    node: Node | None
    below: dict[VaultPath, Node]
    note: tuple[VaultPath, str, str] | None
    left_out: bool
    unembedded: frozenset[VaultPath]


def folder_state(db: Connection, folder: VaultPath, embedder: str) -> FolderState:
    """Return what is stored of `folder`, as of one moment."""
    return FolderState(
        nodes.newest_mark(db, folder),
        nodes.node(db, folder),
        {child.path: child for child in nodes.nodes_below(db, folder)},
        note_record(db, folder),
        is_left_out(db, folder),
        summaries.unembedded(db, folder, embedder),
    )


def note_record(db: Connection, folder: VaultPath) -> tuple[VaultPath, str, str] | None:
    """Return note, state and hash of the text shown last of a folder's note, if it has one."""
    for note, state, shown in db.execute(
        "select note, state, shown from folder_notes where folder = ?", (folder,)
    ):
        return VaultPath(note), state, shown
    return None


def record_note(db: Connection, folder: VaultPath, note: VaultPath, state: str, shown: str) -> None:
    """Remember what became of a folder's note."""
    db.execute(
        "insert or replace into folder_notes (folder, note, state, shown) values (?, ?, ?, ?)",
        (folder, note, state, shown),
    )


def forget_note(db: Connection, folder: VaultPath) -> None:
    """Forget the note of a folder: it may be written anew, also where it was left alone."""
    db.execute("delete from folder_notes where folder = ?", (folder,))


def bucket_text(db: Connection, digest: str) -> str | None:
    """Return the stored text of a bucket that was made from inputs of this digest."""
    row = db.execute("select overview from buckets where input_digest = ?", (digest,)).get
    return None if row is None else str(row)


def store_bucket(db: Connection, digest: str, folder: VaultPath, overview: str) -> None:
    """Keep a bucket's text, so that no crash and no other change makes it be asked for again."""
    db.execute(
        "insert or replace into buckets (input_digest, folder, overview) values (?, ?, ?)",
        (digest, folder, overview),
    )


def keep_buckets(db: Connection, folder: VaultPath, digests: set[str]) -> None:
    """Delete the texts of the folder's buckets that are not among `digests`."""
    db.execute(
        "delete from buckets where folder = ? and input_digest not in"
        " (select value from json_each(?))",
        (folder, json.dumps(sorted(digests))),
    )


def leave_out(db: Connection, path: VaultPath) -> None:
    """Remember that no summary is wanted at or below `path`."""
    db.execute("insert or ignore into left_out (path) values (?)", (path,))


def take_in(db: Connection, path: VaultPath) -> None:
    """Forget that no summary was wanted at, below or above `path`."""
    db.execute(
        "delete from left_out where ?1 = '.' or path in (?1, '.')"
        " or (path > ?1 || '/' and path < ?1 || '0')"
        " or substr(?1, 1, length(path) + 1) = path || '/'",
        (path,),
    )


def is_left_out(db: Connection, path: VaultPath) -> bool:
    """Tell whether no summary is wanted of `path`, or of a folder it lies in."""
    row = db.execute(
        "select 1 from left_out where path in (?1, '.')"
        " or substr(?1, 1, length(path) + 1) = path || '/' limit 1",
        (path,),
    ).get
    return row is not None
