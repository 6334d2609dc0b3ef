"""An ingest desk over real parts: a vault, a database, the converter, an author."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tests.fakes import FakeClock
from vaultd.author.offline import OfflineAuthor
from vaultd.author.seam import Author
from vaultd.extract import Converter
from vaultd.ingest.captions import CaptionCache
from vaultd.ingest.desk import Desk, IngestRules
from vaultd.ingest.turns import PublishOrder
from vaultd.model.wiki import PageRef
from vaultd.reading import Reader
from vaultd.store.database import Database
from vaultd.vault.files import Vault

MakeDesk = Callable[..., Desk]


@pytest.fixture
async def make_desk(
    vault: Vault, db: Database, clock: FakeClock
) -> AsyncIterator[MakeDesk]:
    """Build desks over one vault; `author` and the rules may be chosen."""
    converter = Converter()

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

    yield make
    await converter.close()


def drop(vault: Vault, name: str, content: bytes | str) -> Path:
    """Put a file into `raw/`."""
    place = vault.root / "raw" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content if isinstance(content, bytes) else content.encode())
    return place
