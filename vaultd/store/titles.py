"""Files by their names: titles, aliases and file names."""

from __future__ import annotations

from vaultd.core.text import fold
from vaultd.model.paths import VaultPath
from vaultd.model.search import Title
from vaultd.store.database import Connection

LAST = "\U0010ffff"  # sorts behind every text that begins with what stands before it


def titles_like(db: Connection, prefix: str, k: int) -> list[Title]:
    """Return at most `k` files with a name that begins with `prefix`, then that holds it.

    Exact names come first, then shorter ones; a file comes once. "" gives the latest files.
    """
    folded = fold(prefix)
    if not folded:
        rows = db.execute(
            "select f.path, f.title, '', f.type from indexed_files f"
            " order by f.changed desc, f.path limit ?",
            (k,),
        )
        return [Title(VaultPath(path), title, alias, kind) for path, title, alias, kind in rows]
    rows = db.execute(
        "select f.path, f.title, n.name, f.type from file_names n"
        " join indexed_files f on f.id = n.file"
        " where (n.folded >= ?1 and n.folded < ?2) or instr(n.folded, ?1) > 0"
        " order by n.folded = ?1 desc, n.folded >= ?1 and n.folded < ?2 desc,"
        " n.kind = 'title' desc, length(n.folded), f.path limit ?3",
        (folded, folded + LAST, 4 * k),
    )
    found: dict[str, Title] = {}
    for path, title, name, kind in rows:
        alias = "" if fold(name) == fold(title) else name
        found.setdefault(path, Title(VaultPath(path), title, alias, kind))
    return list(found.values())[:k]
