"""The one way of every reading command: the bridge if it answers, else the database, read-only."""

from __future__ import annotations

import asyncio
import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeVar

from vaultd.cli.target import Target
from vaultd.errors import (
    ConflictError,
    DatabaseDamagedError,
    DatabaseError,
    NotFoundError,
    UsageError,
    VaultdError,
)
from vaultd.store.database import REPAIR, Database, schema_version
from vaultd.store.health import damage
from vaultd.vault.layout import RUNTIME, TOKEN

T = TypeVar("T")

PATIENCE = 30.0  # seconds; a search that has to embed its question first takes under one
SCHEMA_LOOKS, SCHEMA_SECONDS = 10, 0.1  # making it takes well under a second
LOOPBACK = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # never through a proxy

REACTIONS = {409: ConflictError, 400: UsageError, 422: UsageError}


@dataclass(frozen=True, slots=True)
class Way:
    """Where a daemon's bridge listens, and the key to it."""

    address: str
    key: str

    def open(
        self, method: str, route: str, body: Mapping[str, Any] | None, patience: float
    ) -> http.client.HTTPResponse:
        """Send a request and return the answer, to be read and closed.

        Raises:
            urllib.error.HTTPError: it was refused.
            OSError: nobody answers within `patience` seconds.
        """
        request = urllib.request.Request(  # the scheme is ours
            f"{self.address}{route}",
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
        )
        answer: http.client.HTTPResponse = LOOPBACK.open(request, timeout=patience)
        return answer


def way_to(target: Target) -> Way | None:
    """Return the way to the daemon of the vault, None if none has told where it listens."""
    host = target.settings.bridge.host
    try:
        runtime = json.loads((target.state / RUNTIME).read_text(encoding="utf-8"))
        key = (target.state / TOKEN).read_text(encoding="utf-8").strip()
        name = f"[{host}]" if ":" in host else host
        return Way(f"http://{name}:{int(runtime['port'])}", key)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def ask_bridge(
    target: Target, method: str, route: str, body: Mapping[str, Any] | None = None
) -> Any:
    """Return the answer of the running daemon, None if there is none to ask.

    Raises:
        UsageError: the request was refused; the message is the bridge's.
        VaultdError: the bridge failed.
    """
    if (way := way_to(target)) is None:
        return None
    try:
        with way.open(method, route, body, PATIENCE) as response:
            return json.loads(response.read())
    except urllib.error.HTTPError as error:
        with error:
            return _refused(error)
    except (OSError, ValueError):
        return None


def _refused(error: urllib.error.HTTPError) -> None:
    """Raise what the refusal means; None where the port belongs to somebody else by now."""
    if error.code in (401, 403, 421):
        return
    try:
        problem = json.loads(error.read())
        message = str(problem.get("detail") or problem["title"])
        near = tuple(map(str, problem.get("candidates", ())))
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        message, near = f"The daemon answered with code {error.code}.", ()
    if error.code == HTTPStatus.NOT_FOUND:
        raise NotFoundError(message, near)
    raise REACTIONS.get(error.code, VaultdError)(message)


def read_database(target: Target, query: Callable[[Database], Coroutine[Any, Any, T]]) -> T | None:
    """Return what `query` finds in the database, opened read-only; None if there is none yet.

    Raises:
        DatabaseDamagedError: it does not hold together.
        DatabaseError: it is foreign, or of another version.
    """
    path = target.database
    if not path.exists():
        return None

    async def opened() -> T | None:
        db = Database(path, readonly=True)
        try:
            return await query(db) if await _is_made(db) else None
        finally:
            db.close()

    try:
        return asyncio.run(opened())
    except VaultdError:
        raise
    except Exception as error:
        if fault := damage(path):  # what stands on a damaged page may look like anything
            raise DatabaseDamagedError(f"The database is damaged: {fault}. {REPAIR}") from error
        raise


async def _is_made(db: Database) -> bool:
    """Wait while a daemon that has just started makes the schema; False if there is none yet.

    Raises:
        DatabaseError: the file is of an older or a newer vaultd.
    """
    version = newest = 0
    for _ in range(SCHEMA_LOOKS):
        version, newest = await db.read(schema_version)
        if version == newest:
            return True
        await asyncio.sleep(SCHEMA_SECONDS)
    if version == 0:
        return False
    advice = "Update vaultd" if version > newest else "Run `vaultd run --once`"
    raise DatabaseError(f"The database is of another version of vaultd. {advice}, then ask again.")
