"""Vectors of windows and summaries: these rows are the truth, and enough to answer from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from vaultd.model.paths import VaultPath
from vaultd.model.search import StoredEmbedder
from vaultd.store.database import Connection
from vaultd.store.vector_index import drop_index, follow, settle

Vector: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class NewWindow:
    """A piece of a passage; `vector` is None where the embedder refused the text."""

    text_hash: bytes
    language: str
    vector: Vector | None


def register(db: Connection, identity: str, dimensions: int) -> StoredEmbedder:
    """Return the embedder of that name, stored if new; the first one becomes the active one."""
    db.execute(
        "insert into embedders (identity, dimensions, active)"
        " values (?, ?, not exists (select 1 from embedders where active = 1))"
        " on conflict (identity) do nothing",
        (identity, dimensions),
    )
    return next(known for known in embedders(db) if known.identity == identity)


def embedders(db: Connection) -> list[StoredEmbedder]:
    """Return every embedder that has or had vectors here, the active one first."""
    rows = db.execute(
        "select id, identity, dimensions, active from embedders order by active desc, id"
    )
    return [StoredEmbedder(i, identity, size, bool(active)) for i, identity, size, active in rows]


def embedder_named(db: Connection, identity: str) -> StoredEmbedder | None:
    """Return the embedder of that name, None if it has stored nothing yet."""
    return next((known for known in embedders(db) if known.identity == identity), None)


def activate(db: Connection, embedder: int) -> None:
    """Let `embedder` answer from now on, and drop the vectors of every other one."""
    db.execute("update embedders set active = 0 where active = 1")
    db.execute("update embedders set active = 1 where id = ?", (embedder,))
    for other in [known.id for known in embedders(db) if known.id != embedder]:
        drop_index(db, other)
        db.execute("delete from embedders where id = ?", (other,))
    settle(db)


def pending(db: Connection, embedder: int) -> int:
    """Count the passages that have no vectors of `embedder` yet."""
    return int(db.execute(f"select count(*) from passages p where {_PENDING}", (embedder,)).get)


def pending_paths(db: Connection, embedder: int) -> list[VaultPath]:
    """Return the files with passages that have no vectors of `embedder` yet, newest first."""
    rows = db.execute(
        "select f.path from indexed_files f where exists (select 1 from passages p"
        f" where p.file = f.id and {_PENDING}) order by f.changed desc, f.path",
        (embedder,),
    )
    return [VaultPath(path) for (path,) in rows]


_PENDING = (
    "p.windows > 0 and not exists"
    " (select 1 from windows w where w.passage = p.id and w.embedder = ?)"
)


def pending_passages(
    db: Connection, embedder: int, path: VaultPath
) -> list[tuple[int, str, str, str]]:
    """Return id, heading, text and language of a file's passages without vectors, in order."""
    rows = db.execute(
        "select p.id, p.heading, p.text, p.language from passages p"
        " join indexed_files f on f.id = p.file"
        f" where f.path = ? and {_PENDING} order by p.ordinal",
        (path, embedder),
    )
    return [(identity, heading, text, language) for identity, heading, text, language in rows]


def known_vectors(
    db: Connection, embedder: int, hashes: Iterable[bytes]
) -> dict[bytes, Vector | None]:
    """Return the vectors stored for texts of these hashes, wherever they stand."""
    found: dict[bytes, Vector | None] = {}
    for text_hash in set(hashes):
        row = db.execute(
            "select vector from windows where embedder = ? and text_hash = ? limit 1",
            (embedder, text_hash),
        ).fetchone()
        if row:
            found[text_hash] = None if row[0] is None else unpack(row[0])
    return found


def put_windows(
    db: Connection,
    embedder: StoredEmbedder,
    windows: Mapping[int, Sequence[NewWindow]],
    *,
    instead_of: Iterable[int] = (),
) -> None:
    """Store the windows of passages that have none of this embedder yet.

    The windows of the passages `instead_of`, which are about to be deleted, give up their
    places: the derived index reuses a place only when its row is updated.
    """
    follow(db, embedder)
    free = [
        window
        for passage in instead_of
        for (window,) in db.execute(
            "select id from windows where passage = ? and embedder = ?", (passage, embedder.id)
        )
    ]
    _make_room(db, free)
    for passage, pieces in windows.items():
        for ordinal, piece in enumerate(pieces):
            blob = None if piece.vector is None else pack(piece.vector)
            row = (passage, embedder.id, ordinal, piece.text_hash, piece.language, blob)
            if free:
                db.execute(
                    "update windows set passage = ?, embedder = ?, ordinal = ?, text_hash = ?,"
                    " language = ?, vector = ? where id = ?",
                    (*row, free.pop()),
                )
            else:
                db.execute(
                    "insert into windows (passage, embedder, ordinal, text_hash, language, vector)"
                    " values (?, ?, ?, ?, ?, ?)",
                    row,
                )
    settle(db)


def follow_all(db: Connection) -> None:
    """See to it that the derived indexes follow this connection; before windows are deleted."""
    for embedder in embedders(db):
        follow(db, embedder)


def _make_room(db: Connection, windows: Sequence[int]) -> None:
    """Number the windows that give up their places so that no new one collides with them."""
    db.executemany(
        "update windows set ordinal = -id where id = ?", [(window,) for window in windows]
    )


def put_summary_vectors(
    db: Connection, path: VaultPath, vectors: Mapping[int, Vector], *, embedder: int
) -> None:
    """Replace the summary vectors of `path`: level 0 is the abstract, 1 the overview."""
    db.execute("delete from summary_vectors where path = ? and embedder = ?", (path, embedder))
    db.executemany(
        "insert into summary_vectors (path, level, embedder, vector) values (?, ?, ?, ?)",
        [(path, level, embedder, pack(vector)) for level, vector in vectors.items()],
    )


def drop_summary_vectors(db: Connection, path: VaultPath) -> None:
    """Forget the summary vectors of `path`."""
    db.execute("delete from summary_vectors where path = ?", (path,))


def move_summary_vectors(db: Connection, old: VaultPath, new: VaultPath) -> None:
    """Give the summary vectors of `old` to `new`."""
    db.execute("delete from summary_vectors where path = ?", (new,))
    db.execute("update summary_vectors set path = ? where path = ?", (new, old))


def pack(vector: Vector) -> bytes:
    """Return a vector as stored: unit length, float16.

    Raises:
        ValueError: the vector has no direction (zero, or not finite).
    """
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0.0:
        raise ValueError("a vector without direction cannot be stored")
    return np.asarray(vector / length, dtype="<f2").tobytes()


def unpack(blob: bytes) -> Vector:
    """Return a stored vector as float32."""
    return np.frombuffer(blob, dtype="<f2").astype(np.float32)
