"""An ingest desk over real parts: a vault, a database, the converter, an author."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.fakes import FakeClock
from tests.model_server import ModelServer
from vaultd.author.model import LedgerBook, ModelAuthor, Models
from vaultd.author.offline import OfflineAuthor
from vaultd.author.seam import Author
from vaultd.extract import Converter
from vaultd.ingest.captions import CaptionCache
from vaultd.ingest.desk import Desk, IngestRules
from vaultd.ingest.source import ingest_source
from vaultd.ingest.turns import PublishOrder
from vaultd.llm.client import LlmClient
from vaultd.llm.endpoint import Endpoint
from vaultd.llm.gate import Gate
from vaultd.model.jobs import Job, JobKind
from vaultd.model.wiki import PageRef
from vaultd.reading import Reader
from vaultd.store.database import Database
from vaultd.vault.files import Vault

MakeDesk = Callable[..., Desk]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def converter() -> AsyncIterator[Converter]:
    """One converter, whose child takes a second to start."""
    running = Converter()
    yield running
    await running.close()


@pytest_asyncio.fixture(loop_scope="session")
async def make_desk(vault: Vault, db: Database, clock: FakeClock, converter: Converter) -> MakeDesk:
    """Build desks over one vault; `author` and the rules may be chosen."""

    async def near_pages(text: str, k: int) -> tuple[PageRef, ...]:
        return ()

    def make(author: Author | None = None, **rules: object) -> Desk:
        chosen = author or OfflineAuthor()
        return Desk(
            vault=vault,
            db=db,
            reader=Reader(vault, db, converter),
            author=chosen,
            captions=CaptionCache(vault, chosen, clock, concurrency=2),
            order=PublishOrder(),
            near_pages=near_pages,
            clock=clock,
            rules=IngestRules(**rules),  # type: ignore[arg-type]
        )

    return make


def drop(vault: Vault, name: str, content: bytes | str) -> Path:
    """Put a file into `raw/`."""
    place = vault.root / "raw" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content if isinstance(content, bytes) else content.encode())
    return place


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    """A scripted model server; what one test scripted and counted is gone before the next."""
    with ModelServer() as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def make_model(
    server: ModelServer, vault: Vault, db: Database, clock: FakeClock
) -> AsyncIterator[Callable[..., Author]]:
    """Build model authors that ask the scripted server."""
    server.forget()
    endpoint = Endpoint(server.url, "VAULTD_TEST_KEY", 10)

    def make(models: Models | None = None) -> Author:
        book = LedgerBook(db, clock=clock, daily_token_limit=0)
        llm = LlmClient(endpoint, book, gate=Gate(10), clock=clock, context_chars=204_800)

        def save(name: str, content: bytes | None) -> None:
            if content is not None:
                vault.write_state(name, content)

        return ModelAuthor(llm, models or Models("scripted"), db=db, save_state=save, clock=clock)

    yield make
    await endpoint.close()


def nothing(stage: str, done: int = 0, total: int = 0) -> None:
    """Tell nobody."""


async def ingest(desk: Desk, name: str, number: int = 1, **payload: object) -> Mapping[str, Any]:
    """Ingest `raw/<name>` as the worker would."""
    job = Job(number, JobKind.INGEST, f"raw/{name}", "", payload, 1, number)
    return await ingest_source(job, nothing, desk)
