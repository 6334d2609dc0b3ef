"""The one way of every reading command: the bridge if it answers, else the database, read-only."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Callable, Coroutine, Mapping
from http import HTTPStatus
from typing import Any, TypeVar

from vaultd.cli.target import Target
from vaultd.errors import ConflictError, DatabaseError, NotFoundError, UsageError, VaultdError
from vaultd.store.database import Database, schema_version

T = TypeVar("T")

RUNTIME, TOKEN = "bridge.json", "token"  # names of files, not a secret
PATIENCE = 30.0  # seconds; a search that has to embed its question first takes under one
SCHEMA_LOOKS, SCHEMA_SECONDS = 10, 0.1  # making it takes well under a second
LOOPBACK = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # never through a proxy

REACTIONS = {409: ConflictError, 400: UsageError, 422: UsageError}


def ask_bridge(
    target: Target, method: str, route: str, body: Mapping[str, Any] | None = None
) -> Any:
    """Return the answer of the running daemon, None if there is none to ask.

    Raises:
        UsageError: the request was refused; the message is the bridge's.
        VaultdError: the bridge failed.
    """
    try:
        runtime = json.loads((target.state / RUNTIME).read_text(encoding="utf-8"))
        token = (target.state / TOKEN).read_text(encoding="utf-8").strip()
        address = f"http://{_host(target)}:{int(runtime['port'])}{route}"
    except (OSError, ValueError, KeyError, TypeError):
        return None
    request = urllib.request.Request(  # the scheme is ours
        address,
        data=None if body is None else json.dumps(body).encode(),
        method=method,
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    try:
        with LOOPBACK.open(request, timeout=PATIENCE) as response:
            return json.loads(response.read())
    except urllib.error.HTTPError as error:
        with error:
            return _refused(error)
    except (OSError, ValueError):
        return None


def _host(target: Target) -> str:
    host = target.settings.bridge.host
    return f"[{host}]" if ":" in host else host


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
        DatabaseError: it is damaged, foreign, or of another version.
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

    return asyncio.run(opened())


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
