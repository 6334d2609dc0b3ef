"""Code in office documents: set in a monospaced font, with nothing else to tell it."""

from __future__ import annotations

from pathlib import Path

from tests.extract.conftest import Read
from tests.extract.office_files import docx, paragraph, pptx
from tests.extract.test_office import odt

PROSE = "A paragraph that is long enough to be called a text, and then some words more than that."
LISTING = "```\nfor row in board:\n    if row:\n        stop()\n```"
COURIER = "<w:rPr><w:rFonts w:ascii='Courier New'/></w:rPr>"


def test_word_code_by_font_or_style_is_a_listing(tmp_path: Path, read: Read) -> None:
    styles = (
        f"<w:style w:styleId='Listing'><w:name w:val='Listing'/>{COURIER}</w:style>"
        "<w:style w:styleId='Own'><w:basedOn w:val='Listing'/></w:style>"
    )
    body = (
        paragraph(PROSE)
        + f"<w:p><w:r>{COURIER}<w:t>for row in board:</w:t></w:r></w:p>"
        + "<w:p><w:r><w:rPr><w:rStyle w:val='Own'/></w:rPr><w:t>    if row:</w:t></w:r></w:p>"
        + "<w:p><w:pPr><w:pStyle w:val='Own'/></w:pPr>"
        + "<w:r><w:tab/><w:tab/><w:t>stop()</w:t></w:r></w:p>"
        + f"<w:p><w:r><w:t>Call </w:t></w:r><w:r>{COURIER}<w:t>stop()</w:t></w:r></w:p>"
    )

    text = read(docx(tmp_path / "made.docx", body, styles=styles)).pages[0].text

    assert text == f"{PROSE}\n\n{LISTING}\n\nCall stop()"


def test_document_typed_in_one_font_is_no_code(tmp_path: Path, read: Read) -> None:
    body = f"<w:p><w:r>{COURIER}<w:t>{PROSE}</w:t></w:r></w:p>"

    assert read(docx(tmp_path / "typed.docx", body)).pages[0].text == PROSE


def test_opendocument_code_is_a_listing(tmp_path: Path, read: Read) -> None:
    styles = (
        "<style:style style:name='Code'><style:text-properties style:font-name='Liberation Mono'/>"
        "</style:style><style:style style:name='P1' style:parent-style-name='Code'/>"
    )
    body = (
        f"<text:p>{PROSE}</text:p><text:p text:style-name='P1'>for row in board:</text:p>"
        "<text:p text:style-name='P1'><text:s text:c='4'/>if row:<text:line-break/>"
        "<text:s text:c='8'/>stop()</text:p>"
    )

    text = read(odt(tmp_path / "made.odt", body, styles)).pages[0].text

    assert text == f"{PROSE}\n\n{LISTING}"


def test_code_on_a_slide_is_a_listing(tmp_path: Path, read: Read) -> None:
    font = "<a:rPr><a:latin typeface='Consolas'/></a:rPr>"
    lines = ("for row in board:", "    if row:", "        stop()")
    runs = "<a:br/>".join(f"<a:r>{font}<a:t>{line}</a:t></a:r>" for line in lines)
    prose = f"<a:p><a:r><a:t>{PROSE}</a:t></a:r></a:p>"
    shapes = f"<p:sp><p:txBody>{prose}<a:p>{runs}</a:p></p:txBody></p:sp>"

    assert LISTING in read(pptx(tmp_path / "made.pptx", shapes)).pages[0].text
