"""The parts of a running vaultd that the routes speak to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from vaultd.bridge.feed import Feed
from vaultd.bridge.keys import Keyring
from vaultd.ingest.session import Conversations
from vaultd.model.paths import Clock
from vaultd.search import SearchEngine
from vaultd.store.database import Database
from vaultd.summarize.operations import SummaryOperations
from vaultd.vault.files import Vault


@dataclass(frozen=True, slots=True)
class Program:
    """Handed to every route. `ring` lets the worker look for new jobs.

    `chat` and `embedding` are the names of the models in the words of the status.
    """

    vault: Vault
    db: Database
    clock: Clock
    engine: SearchEngine
    feed: Feed
    keyring: Keyring
    conversations: Conversations
    summaries: SummaryOperations
    ring: Callable[[], None]
    chat: str
    embedding: str
