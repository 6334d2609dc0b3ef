"""Which vault a command is about, and what is configured there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from vaultd.errors import UsageError
from vaultd.settings import Settings, load_settings
from vaultd.vault.layout import RAW, STATE, find_vault, state_folder

SETTINGS = "config.toml"
SIGNS = (STATE, ".obsidian", RAW)


@dataclass(frozen=True, slots=True)
class Target:
    """A vault, its state folder and its settings."""

    root: Path
    state: Path
    settings: Settings


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
    state = state_folder(root)
    return Target(root, state, load_settings(state / SETTINGS))


def now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)
