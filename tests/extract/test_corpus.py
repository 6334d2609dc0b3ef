"""Real documents: every phrase, in order, on its page, in its language."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.extract.conftest import Read, read_here
from tests.extract.corpus import Row, rows, score, wanted_pictures
from vaultd.extract import Converter, recognition
from vaultd.model.document import Extraction, ExtractStatus

QUICK = (
    *("pdf-dpr-two-column.pdf", "pdf-cfr-bad-page.pdf", "pdf-korean-tables.pdf"),
    *("pdf-arabic-rtl.pdf", "pdf-google-doc.pdf", "pdf-borderless-table.pdf", "pdf-table-page.pdf"),
    *("pdf-hidden-text.pdf", "pdf-mixed-digital-scan.pdf", "pdf-fuzzed-90.pdf"),
    *("pdf-owner-password.pdf", "pdf-user-password.pdf", "pdf-bomb-giant.pdf"),
    *("docx-rich-zh.docx", "docx-grouped-images.docx", "docx-textboxes.docx"),
    *("docx-external-image.docx", "pptx-notes-wmf.pptx", "pptx-malformed-pictures.pptx"),
    *("html-wikipedia.html", "epub-live-manual-ja.epub", "odt-rich-tables.odt"),
    *("eml-attachment.eml", "rtf-various.rtf", "txt-udhr-multilingual.txt"),
)
LANGUAGES = ("en", "zh", "ja", "ko", "ar")
# Found by eye: the multilingual files and the ones below say too little for a language.
SHORT = (
    *("pdf-images-smask.pdf", "pdf-hidden-text.pdf", "pptx-malformed-pictures.pptx"),
    *("pdf-vector-chart.pdf", "xlsx-merged-images.xlsx"),  # filler text, single words
)


def check_text(row: Row, extraction: Extraction) -> None:
    """Hold an extraction against its row, recognition left out."""
    found = score(row, extraction)
    if "needs-ocr" not in row.expect or row.expect.startswith("text"):
        assert (found.missing, found.out_of_order, found.wrong_page) == ([], [], [])
    if row.expect == "refuse:encrypted":
        assert extraction.status is ExtractStatus.ENCRYPTED
    elif row.expect in ("needs-ocr", "no-text"):
        assert extraction.status is ExtractStatus.NO_TEXT
        assert extraction.reason.startswith("Needs OCR")
    elif row.expect == "text+needs-ocr(pages 1-3)":
        assert extraction.status is ExtractStatus.PARTIAL
        assert "1-3" in extraction.reason


@pytest.mark.parametrize("name", QUICK)
def test_document_gives_what_a_reader_sees(shared: Path, read: Read, name: str) -> None:
    row = next(row for row in rows(shared / "corpus") if row.name == name)

    check_text(row, read(shared / "corpus" / name, pictures=False))


@pytest.mark.parametrize(
    "name", ["pdf-cmyk-image.pdf", "pdf-dpr-two-column.pdf", "pdf-google-doc.pdf"]
)
def test_pictures_are_those_a_reader_counts(shared: Path, read: Read, name: str) -> None:
    row = next(row for row in rows(shared / "corpus") if row.name == name)
    low, high = wanted_pictures(row)

    assert low <= len(read(shared / "corpus" / name).images) <= high


@pytest.mark.full
@pytest.mark.timeout(900)
def test_whole_corpus_without_recognition(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognition, "available", lambda: False)
    languages: dict[str, tuple[str, str]] = {}
    for row in rows(shared / "corpus"):
        extraction = read_here(shared / "corpus" / row.name)
        check_text(row, extraction)
        if row.language in LANGUAGES and extraction.status is ExtractStatus.OK:
            languages[row.name] = (row.language, extraction.language)

    wrong = {name: pair for name, pair in languages.items() if pair[0] != pair[1]}
    assert {name: pair for name, pair in wrong.items() if name not in SHORT} == {}


@pytest.mark.full
@pytest.mark.timeout(1800)
async def test_scans_are_recognised_with_the_extra(shared: Path) -> None:
    if not recognition.available():
        pytest.skip("the extra `ocr` is not installed")
    converter = Converter()  # not in this process: the limits are the child's
    scores = [
        score(row, await converter.convert(shared / "corpus" / row.name, pictures=False))
        for row in rows(shared / "corpus")
        if "needs-ocr" in row.expect
    ]
    await converter.close()

    missing = [phrase for found in scores for phrase in found.missing]
    assert len(missing) <= 0.02 * sum(found.wanted for found in scores), missing
