"""Rows of folder and file summaries, and the marks that say what to look at again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from vaultd.core.fallback import name_key
from vaultd.core.staleness import name_of, parent_of
from vaultd.core.timing import moment, stamp
from vaultd.model.jobs import JobKind, NewJob
from vaultd.model.paths import VaultPath
from vaultd.model.summary import Node, NodeKind, NodeState
from vaultd.store import jobs
from vaultd.store.database import Connection

QUIET = timedelta(seconds=3)  # after the first change of a burst: a save is rarely alone

_COLUMNS = (
    "path, kind, state, input_digest, abstract, overview, listing, child_count, categories,"
    " partial, language, author, prompt_version, description, generation, attempts, next_try,"
    " error_code"
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A folder to look at again, as far as `generation`; `since` is the oldest change."""

    folder: VaultPath
    generation: int
    since: datetime


def mark_dirty(db: Connection, paths: Iterable[VaultPath], *, reason: str, now: datetime) -> None:
    """Mark the folder above each changed, new or vanished path (file or folder).

    Only that folder: the ones above it are marked in turn when its own abstract changes.
    To be called in the transaction that records the change; the job that looks at the marks
    is queued with them, to start when it has been quiet for a moment.
    """
    changed = [path for path in dict.fromkeys(paths) if path not in ("", ".")]
    for path in changed:
        mark_folder(db, parent_of(path), name_of(path), reason=reason, now=now)
    if changed:
        look = NewJob(JobKind.SUMMARIZE, ".", run_at=now + QUIET)
        jobs.enqueue_all(db, [look], now=now)


def changes_are_coming(db: Connection, *, now: datetime) -> bool:
    """Tell whether sources or notes are being worked on, which will mark more folders."""
    row = db.execute(
        "select 1 from jobs where kind in ('ingest', 'index', 'move', 'retract', 'forget')"
        " and state in ('queued', 'running') and run_at <= ? limit 1",
        (stamp(now),),
    ).get
    return row is not None


def look_at_all(db: Connection, *, by: str = "", now: datetime) -> None:
    """Queue a look at every folder, once a day in case a mark was missed.

    `by` names the settings that decide what is looked at and who describes it.
    """
    jobs.enqueue_all(db, [NewJob(JobKind.SUMMARIZE, ".", f"all {by}", {"full": True})], now=now)


def were_looked_at(db: Connection, *, by: str, since: datetime) -> bool:
    """Tell whether the last look at every folder had these settings and ended after `since`."""
    row = db.execute(
        "select digest, changed_at from jobs where kind = 'summarize' and subject = '.'"
        " and digest like 'all %' and state = 'done' order by changed_at desc, id desc limit 1",
    ).fetchone()
    return row is not None and row[0] == f"all {by}" and row[1] > stamp(since)


def look_again(db: Connection, *, digest: str = "", run_at: datetime, now: datetime) -> None:
    """Queue the job that looks at the marks for `run_at`; `digest` sets one apart from others."""
    jobs.enqueue_all(db, [NewJob(JobKind.SUMMARIZE, ".", digest, run_at=run_at)], now=now)


def mark_folder(
    db: Connection, folder: VaultPath, child: str, *, reason: str, now: datetime
) -> None:
    """Mark `folder` because of `child` ("" = the folder as a whole)."""
    db.execute(
        "insert or replace into dirty (folder, child, reason, since) values (?1, ?2, ?3,"
        " coalesce((select since from dirty where folder = ?1 and child = ?2), ?4))",
        (folder, child, reason, stamp(now)),
    )


def marks(db: Connection) -> list[Mark]:
    """Return every marked folder once, oldest change first."""
    rows = db.execute(
        "select folder, max(generation), min(since) from dirty group by folder order by 3, 1"
    )
    return [Mark(VaultPath(row[0]), row[1], moment(row[2])) for row in rows]


def newest_mark(db: Connection, folder: VaultPath) -> int:
    """Return the generation of the newest mark of `folder`, 0 if it has none."""
    row = db.execute("select max(generation) from dirty where folder = ?", (folder,)).get
    return int(row or 0)


def clear_marks(db: Connection, folder: VaultPath, *, seen: int) -> None:
    """Delete the marks of `folder` up to generation `seen`; later ones stay."""
    db.execute("delete from dirty where folder = ? and generation <= ?", (folder, seen))


def node(db: Connection, path: VaultPath) -> Node | None:
    """Return the summary of `path`, None if it has none."""
    for row in db.execute(f"select {_COLUMNS} from nodes where path = ?", (path,)):
        return _node(row)
    return None


def node_id(db: Connection, path: VaultPath) -> int | None:
    """Return the row id of the summary of `path`; it stays the same over replacements."""
    row = db.execute("select id from nodes where path = ?", (path,)).get
    return None if row is None else int(row)


def nodes_below(db: Connection, folder: VaultPath) -> list[Node]:
    """Return the summaries of the direct children of `folder`, in order of name."""
    rows = db.execute(
        f"select {_COLUMNS} from nodes where parent = ? order by name_key, path", (folder,)
    )
    return [_node(row) for row in rows]


def nodes_within(db: Connection, folder: VaultPath, kind: NodeKind | None = None) -> list[Node]:
    """Return the summaries of `folder` and everything below it, in order of path."""
    rows = db.execute(
        f"select {_COLUMNS} from nodes where (?1 = '.' or path = ?1 or"
        " (path > ?1 || '/' and path < ?1 || '0')) and coalesce(?2, kind) = kind order by path",
        (folder, None if kind is None else kind.value),
    )
    return [_node(row) for row in rows]


def nodes_due(db: Connection, now: datetime) -> list[VaultPath]:
    """Return the folders that are due, or that hold a file that is, longest due first."""
    rows = db.execute(
        "select case kind when 'folder' then path else parent end as folder from nodes"
        " where next_try <= ? group by folder order by min(next_try), folder",
        (stamp(now),),
    )
    return [VaultPath(row[0]) for row in rows]


def next_due(db: Connection) -> datetime | None:
    """Return when the next repair is due, None if there is nothing to repair."""
    row = db.execute("select min(next_try) from nodes").get
    return None if row is None else moment(row)


def given_up(db: Connection) -> list[Node]:
    """Return the summaries that are not tried again until a person asks or an input changes."""
    rows = db.execute(
        f"select {_COLUMNS} from nodes where state <> 'ok' and next_try is null order by path"
    )
    return [_node(row) for row in rows]


def drive_again(db: Connection, *, now: datetime) -> int:
    """Let every failed summary be tried now, with a new count of attempts; return how many."""
    db.execute(
        "update nodes set attempts = 0, next_try = ? where state <> 'ok'",
        (stamp(now),),
    )
    count = db.changes()
    if count:
        look_again(db, run_at=now, now=now)
    return count


def nodes_made_from(db: Connection, digest: str) -> list[Node]:
    """Return good summaries of any folder that was made from the same inputs."""
    rows = db.execute(
        f"select {_COLUMNS} from nodes where input_digest = ? and state = 'ok'"
        " and kind = 'folder' order by path",
        (digest,),
    )
    return [_node(row) for row in rows]


def store_node(db: Connection, new: Node, *, now: datetime) -> int:
    """Put `new` in the place of what was there, and return its row id.

    The replaced text is kept as the former generation if it was a good one.
    """
    old = node(db, new.path)
    if old is not None and old.state is not NodeState.FALLBACK and old.abstract:
        keep_former(db, new.path, dropped=False, now=now)
    row = db.execute(
        f"insert into nodes (parent, name_key, {_COLUMNS}) values ({', '.join('?' * 20)})"
        " on conflict (path) do update set kind = excluded.kind, state = excluded.state,"
        " input_digest = excluded.input_digest, abstract = excluded.abstract,"
        " overview = excluded.overview, listing = excluded.listing,"
        " child_count = excluded.child_count, categories = excluded.categories,"
        " partial = excluded.partial, language = excluded.language, author = excluded.author,"
        " prompt_version = excluded.prompt_version, description = excluded.description,"
        " generation = excluded.generation, attempts = excluded.attempts,"
        " next_try = excluded.next_try, error_code = excluded.error_code returning id",
        (parent_of(new.path), name_key(name_of(new.path))[0], *_values(new)),
    ).get
    return int(row)


def drop_node(db: Connection, path: VaultPath, *, asked: bool, now: datetime) -> bool:
    """Remove the summary of `path`; its text stays as the former generation.

    `asked` tells a person's wish, which `restore_node` takes back, from a vanished folder.
    """
    found = node(db, path)
    if found is None:
        return False
    if found.abstract:
        keep_former(db, path, dropped=asked, now=now)
    db.execute("delete from nodes where path = ?", (path,))
    return True


def keep_former(db: Connection, path: VaultPath, *, dropped: bool, now: datetime) -> None:
    """Keep the row of `path`, with its steps and passages, as the former generation."""
    found, identity = node(db, path), node_id(db, path)
    if found is None:
        return
    row = dict(zip(_COLUMNS.split(", "), _values(found), strict=True))
    row["partials"] = [
        text
        for (text,) in db.execute(
            "select text from summary_partials where node = ? order by ordinal", (identity,)
        )
    ]
    row["passages"] = [
        passage
        for (passage,) in db.execute(
            "select passage from summary_passages where node = ? order by ordinal", (identity,)
        )
    ]
    db.execute(
        "insert or replace into former_nodes (path, kind, row, dropped, at) values (?, ?, ?, ?, ?)",
        (path, found.kind.value, json.dumps(row), int(dropped), stamp(now)),
    )


def former_node(db: Connection, path: VaultPath) -> tuple[Node, list[str], list[int]] | None:
    """Return the former generation of `path` with its partial texts and passage ids."""
    text = db.execute("select row from former_nodes where path = ?", (path,)).get
    if text is None:
        return None
    row: dict[str, Any] = json.loads(text)
    return _node([row[name] for name in _COLUMNS.split(", ")]), row["partials"], row["passages"]


def former_within(db: Connection, folder: VaultPath) -> list[VaultPath]:
    """Return what was dropped on request at or below `folder`, in order of path."""
    rows = db.execute(
        "select path from former_nodes where dropped and (?1 = '.' or path = ?1 or"
        " (path > ?1 || '/' and path < ?1 || '0')) order by path",
        (folder,),
    )
    return [VaultPath(row[0]) for row in rows]


def forget_former(db: Connection, *, before: datetime | None = None) -> int:
    """Delete former generations older than `before` (None: all); return how many. For upkeep."""
    db.execute("delete from former_nodes where at < ?", ("~" if before is None else stamp(before),))
    return db.changes()


def rename_node(db: Connection, old: VaultPath, new: VaultPath) -> None:
    """Give the summary of `old` to `new`, alone; the row id stays."""
    db.execute(
        "update nodes set path = ?2, parent = ?3, name_key = ?4 where path = ?1",
        (old, new, parent_of(new), name_key(name_of(new))[0]),
    )


def state_counts(db: Connection) -> dict[str, int]:
    """Return how many folders stand in each state; states without any included."""
    found = dict(
        db.execute("select state, count(*) from nodes where kind = 'folder' group by state")
    )
    return {state.value: int(found.get(state.value, 0)) for state in NodeState}


def oldest_mark(db: Connection) -> datetime | None:
    """Return since when the oldest change waits, None if nothing waits."""
    row = db.execute("select min(since) from dirty").get
    return None if row is None else moment(row)


def _values(item: Node) -> tuple[Any, ...]:
    return (
        item.path,
        item.kind.value,
        item.state.value,
        item.input_digest,
        item.abstract,
        item.overview,
        item.listing,
        item.child_count,
        json.dumps(item.categories, ensure_ascii=False),
        item.partial,
        item.language,
        item.author,
        item.prompt_version,
        item.description,
        item.generation,
        item.attempts,
        None if item.next_try is None else stamp(item.next_try),
        item.error_code,
    )


def _node(row: Any) -> Node:
    return Node(
        path=VaultPath(row[0]),
        kind=NodeKind(row[1]),
        state=NodeState(row[2]),
        input_digest=row[3],
        abstract=row[4],
        overview=row[5],
        listing=row[6],
        child_count=row[7],
        categories=tuple(json.loads(row[8])),
        partial=row[9],
        language=row[10],
        author=row[11],
        prompt_version=row[12],
        description=row[13],
        generation=row[14],
        attempts=row[15],
        next_try=None if row[16] is None else moment(row[16]),
        error_code=row[17],
    )
