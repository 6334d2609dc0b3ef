"""The bridge of a running daemon, built from its other parts."""

from __future__ import annotations

import os

from vaultd.bridge.feed import Feed
from vaultd.bridge.keys import Keyring
from vaultd.bridge.listening import Address, Bridge
from vaultd.bridge.program import Program
from vaultd.daemon.parts import Parts
from vaultd.ingest.session import Conversations
from vaultd.vault.layout import machine_id, vault_id


def make_bridge(parts: Parts) -> Bridge:
    """Return the bridge of the vault; it listens when it is run."""
    place, settings = parts.place, parts.place.settings
    embedding = settings.embedding
    program = Program(
        vault=place.vault,
        db=place.db,
        clock=place.clock,
        engine=parts.engine,
        feed=Feed(place.db, place.clock),
        keyring=Keyring(place.vault),
        conversations=Conversations(parts.desk),
        summaries=parts.operations,
        ring=parts.worker.ring,
        chat=settings.llm.model or "offline",
        embedding=embedding.model or embedding.provider,
    )
    identity = {
        "vault_id": vault_id(place.vault.state),
        "machine_id": machine_id(os.environ),
    }
    return Bridge(program, Address(settings.bridge.host, settings.bridge.port), identity)
