"""Office files: every hiding place in, every trap out."""

from __future__ import annotations

import datetime
import re
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.extract.conftest import Read
from tests.extract.office_files import W, docx, package, paragraph, pptx, shape, text_body
from tests.extract.test_plain import png
from vaultd.extract import archive
from vaultd.model.document import ExtractStatus

PROSE = "A paragraph that is long enough to be called a text."


def cell(content: str, properties: str = "") -> str:
    return f"<w:tc>{properties}{content}</w:tc>"


def test_word_hiding_places_are_found_and_deletions_are_not(tmp_path: Path, read: Read) -> None:
    run = "<w:r><w:t>{}</w:t></w:r>".format
    nested = (
        f"<w:tbl><w:tr>{cell(paragraph('nestedword'))}{cell(paragraph('beside'))}</w:tr></w:tbl>"
    )
    box = f"<w:txbxContent>{paragraph('boxword')}</w:txbxContent>"
    body = (
        paragraph(PROSE)
        + f"<w:tbl><w:tr>{cell(paragraph('tableword'))}{cell(nested + paragraph(''))}</w:tr></w:tbl>"  # noqa: E501
        + f"<w:p><w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx>{box}</wps:txbx></w:drawing>"  # noqa: E501
        + f"</mc:Choice><mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback>"
        + "</mc:AlternateContent></w:r></w:p>"
        + f"<w:sdt><w:sdtContent>{paragraph('controlword')}</w:sdtContent></w:sdt>"
        + f"<w:p><w:ins>{run('insertedword')}</w:ins><w:del><w:r><w:delText>deletedword</w:delText></w:r>"  # noqa: E501
        + f"</w:del><w:hyperlink r:id='rId1'>{run('linkword')}</w:hyperlink>"
        + "<w:r><w:footnoteReference w:id='2'/></w:r></w:p>"
        + "<w:p><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>formulaword</m:t>"  # noqa: E501
        + "</m:r></m:den></m:f></m:oMath></w:p>"
        + "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>vanishedword</w:t></w:r></w:p>"
    )
    path = docx(
        tmp_path / "made.docx",
        body,
        footnotes=f"<w:footnote w:id='2'>{paragraph('footnoteword')}</w:footnote>",
        comments=f"<w:comment w:id='1' w:author='Ada'>{paragraph('commentword')}</w:comment>",
        header1=paragraph("headerword"),
        footer1=paragraph("footerword"),
    )

    (page,) = read(path).pages

    for place in ("table", "nested", "box", "control", "inserted", "link", "footnote", "comment"):
        assert page.text.count(f"{place}word") == 1, place
    assert "headerword" in page.text
    assert "footerword" in page.text
    assert "deletedword" not in page.text
    assert "vanishedword" not in page.text
    assert page.hidden == "vanishedword"
    assert "[linkword](https://example.org/)[^1]" in page.text
    assert "[^1]: footnoteword" in page.text
    assert "$\\frac{a}{formulaword}$" in page.text
    assert "> Comment by Ada: commentword" in page.text


def test_word_headings_and_lists_keep_their_shape(tmp_path: Path, read: Read) -> None:
    style = "<w:style w:styleId='{0}'><w:name w:val='heading {1}'/></w:style>".format
    number = "<w:pPr><w:numPr><w:ilvl w:val='{0}'/><w:numId w:val='{1}'/></w:numPr></w:pPr>".format
    levels = "".join(
        f"<w:lvl w:ilvl='{n}'><w:numFmt w:val='{f}'/></w:lvl>"
        for n, f in enumerate(("decimal", "bullet"))
    )
    body = (
        paragraph("Top", "<w:pPr><w:pStyle w:val='H1'/></w:pPr>")
        + paragraph("Below", "<w:pPr><w:outlineLvl w:val='1'/></w:pPr>")
        + paragraph("first", number(0, 1))
        + paragraph("inside", number(1, 1))
        + paragraph("second", number(0, 1))
        + paragraph("unknown", number(0, 99))
        + paragraph(PROSE)
    )
    path = docx(
        tmp_path / "made.docx",
        body,
        styles=style("H1", 1),
        numbering=f"<w:abstractNum w:abstractNumId='0'>{levels}</w:abstractNum>"
        "<w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num>",
    )

    text = read(path).pages[0].text

    assert text.startswith("# Top\n\n## Below\n\n1. first\n  - inside\n2. second\n- unknown\n\n")


def test_list_of_word_may_change_its_signs_or_show_none(tmp_path: Path, read: Read) -> None:
    def level(depth: int, kind: str, sign: str) -> str:
        text = f'<w:lvlText w:val="{sign}"/>'
        return f'<w:lvl w:ilvl="{depth}"><w:numFmt w:val="{kind}"/>{text}</w:lvl>'

    def item(text: str, number: int, depth: int = 0) -> str:
        place = f'<w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/>'
        return paragraph(text, f"<w:pPr><w:numPr>{place}</w:numPr></w:pPr>")

    numbers = level(0, "decimal", "%1.") + level(1, "decimal", "%2.")
    numbering = (
        f'<w:abstractNum w:abstractNumId="1">{numbers}</w:abstractNum>'
        f'<w:abstractNum w:abstractNumId="2">{level(0, "bullet", " ")}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>'
        '<w:num w:numId="2"><w:abstractNumId w:val="1"/>'
        f'<w:lvlOverride w:ilvl="1">{level(1, "bullet", "*")}</w:lvlOverride></w:num>'
        '<w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num>'
    )
    body = item("one", 1) + item("inner", 2, 1) + item("goes on with its text", 3) + item("two", 1)

    text = read(docx(tmp_path / "made.docx", body, numbering=numbering)).pages[0].text

    assert text == "1. one\n  - inner\n\ngoes on with its text\n\n2. two"


def test_footer_that_is_only_a_page_number_is_left_out(tmp_path: Path, read: Read) -> None:
    path = docx(tmp_path / "made.docx", paragraph(PROSE), footer1=paragraph("3"))

    assert read(path).pages[0].text == PROSE


def test_word_pictures_keep_alt_text_and_are_never_fetched(tmp_path: Path, read: Read) -> None:
    picture = (
        "<w:p><w:r><w:drawing><wp:inline><wp:docPr descr='{1}'/>"
        "<a:blip r:embed='{0}'/></wp:inline></w:drawing></w:r></w:p>"
    ).format
    path = docx(
        tmp_path / "made.docx",
        paragraph(PROSE)
        + picture("rId2", "far away")
        + picture("rId3", "near [by]")
        + picture("rId9", "gone"),
    )
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("word/media/image1.png", png())

    extraction = read(path)

    assert "far away" in extraction.pages[0].text
    assert "gone" in extraction.pages[0].text
    assert "![near (by)](image1)" in extraction.pages[0].text
    assert [image.alt for image in extraction.images] == ["near [by]"]


def test_slide_hiding_places_are_found(tmp_path: Path, read: Read) -> None:
    table = (
        "<p:graphicFrame><a:graphic><a:graphicData><a:tbl>"
        + "".join(
            f"<a:tr>{''.join(f'<a:tc><a:txBody>{text_body(t)}</a:txBody></a:tc>' for t in row)}</a:tr>"  # noqa: E501
            for row in (("tableword", "b"), ("c", "d"))
        )
        + "</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    )
    shapes = (
        shape("The titleword", "title")
        + f"<p:grpSp><p:grpSp>{shape('groupword')}</p:grpSp></p:grpSp>"
        + table
        + "<p:graphicFrame><c:chart r:id='rId2'/></p:graphicFrame>"
        + "<p:graphicFrame><dgm:relIds r:dm='rId3'/></p:graphicFrame>"
        + shape("17", "sldNum")
        + shape("A shape without a position, and a text of its own.")
    )

    (page,) = read(pptx(tmp_path / "made.pptx", shapes, notes="notesword")).pages

    assert page.number == 1
    assert page.text.startswith("## The titleword\n\ngroupword\n\n| tableword | b |")
    for word in ("chartword", "diagramword", "Notes: notesword"):
        assert word in page.text
    assert "17" not in page.text


def test_workbook_gives_a_page_for_every_sheet(tmp_path: Path, read: Read) -> None:
    book = openpyxl.Workbook()
    book.active.title = "Money"
    for row in (["name", "amount"], ["Ada", 1.0], ["Grace | Hopper", 2.5]):
        book.active.append(row)
    second: Any = book.create_sheet("Far")
    second["C5"], second["D5"] = "cellword", "other"
    second["C1000000"] = "never reached"
    path = tmp_path / "made.xlsx"
    book.save(path)
    started = time.process_time()

    pages = read(path).pages

    assert time.process_time() - started < 2
    assert pages[0].text.startswith("## Money\n\n| name | amount |\n| --- | --- |\n| Ada | 1 |\n")
    assert "Grace \\| Hopper" in pages[0].text
    assert "| cellword | other |" in pages[1].text


def test_shares_and_durations_are_shown_as_a_person_reads_them(tmp_path: Path, read: Read) -> None:
    book = openpyxl.Workbook()
    book.active.append(["share", "time"])
    book.active.append([1 / 3, datetime.timedelta(hours=26, minutes=3)])
    book.active["A2"].number_format = "0.0%"
    book.save(tmp_path / "made.xlsx")

    assert "| 33.3% | 26:03:00 |" in read(tmp_path / "made.xlsx").pages[0].text


def test_title_of_a_slide_comes_first(tmp_path: Path, read: Read) -> None:
    shapes = shape("bodyword") + shape("titleword", "title")

    text = read(pptx(tmp_path / "made.pptx", shapes)).pages[0].text

    assert text.startswith("## titleword\n\nbodyword")


def test_binomial_has_no_bar(tmp_path: Path, read: Read) -> None:
    kind = '<m:fPr><m:type m:val="noBar"/></m:fPr>'
    parts = "".join(f"<m:{n}><m:r><m:t>{n[0]}</m:t></m:r></m:{n}>" for n in ("num", "den"))
    body = f"<w:p><m:oMath><m:f>{kind}{parts}</m:f></m:oMath></w:p>" + paragraph(PROSE)

    text = read(docx(tmp_path / "made.docx", body)).pages[0].text

    assert "${n \\atop d}$" in text


def test_formulas_without_stored_values_are_shown_themselves(tmp_path: Path, read: Read) -> None:
    book = openpyxl.Workbook()
    for row in (["piece", "price", "with tax"], ["desk", 100, "=B2*1.2"], ["all", "=SUM(B2:B2)"]):
        book.active.append(row)
    book.save(tmp_path / "made.xlsx")

    extraction = read(tmp_path / "made.xlsx")

    assert "| desk | 100 | `=B2*1.2` |\n| all | `=SUM(B2:B2)` |  |" in extraction.pages[0].text
    (warning,) = extraction.warnings
    assert "save it with Excel or LibreOffice" in warning


@pytest.mark.parametrize(
    ("value", "shown"),
    [("<v>120</v>", "120"), ("<v>0</v>", "0"), ("", "`=B2*1.2`"), ("<v/>", "`=B2*1.2`")],
)
def test_stored_values_of_formulas_are_shown(
    tmp_path: Path, read: Read, value: str, shown: str
) -> None:
    path = rewritten(tmp_path, lambda xml: re.sub(r"<v ?/>|<v></v>", value, xml))

    assert f"| desk | {shown} |" in read(path).pages[0].text


def test_a_formula_that_gave_an_empty_text_is_empty(tmp_path: Path, read: Read) -> None:
    path = rewritten(tmp_path, lambda xml: xml.replace('r="B2"', 'r="B2" t="str"'))

    extraction = read(path)

    assert "| desk |  |" in extraction.pages[0].text
    assert extraction.warnings == ()


def rewritten(folder: Path, change: Callable[[str], str]) -> Path:
    """Return a workbook with one formula whose sheet was changed by hand."""
    book = openpyxl.Workbook()
    for row in (["piece", "price", "of"], ["desk", "=B2*1.2", "oak"]):
        book.active.append(row)
    book.save(folder / "made.xlsx")
    with (
        zipfile.ZipFile(folder / "made.xlsx") as old,
        zipfile.ZipFile(folder / "changed.xlsx", "w") as new,
    ):
        for name in old.namelist():
            content = old.read(name).decode()
            new.writestr(name, change(content) if "worksheets/" in name else content)
    return folder / "changed.xlsx"


def test_superscripts_of_word_and_slides_are_raised(tmp_path: Path, read: Read) -> None:
    run = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>6</w:t></w:r>'
    body = paragraph("A number that is large, 10").replace("</w:p>", run + "</w:p>")
    raised = '<a:r><a:rPr baseline="30000"/><a:t>2</a:t></a:r>'
    slide = shape("The area of a garden in m").replace("</a:p>", raised + "</a:p>")

    assert "10⁶" in read(docx(tmp_path / "made.docx", body)).pages[0].text
    assert "m²" in read(pptx(tmp_path / "made.pptx", slide)).pages[0].text


def test_document_type_is_refused(tmp_path: Path, read: Read) -> None:
    body = (
        f"<!DOCTYPE x [<!ENTITY e 'entityword'>]><w:document {W}><w:body>&e;</w:body></w:document>"
    )
    kind = "wordprocessingml.document.main"
    path = package(tmp_path / "evil.docx", "word/document.xml", kind, {"word/document.xml": body})

    extraction = read(path)

    assert extraction.status is ExtractStatus.FAILED
    assert "document type" in extraction.reason


@pytest.mark.parametrize("size", [8, 24])
def test_bomb_is_refused_at_once(tmp_path: Path, read: Read, size: int) -> None:
    kind = "wordprocessingml.document.main"
    bomb = b" " * (size * 1024 * 1024)
    path = package(tmp_path / "bomb.docx", "word/document.xml", kind, {"word/document.xml": bomb})
    started = time.process_time()

    extraction = read(path)

    assert extraction.status is ExtractStatus.FAILED
    assert "refused" in extraction.reason
    assert time.process_time() - started < 1


def test_archive_of_too_many_entries_is_refused(
    tmp_path: Path, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MOST_ENTRIES", 100)
    parts = {f"word/{n}.xml": "" for n in range(101)}
    kind = "wordprocessingml.document.main"

    extraction = read(package(tmp_path / "many.docx", "word/document.xml", kind, parts))

    assert "entries" in extraction.reason


def test_deeply_nested_groups_and_controls_are_read(tmp_path: Path, read: Read) -> None:
    deep = "<w:sdt><w:sdtContent>" * 400 + paragraph(PROSE) + "</w:sdtContent></w:sdt>" * 400
    groups = "<p:grpSp>" * 600 + shape(PROSE) + "</p:grpSp>" * 600

    assert PROSE in read(docx(tmp_path / "deep.docx", deep)).pages[0].text
    assert PROSE in read(pptx(tmp_path / "deep.pptx", groups)).pages[0].text


@pytest.mark.parametrize("content", [b"PK\x03\x04 and then nothing", b"PK\x05\x06"])
def test_half_arrived_office_file_is_damaged(tmp_path: Path, read: Read, content: bytes) -> None:
    path = tmp_path / "half.docx"
    path.write_bytes(content)

    assert read(path).status is ExtractStatus.FAILED


def odt(path: Path, body: str, styles: str = "", **parts: str) -> Path:
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "text", "style", "draw", "table")
    )
    link = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
    automatic = f"<office:automatic-styles>{styles}</office:automatic-styles>"
    content = f"<office:body><office:text>{body}</office:text></office:body>"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        made.writestr(
            "content.xml",
            f"<office:document {spaces} {link}>{automatic}{content}</office:document>",
        )
        for name, text in parts.items():
            made.writestr(f"{name}/content.xml", text)
    return path


def test_opendocument_keeps_titles_links_formulas_and_numbers_that_go_on(
    tmp_path: Path, read: Read
) -> None:
    styles = (
        '<style:style style:name="P1" style:parent-style-name="Title"/>'
        '<style:style style:name="T1"><style:text-properties/></style:style>'
        '<text:list-style style:name="L1"><text:list-level-style-number/></text:list-style>'
    )
    math = '<math xmlns="http://www.w3.org/1998/Math/MathML"><msqrt><mi>x</mi></msqrt></math>'
    link = '<text:a xlink:href="https://example.org/"><text:span text:style-name="T1">here'
    frame = '<draw:frame><draw:object xlink:href="F1/"/></draw:frame>'
    body = (
        f'<text:p text:style-name="P1">Report</text:p><text:p>{PROSE} {link}</text:span></text:a>'
        f' {frame}</text:p><text:list text:style-name="L1" xml:id="a"><text:list-item>'
        "<text:p>one</text:p></text:list-item></text:list><text:p>between</text:p>"
        '<text:list text:style-name="L1" text:continue-list="a"><text:list-item>'
        "<text:p>two</text:p></text:list-item></text:list>"
    )

    text = read(odt(tmp_path / "made.odt", body, styles, F1=math)).pages[0].text

    assert text == (
        f"# Report\n\n{PROSE} [here](https://example.org/) $\\sqrt{{x}}$\n\n"
        "1. one\n\nbetween\n\n2. two"
    )
