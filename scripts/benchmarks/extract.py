"""Conversion: phrases found, time over plain PyMuPDF, memory, and what isolation costs."""

from __future__ import annotations

import asyncio
import io
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pymupdf as _pymupdf

from tests.extract.conftest import read_here
from tests.extract.corpus import Row, rows, score, wanted_pictures
from vaultd.extract import Converter, Limits, child, recognition
from vaultd.extract.pdf_block import blocks_of
from vaultd.extract.pdf_furniture import without_furniture
from vaultd.extract.pdf_heading import mark_headings, outline_of
from vaultd.extract.pdf_page import Page
from vaultd.extract.pdf_sheet import Sheet
from vaultd.extract.readers import content_of
from vaultd.model.document import Extraction

pymupdf: Any = _pymupdf
ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(os.environ.get("VAULTD_SHARED") or ROOT.parent / "shared") / "corpus"
WITHOUT_TABLES = (
    *("pdf-tracemonkey", "pdf-dpr-two-column", "pdf-cfr-bad-page", "pdf-nist-sp800-223"),
    "pdf-freeculture",
)
RUNS = 5
PROSE = "The quick brown fox jumps over the lazy dog and goes on to the river to drink. "


def main() -> Iterator[dict[str, Any]]:
    """Yield one line per figure; those of the corpus only where it is."""
    if CORPUS.is_dir():
        yield from corpus_figures()
        yield from speed_figures()
    with tempfile.TemporaryDirectory() as folder:
        yield from asyncio.run(child_figures(Path(folder)))


def figure(name: str, value: float, unit: str, note: str = "") -> dict[str, Any]:
    return {"figure": name, "value": round(value, 3), "unit": unit, "note": note}


def corpus_figures() -> Iterator[dict[str, Any]]:
    with_ocr = recognition.available() and os.environ.get("VAULTD_BENCH_OCR") == "1"
    if not with_ocr:
        recognition.available = lambda: False
    manifest = rows(CORPUS)
    read = {row.name: read_here(CORPUS / row.name) for row in manifest}
    counted = [row for row in manifest if with_ocr or row.expect != "needs-ocr"]
    scores = [score(row, read[row.name]) for row in counted]
    wanted = sum(each.wanted for each in scores)
    missing = [phrase for each in scores for phrase in each.missing]
    yield figure(
        "phrase recall", 1 - len(missing) / wanted, "share", f"{wanted} phrases; {missing}"
    )
    yield figure("phrases out of order", sum(len(s.out_of_order) for s in scores), "phrases")
    yield figure("phrases on a wrong page", sum(len(s.wrong_page) for s in scores), "phrases")
    told = [row for row in counted if row.language in ("en", "zh", "ja", "ko", "ar")]
    wrong = [r.name for r in told if read[r.name].language not in ("", r.language)]
    yield figure("languages wrong", len(wrong), "files", f"of {len(told)}; {wrong}")
    outside = list(picture_misses(manifest, read))
    yield figure("picture counts outside what the eye counts", len(outside), "files", str(outside))


def picture_misses(manifest: list[Row], read: dict[str, Extraction]) -> Iterator[str]:
    for row in manifest:
        low, high = wanted_pictures(row)
        count = len(read[row.name].images)
        if row.name.startswith("pdf") and not low <= count <= high:
            yield f"{row.name}: {count}, wanted {low} to {high}"


def speed_figures() -> Iterator[dict[str, Any]]:
    for name in WITHOUT_TABLES:
        path = CORPUS / f"{name}.pdf"
        plain = partial(plain_text, path)
        ratio = over(partial(blocks_only, path), plain)
        yield figure(f"text over plain PyMuPDF, {name}", ratio, "times", "order, headings, lists")
        ratio = over(partial(all_text, path), plain)
        yield figure(f"all over plain PyMuPDF, {name}", ratio, "times", "and hidden text, tables")
    started = time.perf_counter()
    read_here(CORPUS / "pdf-bomb-giant.pdf")
    yield figure("decompression bomb", time.perf_counter() - started, "s")


def plain_text(path: Path) -> None:
    with pymupdf.open(path) as document:
        for page in document:
            page.get_text()


def blocks_only(path: Path) -> None:
    """Read as the converter does, but without looking at what is drawn on the pages."""
    with pymupdf.open(path) as document:
        pages = [
            Page(number, page.rect.height, page.rect.width, blocks_of(Sheet(page).text()))
            for number, page in enumerate(document, 1)
        ]
        kept = without_furniture(pages)
        mark_headings(kept, outline_of(document.get_toc(simple=True)))


def all_text(path: Path) -> None:
    list(content_of(path, "pdf").pages)


def over(work: Callable[[], object], plain: Callable[[], object]) -> float:
    """Return the processor time of `work` over that of `plain`, both run in turn."""
    times: dict[Callable[[], object], list[float]] = {work: [], plain: []}
    for _ in range(RUNS):
        for each, taken in times.items():
            started = time.process_time()
            each()
            taken.append(time.process_time() - started)
    return min(times[work]) / min(times[plain])


async def child_figures(folder: Path) -> list[dict[str, Any]]:
    found = [await isolation(folder), await memory(folder), await hanging(folder)]
    return found


def book(folder: Path, pages: int) -> Path:
    path = folder / f"book{pages}.pdf"
    document = pymupdf.open()
    for number in range(pages):
        page = document.new_page()
        for line in range(40):
            page.insert_text((50, 60 + 17 * line), f"{number} {line} {PROSE}", fontsize=9)
    document.save(path)
    document.close()
    return path


async def isolation(folder: Path) -> dict[str, Any]:
    path = book(folder, 20)
    converter = Converter()
    await converter.convert(path, pictures=True)
    inside, outside = [], []
    for _ in range(RUNS * 3):
        started = time.perf_counter()
        child.answer(path, io.BytesIO(), pictures=True)
        inside.append(time.perf_counter() - started)
        started = time.perf_counter()
        await converter.convert(path, pictures=True)
        outside.append(time.perf_counter() - started)
    await converter.close()
    ratio = statistics.median(outside) / statistics.median(inside)
    return figure("warm child over the same in process, 20 pages", ratio, "times")


async def memory(folder: Path) -> dict[str, Any]:
    path = book(folder, 400)
    converter = Converter()
    await converter.convert(path, pictures=True)
    kilobytes = converter.resident_kilobytes
    await converter.close()
    return figure("memory of the child after 400 pages", kilobytes / 1024, "MiB")


STAND_IN = """
import json, sys, struct, time
for line in sys.stdin:
    time.sleep(600 if "hang" in json.loads(line)["path"] else 1.0)
    for fields in (
        {"frame": "text", "kind": "txt", "metadata": {}, "pages": [], "status": "ok",
         "reason": "", "language": "", "warnings": []},
        {"frame": "done", "rss": 1},
    ):
        head = json.dumps(fields).encode()
        sys.stdout.buffer.write(struct.pack(">II", len(head), 0) + head)
    sys.stdout.buffer.flush()
"""


async def hanging(folder: Path) -> dict[str, Any]:
    """Twenty files of one second each, with and without one that hangs among them."""
    script = folder / "stand_in.py"
    script.write_text(STAND_IN)
    times = []
    for names in (["a"] * 20, ["a"] * 5 + ["hang"] + ["a"] * 15):
        converter = Converter(command=[sys.executable, str(script)], limits=Limits(base=60))
        tasks = [asyncio.ensure_future(converter.convert(Path(n), pictures=False)) for n in names]
        started = time.perf_counter()
        await asyncio.gather(*(t for t, n in zip(tasks, names, strict=True) if n == "a"))
        times.append(time.perf_counter() - started)
        for task in tasks:
            task.cancel()
        await converter.close()
    return figure("20 files with a hanging one among them", times[1] / times[0], "times", "over 20")
