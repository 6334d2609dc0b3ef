"""PDF files made here, as programs draw them: what a reader sees in signs, lines and pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf as _pymupdf
import pytest

from tests.extract.conftest import Read

pymupdf: Any = _pymupdf
PROSE = "The quick brown fox jumps over the lazy dog and goes on to the river to drink. "


def saved(document: Any, folder: Path) -> Path:
    path = folder / "made.pdf"
    document.save(path)
    document.close()
    return path


def test_code_is_told_by_the_name_of_its_font(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 60), PROSE)
    page.insert_font(fontname="F0", fontbuffer=pymupdf.Font("cour").buffer)
    page.insert_text((72, 100), "for row in board:\n    if row:", fontname="F0")
    for xref in range(1, document.xref_length()):
        if document.xref_get_key(xref, "Type")[1] == "/FontDescriptor":
            document.xref_set_key(xref, "Flags", "4")  # nothing of equally wide letters

    text = read(saved(document, tmp_path)).pages[0].text

    assert "```\nfor row in board:\n    if row:\n```" in text


def test_accents_drawn_over_their_letters_are_theirs(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 60), PROSE)
    x = 72.0
    for piece, accent in (("f", ""), ("u", "\xa8"), ("r L", ""), ("a", "\xb4"), ("szl", "")):
        if accent:
            page.insert_text((x, 100), accent)
        page.insert_text((x, 100), piece)
        x += pymupdf.get_text_length(piece)
    page.insert_text((x, 100), "o, and a shop\xb4s")

    text = read(saved(document, tmp_path)).pages[0].text

    assert text.endswith("für Lászlo, and a shop\xb4s")


def test_raised_numbers_are_no_more_digits(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 60), PROSE)
    for line in range(3):
        page.draw_line((72, 100 + 30 * line), (272, 100 + 30 * line))
        page.draw_line((72 + 100 * line, 100), (72 + 100 * line, 160))
    for x, y, text in ((76, 120, "country"), (176, 120, "people"), (76, 150, "Austria")):
        page.insert_text((x, y), text)
    page.insert_text((176, 150), "8,935,112")
    page.insert_text((176 + pymupdf.get_text_length("8,935,112"), 146), "3", fontsize=6)
    page.insert_text((72, 300), "3", fontsize=6)
    page.insert_text((76, 304), "as of the year before, and an estimate")

    text = read(saved(document, tmp_path)).pages[0].text

    assert "| Austria | 8,935,112³ |" in text
    assert text.endswith("³as of the year before, and an estimate")


def test_index_below_an_exponent_does_not_end_the_paragraph(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 60), PROSE)
    start = "Let it be the positive passage p"
    end = 72 + pymupdf.get_text_length(start)
    page.insert_text((72, 100), start)
    page.insert_text((end, 96), "+", fontsize=7)
    page.insert_text((end, 103), "i", fontsize=7)
    page.insert_text((end + 5, 100), ", along with others of them")

    text = read(saved(document, tmp_path)).pages[0].text

    assert text.count("\n\n") == 1
    assert "p⁺ i , along" in text.replace("p⁺i", "p⁺ i")


def test_title_of_two_lines_is_one_heading(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 80), "How bees find their way back over the", fontsize=22)
    page.insert_text((72, 108), "mountains", fontsize=22)
    page.insert_text((72, 180), "Bees", fontsize=16)
    page.insert_text((72, 220), "Flowers", fontsize=16)
    for row in range(20):
        page.insert_text((72, 260 + 14 * row), PROSE)

    text = read(saved(document, tmp_path)).pages[0].text

    assert text.startswith("# How bees find their way back over the mountains\n\n")
    assert "# Bees\n\n" in text


def test_line_that_runs_up_the_margin_is_no_heading(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for row in range(20):
        page.insert_text((72, 100 + 14 * row), PROSE)
    page.insert_text((30, 400), "arXiv:2004.04906v3 30 Sep 2020", fontsize=20, rotate=90)

    assert "#" not in read(saved(document, tmp_path)).pages[0].text


def test_running_header_with_roman_numbers_goes(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    for number in ("i", "ii", "iii", "iv", "v", "vi"):
        page = document.new_page()
        page.insert_text((72, 40), f"Handbook {number}")
        page.insert_text((72, 300), f"{PROSE}{len(number)}{number[-1]}")

    pages = read(saved(document, tmp_path)).pages

    assert all("Handbook" not in page.text for page in pages)


@pytest.mark.parametrize("bold", ["Note", ""])
def test_short_first_line_stands_by_itself(tmp_path: Path, read: Read, bold: str) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), "Note", fontname="hebo" if bold else "helv")
    page.insert_text((72, 114), PROSE)
    page.insert_text((72, 128), PROSE)

    text = read(saved(document, tmp_path)).pages[0].text

    assert text.replace("*", "").startswith("Note\nThe quick")
    assert text.count("\n") == 1


def test_lines_that_end_early_stay_lines_with_bold_words_in_them(
    tmp_path: Path, read: Read
) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 60), PROSE)
    entries = {"Report:": "R-1234", "Store:": "Distribution Centre East", "By:": "Ann"}
    for row, (name, value) in enumerate(entries.items()):
        page.insert_text((72, 100 + 14 * row), name, fontname="hebo")
        page.insert_text((72 + pymupdf.get_text_length(name + " ", "hebo"), 100 + 14 * row), value)

    text = read(saved(document, tmp_path)).pages[0].text

    assert "**Report:** R-1234\n**Store:** Distribution Centre East\n**By:** Ann" in text


def test_last_row_of_a_table_may_have_only_its_last_columns(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 60), PROSE)
    rows = [("Item", "Place", "Stock", "State"), ("Smoker", "A-12", "2", "good")] * 2
    for number, row in enumerate([*rows, ("", "", "7", "worn")]):
        for column, cell in enumerate(row):
            page.insert_text((72 + 110 * column, 100 + 24 * number), cell)

    text = read(saved(document, tmp_path)).pages[0].text

    assert "|  |  | 7 | worn |" in text


def test_real_papers_show_signs_and_names_as_printed(shared: Path, read: Read) -> None:
    paper = read(shared / "corpus" / "pdf-dpr-two-column.pdf", pictures=False)
    text = "\n".join(page.text for page in paper.pages)

    assert "| Gold | 7 | ✗ | 42.6 |" in text
    assert "| Gold | 7 | ✓ | 51.1 |" in text
    assert "László Lukács" in text
    assert "*i*=1 be the training data that consists of *m* instances." in text
    assert "# arXiv" not in text


def test_header_that_names_the_section_too_goes_but_no_title_of_a_slide(
    tmp_path: Path, read: Read
) -> None:
    for width, height, is_gone in ((595, 842, True), (842, 595, False)):
        document = pymupdf.open()
        for number in range(20):
            page = document.new_page(width=width, height=height)
            if 4 <= number < 8:
                page.insert_text((72, 40), f"Chapter two about bees {'abcdefgh'[number]}")
            page.insert_text((72, 200), f"{PROSE} {'abcdefghijklmnopqrst'[number]}")

        text = "\n".join(page.text for page in read(saved(document, tmp_path)).pages)

        assert ("about bees" not in text) is is_gone
