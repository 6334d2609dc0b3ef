"""What a client meets at the socket, before any route."""

from __future__ import annotations

import asyncio
import socket

from vaultd.bridge.listening import Address, listen
from vaultd.vault.files import Vault


async def test_an_answer_does_not_wait_for_the_receipt_of_its_first_half(vault: Vault) -> None:
    """Head and body are two packets: held back by Nagle's algorithm, the second is 40 ms late."""
    taken = listen(Address("127.0.0.1", 0), vault)
    assert taken is not None
    waits: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def connected(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted = writer.get_extra_info("socket")
        waits.set_result(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    server = await asyncio.start_server(connected, sock=taken)
    async with server:
        _, writer = await asyncio.open_connection(*taken.getsockname())
        writer.close()
        no_delay = await waits

    assert no_delay
