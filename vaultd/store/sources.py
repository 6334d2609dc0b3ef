"""The sources: one row per identity, with its content, its pages and why it is not taken."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vaultd.core.reconcile import identity_of
from vaultd.core.timing import stamp
from vaultd.model.paths import SourceId, VaultPath
from vaultd.store.database import Connection

FORGOTTEN, UNDONE = UNWANTED = ("forgotten", "undone")  # what a person does not want taken
FIELDS = "identity, path, sha256, ingested_sha256, pages, alias_of, code, reason"


@dataclass(frozen=True, slots=True)
class Source:
    """A source as stored.

    `sha256` is the content last seen ("" while it was never read), `ingested_sha256` the one
    whose receipt was written (None: never). `pages` are the pages it contributed to, `aliases`
    the other identities of the same content. `code` and `reason` say why it is not taken.
    """

    identity: SourceId
    path: VaultPath
    sha256: str
    ingested_sha256: str | None
    pages: tuple[VaultPath, ...]
    alias_of: SourceId | None
    code: str
    reason: str
    aliases: tuple[SourceId, ...] = ()


def find(db: Connection, identity: SourceId) -> Source | None:
    """Return the source, or None."""
    row = db.execute(f"select {FIELDS} from sources where identity = ?", (identity,)).fetchone()
    return None if row is None else _source(row, aliases_of(db, identity))


def find_by_path(db: Connection, path: VaultPath) -> Source | None:
    """Return the source whose file is at `path`, or None."""
    identity = db.execute("select identity from sources where path = ?", (path,)).get
    return None if identity is None else find(db, SourceId(identity))


def with_content(db: Connection, sha256: str) -> tuple[Source, ...]:
    """Return the sources that hold this content, the one the others are aliases of first."""
    rows: list[tuple[Any, ...]] = db.execute(
        f"select {FIELDS} from sources where sha256 = ? order by alias_of is not null, identity",
        (sha256,),
    ).fetchall()
    return tuple(_source(row, aliases_of(db, row[0])) for row in rows)


def all_sources(db: Connection) -> tuple[Source, ...]:
    """Return every source, by identity; `aliases` are left out."""
    rows = db.execute(f"select {FIELDS} from sources order by identity")
    return tuple(_source(row, ()) for row in rows)


def others_to_come(db: Connection, source: SourceId, now: datetime) -> bool:
    """Tell whether an ingest of another source runs or may start that has published nothing yet."""
    found = db.execute(
        """
        select 1 from jobs as job where kind = 'ingest'
          and (state = 'running' or (state = 'queued' and run_at <= ?2))
          and not exists (select 1 from sources where path = job.subject
            and (identity = ?1 or ingested_sha256 = job.digest)) limit 1
        """,
        (source, stamp(now)),
    ).fetchone()
    return found is not None


def ingested(db: Connection) -> dict[VaultPath, str]:
    """Return which content of each file was ingested, under its own or another name."""
    rows = db.execute(
        """
        select s.path, coalesce(o.ingested_sha256, s.ingested_sha256) as taken from sources as s
        left join sources as o on o.identity = s.alias_of where taken is not null
        """
    )
    return {VaultPath(path): str(sha256) for path, sha256 in rows}


def aliases_of(db: Connection, identity: SourceId) -> tuple[SourceId, ...]:
    """Return the identities recorded as the same content under another name."""
    rows = db.execute(
        "select identity from sources where alias_of = ? order by identity", (identity,)
    )
    return tuple(SourceId(row[0]) for row in rows)


def see(db: Connection, identity: SourceId, path: VaultPath, sha256: str, *, now: datetime) -> None:
    """Record that the file at `path` holds `sha256` and is taken."""
    db.execute("delete from sources where path = ? and identity <> ?", (path, identity))
    db.execute(
        """
        insert into sources (identity, path, sha256, changed_at) values (?1, ?2, ?3, ?4)
        on conflict (identity) do update set path = ?2, sha256 = ?3, code = '', reason = '',
            alias_of = null, changed_at = ?4
        """,
        (identity, path, sha256, stamp(now)),
    )


def ensure(db: Connection, path: VaultPath, sha256: str, *, now: str) -> None:
    """Make sure that the file at `path`, which is to be ingested by name, is a source."""
    db.execute(
        """
        insert into sources (identity, path, sha256, changed_at) values (?, ?, ?, ?)
        on conflict do nothing
        """,
        (identity_of(path), path, sha256, now),
    )


def see_alias(
    db: Connection,
    identity: SourceId,
    path: VaultPath,
    *,
    sha256: str,
    alias_of: SourceId,
    now: datetime,
) -> None:
    """Record that the file at `path` is the content of `alias_of` under another name."""
    see(db, identity, path, sha256, now=now)
    db.execute("update sources set alias_of = ? where identity = ?", (alias_of, identity))


def skip(
    db: Connection,
    identity: SourceId,
    path: VaultPath,
    *,
    code: str,
    reason: str,
    now: datetime,
) -> None:
    """Record that the file at `path` is not taken, and why; what it gave before stays."""
    db.execute("delete from sources where path = ? and identity <> ?", (path, identity))
    db.execute(
        """
        insert into sources (identity, path, code, reason, changed_at) values (?1, ?2, ?3, ?4, ?5)
        on conflict (identity) do update set path = ?2, code = ?3, reason = ?4, changed_at = ?5
        """,
        (identity, path, code, reason, stamp(now)),
    )


def taken(db: Connection, path: VaultPath) -> None:
    """Record that nothing speaks against the file at `path` any more, but a person's word."""
    db.execute(
        "update sources set code = '', reason = '' where path = ? and code not in ('', ?, ?)",
        (path, FORGOTTEN, UNDONE),
    )


def record_ingested(
    db: Connection,
    identity: SourceId,
    sha256: str,
    pages: Sequence[VaultPath],
    *,
    now: datetime,
) -> None:
    """Write the receipt: this content of the source stands in these pages.

    Belongs into the transaction that records the pages, and is its last word.
    """
    db.execute(
        """
        update sources set ingested_sha256 = ?1, pages = ?2, changed_at = ?3,
            sha256 = case when sha256 = '' then ?1 else sha256 end
        where identity = ?4
        """,
        (sha256, json.dumps(list(pages), ensure_ascii=False), stamp(now), identity),
    )


def set_pages(
    db: Connection, identity: SourceId, pages: Iterable[VaultPath], *, now: datetime
) -> None:
    """Replace the list of pages a source contributed to (a page was moved or withdrawn)."""
    db.execute(
        "update sources set pages = ?, changed_at = ? where identity = ?",
        (json.dumps(list(pages), ensure_ascii=False), stamp(now), identity),
    )


def move(db: Connection, old: SourceId, new: SourceId, path: VaultPath, *, now: datetime) -> None:
    """Give a source a new identity and path; its receipt and aliases follow it."""
    db.execute("delete from sources where identity = ? and identity <> ?", (new, old))
    db.execute(
        "update sources set identity = ?, path = ?, changed_at = ? where identity = ?",
        (new, path, stamp(now), old),
    )
    db.execute("update sources set alias_of = ? where alias_of = ?", (new, old))


def clear(db: Connection, identity: SourceId) -> None:
    """Take the receipt of a source back: its pages are withdrawn, its file stays known."""
    db.execute(
        "update sources set ingested_sha256 = null, pages = '[]' where identity = ?", (identity,)
    )


def remove(db: Connection, identity: SourceId) -> SourceId | None:
    """Forget a source; the first of its aliases takes its place and is returned.

    The heir keeps the receipt and the pages: the content is still there under its name.
    """
    source = find(db, identity)
    db.execute("delete from sources where identity = ?", (identity,))
    if source is None or not source.aliases:
        return None
    heir = source.aliases[0]
    db.execute(
        """
        update sources set alias_of = null, ingested_sha256 = ?, pages = ? where identity = ?
        """,
        (source.ingested_sha256, json.dumps(list(source.pages), ensure_ascii=False), heir),
    )
    db.execute("update sources set alias_of = ? where alias_of = ?", (heir, identity))
    return heir


def _source(row: tuple[Any, ...], aliases: tuple[SourceId, ...]) -> Source:
    identity, path, sha256, ingested, pages, alias_of, code, reason = row
    return Source(
        SourceId(identity),
        VaultPath(path),
        sha256,
        ingested,
        tuple(VaultPath(page) for page in json.loads(pages)),
        SourceId(alias_of) if alias_of is not None else None,
        code,
        reason,
        aliases,
    )
