"""Which vault a command is about, and what is configured there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from vaultd.errors import PermanentError, UsageError, VaultLockedError
from vaultd.vault.layout import (
    DATABASE,
    RAW,
    SETTINGS,
    STATE,
    database_folder,
    find_vault,
    state_folder,
)
from vaultd.vault.lock import VaultLock

if TYPE_CHECKING:
    from vaultd.settings import Settings

SIGNS = (STATE, ".obsidian", RAW)


@dataclass(frozen=True, slots=True)
class Target:
    """A vault, its state folder and its settings."""

    root: Path
    state: Path
    settings: Settings

    @property
    def database(self) -> Path:
        """Where the database is, or will be."""
        return database_folder(self.root, self.settings.state_dir) / DATABASE


def target_at(named: Path | None) -> Target:
    """Find the vault that `named` or the surroundings mean and read its settings.

    Raises:
        UsageError: there is no vault, or the folder does not look like one.
        SettingsError: a setting is wrong.
    """
    root = find_vault(named, os.environ, Path.cwd())
    if not any((root / name).is_dir() for name in SIGNS):
        raise UsageError(
            f"{root} is no vault yet: it holds none of {', '.join(f'{name}/' for name in SIGNS)}. "
            f"Run `vaultd init --vault {root}` to make it one."
        )
    from vaultd.settings import load_settings  # a third of a second

    state = state_folder(root)
    return Target(root, state, load_settings(state / SETTINGS))


def is_free(target: Target) -> bool:
    """Tell whether no process works on the vault."""
    if not target.state.is_dir():
        return True
    try:
        with VaultLock(target.state):
            return True
    except VaultLockedError:
        return False
    except PermanentError:
        return True  # a vault that cannot be written to


def now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)
