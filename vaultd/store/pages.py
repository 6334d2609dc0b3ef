"""What vaultd wrote where: the text as last written, and whose write it was."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

from vaultd.core.page import parse_page
from vaultd.core.timing import stamp
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import PageRef
from vaultd.store.database import Connection

LISTED_KEPT = 16_384  # pages whose facts are read from their JSON once, 1.5 kB each
FIELDS = "path, sha256, text, type, title, aliases, sources, plan"


@dataclass(frozen=True, slots=True)
class Written:
    """A file we wrote: the hash of its bytes as last written, and the base for the next merge.

    `base` is the text we alone would have there, without what a person added; None for
    pictures, and where a page was theirs before we met it.
    """

    path: VaultPath
    sha256: str
    base: str | None
    ref: PageRef
    plan: int | None


def last_written(db: Connection, path: VaultPath) -> Written | None:
    """Return the file as last written, None where we never wrote it or no longer know."""
    row = db.execute(f"select {FIELDS} from pages where path = ?", (path,)).fetchone()
    return _written(row) if row else None


def remember(
    db: Connection,
    path: VaultPath,
    content: bytes,
    *,
    now: datetime,
    plan: int | None = None,
    base: str | None = None,
    known: bool = True,
) -> None:
    """Record that `path` holds `content` by our hand.

    `base` is what we alone would have there (None: just that); `known=False` leaves the base
    unknown, for a page that is a person's in the main. Of pictures only the hash is kept.
    """
    is_note = path.endswith(".md")
    text = content.decode("utf-8", "replace") if is_note else ""
    page = parse_page(text)
    kept = (text if base is None else base) if is_note and known else None
    db.execute(
        f"""
        insert into pages ({FIELDS}, written_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (path) do update set sha256 = excluded.sha256, text = excluded.text,
            type = excluded.type, title = excluded.title, aliases = excluded.aliases,
            sources = excluded.sources, plan = excluded.plan, written_at = excluded.written_at
        """,
        (
            path,
            sha256(content).hexdigest(),
            zlib.compress(kept.encode("utf-8", "surrogatepass")) if kept is not None else None,
            page.type,
            page.title or PurePosixPath(path).stem if is_note else "",
            json.dumps(page.aliases, ensure_ascii=False),
            json.dumps(page.sources, ensure_ascii=False),
            plan,
            stamp(now),
        ),
    )


def remember_picture(
    db: Connection, path: VaultPath, digest: str, *, now: datetime, plan: int | None = None
) -> None:
    """Record that the picture at `path` has this SHA-256 by our hand."""
    db.execute(
        """
        insert into pages (path, sha256, plan, written_at) values (?, ?, ?, ?)
        on conflict (path) do update set sha256 = excluded.sha256, plan = excluded.plan,
            written_at = excluded.written_at
        """,
        (path, digest, plan, stamp(now)),
    )


def forget(db: Connection, path: VaultPath) -> None:
    """Drop the record of a file that is gone, or that is the person's alone from now on."""
    db.execute("delete from pages where path = ?", (path,))
    db.execute("delete from listing where path = ?", (path,))


def move(db: Connection, old: VaultPath, new: VaultPath) -> None:
    """Give the record of `old` to `new`."""
    db.execute("delete from pages where path = ?", (new,))
    db.execute("update pages set path = ? where path = ?", (new, old))
    db.execute("delete from listing where path in (?, ?)", (old, new))


def is_own(db: Connection, path: VaultPath, digest: str) -> bool:
    """Tell whether the content with this SHA-256 at `path` is our own last or coming write."""
    return bool(
        db.execute(
            """
            select exists (select 1 from pages where path = ?1 and sha256 = ?2)
                or exists (select 1 from plan_files join plans on plans.id = plan_files.plan
                           where plans.open and path = ?1 and after_sha256 = ?2)
            """,
            (path, digest),
        ).get
    )


def pages_of(db: Connection, source: SourceId) -> tuple[VaultPath, ...]:
    """Return the pages, as last written, that name `source` among their sources."""
    rows = db.execute(
        """
        select path from pages
        where exists (select 1 from json_each(pages.sources) where value = ?) order by path
        """,
        (source,),
    )
    return tuple(VaultPath(row[0]) for row in rows)


def source_pages(db: Connection) -> dict[SourceId, VaultPath]:
    """Return the own page of every source: its page of type "source"."""
    rows = db.execute("select path, sources from pages where type = 'source' order by path desc")
    return {SourceId(source): VaultPath(row[0]) for row in rows for source in json.loads(row[1])}


# --- the listing of wiki/ ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Listed:
    """What is known of a file below `wiki/` while `size` and `mtime_ns` stay.

    `ref` is None where it is no page: the index, the log, a folder's note.
    """

    size: int
    mtime_ns: int
    ref: PageRef | None
    tags: tuple[str, ...] = ()


def listing(db: Connection) -> dict[VaultPath, Listed]:
    """Return all files below `wiki/` as last looked at."""
    return {
        VaultPath(path): _listed(path, size, mtime_ns, facts)
        for path, size, mtime_ns, facts in db.execute(
            "select path, size, mtime_ns, facts from listing"
        )
    }


def update_listing(
    db: Connection, changed: Mapping[VaultPath, Listed], gone: Iterable[VaultPath]
) -> None:
    """Store what was found out about changed files and drop those that are gone."""
    db.executemany("delete from listing where path = ?", [(path,) for path in gone])
    db.executemany(
        "insert or replace into listing (path, size, mtime_ns, facts) values (?, ?, ?, ?)",
        [
            (path, each.size, each.mtime_ns, json.dumps(_facts(each), ensure_ascii=False))
            for path, each in changed.items()
        ],
    )


def forget_listing(db: Connection) -> None:
    """Have every page read again by the next look: what is stored of it may be of old rules."""
    db.execute("delete from listing")


def _facts(listed: Listed) -> dict[str, Any] | None:
    ref = listed.ref
    if ref is None:
        return None
    return {
        "title": ref.title,
        "type": ref.type,
        "abstract": ref.abstract,
        "aliases": ref.aliases,
        "sources": ref.sources,
        "tags": listed.tags,
    }


@lru_cache(LISTED_KEPT)
def _listed(path: str, size: int, mtime_ns: int, stored: str) -> Listed:
    facts = json.loads(stored)
    if facts is None:
        return Listed(size, mtime_ns, None)
    ref = PageRef(
        VaultPath(path),
        facts["title"],
        facts["type"],
        facts["abstract"],
        tuple(facts["aliases"]),
        tuple(SourceId(source) for source in facts["sources"]),
    )
    return Listed(size, mtime_ns, ref, tuple(facts["tags"]))


def _written(row: tuple[Any, ...]) -> Written:
    path, digest, text, kind, title, aliases, sources, plan = row
    ref = PageRef(
        VaultPath(path),
        title,
        kind,
        aliases=tuple(json.loads(aliases)),
        sources=tuple(SourceId(source) for source in json.loads(sources)),
    )
    base = zlib.decompress(text).decode("utf-8", "replace") if text is not None else None
    return Written(VaultPath(path), digest, base, ref, plan)
