"""Sets of documents with questions and judged answers: read, written as a vault, scored.

A set is a folder with `corpus.jsonl` {id, title, text, …} or `files.jsonl`, `queries.jsonl`
{id, text, lang}, and `qrels*.tsv` or `spans.jsonl`. With `documents.tsv` its documents are those
of other sets: each line the name of a set and an id.
"""

from __future__ import annotations

import json
import math
import os
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vaultd.model.paths import VaultPath
from vaultd.model.search import Hit

K = 10
FIRST = 3  # results that are seen at once
READ = 4_000  # characters a reader takes of the results, where spans are judged
LANGUAGES = {"": {"en": "en", "zh": "zh"}, "cross": {"en": "zh", "zh": "en"}}

Judged = Mapping[str, Mapping[str, int]]  # question -> document or file -> grade
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class View:
    """One way to ask a set: which judgements, and in which language's documents."""

    name: str
    judged: Judged
    under: Mapping[str, str] = field(default_factory=dict)  # question's language -> folder
    by_file: bool = False


@dataclass(slots=True)
class SetVault:
    """A set's documents as a vault: vault path of each document, its file and its summary."""

    ids: dict[VaultPath, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    heads: dict[VaultPath, int] = field(default_factory=dict)  # characters of the properties
    summaries: dict[VaultPath, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sample:
    """How much of a set is taken: at most so many documents and questions of each language.

    0 is all. Judged documents are always there, so a smaller set is an easier one.
    """

    documents: int = 0
    questions: int = 0


def read_lines(path: Path) -> list[Row]:
    """Read a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def read_judged(path: Path) -> Judged:
    """Read query, document, grade; a header line is passed over."""
    judged: dict[str, dict[str, int]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        question, document, grade = line.split("\t")
        if grade.lstrip("-").isdigit() and int(grade) > 0:
            judged.setdefault(question, {})[document] = int(grade)
    return judged


def views_of(folder: Path) -> Iterator[View]:
    """Return the views of a set by its judgement files."""
    bilingual = (folder / "qrels.cross.tsv").exists()
    for path in sorted(folder.glob("qrels*.tsv")):
        kind = path.stem.partition(".")[2]
        yield View(
            name=kind or "own",
            judged=read_judged(path),
            under=LANGUAGES.get(kind, {}) if bilingual else {},
            by_file=kind == "file",
        )


def questions_of(folder: Path, sample: Sample) -> list[Row]:
    """Return the questions, or the same few at every call."""
    by_language: dict[str, list[Row]] = {}
    for question in read_lines(folder / "queries.jsonl"):
        by_language.setdefault(question["lang"], []).append(question)
    return [one for rows in by_language.values() for one in _some(rows, sample.questions)]


def documents_of(folder: Path, sample: Sample) -> list[Row]:
    """Return the documents, or the judged ones and as many others as the sample has room for."""
    rows = _rows_of(folder)
    if not sample.documents or len(rows) <= sample.documents:
        return rows
    judged = {
        document
        for view in views_of(folder)
        for relevant in view.judged.values()
        for document in relevant
    }
    wanted = [row for row in rows if {row["id"], row.get("file")} & judged]
    others = [row for row in rows if not {row["id"], row.get("file")} & judged]
    return [*wanted, *_some(others, max(1, sample.documents - len(wanted)))]


def sets_beside() -> Path:
    """Return the folder of sets beside the checkout, or named in `VAULTD_SHARED`."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    return Path(os.environ.get("VAULTD_SHARED") or beside) / "search-eval"


def _rows_of(folder: Path) -> list[Row]:
    if not (listed := folder / "documents.tsv").exists():
        source = folder / "corpus.jsonl"
        return read_lines(source if source.exists() else folder / "files.jsonl")
    wanted: dict[str, set[str]] = {}
    for line in listed.read_text(encoding="utf-8").splitlines():
        name, _, identity = line.partition("\t")
        wanted.setdefault(name, set()).add(identity)
    return [
        {"id": f"{name}/{row['id']}", "title": row.get("title", ""), "text": row["text"]}
        for name, ids in wanted.items()
        for row in read_lines(sets_beside() / name / "corpus.jsonl")
        if row["id"] in ids
    ]


def _some(rows: Sequence[Row], count: int) -> Sequence[Row]:
    if not count or len(rows) <= count:
        return rows
    return random.Random(7).sample(rows, count)


def write_vault(documents: Sequence[Row], root: Path) -> SetVault:
    """Write each document as a note below its language's folder."""
    made = SetVault()
    for document in documents:
        name = re.sub(r"[^\w.-]+", "_", document["id"])
        path = VaultPath(f"{document.get('lang') or 'notes'}/{name}.md")
        title = json.dumps(document.get("title") or "", ensure_ascii=False)
        head = f"---\ntitle: {title}\n---\n" if document.get("title") else ""
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(head + document["text"], encoding="utf-8")
        made.ids[path] = document["id"]
        made.files[document["id"]] = str(document.get("file", document["id"]))
        made.heads[path] = len(head)
        if document.get("summary"):
            made.summaries[path] = document["summary"]
    return made


def by_language(view: View, questions: Sequence[Row]) -> dict[str, Judged]:
    """Return the judgements of the questions, and of each language where there are several."""
    groups: dict[str, dict[str, Mapping[str, int]]] = {}
    for question in questions:
        if question["id"] in view.judged:
            group = groups.setdefault(question["lang"], {})
            group[question["id"]] = view.judged[question["id"]]
    if len(groups) == 1:
        return dict(groups)
    return {"all": {q: rel for group in groups.values() for q, rel in group.items()}, **groups}


def measures(view: View, judged: Judged, run: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return what is measured of a view."""
    found = score(judged, run)
    return found | mixed_scores(judged, run) if view.name == "mixed" else found


def score(judged: Judged, run: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return nDCG, recall and MRR at `K`, and how often the first `FIRST` hold what is meant.

    Means over the judged questions.
    """
    totals = {"ndcg@10": 0.0, "recall@10": 0.0, "mrr@10": 0.0, "first 3": 0.0}
    for question, relevant in judged.items():
        top = list(dict.fromkeys(run.get(question, ())))[:K]
        gains = [relevant.get(one, 0) for one in top]
        ideal = sorted(relevant.values(), reverse=True)[:K]
        first = next((n for n, gain in enumerate(gains) if gain), None)
        totals["ndcg@10"] += _dcg(gains) / _dcg(ideal)
        totals["recall@10"] += sum(gain > 0 for gain in gains) / len(relevant)
        totals["mrr@10"] += 0.0 if first is None else 1 / (first + 1)
        totals["first 3"] += first is not None and first < FIRST
    return {measure: total / len(judged) for measure, total in totals.items()}


def mixed_scores(judged: Judged, run: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return the own language's MRR and the other's recall: grade 2 is own, grade 1 other."""
    own = {q: {d: 1 for d, grade in rel.items() if grade == 2} for q, rel in judged.items()}
    other = {q: {d: 1 for d, grade in rel.items() if grade == 1} for q, rel in judged.items()}
    return {
        "own mrr@10": score(own, run)["mrr@10"],
        "other recall@10": score(other, run)["recall@10"],
    }


def span_recall(made: SetVault, judged: Row, hits: Sequence[Hit]) -> float:
    """Return the share of the judged characters within the first `READ` characters found."""
    wanted = {n for start, end in judged["spans"] for n in range(start, end)}
    size, read = len(wanted), 0
    for hit in hits:
        read += hit.end - hit.start
        if read > READ and hit is not hits[0]:
            break
        if made.ids[hit.path] == judged["file"]:
            head = made.heads[hit.path]
            wanted -= set(range(hit.start - head, hit.end - head))
    return 1 - len(wanted) / size


def _dcg(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(n + 2) for n, gain in enumerate(gains))
