"""What is known of each file in the vault: its last look, and the content taken care of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from vaultd.core.settle import FileStat
from vaultd.core.timing import stamp
from vaultd.store.database import Connection

SOURCE = "source"
NOTE = "note"


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file as last seen. `stat` is None while only its content is known."""

    path: str
    role: str
    sha256: str
    stat: FileStat | None
    missing_since: str | None
    missing_scans: int


def all_files(db: Connection) -> dict[str, KnownFile]:
    """Return every known file by its path."""
    rows = db.execute(
        """
        select path, role, sha256, size, mtime, ctime, inode, missing_since, missing_scans
        from files
        """
    )
    return {row[0]: _known(row) for row in rows}


def find(db: Connection, path: str) -> KnownFile | None:
    """Return the known file at `path`, or None."""
    row = db.execute(
        """
        select path, role, sha256, size, mtime, ctime, inode, missing_since, missing_scans
        from files where path = ?
        """,
        (path,),
    ).fetchone()
    return None if row is None else _known(row)


def paths_by_role(db: Connection) -> dict[str, list[str]]:
    """Return the paths of all known files by their role."""
    paths: dict[str, list[str]] = {SOURCE: [], NOTE: []}
    for path, role in db.execute("select path, role from files"):
        paths[str(role)].append(str(path))
    return paths


def _known(row: tuple[object, ...]) -> KnownFile:
    path, role, sha256, size, mtime, ctime, inode, since, scans = row
    stat = None if size is None else FileStat(size, mtime, ctime, inode)  # type: ignore[arg-type]
    return KnownFile(path, role, sha256, stat, since, scans)  # type: ignore[arg-type]


def remember(db: Connection, path: str, role: str, sha256: str, stat: FileStat) -> None:
    """Store that the content `sha256` of `path`, looking like `stat`, is taken care of."""
    db.execute(
        """
        insert or replace into files (path, role, sha256, size, mtime, ctime, inode)
        values (?, ?, ?, ?, ?, ?, ?)
        """,
        # SQLite keeps 64 bits with a sign, inodes of some systems need the sign bit
        (path, role, sha256, stat.size, stat.mtime, stat.ctime, stat.inode),
    )


def expect(db: Connection, path: str, sha256: str, role: str = NOTE) -> None:
    """Store that `path` holds or will hold `sha256` and that somebody takes care of it.

    Called with every index job, so that the scan that meets our own write has nothing to do.
    """
    db.execute(
        """
        insert into files (path, role, sha256) values (?1, ?3, ?2)
        on conflict (path) do update set sha256 = ?2, size = null, mtime = null,
            ctime = null, inode = null, missing_since = null, missing_scans = 0
        where sha256 <> ?2
        """,
        (path, sha256, role),
    )


def forget(db: Connection, paths: Iterable[str]) -> None:
    """Forget files that are gone for good, or that are to be looked at anew."""
    db.executemany("delete from files where path = ?", [(path,) for path in paths])


def missed(db: Connection, paths: Iterable[str], *, now: datetime) -> None:
    """Record that a scan did not find these files."""
    db.executemany(
        """
        update files set missing_since = coalesce(missing_since, ?),
            missing_scans = missing_scans + 1
        where path = ?
        """,
        [(stamp(now), path) for path in paths],
    )


def found_again(db: Connection, paths: Iterable[str]) -> None:
    """Record that files that were missing are there."""
    db.executemany(
        "update files set missing_since = null, missing_scans = 0 where path = ?",
        [(path,) for path in paths],
    )
