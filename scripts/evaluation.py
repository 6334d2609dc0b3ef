"""How well search finds, on sets of documents with questions and judged answers.

A set is a folder with `corpus.jsonl` {id, title, text, …} or `files.jsonl`, `queries.jsonl`
{id, text, lang}, and `qrels*.tsv` or `spans.jsonl`. A vault is made of its documents, indexed,
and every question asked; one JSON line is printed for each view, lane and measure.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import re
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import structlog

from vaultd.embed.builtin import BuiltinEmbedder
from vaultd.extract import Converter
from vaultd.index import Indexer
from vaultd.model.paths import VaultPath
from vaultd.model.search import Filters, Hit, Mode, Question
from vaultd.reading import Reader
from vaultd.search import SearchEngine
from vaultd.store import vectors
from vaultd.store.database import Database
from vaultd.vault.files import Vault
from vaultd.vault.layout import make_layout

ROOT = Path(__file__).resolve().parent.parent
LANES = {"words": Mode.WORDS, "vectors": Mode.VECTORS, "hybrid": Mode.HYBRID}
K = 10
ASKED = 20  # results asked for, since several may belong to one document or file
READ = 4_000  # characters a reader takes of the results, where spans are judged

Ask = Callable[[Question], Awaitable[Sequence[Hit]]]
Judged = dict[str, dict[str, int]]  # question -> document or file -> grade


@dataclass(frozen=True, slots=True)
class View:
    """One way to ask a set: which judgements, and in which language's documents."""

    name: str
    judged: Judged
    under: Mapping[str, str] = field(default_factory=dict)  # question's language -> folder
    by_file: bool = False


@dataclass(slots=True)
class EvalVault:
    """A set's documents as a vault: vault path of each document and back."""

    ids: dict[VaultPath, str]
    files: dict[str, str]
    summaries: dict[VaultPath, str]


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def read_judged(path: Path) -> Judged:
    """Read query, document, grade; a header line is passed over."""
    judged: Judged = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        question, document, grade = line.split("\t")
        if grade.lstrip("-").isdigit() and int(grade) > 0:
            judged.setdefault(question, {})[document] = int(grade)
    return judged


def views_of(folder: Path) -> Iterator[View]:
    """Return the views of a set by its judgement files."""
    for path in sorted(folder.glob("qrels*.tsv")):
        kind = path.stem.partition(".")[2]
        languages = {"": {"en": "en", "zh": "zh"}, "cross": {"en": "zh", "zh": "en"}}
        bilingual = (folder / "qrels.cross.tsv").exists()
        yield View(
            name=kind or "own",
            judged=read_judged(path),
            under=languages.get(kind, {}) if bilingual else {},
            by_file=kind == "file",
        )


def write_vault(folder: Path, root: Path) -> EvalVault:
    """Write each document as a note below its language's folder."""
    made = EvalVault({}, {}, {})
    source = folder / "corpus.jsonl"
    for document in read_lines(source if source.exists() else folder / "files.jsonl"):
        name = re.sub(r"[^\w.-]+", "_", document["id"])
        path = VaultPath(f"{document.get('lang') or 'notes'}/{name}.md")
        title = json.dumps(document.get("title") or "", ensure_ascii=False)
        head = f"---\ntitle: {title}\n---\n" if document.get("title") else ""
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(head + document["text"], encoding="utf-8")
        made.ids[path] = document["id"]
        made.files[document["id"]] = document.get("file", document["id"])
        if document.get("summary"):
            made.summaries[path] = document["summary"]
    return made


def score(judged: Judged, run: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return nDCG, recall and MRR at `K`, means over the judged questions."""
    totals = {"ndcg@10": 0.0, "recall@10": 0.0, "mrr@10": 0.0}
    for question, relevant in judged.items():
        top = list(dict.fromkeys(run.get(question, ())))[:K]
        gains = [relevant.get(one, 0) for one in top]
        ideal = sorted(relevant.values(), reverse=True)[:K]
        first = next((n for n, gain in enumerate(gains) if gain), None)
        totals["ndcg@10"] += _dcg(gains) / _dcg(ideal)
        totals["recall@10"] += sum(gain > 0 for gain in gains) / len(relevant)
        totals["mrr@10"] += 0.0 if first is None else 1 / (first + 1)
    return {measure: total / len(judged) for measure, total in totals.items()}


def _dcg(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(n + 2) for n, gain in enumerate(gains))


def mixed_scores(judged: Judged, run: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return the own language's MRR and the other's recall: grade 2 is own, grade 1 other."""
    own = {q: {d: 1 for d, grade in rel.items() if grade == 2} for q, rel in judged.items()}
    other = {q: {d: 1 for d, grade in rel.items() if grade == 1} for q, rel in judged.items()}
    return {
        "own_mrr@10": score(own, run)["mrr@10"],
        "other_recall@10": score(other, run)["recall@10"],
    }


async def ask_all(
    ask: Ask, made: EvalVault, view: View, questions: Sequence[Mapping[str, Any]], mode: Mode
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


async def ask_spans(ask: Ask, folder: Path, mode: Mode) -> dict[str, float]:
    """Return the share of the judged characters within the first `READ` characters found."""
    texts = {one["id"]: one["text"] for one in read_lines(folder / "queries.jsonl")}
    total = 0.0
    judged = read_lines(folder / "spans.jsonl")
    for one in judged:
        hits = await ask(Question(texts[one["id"]], k=ASKED, mode=mode))
        head = len(f"---\ntitle: {json.dumps(one['file'])}\n---\n")
        read, wanted = 0, {n for start, end in one["spans"] for n in range(start, end)}
        size = len(wanted)
        for hit in hits:
            read += hit.end - hit.start
            if read > READ and hit is not hits[0]:
                break
            if Path(hit.path).stem == one["file"]:
                wanted -= set(range(hit.start - head, hit.end - head))
        total += 1 - len(wanted) / size
    return {"recall_in_4000_characters": total / len(judged)}


async def evaluate(folder: Path, root: Path) -> Iterator[dict[str, Any]]:
    """Index a set and return its figures."""
    vault = Vault(root, make_layout(root))
    made = write_vault(folder, root)
    db = Database(vault.state / "vaultd.db")
    converter, embedder = Converter(), BuiltinEmbedder()
    try:
        reader = Reader(vault, db, converter)
        indexer = Indexer(vault, db, reader, embedder, lambda: datetime.now(UTC))
        for path in made.ids:
            await indexer.index_file(path)
        engine = SearchEngine(db, [embedder], vault_name=root.name)

        async def ask(question: Question) -> Sequence[Hit]:
            return (await engine.search(question)).results

        figures = [figure async for figure in _figures(folder, made, ask, LANES)]
        if made.summaries:
            await _put_summaries(db, embedder, made)
            with_summaries = {"hybrid+summaries": Mode.HYBRID}
            figures += [figure async for figure in _figures(folder, made, ask, with_summaries)]
    finally:
        await embedder.close()
        await converter.close()
        db.close()
    return iter(figures)


async def _put_summaries(db: Database, embedder: BuiltinEmbedder, made: EvalVault) -> None:
    vectors_made = await embedder.embed(list(made.summaries.values()))
    for path, vector in zip(made.summaries, vectors_made, strict=True):
        if vector is not None:
            await db.run(vectors.put_summary_vectors, path, {0: vector}, embedder=1)


async def _figures(folder: Path, made: EvalVault, ask: Ask, lanes: Mapping[str, Mode]) -> Any:
    if (folder / "spans.jsonl").exists():
        for lane, mode in lanes.items():
            for measure, value in (await ask_spans(ask, folder, mode)).items():
                yield _figure(folder.name, "spans", lane, measure, value)
        return
    questions = read_lines(folder / "queries.jsonl")
    for view in views_of(folder):
        for lane, mode in lanes.items():
            run = await ask_all(ask, made, view, questions, mode)
            for language, judged in _by_language(view, questions).items():
                measures = score(judged, run)
                if view.name == "mixed":
                    measures |= mixed_scores(judged, run)
                for measure, value in measures.items():
                    yield _figure(folder.name, f"{view.name} {language}", lane, measure, value)


def _by_language(view: View, questions: Sequence[Mapping[str, Any]]) -> dict[str, Judged]:
    """Return the judgements of all questions, and of each language where there are several."""
    groups: dict[str, Judged] = {"all": view.judged}
    for question in questions:
        if question["id"] in view.judged:
            group = groups.setdefault(question["lang"], {})
            group[question["id"]] = view.judged[question["id"]]
    return groups if len(groups) > 2 else {"all": view.judged}


def _figure(name: str, view: str, lane: str, measure: str, value: float) -> dict[str, Any]:
    return {
        "figure": f"{measure}, {name}, {view}, {lane}",
        "value": round(value, 4),
        "unit": "share",
        "note": f"k = {K}",
    }


def default_sets() -> list[Path]:
    """Return the sets beside the checkout."""
    shared = Path(os.environ.get("VAULTD_SHARED") or ROOT.parent / "shared")
    return sorted(path.parent for path in (shared / "search-eval").glob("*/queries.jsonl"))


def main() -> None:
    """Evaluate the sets named, or those beside the checkout."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", type=Path, help="folders of that form")
    for folder in parser.parse_args().sets or default_sets():
        with tempfile.TemporaryDirectory() as root:
            for figure in asyncio.run(evaluate(folder, Path(root))):
                print(json.dumps(figure, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
