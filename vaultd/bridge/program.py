"""The parts of a running vaultd that the routes speak to."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import dataclass

from vaultd.bridge.answers import Cost
from vaultd.bridge.feed import Feed
from vaultd.bridge.keys import Keyring
from vaultd.bridge.sharing import SharedLooks
from vaultd.ingest.session import Conversations
from vaultd.model.paths import Clock, VaultPath
from vaultd.search import SearchEngine
from vaultd.store.database import Database
from vaultd.summarize.operations import SummaryOperations
from vaultd.upkeep.doctor import Check
from vaultd.vault.files import Vault


@dataclass(frozen=True, slots=True)
class Program:
    """Handed to every route. `ring` lets the worker look for new jobs.

    `estimate` tells what files would cost (none named: those not taken yet), `check` is blocking
    and takes seconds. `chat` and `embedding` are the names of the models in the status's words.
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
    estimate: Callable[[Sequence[VaultPath]], AsyncGenerator[Cost, None]]
    check: Callable[[], Iterable[Check]]
    looks: SharedLooks
    chat: str
    embedding: str
