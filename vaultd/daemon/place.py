"""A vault opened for work: its lock, its files, its database."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import structlog

from vaultd.errors import NotFoundError
from vaultd.model.paths import Clock
from vaultd.settings import Settings
from vaultd.store import jobs, problems
from vaultd.store.database import Database
from vaultd.store.health import open_database
from vaultd.store.rebuild import is_unknown
from vaultd.upkeep.behind import is_behind
from vaultd.upkeep.rebuild import adopt
from vaultd.upkeep.writer import check_writer, name_writer
from vaultd.vault.files import Vault
from vaultd.vault.layout import (
    DATABASE,
    database_folder,
    machine_id,
    make_layout,
    state_folder,
    writer_named,
)
from vaultd.vault.lock import VaultLock
from vaultd.vault.mounts import journal_for

log = structlog.get_logger()

BEHIND = (
    "The database was older than the pages, as after restoring a backup. What was written since "
    "was taken in; which words on those pages are yours is not known any more."
)


@dataclass(frozen=True, slots=True)
class Place:
    """What every part needs of a vault."""

    vault: Vault
    db: Database
    settings: Settings
    clock: Clock


def database_path(root: Path, settings: Settings) -> Path:
    """Return where the vault's database is."""
    return database_folder(root, settings.state_dir) / DATABASE


@asynccontextmanager
async def open_for_work(root: Path, settings: Settings, clock: Clock) -> AsyncIterator[Place]:
    """Take the vault's lock and open everything; jobs a dead process left are due again.

    A damaged database is moved aside and made anew; what it held is found again in the vault.

    Raises:
        VaultLockedError: another process works on the vault.
        OtherMachineError: another machine writes it.
        DatabaseError: the database belongs to another program or a newer vaultd.
    """
    with VaultLock(_state(root)):
        vault = Vault(root, make_layout(root), writer=machine_id(os.environ))
        await asyncio.to_thread(check_writer, root, vault.writer)
        path = database_path(root, settings)
        path.parent.mkdir(parents=True, exist_ok=True)
        db, damaged = open_database(path, journal=journal_for(path.parent), now=clock())
        try:
            await _begin(vault, db, damaged, clock)
            yield Place(vault, db, settings, clock)
        finally:
            db.close()


async def take_over(root: Path, settings: Settings, clock: Clock) -> str:
    """Make this machine the one that writes the vault; return the one that did, "" if none.

    What the other machine wrote meanwhile is taken in: no source is ingested again, and what
    its pages would be without the person is not known here.

    Raises:
        VaultLockedError: a process of this machine works on the vault.
    """
    machine = machine_id(os.environ)
    with VaultLock(_state(root)):
        vault = Vault(root, make_layout(root))
        before = await asyncio.to_thread(writer_named, root)
        await asyncio.to_thread(name_writer, vault, machine)
    async with open_for_work(root, settings, clock) as place:
        if before not in ("", machine):
            await adopt(place.vault, place.db, clock, anew=True)
    return before


def open_beside(root: Path, settings: Settings) -> Database:
    """Open the database while another process works on the vault: to queue and to look.

    Raises:
        NotFoundError: there is none yet.
    """
    path = database_path(root, settings)
    if not path.exists():
        raise NotFoundError(f"{root} has no database yet: run `vaultd run` first.")
    return Database(path, journal=journal_for(path.parent))


def _state(root: Path) -> Path:
    state = state_folder(root)
    state.mkdir(parents=True, exist_ok=True)
    return state


async def _begin(vault: Vault, db: Database, damaged: Path | None, clock: Clock) -> None:
    swept = vault.sweep()
    recovered = await db.run(jobs.recover, now=clock())
    if await db.read(is_unknown):
        await adopt(vault, db, clock)
    elif await is_behind(vault, db):
        await adopt(vault, db, clock, anew=True)
        log.warning("database older than the vault")
        await db.run(problems.report, "database_behind", BEHIND, now=clock())
    log.info("vault opened", root=str(vault.root), jobs_recovered=recovered, temps_swept=swept)
    if damaged is not None:
        text = f"The database was damaged and is made anew from the vault. Old: {damaged.name}."
        log.error("database replaced", aside=str(damaged))
        await db.run(problems.report, "database_replaced", text, now=clock())
