"""Conversations about sources in a process of their own, where no daemon runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from vaultd.daemon.parts import build
from vaultd.daemon.place import open_for_work
from vaultd.ingest.session import Conversations
from vaultd.model.paths import Clock
from vaultd.settings import Settings


@asynccontextmanager
async def conversing(root: Path, settings: Settings, clock: Clock) -> AsyncIterator[Conversations]:
    """Build what a conversation needs, and close it at the end.

    Raises:
        VaultLockedError: another process works on the vault; ask its bridge.
    """
    async with open_for_work(root, settings, clock) as place, build(place) as parts:
        yield Conversations(parts.desk)
