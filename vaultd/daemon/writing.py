"""Who writes, and what an ingest works with, built from the settings."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from datetime import timedelta
from functools import partial

from vaultd.author.model.asking import Models
from vaultd.author.model.author import ModelAuthor
from vaultd.author.model.book import LedgerBook
from vaultd.author.offline import OfflineAuthor
from vaultd.author.seam import Author
from vaultd.daemon.place import Place
from vaultd.embed import Embedder
from vaultd.ingest.captions import CaptionCache
from vaultd.ingest.desk import Desk, IngestRules
from vaultd.ingest.turns import PublishOrder
from vaultd.llm.client import LlmClient
from vaultd.llm.endpoint import Endpoint
from vaultd.llm.gate import Gate
from vaultd.reading import Reader
from vaultd.review import Sweep
from vaultd.search import SearchEngine
from vaultd.settings import LlmSettings
from vaultd.summarize.operations import SummaryOperations
from vaultd.summarize.summarizer import DirectorySummarizer, Options
from vaultd.vault.disk import sorted_faults
from vaultd.vault.files import Vault


def make_author(place: Place, closing: AsyncExitStack) -> Author:
    """Return the author: a model only if one is named in the settings."""
    llm = place.settings.llm
    if not llm.model:
        return OfflineAuthor()
    endpoint = Endpoint(llm.base_url, llm.api_key_env, llm.timeout_seconds)
    closing.push_async_callback(endpoint.close)
    client = LlmClient(
        endpoint,
        LedgerBook(place.db, clock=place.clock, daily_token_limit=llm.daily_token_limit),
        gate=Gate(llm.max_concurrent),
        clock=place.clock,
        context_chars=llm.context_chars,
    )
    return ModelAuthor(
        client,
        _models(llm),
        db=place.db,
        save_state=partial(_save_state, place.vault),
        clock=place.clock,
    )


def _models(llm: LlmSettings) -> Models:
    return Models(
        model=llm.model,
        analysis=llm.analysis_model,
        generation=llm.generation_model,
        summary=llm.summary_model,
        vision=llm.vision_model,
    )


def _save_state(vault: Vault, name: str, content: bytes | None) -> None:
    if content is not None:
        vault.write_state(name, content)
        return
    place = vault.state_file(name)
    with sorted_faults():
        if place.exists():
            vault.disk.unlink(place)


def make_desk(place: Place, reader: Reader, author: Author, engine: SearchEngine) -> Desk:
    """Return the desk that ingests are written at."""
    ingest = place.settings.ingest
    captions = CaptionCache(
        place.vault, author, place.clock, concurrency=ingest.caption_concurrency
    )
    return Desk(
        vault=place.vault,
        db=place.db,
        reader=reader,
        author=author,
        captions=captions,
        order=PublishOrder(),
        near_pages=engine.near_pages,
        clock=place.clock,
        rules=IngestRules(
            language=ingest.language,
            multimodal=ingest.multimodal,
            pages_per_source=ingest.pages_per_source,
            confirm_above_tokens=ingest.confirm_above_tokens,
        ),
        asking=asyncio.Semaphore(ingest.parallel),
    )


def make_summarizer(
    place: Place, author: Author, embedder: Embedder | None, sweep: Sweep
) -> DirectorySummarizer:
    """Return what describes folders and files."""
    settings = place.settings
    return DirectorySummarizer(
        place.db,
        place.vault,
        author,
        embedder,
        place.clock,
        sweep.propose,
        Options(
            roots=settings.summaries.roots,
            max_children=settings.summaries.max_children,
            max_concurrent_llm=settings.llm.max_concurrent,
            language=settings.ingest.language,
            context_chars=settings.llm.context_chars,
            first_retry=timedelta(seconds=settings.ingest.retry_first_seconds),
        ),
    )


def make_operations(
    place: Place, summarizer: DirectorySummarizer, embedder: Embedder | None
) -> SummaryOperations:
    """Return what people and programs may ask of summaries."""
    return SummaryOperations(
        place.db,
        summarizer,
        place.clock,
        embed_model=embedder.identity if embedder else "",
        width=place.settings.llm.max_concurrent,
    )
