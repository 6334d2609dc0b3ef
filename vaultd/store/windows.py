"""Windows and summaries read back: for copies in memory, and to answer from directly."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from vaultd.model.paths import VaultPath
from vaultd.model.summary import NodeState
from vaultd.store.database import Connection
from vaultd.store.vector_index import last_change
from vaultd.store.vectors import unpack

Vector: TypeAlias = NDArray[np.float32]

BLOCK = 4096  # vectors compared at a time by the exact scan


def changed_windows(db: Connection, since: int) -> list[int] | None:
    """Return the windows changed after `since`, None when that is too long ago to tell."""
    oldest = db.execute("select min(seq) from window_changes").get
    if since < last_change(db) and (oldest is None or oldest > since + 1):
        return None
    rows = db.execute("select distinct window from window_changes where seq > ?", (since,))
    return [window for (window,) in rows]


def window_rows(
    db: Connection, embedder: int, windows: Sequence[int]
) -> list[tuple[int, int, int, str, Vector]]:
    """Return window, passage, file, language and vector of those windows that have one."""
    rows = db.execute(
        f"{_ROWS} and w.id in (select value from json_each(?))",
        (embedder, json.dumps(list(windows))),
    )
    return [(w, p, f, language, unpack(blob)) for w, p, f, language, blob in rows]


def next_window_rows(
    db: Connection, embedder: int, after: int, count: int
) -> list[tuple[int, int, int, str, Vector]]:
    """As `window_rows` for at most `count` windows with ids above `after`, in order."""
    rows = db.execute(f"{_ROWS} and w.id > ? order by w.id limit ?", (embedder, after, count))
    return [(w, p, f, language, unpack(blob)) for w, p, f, language, blob in rows]


_ROWS = (
    "select w.id, w.passage, p.file, w.language, w.vector from windows w"
    " join passages p on p.id = w.passage where +w.embedder = ? and w.vector is not null"
)  # the sign keeps SQLite from walking every window of the embedder


def count_windows(db: Connection, embedder: int) -> int:
    """Count the windows of an embedder."""
    return int(db.execute("select count(*) from windows where embedder = ?", (embedder,)).get)


def windows_in(db: Connection, embedder: int, passages: Iterable[int]) -> list[int]:
    """Return the windows of these passages."""
    return [
        window
        for passage in passages
        for (window,) in db.execute(
            "select id from windows where passage = ? and embedder = ? and vector is not null",
            (passage, embedder),
        )
    ]


def windows_of_file(db: Connection, embedder: int, path: VaultPath) -> list[int]:
    """Return the windows of a file, in order."""
    rows = db.execute(
        "select w.id from windows w join passages p on p.id = w.passage"
        " join indexed_files f on f.id = p.file where f.path = ? and w.embedder = ?"
        " and w.vector is not null order by p.ordinal, w.ordinal",
        (path, embedder),
    )
    return [window for (window,) in rows]


def window_ordinals(db: Connection, windows: Iterable[int]) -> dict[int, int]:
    """Return which piece of its passage each window is, from 0."""
    rows = db.execute(
        "select id, ordinal from windows where id in (select value from json_each(?))",
        (json.dumps(list(windows)),),
    )
    return {window: ordinal for window, ordinal in rows}


def language_samples(db: Connection, embedder: int, count: int) -> dict[str, list[Vector]]:
    """Return up to `count` vectors of each language, for their means."""
    languages: list[str] = [
        language
        for (language,) in db.execute(
            "select language from windows where embedder = ? group by language", (embedder,)
        )
    ]
    return {
        language: [
            unpack(blob)
            for (blob,) in db.execute(
                "select vector from windows where embedder = ? and language = ?"
                " and vector is not null limit ?",
                (embedder, language, count),
            )
        ]
        for language in languages
    }


def summary_state(db: Connection, embedder: int) -> tuple[int, int]:
    """Return what changes whenever a summary vector does: how many there are, and the newest."""
    row = db.execute(
        "select count(*), coalesce(max(id), 0) from summary_vectors where embedder = ?", (embedder,)
    ).fetchone()
    assert row is not None
    return int(row[0]), int(row[1])


def summary_vectors(
    db: Connection, embedder: int
) -> list[tuple[VaultPath, str, NodeState, Vector]]:
    """Return path, language, state and vector of every summary, its overview's apart."""
    rows = db.execute(
        "select v.path, coalesce(n.language, ''), coalesce(n.state, 'ok'), v.vector"
        " from summary_vectors v left join nodes n on n.path = v.path where v.embedder = ?",
        (embedder,),
    )
    return [
        (VaultPath(path), language, NodeState(state), unpack(blob))
        for path, language, state, blob in rows
    ]


def exact_nearest(
    db: Connection, embedder: int, query: Vector, k: int, allowed: set[int] | None = None
) -> list[tuple[int, float]]:
    """Return the `k` nearest windows and their cosines, best first, by comparing with every one.

    `allowed` are ids of passages; None allows all.
    """
    best: list[tuple[float, int]] = []
    for ids, matrix in _blocks(db, embedder, allowed):
        scores = matrix @ query
        best += zip(scores.tolist(), ids, strict=True)
        best = sorted(best, key=lambda found: (-found[0], found[1]))[:k]
    return [(window, score) for score, window in best]


def _blocks(
    db: Connection, embedder: int, allowed: set[int] | None
) -> Iterator[tuple[list[int], NDArray[np.float32]]]:
    rows = db.execute(
        "select id, passage, vector from windows where embedder = ? and vector is not null",
        (embedder,),
    )
    ids: list[int] = []
    blobs: list[bytes] = []
    for window, passage, blob in rows:
        if allowed is None or passage in allowed:
            ids.append(window)
            blobs.append(blob)
        if len(ids) == BLOCK:
            yield ids, _matrix(blobs)
            ids, blobs = [], []
    if ids:
        yield ids, _matrix(blobs)


def _matrix(blobs: Sequence[bytes]) -> NDArray[np.float32]:
    joined = np.frombuffer(b"".join(blobs), dtype="<f2")
    return joined.reshape(len(blobs), -1).astype(np.float32)
