from __future__ import annotations

import pytest

from tests.search.worlds import World
from vaultd.store.database import Database
from vaultd.vault.files import Vault


@pytest.fixture
def world(vault: Vault, db: Database) -> World:
    """An empty vault with its index."""
    return World(vault, db)
