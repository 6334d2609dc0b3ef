"""Which vault a command is about, and what is configured there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from vaultd.errors import UsageError
from vaultd.settings import Settings, load_settings
from vaultd.vault.layout import RAW, STATE, database_folder, find_vault, state_folder

DATABASE = "vaultd.db"
SETTINGS = "config.toml"


@dataclass(frozen=True, slots=True)
class Place:
    """A vault, its state folder, its database file, and its settings."""

    root: Path
    state: Path
    database: Path
    settings: Settings


def place_at(named: Path | None) -> Place:
    """Find the vault that `named` or the surroundings mean and read its settings.

    Raises:
        UsageError: there is no vault, or the folder does not look like one.
        SettingsError: a setting is wrong.
    """
    root = find_vault(named, os.environ, Path.cwd())
    if not any((root / name).is_dir() for name in (STATE, ".obsidian", RAW)):
        raise UsageError(
            f"{root} is no vault yet: it holds none of {STATE}/, .obsidian/ and {RAW}/. "
            f"Run `vaultd init --vault {root}` to make it one."
        )
    state = state_folder(root)
    settings = load_settings(state / SETTINGS)
    return Place(root, state, database_folder(root, settings.state_dir) / DATABASE, settings)


def now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)
