"""The server: its port, the file that tells clients where it listens, its beginning and end."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import structlog
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from vaultd.bridge.application import application
from vaultd.bridge.guard import ALWAYS, Guard
from vaultd.bridge.problem import Problem
from vaultd.bridge.program import Program
from vaultd.bridge.routes.looking import PROTOCOL
from vaultd.errors import DiskFullError, TransientError
from vaultd.store import problems
from vaultd.vault.files import Vault
from vaultd.vault.layout import RUNTIME

KEPT_PORT = "bridge-port"
SPARE_PORTS = 9  # behind the first: 27331 to 27340
BACKLOG = 128
IDLE_SECONDS = 75  # longer than most clients keep a connection: they close first, so none races
LAST_SECONDS = 1  # for answers under way when the daemon stops; it has five in all
PROBLEM = "bridge_port"
NO_PORT = "The bridge found no free port: see [bridge] in the settings."
NO_REQUEST = (
    "That is no request of HTTP/1.1: it begins with a line such as `GET /health HTTP/1.1`, and "
    "names one `Host`."
)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen. `port` 0 means any; a taken one is replaced by a near one, and kept."""

    host: str
    port: int


class Bridge:
    """Listens until `stop`. `identity` tells clients whose bridge it is, without a secret."""

    def __init__(self, program: Program, address: Address, identity: Mapping[str, str]) -> None:
        self._program = program
        self._address = address
        self._identity = identity
        self._server: _Server | None = None
        self._stopped = False

    async def run(self) -> None:
        """Serve until `stop` was called. Where no port is free, that is a problem to be told."""
        taken = await asyncio.to_thread(listen, self._address, self._program.vault)
        await self._tell("" if taken else NO_PORT)
        if taken is None or self._stopped:
            return
        with taken:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._program.feed.run())
                await self._serve(taken)
                self._program.feed.close()

    def stop(self) -> None:
        """Let streams and waiting requests end, and take no new ones."""
        self._stopped = True
        self._program.feed.close()
        self._program.vault.pen.close()
        if self._server is not None:
            self._server.should_exit = True

    async def _serve(self, taken: socket.socket) -> None:
        port = int(taken.getsockname()[1])
        guarded = Guard(application(self._program), self._program.keyring, port=port)
        self._server = _Server(_configuration(guarded))
        with self._told(port):
            log.info("bridge listens", host=self._address.host, port=port)
            await self._server.serve(sockets=[taken])

    @contextmanager
    def _told(self, port: int) -> Iterator[None]:
        """Keep the file that tells clients where to ask, while there is somebody to answer."""
        vault = self._program.vault
        facts = {"pid": os.getpid(), "port": port, "protocol": PROTOCOL, **self._identity}
        place = vault.write_state(RUNTIME, json.dumps(facts, indent=1).encode())
        try:
            yield
        finally:
            place.unlink(missing_ok=True)

    async def _tell(self, trouble: str) -> None:
        if trouble:
            log.error("bridge found no free port", first=self._address.port)
        program = self._program
        with suppress(DiskFullError, TransientError):  # told by the next start
            await program.db.run(problems.report, PROBLEM, trouble, now=program.clock())


def listen(address: Address, vault: Vault) -> socket.socket | None:
    """Return a listening socket on the first free port, None if there is none.

    A port other than the first is remembered, since clients were told of it.
    """
    for port in ports(address.port, vault.read_state(KEPT_PORT)):
        taken = _bound(address.host, port)
        if taken is not None:
            if port != address.port:
                vault.write_state(KEPT_PORT, f"{port}\n".encode())
            return taken
    return None


def ports(first: int, kept: bytes | None) -> list[int]:
    """Return the ports to try, in order: the one kept from earlier, the first, the spare ones."""
    if first == 0:
        return [0]
    wanted = range(first, min(first + SPARE_PORTS, 65_535) + 1)
    text = (kept or b"").strip()
    before = [int(text)] if text.isdigit() and int(text) in wanted else []
    return list(dict.fromkeys([*before, *wanted]))


def _bound(host: str, port: int) -> socket.socket | None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, or asyncio does not turn off Nagle's wait: 40 ms for every answer.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    exclusive = getattr(socket, "SO_EXCLUSIVEADDRUSE", None)  # Windows lets others in without
    made.setsockopt(socket.SOL_SOCKET, exclusive or socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        made.listen(BACKLOG)
    except OSError:
        made.close()
        return None
    return made


def _configuration(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=_Requests,
        lifespan="off",
        ws="none",
        loop="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=2 * LAST_SECONDS,
        timeout_keep_alive=IDLE_SECONDS,
        backlog=BACKLOG,
    )


class _Requests(H11Protocol):
    """Reads requests, and says of what is none what is wanted."""

    def send_400_response(self, msg: str) -> None:
        """Answer what came in the words of every other failure, and hang up."""
        del msg
        answer = Problem(400, "http", NO_REQUEST).response()
        headers = [*answer.raw_headers, *ALWAYS, (b"connection", b"close")]
        lines = [b"HTTP/1.1 400 Bad Request", *(name + b": " + value for name, value in headers)]
        self.transport.write(b"\r\n".join([*lines, b"", bytes(answer.body)]))
        self.transport.close()


class _Server(uvicorn.Server):
    """A server that leaves signals to the daemon, and waits for no client when it stops."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Catch none."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more requests, and let answers under way end for a while."""
        cutting = asyncio.get_running_loop().call_later(LAST_SECONDS, self._cut)
        await super().shutdown(sockets)
        cutting.cancel()

    def _cut(self) -> None:
        """Close what is still open: its client reads slowly, or not at all."""
        for connection in list(self.server_state.connections):
            connection.transport.abort()
