"""What file summaries are bound to: passages of the current generation, and their own steps."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from vaultd.model.paths import VaultPath
from vaultd.model.search import StoredEmbedder
from vaultd.store import nodes, vectors
from vaultd.store.database import Connection
from vaultd.store.vectors import Vector


def indexed_file(db: Connection, path: VaultPath) -> tuple[str, list[tuple[int, str]]]:
    """Return the hash of a file's bytes, and id and text of its passages in order.

    "" and no passages if it is not indexed.
    """
    content = db.execute("select content_hash from indexed_files where path = ?", (path,)).get
    rows = db.execute(
        "select p.id, p.text from passages p join indexed_files f on f.id = p.file"
        " where f.path = ? order by p.ordinal",
        (path,),
    )
    return str(content or ""), [(identity, text) for identity, text in rows]


def passages_named(db: Connection, ids: Iterable[int]) -> dict[int, tuple[VaultPath, str]]:
    """Return path and text of the passages with these ids, in the order of files and places.

    An id that does not exist is not in the result, so that no text can be taken for another's.
    """
    rows = db.execute(
        "select p.id, f.path, p.text from passages p join indexed_files f on f.id = p.file"
        " where p.id in (select value from json_each(?)) order by f.path, p.ordinal",
        (json.dumps(sorted(set(ids))),),
    )
    return {identity: (VaultPath(path), text) for identity, path, text in rows}


def files_within(db: Connection, folder: VaultPath) -> list[VaultPath]:
    """Return the indexed files at or below `folder` that have passages, in order of path."""
    rows = db.execute(
        "select f.path from indexed_files f where exists"
        " (select 1 from passages p where p.file = f.id) and (?1 = '.' or f.path = ?1 or"
        " (f.path > ?1 || '/' and f.path < ?1 || '0')) order by f.path",
        (folder,),
    )
    return [VaultPath(path) for (path,) in rows]


def bind(db: Connection, node: int, passages: Sequence[int], partials: Sequence[str]) -> None:
    """Replace what the summary `node` was made from: passage ids and steps, each in order.

    Passages that were replaced since they were read are left out.
    """
    db.execute("delete from summary_passages where node = ?", (node,))
    db.executemany(
        "insert into summary_passages (node, passage, ordinal) select ?, id, ? from passages"
        " where id = ?",
        [(node, ordinal, passage) for ordinal, passage in enumerate(passages)],
    )
    db.execute("delete from summary_partials where node = ?", (node,))
    db.executemany(
        "insert into summary_partials (node, ordinal, text) values (?, ?, ?)",
        [(node, ordinal, text) for ordinal, text in enumerate(partials)],
    )


def bound_passages(db: Connection, path: VaultPath) -> list[int]:
    """Return the ids of the passages that the summary of `path` was made from, in order."""
    rows = db.execute(
        "select s.passage from summary_passages s join nodes n on n.id = s.node"
        " where n.path = ? order by s.ordinal",
        (path,),
    )
    return [int(row[0]) for row in rows]


def partials(db: Connection, path: VaultPath) -> list[str]:
    """Return the intermediate texts of the summary of `path`, in order."""
    rows = db.execute(
        "select s.text from summary_partials s join nodes n on n.id = s.node"
        " where n.path = ? order by s.ordinal",
        (path,),
    )
    return [str(row[0]) for row in rows]


def store_vectors(
    db: Connection, path: VaultPath, identity: str, levels: Mapping[int, Vector]
) -> None:
    """Replace the vectors of a summary; with none of the levels, the old ones are gone."""
    if not levels:
        vectors.drop_summary_vectors(db, path)
        return
    dimensions = len(next(iter(levels.values())))
    embedder: StoredEmbedder = vectors.register(db, identity, dimensions)
    vectors.put_summary_vectors(db, path, levels, embedder=embedder.id)


def lacks_vectors(db: Connection, path: VaultPath, identity: str) -> bool:
    """Tell whether the summary of `path` has no vector of that embedder."""
    row = db.execute(
        "select 1 from summary_vectors v join embedders e on e.id = v.embedder"
        " where v.path = ? and e.identity = ? limit 1",
        (path, identity),
    ).get
    return row is None


def unembedded(db: Connection, folder: VaultPath, identity: str) -> frozenset[VaultPath]:
    """Return which summaries of `folder` and its direct children have no vector of that embedder.

    An embedder without a name misses none.
    """
    rows = db.execute(
        "select n.path from nodes n where (n.path = ?1 or n.parent = ?1) and ?2 <> ''"
        " and not exists (select 1 from summary_vectors v join embedders e on e.id = v.embedder"
        " where v.path = n.path and e.identity = ?2)",
        (folder, identity),
    )
    return frozenset(VaultPath(path) for (path,) in rows)


def take_back_drop(db: Connection, path: VaultPath, *, now: datetime) -> bool:
    """Put the former generation of `path` back; tell whether there was one.

    It comes back without vectors, which the next run makes, and with those of its passages
    that still exist.
    """
    former = nodes.former_node(db, path)
    if former is None:
        return False
    text, steps, passages = former
    present = nodes.node(db, path)
    generation = max(text.generation, present.generation if present else 0) + 1
    identity = nodes.store_node(db, replace(text, generation=generation), now=now)
    bind(db, identity, passages, steps)
    vectors.drop_summary_vectors(db, path)
    if present is None:
        db.execute("delete from former_nodes where path = ?", (path,))
    nodes.mark_dirty(db, [path], reason="restored", now=now)
    return True
