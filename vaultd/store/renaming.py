"""A file has another path: everything that names it follows, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from vaultd.model.paths import VaultPath
from vaultd.store import contributions, files, nodes, pages, passages
from vaultd.store.database import Connection

LISTS = (("sources", "pages"), ("ingest_cache", "pages"), ("reviews", "pages"))


def rename_files(db: Connection, moved: Mapping[VaultPath, VaultPath], *, now: datetime) -> None:
    """Let index, records and lists follow files that moved; the folders above are marked.

    Nothing is embedded again: passages and vectors keep their rows.
    """
    for old, new in moved.items():
        passages.move_file(db, old, new)
        if pages.last_written(db, old) is not None:  # else a plan has written it at `new`
            pages.move(db, old, new)
        db.execute("update reviews set note = ? where note = ?", (new, old))
        for table, column in LISTS:
            _rename_in_list(db, table, column, old, new)
        files.forget(db, [old])
    contributions.relink(db, moved)
    nodes.mark_dirty(db, [*moved, *moved.values()], reason="moved", now=now)


def _rename_in_list(
    db: Connection, table: str, column: str, old: VaultPath, new: VaultPath
) -> None:
    db.execute(
        f"""
        update {table} set {column} = (
            select json_group_array(case value when ?1 then ?2 else value end)
            from json_each({table}.{column}))
        where instr({column}, ?3)
          and exists (select 1 from json_each({table}.{column}) where value = ?1)
        """,  # names of our own tables
        (old, new, old.rpartition("/")[2].removesuffix(".md")),
    )
