"""Which text and recipe made which pages, and what a person allowed to cost."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from vaultd.core.timing import stamp
from vaultd.model.paths import SourceId, VaultPath
from vaultd.store.database import Connection


def cached_pages(
    db: Connection, source: SourceId, *, text_sha256: str
) -> tuple[VaultPath, ...] | None:
    """Return the pages made from this very text, None when there are none.

    Whether the pages still exist on disk is for the caller to see. The recipe does not count:
    a new model or prompt makes nothing anew until a person asks.
    """
    row = db.execute(
        "select pages from ingest_cache where source = ? and text_sha256 = ?",
        (source, text_sha256),
    ).fetchone()
    return tuple(json.loads(row[0])) if row else None


@dataclass(frozen=True, slots=True)
class Made:
    """What a source was made into last: from which text, by which recipe, which pages."""

    recipe: str = ""
    text_sha256: str = ""
    pages: tuple[VaultPath, ...] = ()


def made_before(db: Connection, source: SourceId) -> Made:
    """Return what the source was made into last; an empty `Made` if it never was."""
    row = db.execute(
        "select recipe, text_sha256, pages from ingest_cache where source = ?", (source,)
    ).fetchone()
    return Made(str(row[0]), str(row[1]), tuple(json.loads(row[2]))) if row else Made()


def remember(
    db: Connection,
    source: SourceId,
    *,
    text_sha256: str,
    recipe: str,
    pages: Iterable[VaultPath],
    now: datetime,
) -> None:
    """Store what made `pages`; the entry of an earlier content is replaced."""
    db.execute(
        """
        insert into ingest_cache (source, text_sha256, recipe, pages, stored_at)
        values (?, ?, ?, ?, ?)
        on conflict (source) do update set text_sha256 = excluded.text_sha256,
            recipe = excluded.recipe, pages = excluded.pages, stored_at = excluded.stored_at
        """,
        (source, text_sha256, recipe, json.dumps(list(pages), ensure_ascii=False), stamp(now)),
    )


def forget(db: Connection, source: SourceId) -> None:
    """Drop the entry of a source that is gone or has to be made anew."""
    db.execute("delete from ingest_cache where source = ?", (source,))


def move(db: Connection, old: SourceId, new: SourceId) -> None:
    """Give the entry of `old` the new identity; an entry of `new` is dropped."""
    forget(db, new)
    db.execute("update ingest_cache set source = ? where source = ?", (new, old))


def made_by(db: Connection, recipe_prefix: str) -> list[SourceId]:
    """Return the sources whose recipe begins with `recipe_prefix`, in order of identity."""
    rows = db.execute(
        "select source from ingest_cache where substr(recipe, 1, ?) = ? order by source",
        (len(recipe_prefix), recipe_prefix),
    )
    return [SourceId(row[0]) for row in rows]


def confirm(db: Connection, source: SourceId, *, sha256: str, tokens: int, now: datetime) -> None:
    """Store a person's word that this content may cost `tokens`."""
    db.execute(
        """
        insert into confirmations (source, sha256, tokens, given_at) values (?, ?, ?, ?)
        on conflict (source) do update set sha256 = excluded.sha256,
            tokens = excluded.tokens, given_at = excluded.given_at
        """,
        (source, sha256, tokens, stamp(now)),
    )


def confirmed(db: Connection, source: SourceId, *, sha256: str) -> bool:
    """Tell whether a person has allowed this content its estimate."""
    return bool(
        db.execute(
            "select 1 from confirmations where source = ? and sha256 = ?", (source, sha256)
        ).get
    )
