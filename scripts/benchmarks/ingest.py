"""An ingest against a scripted model: wall time over the critical path, calls, prompt size."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
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
from vaultd.ingest.desk import READ_AHEAD, Desk, IngestRules
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


def main() -> Iterator[dict[str, Any]]:
    """Yield one line per figure."""
    with _served() as (url, log):
        yield from asyncio.run(_times(url, log))
    with ModelServer() as server:
        yield from asyncio.run(_merges(server))
        yield from asyncio.run(_prompts(server))


@contextmanager
def _served() -> Iterator[tuple[str, Path]]:
    """A server of latency L in a process of its own, and the log of its calls."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "calls"
        command = [sys.executable, "-m", "tests.model_server", "--port", "0"]
        command += ["--latency", str(LATENCY), "--log", str(log)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                said = server.stdout.readline() if server.stdout else ""
                yield said.removeprefix("serving at ").split(";")[0], log
            finally:
                server.terminate()


@dataclass(frozen=True, slots=True)
class Calls:
    """What the server saw: how many calls, of which stages, and how long each took."""

    stages: tuple[str, ...]
    seconds: tuple[float, ...]


def _calls(log: Path, after: int) -> Calls:
    """Read the server's log; the first `after` calls are left out."""
    lines = [json.loads(line) for line in log.read_text().splitlines()[after:]]
    return Calls(
        tuple(line["stage"] for line in lines),
        tuple(line["ended"] - line["started"] for line in lines),
    )


@asynccontextmanager
async def _world(url: str) -> AsyncIterator[World]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "vault"
        root.mkdir()
        vault = Vault(root, make_layout(root))
        db = Database(vault.state / "vaultd.db")
        converter, embedder = Converter(), BuiltinEmbedder()
        endpoint = Endpoint(url, "VAULTD_BENCH_KEY", 60)
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
            asking=asyncio.Semaphore(PARALLEL),
        )
        try:
            yield World(vault, db, desk, Indexer(vault, db, reader, embedder, _now))
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


async def _times(url: str, log: Path) -> list[dict[str, Any]]:
    async with _world(url) as world:
        for name, words in (("warm", "Warming up"), ("one", "Basalt")):
            _drop(world, f"{name}.md", words)
        await _ingest(world, "warm.md", 1)
        before, used = len(_calls(log, 0).stages), time.process_time()
        one = await _ingest(world, "one.md", 2)
        used = time.process_time() - used
        calls = _calls(log, before)
        needed = 2 + ("review" in calls.stages)
        path = sum(calls.seconds)  # one source asks one after the other
        note = f"{one:.3f} s, {path:.3f} s of them at the server, CPU {used:.3f} s, target 1.10"
        count = len(calls.stages)
        return [
            _line("one_source_over_critical_path", one / (count * LATENCY), note),
            _line("one_source_calls_over_minimum", count / needed, f"{count} calls, target 1.00"),
            *await _ten_at_once(world, log, before + count),
        ]


async def _ten_at_once(world: World, log: Path, before: int) -> list[dict[str, Any]]:
    """Ten sources in lanes as the worker has them; calls do not come in thirds of one."""
    names = [f"Mineral {number}" for number in range(SOURCES)]
    for name in names:
        _drop(world, f"{name}.md", name)
    lanes = asyncio.Semaphore(PARALLEL + READ_AHEAD)

    async def turn(number: int, name: str) -> None:
        async with lanes:
            await _ingest(world, f"{name}.md", 10 + number)

    start, used = time.perf_counter(), time.process_time()
    await asyncio.gather(*(turn(number, name) for number, name in enumerate(names)))
    wall, used = time.perf_counter() - start, time.process_time() - used
    total = len(_calls(log, before).stages)
    bound = max(total / SOURCES, total / PARALLEL) * LATENCY
    best = ceil(total / PARALLEL) * LATENCY
    note = f"{wall:.2f} s, {total} calls, CPU {used:.2f} s, target 1.15"
    return [
        _line("ten_sources_over_bound", wall / bound, note),
        _line("ten_sources_over_best_schedule", wall / best, f"best is {best:.2f} s"),
    ]


async def _merges(server: ModelServer) -> list[dict[str, Any]]:
    """A second source that says what a page says already costs no merge."""
    async with _world(server.url) as world:
        for number, name in enumerate(("first.md", "second.md")):
            _drop(world, name, f"Quartz {number}")
            own = page(f"wiki/sources/{Path(name).stem}.md", name, "About quartz.")
            shared = page("wiki/concepts/quartz.md", name, "Quartz is hard and clear.")
            reply = "\n\n".join((own, shared, "---END OF REPLY---"))
            server.when("generation", Say(reply), containing=f"Quartz {number} is a thing")
            await _ingest(world, name, 100 + number)
    merges = server.stages().count("merge")
    return [_line("merge_calls_when_nothing_is_new", merges, "target 0")]


async def _prompts(server: ModelServer) -> list[dict[str, Any]]:
    sizes: dict[int, int] = {}
    found = 0
    for count in (SMALL, LARGE):
        async with _world(server.url) as world:
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
