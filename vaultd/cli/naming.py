"""What a name may mean that no file has."""

from __future__ import annotations

import difflib
from pathlib import PurePosixPath

from vaultd.cli.asking import read_database
from vaultd.cli.target import Target
from vaultd.errors import DatabaseError, NotFoundError
from vaultd.model.paths import VaultPath
from vaultd.store.database import Connection
from vaultd.store.titles import titles_like

NEAR = 5  # files looked at; some may be gone


def not_there(target: Target, message: str, named: str) -> NotFoundError:
    """Return the error that says so, with files of like names as far as the database tells."""
    try:
        near = read_database(target, lambda db: db.read(_called_like, PurePosixPath(named).stem))
    except DatabaseError:
        near = None
    there = tuple(path for path in near or () if (target.root / path).is_file())
    advice = "" if there else " Name it from the vault's root, such as raw/paper.pdf."
    return NotFoundError(message + advice, there)


def _called_like(db: Connection, name: str) -> list[VaultPath]:
    if called := [each.path for each in titles_like(db, name, NEAR)]:
        return called
    from vaultd.store import passages  # brings numpy

    known = {PurePosixPath(path).stem: path for path in passages.paths(db)}
    return [known[each] for each in difflib.get_close_matches(name, known, NEAR)]
