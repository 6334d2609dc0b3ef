"""Plans being published: stored whole before the first file is written, finished after the last."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from vaultd.core.timing import moment, stamp
from vaultd.model.paths import SourceId, VaultPath
from vaultd.store.database import Connection


@dataclass(frozen=True, slots=True)
class PlanFile:
    """One file of a plan: its bytes before (None: no file) and after (None: to be removed).

    `base` and `known` are those of `pages.remember`.
    """

    path: VaultPath
    before: bytes | None
    after: bytes | None
    base: str | None = None
    known: bool = True


@dataclass(frozen=True, slots=True)
class OpenPlan:
    """A plan whose files may be half written; `facts` is what its receipt needs."""

    id: int
    source: SourceId
    begun_at: datetime
    facts: Mapping[str, Any]
    files: tuple[PlanFile, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """What a finished plan did to a file; `history` names the state file of the version before."""

    plan: int
    path: VaultPath
    before_sha256: str | None
    after_sha256: str | None
    history: str | None


def begin(
    db: Connection,
    source: SourceId,
    facts: Mapping[str, Any],
    files: Sequence[PlanFile],
    *,
    now: datetime,
) -> int:
    """Store a plan before anything of it is written; return its id."""
    db.execute(
        "insert into plans (source, open, facts, begun_at) values (?, 1, ?, ?)",
        (source, json.dumps(dict(facts), ensure_ascii=False), stamp(now)),
    )
    plan = db.last_insert_rowid()
    db.executemany(
        """
        insert into plan_files
            (plan, place, path, before_sha256, after_sha256, before, after, ours, known)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
            (
                plan,
                place,
                file.path,
                _hash(file.before),
                _hash(file.after),
                _packed(file.before),
                _packed(file.after),
                _packed(file.base.encode("utf-8", "surrogatepass")) if file.base else None,
                int(file.known),
            )
            for place, file in enumerate(files)
        ],
    )
    return plan


def drop(db: Connection, plan: int) -> None:
    """Forget a plan of which nothing was written."""
    db.execute("delete from plans where id = ?", (plan,))


def open_plans(db: Connection) -> tuple[OpenPlan, ...]:
    """Return the plans that were begun and not finished, oldest first."""
    rows: list[tuple[Any, ...]] = db.execute(
        "select id, source, begun_at, facts from plans where open order by id"
    ).fetchall()
    return tuple(
        OpenPlan(plan, SourceId(source), moment(begun), json.loads(facts), _files(db, plan))
        for plan, source, begun, facts in rows
    )


def finish(db: Connection, plan: int, history: Mapping[VaultPath, str]) -> None:
    """Close a plan: its texts go, what it did to which file stays. Part of the receipt."""
    db.execute("update plans set open = 0 where id = ?", (plan,))
    db.execute(
        "update plan_files set before = null, after = null, ours = null where plan = ?", (plan,)
    )
    db.executemany(
        "update plan_files set history = ? where plan = ? and path = ?",
        [(name, plan, path) for path, name in history.items()],
    )


def changes_by(db: Connection, source: SourceId) -> tuple[Change, ...]:
    """Return what the finished plans of `source` did, newest first."""
    rows = db.execute(
        """
        select plan, path, before_sha256, after_sha256, history
        from plan_files join plans on plans.id = plan_files.plan
        where plans.source = ? and not plans.open order by plan desc, place
        """,
        (source,),
    )
    return tuple(Change(plan, VaultPath(path), *rest) for plan, path, *rest in rows)


def undone(db: Connection, plan: int) -> None:
    """Take a plan off its source: what it did has been undone, the one before is the last."""
    db.execute("update plans set source = '' where id = ?", (plan,))


def move_source(db: Connection, old: SourceId, new: SourceId) -> None:
    """Give the plans of `old` the new identity."""
    db.execute("update plans set source = ? where source = ?", (new, old))


def others_within(db: Connection, folder: VaultPath, source: SourceId) -> bool:
    """Tell whether files in `folder` were written for another source than `source`."""
    found = db.execute(
        """
        select 1 from pages join plans on plans.id = pages.plan
        where pages.path > ? || '/' and pages.path < ? || '0' and plans.source not in ('', ?)
        limit 1
        """,
        (folder, folder, source),
    ).fetchone()
    return found is not None


def _files(db: Connection, plan: int) -> tuple[PlanFile, ...]:
    rows = db.execute(
        "select path, before, after, ours, known from plan_files where plan = ? order by place",
        (plan,),
    )
    return tuple(
        PlanFile(
            VaultPath(path),
            _unpacked(before),
            _unpacked(after),
            zlib.decompress(ours).decode("utf-8", "replace") if ours is not None else None,
            bool(known),
        )
        for path, before, after, ours, known in rows
    )


def _hash(content: bytes | None) -> str | None:
    return sha256(content).hexdigest() if content is not None else None


def _packed(content: bytes | None) -> bytes | None:
    return zlib.compress(content) if content is not None else None


def _unpacked(blob: bytes | None) -> bytes | None:
    return zlib.decompress(blob) if blob is not None else None
