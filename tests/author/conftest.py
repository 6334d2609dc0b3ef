"""One server and one client for all tests of the author; a fresh database for each."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from tests.author.worlds import World
from tests.model_server import ModelServer
from vaultd.llm.endpoint import Endpoint
from vaultd.store.database import Database


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def endpoint(running: ModelServer) -> AsyncIterator[Endpoint]:
    endpoint = Endpoint(running.url, "VAULTD_NO_SUCH_KEY", timeout_seconds=5)
    yield endpoint
    await endpoint.close()


@pytest.fixture
def world(running: ModelServer, endpoint: Endpoint) -> Iterator[World]:
    running.forget()
    db = Database(":memory:")
    yield World(running, db, endpoint)
    db.close()
