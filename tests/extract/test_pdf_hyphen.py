"""Words that a PDF breaks at the end of a line, a column or a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf as _pymupdf
import pytest

from tests.extract.conftest import Read
from vaultd.extract.pdf_hyphen import Hyphens, marked, marked_anew

pymupdf: Any = _pymupdf
ENGLISH = "This is what the others have said of it, and it was not to be seen in any of them."
GERMAN = "Das ist nicht das, was die anderen von sich gesagt haben, und es wird nur noch mehr."
BROKEN = (
    "An informa-\ntion, and that the information was broken."  # words are broken in this document
)


def mended(text: str) -> str:
    lines = marked(text)
    return " ".join(Hyphens([lines]).settled(lines).split())


@pytest.mark.parametrize(
    ("lines", "whole"),
    [
        ("an exam-\nple of it", "example of"),
        ("an exam-\nple’s end", "example’s"),
        ("a dual-\nencoder of many a dual-encoder", "a dual-encoder of many"),
        ("to inter-\nact, as all that interact", "to interact,"),
        ("the Lucene-\nBM25 system", "Lucene-BM25 system"),
        ("from 1994-\n1995 on", "1994-1995"),
        ("the e-\nmail", "the e-mail"),
        ("a state-\nof-the-art model", "state-of-the-art"),
        ("a question-to-\npositive pair", "question-to-positive"),
        ("a language-\nindependent way in any language, independent of it", "language-independent"),
        ("the under-\nstanding of standing under it", "understanding of"),
        ("a domain-\nspecific word", "domain-specific"),
        ("a self-\nmanaged service", "self-managed"),
        ("what is pre- and post-\nprocessed, and pre-\nand postwar", "pre- and postwar"),
        ("see https://example.org/what-is-a-\ngpu.html", "what-is-a-gpu.html"),
        ("the GNU/-\nLinux system", "GNU/Linux"),
        ("OF ANY PAR-\nTICULAR PURPOSE", "PARTICULAR"),
        ("a list of CD-\nROM drives", "CD-ROM"),
        ("by Mc-\nCullagh", "McCullagh"),
        ("on page -\nof it", "page - of"),
        ("二つの mini-\nHOWTO と", "mini-HOWTO"),
    ],
)
def test_hyphen_of_a_word_stays_and_that_of_a_line_goes(lines: str, whole: str) -> None:
    assert whole in mended(f"{ENGLISH} {BROKEN} {lines} {ENGLISH}")


@pytest.mark.parametrize(
    ("lines", "whole"),
    [
        ("die Desktop-\nPCs", "Desktop-PCs"),
        ("die Netzwerk-\nverbindung, das Netzwerk, die Verbindung", "Netzwerkverbindung,"),
        ("das Herunter-\nladen, herunter zu laden", "Herunterladen,"),
        ("Ein-\nund Ausgang", "Ein- und Ausgang"),
        ("die UEFI-\nfähige Platte", "UEFI-fähige"),
    ],
)
def test_german_compounds_are_as_german_writes_them(lines: str, whole: str) -> None:
    assert whole in mended(f"{GERMAN} {lines}")


def test_where_no_word_is_broken_every_hyphen_is_the_words_own() -> None:
    known = "of high-\nspeed and high-speed, cloud-\nbased and cloud-based"

    assert "hand-off" in mended(f"{known}, a hand-\noff")
    assert "handoff" in mended(f"{known}, {BROKEN}, a hand-\noff")


def test_sign_that_only_breaks_words_goes_and_the_other_stays() -> None:
    text = "A decision-\nmaking well-known to rep\u2010\nresent"  # as browsers print

    assert mended(text) == "A decision-making well-known to represent"


def test_text_with_marks_is_broken_where_its_lines_are() -> None:
    lines = ["an in- and output, and *an exam-", "ple* of **bold-", "ness**, *d-", "dimensional"]

    marks = marked_anew(" ".join(lines).replace("- dim", "*- dim").replace(", *d*", ", *d*"), lines)

    assert Hyphens(["d-dimensional"]).settled(marks) == (
        "an in- and output, and *an example* of **boldness**, *d*-dimensional"
    )


def page_with(document: Any, *texts: tuple[int, int, str]) -> None:
    page = document.new_page()
    for x, y, text in texts:
        page.insert_text((x, y), text, fontsize=10)


def saved(document: Any, folder: Path) -> Path:
    path = folder / "made.pdf"
    document.save(path)
    document.close()
    return path


def test_word_goes_on_in_the_next_column_and_on_the_next_page(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    left = "\n".join(f"left line {n} of a column" for n in range(20)) + "\nof the simi-"
    note = "1 The similarity of documents."
    right = "larity of both\n" + "\n".join(f"right line {n} of all" for n in range(20))
    page_with(document, (50, 100, left), (50, 460, note), (320, 100, right + "\nthe docu-"))
    page_with(document, (50, 100, "ments are on this page,\nas is the rest of it."))

    first, second = (page.text for page in read(saved(document, tmp_path)).pages)

    assert "of the similarity of both right line 0" in first
    assert first.index("similarity of both") < first.index("1 The similarity")
    assert "line 19 of all the documents\n\n1 The" in first
    assert second == "are on this page, as is the rest of it."


@pytest.mark.parametrize("following", ["xiv Preface", "a) an item of a list", "The next one."])
def test_what_does_not_go_on_stays_apart(tmp_path: Path, read: Read, following: str) -> None:
    document = pymupdf.open()
    page_with(document, (50, 100, f"{ENGLISH[:60]}\nof the docu-"), (50, 200, following))

    assert read(saved(document, tmp_path)).pages[0].text.endswith(f"docu-\n\n{following}")


def test_words_broken_in_a_cell_are_mended(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page_with(document, (72, 60, ENGLISH[:60]))
    for line in range(3):
        document[0].draw_line((72, 100 + 40 * line), (272, 100 + 40 * line))
        document[0].draw_line((72 + 100 * line, 100), (72 + 100 * line, 180))
    for x, y, cell in (
        (76, 114, "name"),
        (176, 114, "inter-\nnational"),
        (76, 154, "pre- and in-"),
    ):
        document[0].insert_text((x, y), cell, fontsize=10)
    document[0].insert_text((176, 154), "one", fontsize=10)

    text = read(saved(document, tmp_path)).pages[0].text

    assert "| name | international |\n| --- | --- |\n| pre- and in- | one |" in text


def test_unseen_words_at_a_line_end_are_told_apart(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page_with(document, (72, 100, ENGLISH))
    document[0].insert_text((72, 114), "secret-", fontsize=10, color=(1, 1, 1))
    document[0].insert_text((72, 126), "word is here", fontsize=10)

    page = read(saved(document, tmp_path)).pages[0]

    assert page.hidden == "secret-"
    assert "secret" not in page.text


def test_real_papers_keep_their_compounds(shared: Path, read: Read) -> None:
    paper = read(shared / "corpus" / "pdf-dpr-two-column.pdf", pictures=False)
    report = read(shared / "corpus" / "pdf-nist-sp800-223.pdf", pictures=False)
    text = "\n".join(page.text for page in (*paper.pages, *report.pages))

    for word in ("simple dual-encoder", "Lucene-BM25", "*d*-dimensional", "higher similarity)"):
        assert word in text
    for word in ("HPC-related", "self-managed", "documents", "representations"):
        assert word in text
    assert "dualencoder" not in text


def test_list_below_a_line_that_ends_in_a_hyphen_is_a_list(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page_with(document, (50, 100, "what we sell-\n1. apples\n2. pears"))

    assert read(saved(document, tmp_path)).pages[0].text == "what we sell-\n\n1. apples\n2. pears"
