"""An ingest against a scripted model: wall time over the critical path, calls, prompt size."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.model_replies import page
from tests.model_server import ModelServer, Say
from vaultd.author.model import LedgerBook, ModelAuthor, Models
from vaultd.core.page import NewProperties, new_page_text
from vaultd.embed.builtin import BuiltinEmbedder
from vaultd.extract import Converter
from vaultd.index import Indexer
from vaultd.ingest.captions import CaptionCache
from vaultd.ingest.context import wiki_context
from vaultd.ingest.desk import Desk, IngestRules
from vaultd.ingest.source import ingest_source
from vaultd.ingest.turns import PublishOrder
from vaultd.llm.client import LlmClient
from vaultd.llm.endpoint import Endpoint
from vaultd.llm.gate import Gate
from vaultd.model.document import ExtractedPage
from vaultd.model.jobs import Job, JobKind
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import SourceText
from vaultd.reading import Reader
from vaultd.search import SearchEngine
from vaultd.store.database import Database
from vaultd.vault.files import Vault
from vaultd.vault.layout import make_layout

LATENCY = 0.5  # seconds a call
PARALLEL = 3  # the default of `ingest.parallel`
SOURCES = 10
SMALL, LARGE = 50, 5_000  # pages in the wiki
TOPICS = 20
TEXT = "{0} is a thing of its own. Whoever studies {0} learns how {0} behaves when it is warm.\n\n"


@dataclass
class World:
    """A vault with a model author in front of a scripted server."""

    vault: Vault
    db: Database
    desk: Desk
    indexer: Indexer
    server: ModelServer


def main() -> Iterator[dict[str, Any]]:
    """Yield one line per figure."""
    with ModelServer(latency=LATENCY) as server:
        yield from asyncio.run(_times(server))
    with ModelServer() as server:
        yield from asyncio.run(_prompts(server))


@asynccontextmanager
async def _world(server: ModelServer) -> AsyncIterator[World]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "vault"
        root.mkdir()
        vault = Vault(root, make_layout(root))
        db = Database(vault.state / "vaultd.db")
        converter, embedder = Converter(), BuiltinEmbedder()
        endpoint = Endpoint(server.url, "VAULTD_BENCH_KEY", 60)
        book = LedgerBook(db, clock=_now, daily_token_limit=0)
        llm = LlmClient(endpoint, book, gate=Gate(10), clock=_now, context_chars=204_800)
        author = ModelAuthor(llm, Models("scripted"), db=db, save_state=_keep_nothing, clock=_now)
        engine = SearchEngine(db, [embedder], vault_name="vault")
        reader = Reader(vault, db, converter)
        desk = Desk(
            vault=vault,
            db=db,
            reader=reader,
            author=author,
            captions=CaptionCache(vault, author, _now, concurrency=4),
            order=PublishOrder(),
            near_pages=engine.near_pages,
            clock=_now,
            rules=IngestRules(),
        )
        try:
            yield World(vault, db, desk, Indexer(vault, db, reader, embedder, _now), server)
        finally:
            await endpoint.close()
            await converter.close()
            await embedder.close()
            db.close()


def _keep_nothing(name: str, content: bytes | None) -> None:
    """Checkpoints are not looked at here."""


def _tell_nobody(stage: str, done: int = 0, total: int = 0) -> None:
    """Progress is not looked at here."""


def _now() -> datetime:
    return datetime.now(UTC)


def _drop(world: World, name: str, words: str, paragraphs: int = 40) -> None:
    text = f"# {words}\n\n" + TEXT.format(words) * paragraphs
    (world.vault.root / "raw" / name).write_text(text, encoding="utf-8")


async def _ingest(world: World, name: str, number: int) -> float:
    start = time.perf_counter()
    job = Job(number, JobKind.INGEST, f"raw/{name}", "", {}, 1, number)
    await ingest_source(job, _tell_nobody, world.desk)
    return time.perf_counter() - start


async def _times(server: ModelServer) -> list[dict[str, Any]]:
    async with _world(server) as world:
        server.latency = 0
        _drop(world, "warm.md", "Warming up")
        await _ingest(world, "warm.md", 1)
        server.latency = LATENCY
        server.calls.clear()
        _drop(world, "one.md", "Basalt")
        one = await _ingest(world, "one.md", 2)
        calls = len(server.calls)
        needed = 2 + ("review" in server.stages())
        lines = [
            _line("one_source_over_critical_path", one / (calls * LATENCY), "target 1.10"),
            _line("one_source_calls_over_minimum", calls / needed, f"{calls} calls, target 1.00"),
        ]
        server.calls.clear()
        names = [f"Mineral {number}" for number in range(SOURCES)]
        for name in names:
            _drop(world, f"{name}.md", name)
        gate, longest = asyncio.Semaphore(PARALLEL), 0.0

        async def turn(number: int, name: str) -> float:
            async with gate:
                return await _ingest(world, f"{name}.md", 10 + number)

        start = time.perf_counter()
        each = await asyncio.gather(*(turn(number, name) for number, name in enumerate(names)))
        wall, longest = time.perf_counter() - start, max(each)
        total = len(server.calls)
        bound = max(longest, total * LATENCY / PARALLEL)
        lines.append(_line("ten_sources_over_bound", wall / bound, f"{total} calls, target 1.15"))
        lines.append(await _nothing_new(world))
        return lines


async def _nothing_new(world: World) -> dict[str, Any]:
    """A second source that says what a page says already costs no merge."""
    for number, name in enumerate(("first.md", "second.md")):
        _drop(world, name, f"Quartz {number}")
        own = page(f"wiki/sources/{Path(name).stem}.md", name, "About quartz.")
        shared = page("wiki/concepts/quartz.md", name, "Quartz is hard and clear.")
        reply = "\n\n".join((own, shared, "---END OF REPLY---"))
        world.server.when("generation", Say(reply), containing=f"Quartz {number} is a thing")
        await _ingest(world, name, 100 + number)
    merges = world.server.stages().count("merge")
    return _line("merge_calls_when_nothing_is_new", merges, "target 0")


async def _prompts(server: ModelServer) -> list[dict[str, Any]]:
    sizes: dict[int, int] = {}
    found = 0
    for count in (SMALL, LARGE):
        async with _world(server) as world:
            await _fill(world, count)
            server.calls.clear()
            _drop(world, "new.md", "Feldspar")
            await _ingest(world, "new.md", 1)
            sizes[count] = max(len(call.prompt) for call in server.calls)
            if count == LARGE:
                found = await _topics_found(world)
    ratio = sizes[LARGE] / sizes[SMALL]
    note = f"{LARGE} pages {sizes[LARGE]} characters, {SMALL} pages {sizes[SMALL]}, target 1.3"
    return [
        _line("prompt_size_large_over_small_wiki", ratio, note),
        _line("related_pages_listed", found, f"of {TOPICS} sources, target 18"),
    ]


async def _fill(world: World, count: int) -> None:
    """Write `count` pages, of which ten each are about one of twenty topics."""
    folder = world.vault.root / "wiki/concepts"
    day = _now().date()
    for number in range(count):
        topic = f"topic {_word(number % (count // 10))}"
        title = f"{topic} part {number}"
        values = NewProperties("concept", title, day, day, "bench", sources=(SourceId("x.md"),))
        text = new_page_text(values, f"A page about {topic}. " + TEXT.format(topic))
        (folder / f"{title}.md").write_text(text, encoding="utf-8")
        await world.indexer.index_file(VaultPath(f"wiki/concepts/{title}.md"))


def _word(number: int) -> str:
    """Return a made-up word of its own for each number."""
    syllables = ("ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu")
    return "".join(syllables[int(digit)] for digit in f"{number:03d}")


async def _topics_found(world: World) -> int:
    found = 0
    for number in range(TOPICS):
        topic = f"topic {_word(number)}"
        text = TEXT.format(topic) * 10
        path = VaultPath(f"raw/{topic}.md")
        source = SourceText(
            SourceId(f"{topic}.md"), path, "", topic, "en", (ExtractedPage(None, text),)
        )
        context = await wiki_context(
            source, VaultPath("wiki/sources/x.md"), world.desk, language="en", job=1000 + number
        )
        listed = sum(1 for ref in context.pages if ref.title.startswith(f"{topic} "))
        found += listed >= 10
    return found


def _line(figure: str, value: float, note: str) -> dict[str, Any]:
    return {"figure": figure, "value": round(value, 3), "unit": "", "note": note}
