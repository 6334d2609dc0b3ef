"""The shared corpus: what each file has to give, and how that is compared."""

from __future__ import annotations

import csv
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from vaultd.model.document import Extraction

PHRASE = re.compile(r"(?:\[p(\d+)\] )?(.+)", re.S)
LINK = re.compile(r"(!?\[[^\]]*\])\([^)]*\)")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the manifest."""

    name: str
    language: str
    expect: str
    images_min: str
    by_eye: str
    phrases: tuple[tuple[int | None, str], ...]


@dataclass(frozen=True, slots=True)
class Score:
    """What was wanted and found; the lists name what is wrong."""

    wanted: int
    missing: list[str]
    out_of_order: list[str]
    wrong_page: list[str]


def rows(folder: Path) -> list[Row]:
    """Read the manifest."""
    with (folder / "MANIFEST.tsv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        Row(
            line["file"],
            line["language"],
            line["expect"],
            line["images_min"],
            line["pictures_by_eye"] or "",
            tuple(
                _phrase(text) for text in (line["must_contain"] or "").split("¦") if text.strip()
            ),
        )
        for line in lines
    ]


def _phrase(text: str) -> tuple[int | None, str]:
    match = PHRASE.fullmatch(text.strip())
    assert match is not None
    return (int(match[1]) if match[1] else None), folded(match[2])


def folded(text: str) -> str:
    """Return letters and digits only, link targets left out."""
    text = unicodedata.normalize("NFKC", LINK.sub(r"\1", text)).casefold()
    return "".join(filter(str.isalnum, text))


def score(row: Row, extraction: Extraction) -> Score:
    """Compare an extraction with what the manifest wants."""
    pages = {page.number: folded(page.text) for page in extraction.pages}
    whole = "".join(pages.values())
    result = Score(len(row.phrases), [], [], [])
    position = 0
    for number, phrase in row.phrases:
        if phrase not in whole:
            result.missing.append(phrase)
            continue
        if number is not None and phrase not in pages.get(number, ""):
            result.wrong_page.append(phrase)
        at = whole.find(phrase, position)
        if at < 0:
            result.out_of_order.append(phrase)
        position = at + len(phrase) if at >= 0 else position
    return result


def wanted_pictures(row: Row) -> tuple[int, int]:
    """Return the least and the most pictures a reader would count; no upper bound is 200."""
    if not row.by_eye:
        return (int(row.images_min or 0), 200)
    low = high = 0
    for part in re.sub(r"\([^)]*\)", "", row.by_eye).split(";"):
        numbers = [int(number) for number in re.findall(r"\d+", part)]
        low, high = low + (numbers[0] if numbers else 0), high + (numbers[-1] if numbers else 0)
    return low, high
