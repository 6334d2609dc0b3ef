"""Folders described by the real model author over HTTP, with an outage in the middle."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.fakes import FakeClock
from tests.model_server import ModelServer
from tests.summarize.fakes import FakeEmbedder, Reviews, page, put, tree_of
from vaultd.author.model import LedgerBook, ModelAuthor, Models
from vaultd.llm.client import LlmClient
from vaultd.llm.endpoint import Endpoint
from vaultd.llm.gate import Gate
from vaultd.store import nodes
from vaultd.store.database import Database
from vaultd.summarize.summarizer import DirectorySummarizer, Options
from vaultd.vault.files import Vault


def keep_nothing(name: str, content: bytes | None) -> None:
    """Checkpoints are of no matter here."""


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A scripted server, and a key for it."""
    monkeypatch.setenv("VAULTD_TEST_KEY", "k")
    with ModelServer() as server:
        yield server


def summarizer_of(
    url: str, db: Database, vault: Vault, clock: FakeClock
) -> tuple[DirectorySummarizer, LlmClient]:
    llm = LlmClient(
        Endpoint(url, "VAULTD_TEST_KEY", 5.0),
        LedgerBook(db, clock=clock, daily_token_limit=0),
        gate=Gate(4),
        clock=clock,
        context_chars=204_800,
    )
    author = ModelAuthor(llm, Models("scripted"), db=db, save_state=keep_nothing, clock=clock)
    options = Options(max_concurrent_llm=4, first_retry=timedelta(seconds=30))
    made = DirectorySummarizer(db, vault, author, FakeEmbedder(), clock, Reviews().propose, options)
    return made, llm


async def test_outage_leaves_good_texts_marked_and_heals_by_itself(
    endpoint: ModelServer, db: Database, vault: Vault, clock: FakeClock
) -> None:
    files = tree_of(depth=2, fan=2, notes=1)
    put(vault, files)
    summarizer, llm = summarizer_of(endpoint.url, db, vault, clock)
    first = await summarizer.refresh_all()
    assert (first.calls, first.success) == (7, True)
    put(vault, {path: page("x", f"Entirely new: {path}.") for path in files})

    port = int(endpoint.url.rsplit(":", 1)[1].split("/")[0])
    endpoint.__exit__(None, None, None)
    down = await summarizer.refresh_all()
    assert down.stale == 7
    assert "state:stale" in (vault.root / "wiki/part 0/part 0.md").read_text("utf-8")

    with ModelServer(port=port) as back:
        due = await db.read(nodes.next_due)
        assert due is not None
        clock.now = due
        healed = await summarizer.refresh_marked()
        assert (healed.calls, healed.stale, healed.failed) == (7, 0, 0)
        assert back.stages().count("folder") == 7
    assert "state:ok" in (vault.root / "wiki/part 0/part 0.md").read_text("utf-8")
    await llm.close()


async def test_killed_run_pays_no_reply_twice(
    endpoint: ModelServer, db: Database, vault: Vault, clock: FakeClock, tmp_path: Path
) -> None:
    put(vault, tree_of(depth=2, fan=2, notes=1))
    summarizer, llm = summarizer_of(endpoint.url, db, vault, clock)
    endpoint.latency = 0.02
    run = asyncio.create_task(summarizer.refresh_all())
    await asyncio.sleep(0.15)
    run.cancel()
    await asyncio.gather(run, return_exceptions=True)

    again, second = summarizer_of(endpoint.url, db, vault, clock)
    result = await again.refresh_all()

    assert result.records_upserted == 7
    assert endpoint.stages().count("folder") <= 7 + 4
    await llm.close()
    await second.close()
