"""What vaultd wrote where: the text as last written, and whose write it was."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from vaultd.core.page import page_ref
from vaultd.core.timing import stamp
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import PageRef
from vaultd.store.database import Connection

FIELDS = "path, sha256, text, type, title, aliases, sources, plan"


@dataclass(frozen=True, slots=True)
class Written:
    """A file as we last wrote it. `content` is None for pictures, whose bytes are not kept."""

    path: VaultPath
    sha256: str
    content: bytes | None
    ref: PageRef
    plan: int | None

    @property
    def text(self) -> str:
        """The text as last written, "" for a picture."""
        return self.content.decode("utf-8", "replace") if self.content is not None else ""


def last_written(db: Connection, path: VaultPath) -> Written | None:
    """Return the file as last written, None where we never wrote it or no longer know."""
    row = db.execute(f"select {FIELDS} from pages where path = ?", (path,)).fetchone()
    return _written(row) if row else None


def remember(
    db: Connection, path: VaultPath, content: bytes, *, now: datetime, plan: int | None = None
) -> None:
    """Record that `path` holds `content` by our hand; text is kept, pictures by hash only."""
    is_note = path.endswith(".md")
    text = content.decode("utf-8", "replace") if is_note else ""
    ref = page_ref(path, text) if is_note else PageRef(path, "", "")
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
            zlib.compress(content) if is_note else None,
            ref.type,
            ref.title,
            json.dumps(ref.aliases, ensure_ascii=False),
            json.dumps(ref.sources, ensure_ascii=False),
            plan,
            stamp(now),
        ),
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


def all_written(db: Connection) -> tuple[tuple[VaultPath, str], ...]:
    """Return path and hash of every file we wrote."""
    return tuple(
        (VaultPath(path), digest)
        for path, digest in db.execute("select path, sha256 from pages order by path")
    )


# --- the listing of wiki/ ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Listed:
    """What is known of a file below `wiki/` while `size` and `mtime_ns` stay; `ref`: if a page."""

    size: int
    mtime_ns: int
    ref: PageRef | None


def listing(db: Connection) -> dict[VaultPath, Listed]:
    """Return all files below `wiki/` as last looked at."""
    return {
        VaultPath(path): Listed(size, mtime_ns, _ref(path, json.loads(facts)))
        for path, size, mtime_ns, facts in db.execute("select * from listing")
    }


def update_listing(
    db: Connection, changed: Mapping[VaultPath, Listed], gone: Iterable[VaultPath]
) -> None:
    """Store what was found out about changed files and drop those that are gone."""
    db.executemany("delete from listing where path = ?", [(path,) for path in gone])
    db.executemany(
        "insert or replace into listing (path, size, mtime_ns, facts) values (?, ?, ?, ?)",
        [
            (path, each.size, each.mtime_ns, json.dumps(_facts(each.ref), ensure_ascii=False))
            for path, each in changed.items()
        ],
    )


def _facts(ref: PageRef | None) -> dict[str, Any] | None:
    if ref is None:
        return None
    return {
        "title": ref.title,
        "type": ref.type,
        "abstract": ref.abstract,
        "aliases": ref.aliases,
        "sources": ref.sources,
    }


def _ref(path: str, facts: dict[str, Any] | None) -> PageRef | None:
    if facts is None:
        return None
    return PageRef(
        VaultPath(path),
        facts["title"],
        facts["type"],
        facts["abstract"],
        tuple(facts["aliases"]),
        tuple(SourceId(source) for source in facts["sources"]),
    )


def _written(row: tuple[Any, ...]) -> Written:
    path, digest, text, kind, title, aliases, sources, plan = row
    ref = PageRef(
        VaultPath(path),
        title,
        kind,
        aliases=tuple(json.loads(aliases)),
        sources=tuple(SourceId(source) for source in json.loads(sources)),
    )
    content = zlib.decompress(text) if text is not None else None
    return Written(VaultPath(path), digest, content, ref, plan)
