"""How well search finds, on sets of documents with questions and judged answers.

A vault is made of each set's documents and indexed, and every question is asked in every lane;
one line is printed for each view, language and lane.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import structlog

from scripts.asking import Bridge
from scripts.search_sets import (
    READ,
    Sample,
    SetVault,
    View,
    by_language,
    documents_of,
    measures,
    questions_of,
    read_lines,
    sets_beside,
    span_recall,
    views_of,
    write_vault,
)
from vaultd.embed import Vector
from vaultd.embed.builtin import BuiltinEmbedder
from vaultd.extract import Converter
from vaultd.index import Indexer
from vaultd.model.paths import VaultPath
from vaultd.model.search import Filters, Hit, Mode, Question
from vaultd.reading import Reader
from vaultd.search import SearchEngine
from vaultd.store import vectors
from vaultd.store.database import Connection, Database
from vaultd.vault.files import Vault
from vaultd.vault.layout import make_layout

ROOT = Path(__file__).resolve().parent.parent
LANES = {"words": Mode.WORDS, "vectors": Mode.VECTORS, "hybrid": Mode.HYBRID}
ASKED = 20  # results asked for, since several may belong to one document or file
AT_ONCE = 3  # files indexed beside each other: one is embedded while another is stored
WRONG = 50  # summaries given to another file, to see that they hide nothing
COLUMNS = ("ndcg@10", "recall@10", "mrr@10", "first 3")

Ask = Callable[[Question], Awaitable[Sequence[Hit]]]
Figure = dict[str, Any]


class Remembering(BuiltinEmbedder):
    """The built-in embedder; a question that is asked in several lanes is embedded once."""

    def __init__(self) -> None:
        super().__init__()
        self._questions: dict[str, Vector | None] = {}

    async def embed_question(self, text: str) -> Vector | None:
        """Return the vector of a question."""
        if text not in self._questions:
            self._questions[text] = await super().embed_question(text)
        return self._questions[text]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A set as an indexed vault, with what is needed to ask it in this process."""

    folder: Path
    sample: Sample
    vault: Vault
    made: SetVault
    db: Database
    embedder: Remembering


@asynccontextmanager
async def prepared(folder: Path, root: Path, sample: Sample) -> AsyncIterator[Prepared]:
    """Make a vault of a set at `root` and index it; what is indexed already stays."""
    made = await asyncio.to_thread(write_vault, documents_of(folder, sample), root)
    vault = Vault(root, await asyncio.to_thread(make_layout, root))
    async with AsyncExitStack() as closing:
        db = Database(vault.state / "vaultd.db")
        closing.callback(db.close)
        embedder, converter = Remembering(), Converter()
        closing.push_async_callback(embedder.close)
        closing.push_async_callback(converter.close)
        reader = Reader(vault, db, converter)
        indexer = Indexer(vault, db, reader, embedder, lambda: datetime.now(UTC))
        await _index(indexer, list(made.ids), folder.name)
        await indexer.translate()
        await db.run(_without_summaries)
        yield Prepared(folder, sample, vault, made, db, embedder)


async def _index(indexer: Indexer, paths: Sequence[VaultPath], name: str) -> None:
    waiting, started = iter(paths), time.perf_counter()

    async def some() -> None:
        for path in waiting:
            await indexer.index_file(path)

    await asyncio.gather(*(some() for _ in range(AT_ONCE)))
    seconds = time.perf_counter() - started
    print(f"{name}: {len(paths)} files indexed in {seconds:.0f} s", file=sys.stderr)


def _without_summaries(db: Connection) -> None:
    db.execute("delete from summary_vectors")


async def evaluate(
    folder: Path, root: Path, sample: Sample, *, by_bridge: bool
) -> AsyncIterator[Figure]:
    """Index a set and yield its figures."""
    async with prepared(folder, root, sample) as ready:
        async for figure in _asked(ready, LANES, by_bridge=by_bridge):
            yield figure
        if not ready.made.summaries:
            return
        await put_summaries(ready, ready.made.summaries)
        async for figure in _asked(ready, {"hybrid+summaries": Mode.HYBRID}, by_bridge=by_bridge):
            yield figure
        await put_summaries(ready, with_wrong(ready.made.summaries))
        lanes = {f"hybrid+summaries, {WRONG} wrong": Mode.HYBRID}
        async for figure in _asked(ready, lanes, by_bridge=by_bridge):
            yield figure


async def _asked(
    ready: Prepared, lanes: Mapping[str, Mode], *, by_bridge: bool
) -> AsyncIterator[Figure]:
    if by_bridge:
        async with Bridge(ready.vault.root) as bridge:
            async for figure in figures(ready, bridge.ask, lanes):
                yield figure
        return
    engine = SearchEngine(ready.db, [ready.embedder], vault_name=ready.folder.name)

    async def ask(question: Question) -> Sequence[Hit]:
        return (await engine.search(question)).results

    async for figure in figures(ready, ask, lanes):
        yield figure


async def figures(ready: Prepared, ask: Ask, lanes: Mapping[str, Mode]) -> AsyncIterator[Figure]:
    """Ask everything in every lane, and score what is answered."""
    folder = ready.folder
    questions = questions_of(folder, ready.sample)
    if (folder / "spans.jsonl").exists():
        for lane, mode in lanes.items():
            recall = await _ask_spans(ready, ask, mode)
            found = {f"recall in {READ} characters": recall}
            yield {"set": folder.name, "view": "spans", "language": "en", "lane": lane, **found}
        return
    for view in views_of(folder):
        for lane, mode in lanes.items():
            run = await _ask_view(ready.made, ask, view, questions, mode)
            for language, judged in by_language(view, questions).items():
                place = {"set": folder.name, "view": view.name, "language": language, "lane": lane}
                yield place | measures(view, judged, run)


async def _ask_view(
    made: SetVault, ask: Ask, view: View, questions: Sequence[Mapping[str, Any]], mode: Mode
) -> dict[str, list[str]]:
    """Ask every judged question; return document or file ids in order."""
    run: dict[str, list[str]] = {}
    for question in questions:
        if question["id"] not in view.judged:
            continue
        filters = Filters(under=view.under.get(question["lang"], ""))
        hits = await ask(Question(question["text"], k=ASKED, mode=mode, filters=filters))
        ids = [made.ids[hit.path] for hit in hits]
        run[question["id"]] = [made.files[one] for one in ids] if view.by_file else ids
    return run


async def _ask_spans(ready: Prepared, ask: Ask, mode: Mode) -> float:
    texts = {one["id"]: one["text"] for one in questions_of(ready.folder, ready.sample)}
    judged = [one for one in read_lines(ready.folder / "spans.jsonl") if one["id"] in texts]
    total = 0.0
    for one in judged:
        hits = await ask(Question(texts[one["id"]], k=ASKED, mode=mode))
        total += span_recall(ready.made, one, hits)
    return total / len(judged)


async def put_summaries(ready: Prepared, summaries: Mapping[VaultPath, str]) -> None:
    """Give each file its summary."""
    made = await ready.embedder.embed(list(summaries.values()))
    (active, *_) = await ready.db.read(vectors.embedders)
    for path, vector in zip(summaries, made, strict=True):
        if vector is not None:
            await ready.db.run(vectors.put_summary_vectors, path, {0: vector}, embedder=active.id)


def with_wrong(summaries: Mapping[VaultPath, str]) -> dict[VaultPath, str]:
    """Return the summaries with `WRONG` of them in the place of one another."""
    rng = random.Random(5)
    chosen = rng.sample(sorted(summaries), min(WRONG, len(summaries)))
    moved = zip(chosen, [*chosen[1:], chosen[0]], strict=True)
    return {**summaries, **{path: summaries[other] for path, other in moved}}


def shown(figure: Figure) -> str:
    """Return a figure as a line of a Markdown table."""
    place = [str(figure[key]) for key in ("set", "view", "language", "lane")]
    values = [f"{figure[name]:.3f}" if name in figure else "" for name in COLUMNS]
    more = {k: v for k, v in figure.items() if k not in COLUMNS and isinstance(v, float)}
    rest = ", ".join(f"{name} {value:.3f}" for name, value in more.items())
    return f"| {' | '.join([*place, *values, rest])} |"


def default_sets() -> list[Path]:
    """Return the sets beside the checkout, and the half thoughts that are asked of some of them."""
    sets = sorted(path.parent for path in sets_beside().glob("*/queries.jsonl"))
    return [*sets, ROOT / "scripts" / "half-thoughts"] if sets else []


def search_set(name: str) -> Path:
    """Return the folder of a set that is named on the command line."""
    if not (Path(name) / "queries.jsonl").is_file():
        raise argparse.ArgumentTypeError(f"{name} is no folder with a queries.jsonl in it")
    return Path(name)


async def _print(folder: Path, root: Path, asked: argparse.Namespace) -> None:
    sample = Sample(asked.documents, asked.questions)
    async for figure in evaluate(folder, root, sample, by_bridge=asked.bridge):
        print(json.dumps(figure, ensure_ascii=False) if asked.json else shown(figure), flush=True)


def _roots(keep: Path | None, folders: Sequence[Path]) -> Iterator[tuple[Path, Path]]:
    """Return each set with the folder its vault is made in."""
    for folder in folders:
        if keep is not None:
            yield folder, keep / folder.name
        else:
            with tempfile.TemporaryDirectory() as root:
                yield folder, Path(root)


def main() -> None:
    """Evaluate the sets named, or those beside the checkout."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(30),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", type=search_set, help="folders of that form")
    parser.add_argument("--keep", type=Path, help="make the vaults here, and use those there")
    parser.add_argument("--bridge", action="store_true", help="ask a daemon over HTTP")
    parser.add_argument("--documents", type=int, default=0, help="at most so many of a set")
    parser.add_argument("--questions", type=int, default=0, help="at most so many of a language")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    asked = parser.parse_args()
    if not asked.json:
        print(f"| set | view | language | lane | {' | '.join(COLUMNS)} | more |")
        print("| --- " * (5 + len(COLUMNS)) + "|")
    for folder, root in _roots(asked.keep, asked.sets or default_sets()):
        asyncio.run(_print(folder, root, asked))


if __name__ == "__main__":
    main()
