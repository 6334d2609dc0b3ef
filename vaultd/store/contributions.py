"""What each source said on each page: enough to write a page anew when one of them leaves."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vaultd.core.link import Resolver, relinked, unlinked
from vaultd.model.paths import SourceId, VaultPath
from vaultd.store.database import Connection


@dataclass(frozen=True, slots=True)
class Contribution:
    """A page as one source alone would have it; `body` is Markdown without properties."""

    source: SourceId
    page: VaultPath
    title: str
    type: str
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    body: str


def replace(db: Connection, source: SourceId, facts: Iterable[Mapping[str, Any]]) -> None:
    """Store what `source` says now, in place of what it said before."""
    forget(db, source)
    db.executemany(
        """
        insert or replace into contributions (source, page, title, type, tags, aliases, body)
        values (?, ?, ?, ?, ?, ?, ?)
        """,
        [
            (
                source,
                each["page"],
                each["title"],
                each["type"],
                json.dumps(list(each["tags"]), ensure_ascii=False),
                json.dumps(list(each["aliases"]), ensure_ascii=False),
                each["body"],
            )
            for each in facts
        ],
    )


def forget(db: Connection, source: SourceId, page: VaultPath | None = None) -> None:
    """Forget what a source said, on one page or on all."""
    db.execute(
        "delete from contributions where source = ?1 and coalesce(?2, page) = page", (source, page)
    )


def to_page(db: Connection, page: VaultPath) -> dict[SourceId, Contribution]:
    """Return what each source said on `page`, as far as it is known."""
    rows = db.execute(
        "select source, page, title, type, tags, aliases, body from contributions where page = ?",
        (page,),
    )
    return {SourceId(row[0]): _contribution(row) for row in rows}


def pages_of(db: Connection, source: SourceId) -> tuple[VaultPath, ...]:
    """Return the pages that `source` says something on."""
    rows = db.execute("select page from contributions where source = ? order by page", (source,))
    return tuple(VaultPath(row[0]) for row in rows)


def move_source(db: Connection, old: SourceId, new: SourceId) -> None:
    """Give what `old` said the new identity."""
    forget(db, new)
    db.execute("update contributions set source = ? where source = ?", (new, old))


def relink(db: Connection, moved: Mapping[VaultPath, VaultPath]) -> None:
    """Let the stored bodies link to where files are now, and follow their pages."""
    resolver = Resolver.over(moved)
    for source, page, body in _naming(db, list(moved)):
        changed = relinked(body, page, moved, resolver)
        _set_body(db, source, page, changed)
    for old, new in moved.items():
        db.execute("update or replace contributions set page = ? where page = ?", (new, old))


def unlink(db: Connection, gone: Sequence[VaultPath]) -> None:
    """Turn links to files that are gone into text, and forget what was said on them."""
    resolver = Resolver.over(gone)
    db.executemany("delete from contributions where page = ?", [(path,) for path in gone])
    for source, page, body in _naming(db, gone):
        _set_body(db, source, page, unlinked(body, page, frozenset(gone), resolver))


def _naming(db: Connection, paths: Sequence[VaultPath]) -> list[tuple[str, VaultPath, str]]:
    found: dict[tuple[str, str], str] = {}
    for path in paths:
        rows = db.execute(
            "select source, page, body from contributions where instr(body, ?)",
            (path.removesuffix(".md"),),
        )
        found |= {(str(source), str(page)): str(body) for source, page, body in rows}
    return [(source, VaultPath(page), body) for (source, page), body in found.items()]


def _set_body(db: Connection, source: str, page: VaultPath, body: str) -> None:
    db.execute(
        "update contributions set body = ? where source = ? and page = ?", (body, source, page)
    )


def _contribution(row: tuple[Any, ...]) -> Contribution:
    source, page, title, kind, tags, aliases, body = row
    return Contribution(
        SourceId(source),
        VaultPath(page),
        title,
        kind,
        tuple(json.loads(tags)),
        tuple(json.loads(aliases)),
        body,
    )
