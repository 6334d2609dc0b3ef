"""The bridge of a running daemon, built from its other parts."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from functools import partial

from vaultd.bridge.answers import Cost
from vaultd.bridge.feed import Feed
from vaultd.bridge.keys import Keyring
from vaultd.bridge.listening import Address, Bridge
from vaultd.bridge.program import Program
from vaultd.bridge.sharing import SharedLooks
from vaultd.daemon.checking import checks_of_all
from vaultd.daemon.estimating import estimates, not_taken, taken_of
from vaultd.daemon.parts import Parts
from vaultd.daemon.place import Place
from vaultd.ingest.session import Conversations
from vaultd.model.paths import VaultPath
from vaultd.model.wiki import OFFLINE
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
        estimate=partial(_estimates, place),
        check=partial(checks_of_all, place.vault.root, place.vault.state, settings),
        looks=SharedLooks(),
        chat=settings.llm.model or OFFLINE,
        embedding=embedding.model or embedding.provider,
    )
    identity = {
        "vault_id": vault_id(place.vault.state),
        "machine_id": machine_id(os.environ),
    }
    return Bridge(program, Address(settings.bridge.host, settings.bridge.port), identity)


async def _estimates(place: Place, paths: Sequence[VaultPath]) -> AsyncGenerator[Cost, None]:
    """Yield what the files would cost, in order; none named: those not taken yet."""
    vault, ingest = place.vault, place.settings.ingest
    if paths:
        files = [await asyncio.to_thread(vault.locate, path) for path in paths]
    else:
        taken = await place.db.read(taken_of)
        files = await asyncio.to_thread(not_taken, vault, ingest, taken)
    async with aclosing(estimates(place, files)) as found:
        async for each in found:
            yield Cost(
                path=VaultPath(each.file.relative_to(vault.root).as_posix()),
                tokens=each.tokens,
                reason=each.reason,
                waits=each.tokens > ingest.confirm_above_tokens,
            )
