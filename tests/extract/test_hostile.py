"""Damaged files of every kind: each ends in a state, and the daemon does not notice."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pymupdf as _pymupdf
import pytest

from tests.extract.conftest import Read
from tests.extract.office_files import docx, paragraph, pptx, shape
from tests.extract.test_plain import png
from tests.extract.test_web import book
from vaultd.extract import Converter, Limits
from vaultd.extract.content import because
from vaultd.model.document import ExtractStatus

pymupdf: Any = _pymupdf
PROSE = "A paragraph that is long enough to be called a text."
SHORT, FULL = 12, 2_000  # mutations of each format


def pdf_seed(folder: Path) -> Path:
    document = pymupdf.open()
    for number in range(3):
        page = document.new_page()
        page.insert_text((72, 100), f"{PROSE} {number}")
        page.insert_image(pymupdf.Rect(72, 200, 200, 300), stream=png())
        page.draw_rect(pymupdf.Rect(72, 400, 200, 500))
        for row in range(10):
            page.insert_text((72, 520 + 12 * row), f"cell {row}")
            page.insert_text((300, 520 + 12 * row), f"{row} pieces of a row side by side")
            page.insert_text((72 + row, 660 + 12 * row), "if code:", fontname="cour")
    document.save(folder / "seed.pdf")
    document.close()
    return folder / "seed.pdf"


def docx_seed(folder: Path) -> Path:
    return docx(folder / "seed.docx", paragraph(PROSE) * 5, comments=paragraph(PROSE))


def pptx_seed(folder: Path) -> Path:
    return pptx(folder / "seed.pptx", shape(PROSE) * 5, notes=PROSE)


def xlsx_seed(folder: Path) -> Path:
    book = openpyxl.Workbook()
    for row in range(20):
        book.active.append([PROSE, row])
    book.save(folder / "seed.xlsx")
    return folder / "seed.xlsx"


def epub_seed(folder: Path) -> Path:
    return book(folder, ["a%20b.xhtml", "c.xhtml"])


def written(name: str, content: bytes) -> Callable[[Path], Path]:
    def seed(folder: Path) -> Path:
        (folder / name).write_bytes(content)
        return folder / name

    return seed


SEEDS = {
    "pdf": pdf_seed,
    "docx": docx_seed,
    "pptx": pptx_seed,
    "xlsx": xlsx_seed,
    "epub": epub_seed,
    "html": written("s.html", f"<html><table><tr><td>{PROSE}</table><ul><li>x</html>".encode() * 9),
    "rtf": written(
        "s.rtf",
        b"{\\rtf1\\ansi {\\fonttbl\\f0 Arial;}\\f0 " + PROSE.encode() + b"{\\footnote x}\\par"
        b"\\trowd\\cellx1 a\\cell b\\cell\\row\\pard{\\listtext 1.\\tab}item\\par"
        b"{\\pict\\pngblip " + png().hex().encode() + b"}\\u8364?\\'e9{\\field{\\*\\fldinst x}y}}",
    ),
    "csv": written("s.csv", (PROSE + ',2,"three"\n').encode() * 20),
    "md": written("s.md", f"---\ntitle: x\n---\n# {PROSE}\n![[a.png]]\n".encode() * 5),
    "eml": written("s.eml", f"From: a@b.c\nTo: d@e.f\nSubject: x\n\n{PROSE}\n".encode()),
    "png": written("s.png", png()),
    "txt": written("s.txt", PROSE.encode() * 20),
}


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Cut, flip, splice or zero a part of `content`."""
    start = chance.randrange(len(content))
    match chance.randrange(4):
        case 0:
            return content[:start]
        case 1:
            flipped = bytearray(content)
            for _ in range(chance.randint(1, 20)):
                flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(8)
            return bytes(flipped)
        case 2:
            end = chance.randrange(len(content))
            return content[:start] + content[end:]
        case _:
            return content[:start] + bytes(len(content) - start)


@pytest.mark.parametrize("kind", SEEDS)
def test_damaged_file_ends_in_a_state(tmp_path: Path, read: Read, kind: str) -> None:
    content = SEEDS[kind](tmp_path).read_bytes()
    chance = random.Random(f"seed {kind}")
    path = tmp_path / f"mutant.{kind}"
    for _ in range(SHORT):
        path.write_bytes(mutated(content, chance))

        extraction = read(path)

        assert extraction.status in ExtractStatus
        for said in (extraction.reason, *extraction.warnings):
            assert is_for_people(said), said


def is_for_people(said: str) -> bool:
    """Tell whether a message names no path of the machine, no object, and ends in one stop."""
    return not re.search(r"/tmp|/home|0x[0-9a-f]{4}|<_|code=\d|\.\.|\bline \d", said)


@pytest.mark.parametrize("kind", ["pdf", "png", "jpg", "tif", "docx", "xlsx", "epub"])
def test_the_reason_of_a_damaged_file_is_a_sentence_for_people(
    tmp_path: Path, read: Read, kind: str
) -> None:
    starts = {"pdf": b"%PDF-1.7\n", "png": png()[:40], "jpg": b"\xff\xd8\xff", "tif": b"II*\0"}
    path = tmp_path / f"broken.{kind}"
    path.write_bytes(starts.get(kind, b"PK\3\4") + b"no more of it")

    extraction = read(path)

    assert extraction.status is ExtractStatus.FAILED
    assert re.fullmatch(r"The (PDF|picture|file) .*[^.]\.", extraction.reason)
    assert is_for_people(extraction.reason)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(5, "Input/output error", "/home/me/vault/raw/a.pdf"), ": Input/output error"),
        (ValueError("cannot identify image file '/home/me/vault/raw/a.png'"), ""),
        (ValueError("cannot identify image file <_io.BytesIO object at 0x7f5c2ef7e4f0>"), ""),
        (ValueError(r"cannot open C:\Users\me\vault\a.pdf"), ""),
        (ValueError("image file is truncated..."), ": image file is truncated"),
        (ValueError("24/7 or and/or is no path"), ": 24/7 or and/or is no path"),
        (KeyError("xl/workbook.xml"), ""),
        (RuntimeError("code=7: cannot find version marker"), ""),
        (NotImplementedError("compression type 9"), ": compression type 9"),
        (ValueError("x" * 999), ""),
    ],
)
def test_of_what_a_library_says_people_are_told_what_is_for_them(
    error: Exception, told: str
) -> None:
    assert because(error) == told


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", SEEDS)
async def test_two_thousand_damaged_files_cost_the_daemon_nothing(
    tmp_path: Path, kind: str
) -> None:
    content = SEEDS[kind](tmp_path).read_bytes()
    chance = random.Random(f"full {kind}")
    path = tmp_path / f"mutant.{kind}"
    converter = Converter(limits=Limits(memory=512 * 1024**2, base=10.0), recognise=False)
    before = resident()
    for _ in range(FULL):
        path.write_bytes(mutated(content, chance))
        extraction = await converter.convert(path, pictures=True)
        assert extraction.status in ExtractStatus
        assert "too long" not in extraction.reason
    await converter.close()

    assert resident() - before < 20 * 1024**2


def resident() -> int:
    """Return the bytes of memory this process has in use; 0 where that cannot be told."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
    except OSError:
        return 0
