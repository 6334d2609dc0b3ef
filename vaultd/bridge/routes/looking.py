"""What is where, what it cost, and who may ask."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from vaultd import __version__
from vaultd.bridge.answers import Health, Key, Status, UsageByDay
from vaultd.bridge.asked import PairWith, StatusWanted, UsageOf
from vaultd.bridge.operation import Nothing, operation
from vaultd.bridge.program import Program
from vaultd.core.timing import stamp
from vaultd.status import status_of, usage_of
from vaultd.store.standing import Part

PROTOCOL = 1  # grows when a client of the older one would misunderstand


async def health(program: Program, asked: Nothing) -> Health:
    """Tell that vaultd answers here. Open to everybody on this machine; holds no data."""
    del program, asked
    return Health(name="vaultd", version=__version__, protocol=PROTOCOL)


async def pair(program: Program, asked: PairWith) -> Key:
    """Trade a one-time code for the token. The code works once, for two minutes."""
    token = await asyncio.to_thread(program.keyring.trade, asked.code, program.clock())
    return Key(token=token)


async def status(program: Program, asked: StatusWanted) -> Status:
    """Say what is where, and why. `counts` are of all files, however few are listed."""

    async def look() -> Status:
        found = await program.db.read(
            status_of,
            vault=str(program.vault.root),
            running=True,
            chat=program.chat,
            embedding=program.embedding,
            part=Part(asked.after, asked.files, asked.unsettled),
        )
        return Status.model_validate(found)

    return await program.looks.answer(asked, look)


async def usage(program: Program, asked: UsageOf) -> UsageByDay:
    """Say what calls to models cost, by day, model and stage."""
    today = program.clock().replace(hour=0, minute=0, second=0, microsecond=0)
    first = today - timedelta(days=asked.days - 1)
    return UsageByDay.model_validate(await program.db.read(usage_of, stamp(first)))


OPERATIONS = (
    operation("GET", "/health", health),
    operation("POST", "/v1/pair", pair, fails=(401,)),
    operation("GET", "/v1/status", status),
    operation("GET", "/v1/usage", usage),
)
