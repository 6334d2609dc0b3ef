"""The derived vector index: sqlite-vec beside the windows, made again whenever it fell behind."""

from __future__ import annotations

from typing import TypeAlias

import apsw
import numpy as np
from numpy.typing import NDArray

from vaultd.model.search import StoredEmbedder
from vaultd.store.database import Connection, has_vectors

Vector: TypeAlias = NDArray[np.float32]

CHUNK = 64  # vectors in a chunk of the index: small ones made replacing 14 times cheaper
DEAD_SHARE = 0.3  # of the index's places: more, and it is made again
NEAREST_LIMIT = 4096  # sqlite-vec refuses a larger k
CHANGES_KEPT = 20_000  # older ones send a reader to read everything again


def last_change(db: Connection) -> int:
    """Return the number of the latest change to any window."""
    row = db.execute("select seq from sqlite_sequence where name = 'window_changes'").fetchone()
    return int(row[0]) if row else 0


def has_index(db: Connection, embedder: int) -> bool:
    """Tell whether the derived index can be asked: loaded, and abreast of the windows."""
    row = db.execute("select seq from vector_indexes where embedder = ?", (embedder,)).fetchone()
    return row is not None and has_vectors(db) and int(row[0]) == last_change(db)


def indexed_nearest(
    db: Connection, embedder: int, query: Vector, k: int, passages_sql: str = "", *values: object
) -> list[tuple[int, float]]:
    """As `exact_nearest`, by the derived index; `passages_sql` selects the passages allowed."""
    within = (
        f" and rowid in (select id from windows where passage in ({passages_sql}))"
        if passages_sql
        else ""
    )
    rows = db.execute(
        f"select rowid, distance from {_table(embedder)} where vector match ? and k = ?{within}"
        " order by distance",
        (query.astype("<f4").tobytes(), max(1, min(k, NEAREST_LIMIT)), *values),
    )
    return [(window, 1.0 - distance) for window, distance in rows]


def follow(db: Connection, embedder: StoredEmbedder) -> None:
    """See to it that the derived index exists, is abreast, and will follow this connection.

    Nothing happens where the extension is missing: the windows alone are complete, and the
    next connection that has it builds the index again.
    """
    if not has_vectors(db) or _is_followed(db, embedder.id):
        return
    db.create_scalar_function("wide", _wide, 1, deterministic=True)
    if not has_index(db, embedder.id):
        _make_index(db, embedder)
    table, number = _table(embedder.id), embedder.id
    for event, row, body in (
        ("insert", "new", f"insert into {table} (rowid, vector) values (new.id, wide(new.vector))"),
        ("delete", "old", f"delete from {table} where rowid = old.id"),
    ):
        db.execute(
            f"create temp trigger {table}_{event} after {event} on main.windows"
            f" when {row}.embedder = {number} and {row}.vector is not null begin {body}; end"
        )
    db.execute(
        f"create temp trigger {table}_update after update of vector on main.windows"
        f" when new.embedder = {number} begin"
        f" insert into {table} (rowid, vector) select new.id, wide(new.vector)"
        " where old.vector is null and new.vector is not null;"
        f" delete from {table} where rowid = new.id and new.vector is null;"
        f" update {table} set vector = wide(new.vector)"
        " where rowid = new.id and old.vector is not null and new.vector is not null; end"
    )


def settle(db: Connection) -> None:
    """Note that the derived indexes have followed, and forget changes long past.

    Called once at the end of every transaction that changed windows.
    """
    latest = last_change(db)
    known: list[int] = [row for (row,) in db.execute("select embedder from vector_indexes")]
    for embedder in (one for one in known if _is_followed(db, one)):
        db.execute("update vector_indexes set seq = ? where embedder = ?", (latest, embedder))
    oldest = db.execute("select min(seq) from window_changes").get
    if oldest is not None and latest - oldest > 2 * CHANGES_KEPT:
        db.execute("delete from window_changes where seq <= ?", (latest - CHANGES_KEPT,))


def dead_share(db: Connection, embedder: int) -> float:
    """Return the share of the derived index's places that hold nothing and stay so."""
    table = _table(embedder)
    places = int(db.execute(f"select count(*) from {table}_chunks").get) * CHUNK
    live = int(db.execute(f"select count(*) from {table}_rowids").get)
    return (places - live) / places if places > CHUNK else 0.0


def rebuild_index(db: Connection, embedder: StoredEmbedder) -> None:
    """Make the derived index anew from the windows; nothing where the extension is missing."""
    drop_index(db, embedder.id)
    follow(db, embedder)


def _make_index(db: Connection, embedder: StoredEmbedder) -> None:
    table = _table(embedder.id)
    drop_index(db, embedder.id)
    db.execute(
        f"create virtual table {table} using vec0"
        f" (vector float[{embedder.dimensions}] distance_metric=cosine, chunk_size={CHUNK})"
    )
    db.execute(
        f"insert into {table} (rowid, vector) select id, wide(vector) from windows"
        " where embedder = ? and vector is not null order by id",
        (embedder.id,),
    )
    db.execute(
        "insert into vector_indexes (embedder, seq) values (?, ?)",
        (embedder.id, last_change(db)),
    )


def compact_index(db: Connection, embedder: StoredEmbedder) -> bool:
    """Make the derived index anew when too many of its places are dead; tell whether it was."""
    if not has_index(db, embedder.id) or dead_share(db, embedder.id) <= DEAD_SHARE:
        return False
    rebuild_index(db, embedder)
    return True


def _is_followed(db: Connection, embedder: int) -> bool:
    name = f"{_table(embedder)}_insert"
    return bool(db.execute("select 1 from temp.sqlite_master where name = ?", (name,)).get)


def drop_index(db: Connection, embedder: int) -> None:
    """Forget the derived index of `embedder`, so far as the extension is there to do it."""
    table = _table(embedder)
    db.execute("delete from vector_indexes where embedder = ?", (embedder,))
    for event in ("insert", "delete", "update"):
        db.execute(f"drop trigger if exists temp.{table}_{event}")
    if has_vectors(db):
        db.execute(f"drop table if exists {table}")


def _table(embedder: int) -> str:
    return f"vectors_{embedder:d}"


def _wide(*values: apsw.SQLiteValue) -> bytes:
    (blob,) = values
    assert isinstance(blob, bytes)
    return np.frombuffer(blob, dtype="<f2").astype("<f4").tobytes()
