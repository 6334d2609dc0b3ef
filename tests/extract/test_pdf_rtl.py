"""Arabic and Hebrew in PDF files: letters in the order in which they are read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pymupdf as _pymupdf
import pytest

from tests.extract.conftest import Read
from vaultd.extract.content import readable

pymupdf: Any = _pymupdf
FILLER = "This is what the others have said of it, and it was not seen in any of them."
# What the signs of the font stand for; one of them for two letters, as fonts do with lam-alef.
SIGNS = {"t": "ت", "k": "ك", "s": "ش", "m": "م", "l": "ل", "a": "ا", "d": "د", "e": "أ", "i": "إ"}
LIGATURES = {"1": "لا", "2": "لأ", "3": "لإ", "4": "لآ"}


def arabic(folder: Path, *lines: str) -> Path:
    """Write a PDF of `lines`, whose signs are given from left to right."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 60), FILLER, fontname="hebo")
    for number, line in enumerate(lines):
        place = (400 - pymupdf.get_text_length(line, fontsize=11), 100 + 14 * number)
        page.insert_text(place, line, fontsize=11, fontname="helv")
    font = next(font[0] for font in page.get_fonts() if font[4] == "helv")
    xref = document.get_new_xref()
    document.update_object(xref, "<<>>")
    document.update_stream(xref, cmap({**SIGNS, **LIGATURES, " ": " ", "P": "P", ".": "."}))
    document.xref_set_key(font, "ToUnicode", f"{xref} 0 R")
    path = folder / "arabic.pdf"
    document.save(path)
    document.close()
    return path


def cmap(letters: Mapping[str, str]) -> bytes:
    rows = "\n".join(
        f"<{ord(sign):02X}> <{text.encode('utf-16-be').hex()}>" for sign, text in letters.items()
    )
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        "/CMapName /Made def /CMapType 2 def\n"
        "1 begincodespacerange <00> <FF> endcodespacerange\n"
        f"{len(letters)} beginbfchar\n{rows}\nendbfchar endcmap end end"
    ).encode()


@pytest.mark.parametrize(
    ("signs", "word"),
    [
        ("t1ksmla", "المشكلات"),
        ("2a", "الأ"),
        ("t3a", "الإت"),
        ("m4l", "للآم"),
        ("dmla", "المد"),  # the article is no such sign
        ("mle li", "إل ألم"),
    ],
)
def test_letters_of_one_sign_are_in_order(
    tmp_path: Path, read: Read, signs: str, word: str
) -> None:
    text = read(arabic(tmp_path, signs)).pages[0].text

    assert text.endswith(f"\n\n{word}")


def test_lines_of_a_paragraph_are_joined(tmp_path: Path, read: Read) -> None:
    full = " ".join(["tmla", "dmla"] * 6)
    lines = (full, f"kks mkl {full}", f"mm {full}", "ksmla", "", full)

    text = read(arabic(tmp_path, *lines)).pages[0].text

    words = " ".join(["المد المت"] * 6)
    assert text.split("\n\n")[1:] == [f"{words} {words} لكم شكك {words} مم المشك", words]


@pytest.mark.parametrize(
    ("forms", "letters"),
    [
        ("\ufefb \ufefc", "لا لا"),
        ("\ufef5\ufef6\ufef7\ufef8\ufef9\ufefa", "لآلآلألألإلإ"),
        ("\ufe8d\ufedf\ufee4\ufeb8\ufedc\ufefc\ufe95", "المشكلات"),
        ("\ufdf2", "الله"),
        ("\ufe77", "\u0640\u064e"),
        ("\ufb21\ufb2e", "א\u05d0\u05b7"),
        ("الإنتاجية", "الإنتاجية"),
    ],
)
def test_forms_of_letters_become_letters(forms: str, letters: str) -> None:
    assert readable(forms) == letters


def test_real_arabic_reads_as_it_is_shown(shared: Path, read: Read) -> None:
    text = read(shared / "corpus" / "pdf-arabic-rtl.pdf", pictures=False).pages[0].text

    for words in (
        "تحسين الإنتاجية وحل المشكلات من خلال البرمجة بلغة R",
        "في إيجاد حلول فعالة للمشكلات.",
        "علاوة على ذلك، توفر كل من R",
        "مجموعة واسعة من التطبيقات، من التحليل البياني إلى التعلم الآلي.",
        "في Python لإدارة البيانات",
        "للرسم البياني والتحليل الإحصائي، مما",
        "أن تكون لها تأثيرات إيجابية بعيدة المدى على الأداء الشخصي والمهني.",
    ):
        assert words in text
