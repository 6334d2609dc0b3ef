"""Web pages, books and messages."""

from __future__ import annotations

import base64
import time
import zipfile
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.extract.conftest import Read
from tests.extract.test_plain import png
from vaultd.model.document import ExtractStatus

PROSE = "A paragraph that is long enough to be called a text."


def page(folder: Path, body: str, head: str = "") -> Path:
    path = folder / "page.html"
    path.write_text(f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>")
    return path


def test_page_keeps_its_shape(tmp_path: Path, read: Read) -> None:
    body = (
        f"<h1>Title</h1><p>{PROSE} <b>bold</b> and <em>soft</em>"
        " <a href='https://example.org/x'>link</a></p>"
        "<ol><li>one<ul><li>inner</li></ul></li><li>two</li></ol>"
        "<table><tr><th>a</th><th>b</th></tr><tr><td colspan=2>wide</td></tr></table>"
        "<pre>code  line\n  next</pre><blockquote><p>said</p></blockquote>"
        "<script>scriptword</script><style>styleword</style><!-- commentword -->"
    )

    extraction = read(page(tmp_path, body, "<title>The title</title>"))
    text = extraction.pages[0].text

    assert extraction.metadata["title"] == "The title"
    assert text == (
        f"# Title\n\n{PROSE} **bold** and *soft* [link](https://example.org/x)\n\n"
        "1. one\n  - inner\n2. two\n\n| a | b |\n| --- | --- |\n| wide |  |\n\n"
        "```\ncode  line\n  next\n```\n\n> said"
    )


def test_layout_table_is_taken_apart_and_the_table_in_it_kept(tmp_path: Path, read: Read) -> None:
    body = (
        f"<table><tr><td><h1>Order</h1><p>{PROSE}</p></td></tr><tr><td>"
        "<table><tr><th>Item</th><th>Price</th></tr><tr><td>Lamp</td><td>20</td></tr></table>"
        "</td></tr></table>"
    )

    text = read(page(tmp_path, body)).pages[0].text

    assert text == f"# Order\n\n{PROSE}\n\n| Item | Price |\n| --- | --- |\n| Lamp | 20 |"


def test_table_of_one_row_that_holds_parts_of_the_page_is_taken_apart(
    tmp_path: Path, read: Read
) -> None:
    body = (
        f"<table><tr><td><h2>First</h2><p>{PROSE}</p></td><td><p>second</p></td></tr></table>"
        "<table><tr><td>one</td><td>row</td></tr></table>"
    )

    text = read(page(tmp_path, body)).pages[0].text

    assert text == f"## First\n\n{PROSE}\n\nsecond\n\n| one | row |\n| --- | --- |"


def test_ticked_boxes_are_told_from_others(tmp_path: Path, read: Read) -> None:
    body = (
        "<ul><li><input type='checkbox' checked>done</li><li><input type='checkbox'>open</li></ul>"
    )

    assert "- [x] done\n- [ ] open" in read(page(tmp_path, body + PROSE)).pages[0].text


def test_page_without_its_outer_tags_is_read(tmp_path: Path, read: Read) -> None:
    path = tmp_path / "short.html"
    path.write_text(f"<!doctype html><title>Short</title><main><h1>Short</h1>{PROSE}</main>")

    extraction = read(path)

    assert extraction.pages[0].text == f"# Short\n\n{PROSE}"
    assert extraction.metadata["title"] == "Short"


def test_superscripts_do_not_become_other_numbers(tmp_path: Path, read: Read) -> None:
    body = "10<sup>6</sup> of the 2<sup>nd</sup>, <b>x<sup>2</sup></b> known<sup>[<a>1</a>]</sup>"

    text = read(page(tmp_path, f"<p>{PROSE} {body}</p>")).pages[0].text

    assert text == f"{PROSE} 10⁶ of the 2nd, **x²** known[1]"


def test_formulas_are_written_as_latex(tmp_path: Path, read: Read) -> None:
    fraction = "<mfrac><mi>a</mi><msup><mi>b</mi><mn>2</mn></msup></mfrac>"
    typed = "<annotation encoding='application/x-tex'>\\pi r^2</annotation>"
    body = (
        f"<p>{PROSE} <math><mi>x</mi><mo>=</mo>{fraction}</math> and "
        f"<math><semantics><mi>y</mi>{typed}</semantics></math>.</p>"
    )

    text = read(page(tmp_path, body)).pages[0].text

    assert text == f"{PROSE} $x=\\frac{{a}}{{b^{{2}}}}$ and $\\pi r^2$."


def test_notes_of_a_book_are_marked_and_lead_nowhere_back(tmp_path: Path, read: Read) -> None:
    body = (
        f"<p>{PROSE}<a href='#n1' role='doc-noteref'>1</a></p>"
        "<p>1. Measured. <a href='#r1' role='doc-backlink'>back</a></p>"
    )

    assert read(page(tmp_path, body)).pages[0].text == f"{PROSE}¹\n\n1. Measured."


def test_page_of_google_docs_keeps_title_lists_and_links(tmp_path: Path, read: Read) -> None:
    link = "https://www.google.com/url?q=https://example.org/a&amp;sa=D&amp;ust=17"
    body = (
        f"<p class='c0 title'>Plan</p><p><a href='{link}'>here</a> {PROSE}</p>"
        "<ul class='c1 lst-kix_abc-0 start'><li>one</li></ul>"
        "<ul class='c1 lst-kix_abc-1 start'><li>inner</li></ul>"
    )

    text = read(page(tmp_path, body)).pages[0].text

    assert text == f"# Plan\n\n[here](https://example.org/a) {PROSE}\n\n- one\n  - inner"


def test_lists_that_word_writes_out_are_lists(tmp_path: Path, read: Read) -> None:
    def item(sign: str, text: str, level: int) -> str:
        ignored = f"<span style='mso-list:Ignore'>{sign}<span>&nbsp; </span></span>"
        return (
            f"<p class=MsoListParagraph style='mso-list:l0 level{level} lfo1'>{ignored}{text}</p>"
        )

    body = f"<p>{PROSE}</p>" + item("\u00b7", "tiles", 1) + item("2.", "work", 2) + "<p>Regards</p>"

    assert read(page(tmp_path, body)).pages[0].text == f"{PROSE}\n\n- tiles\n  2. work\n\nRegards"


def test_main_part_is_preferred_where_it_says_something(tmp_path: Path, read: Read) -> None:
    chrome = "<nav><a href='/'>navword</a></nav>"

    whole = read(page(tmp_path, f"{chrome}<main>short</main><p>{PROSE}</p>")).pages[0].text
    main = read(page(tmp_path, f"{chrome}<main><p>{PROSE * 5}</p></main>")).pages[0].text

    assert "navword" in whole
    assert main == PROSE * 5


@pytest.mark.parametrize(
    "menu",
    [
        "<nav>{}</nav>",
        "<div role='navigation'>{}</div>",
        "<div class='vector-dropdown mw-portlet'>{}</div>",
        "<span class='d-print-none'>{}</span>",
    ],
)
def test_menus_within_the_main_part_are_left_out(tmp_path: Path, read: Read, menu: str) -> None:
    links = menu.format("<ul><li><a href='/de'>Deutsch</a></li><li>[ ] Tools</li></ul>")

    main = read(page(tmp_path, f"<main>{links}<p>{PROSE * 5}</p>{links}</main>")).pages[0].text

    assert main == PROSE * 5


def test_text_the_page_hides_stands_apart(tmp_path: Path, read: Read) -> None:
    body = (
        f"<p>{PROSE}</p><div style='display: none'>hiddenword <p>inner</p></div><p hidden>other</p>"
    )

    (found,) = read(page(tmp_path, body)).pages

    assert found.text == PROSE
    assert "hiddenword" in found.hidden


def test_pictures_inside_are_kept_and_others_never_fetched(tmp_path: Path, read: Read) -> None:
    inside = "data:image/png;base64," + base64.b64encode(png()).decode()
    body = f"<p>{PROSE}</p><img src='{inside}' alt='red'><img src='https://example.org/a.png' alt='far'>"  # noqa: E501

    extraction = read(page(tmp_path, body))

    assert "![red](image1) far" in extraction.pages[0].text
    assert len(extraction.images) == 1


@pytest.mark.parametrize("tag", ["div", "blockquote", "ul><li", "table><tr><td", "b", "span"])
def test_nesting_without_end_takes_linear_time(tmp_path: Path, read: Read, tag: str) -> None:
    started = time.process_time()
    extraction = read(page(tmp_path, f"<{tag}>" * 4_000 + PROSE))

    assert time.process_time() - started < 3
    assert PROSE in extraction.pages[0].text.replace("**", "")


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ("<meta charset=shift_jis>", "shift_jis"),
        ("<meta charset='wrong'>", "utf-8"),
        ("", "utf-16"),
    ],
)
def test_page_is_decoded_as_it_says(tmp_path: Path, read: Read, head: str, encoding: str) -> None:
    path = tmp_path / "page.html"
    text = "吾輩は猫である。名前はまだ無い。どこで生れたか頓と見当がつかぬ。"
    path.write_bytes(f"<html><head>{head}</head><body>{text}</body></html>".encode(encoding))

    assert read(path).pages[0].text == text


def book(folder: Path, spine: list[str]) -> Path:
    path = folder / "book.epub"
    items = "".join(f"<item id='i{n}' href='{name}'/>" for n, name in enumerate(spine))
    order = "".join(f"<itemref idref='i{n}'/>" for n in range(len(spine)))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", "<c><rootfile full-path='O/b.opf'/></c>")
        archive.writestr("O/b.opf", f"<package><title>A book</title>{items}{order}</package>")
        archive.writestr(
            "O/a b.xhtml", f"<html><body><p>{PROSE}</p><img src='p.png'/></body></html>"
        )
        archive.writestr("O/c.xhtml", f"<html><body><p>{PROSE} lastword</p></body></html>")
        archive.writestr("O/p.png", png())
    return path


def test_book_is_read_along_its_spine_once(tmp_path: Path, read: Read) -> None:
    extraction = read(
        book(tmp_path, ["a%20b.xhtml#one", "a%20b.xhtml#two", "c.xhtml", "gone.xhtml"])
    )

    assert [found.number for found in extraction.pages] == [1, 2]
    assert "![](image1)" in extraction.pages[0].text
    assert "lastword" in extraction.pages[1].text
    assert extraction.metadata["title"] == "A book"


def test_cover_that_a_drawing_shows_is_kept(tmp_path: Path, read: Read) -> None:
    path = book(tmp_path, ["cover.xhtml", "c.xhtml"])
    with zipfile.ZipFile(path, "a") as package:
        cover = "<svg><image xlink:href='p.png'/></svg>"
        package.writestr("O/cover.xhtml", f"<html><body>{cover}</body></html>")

    assert len(read(path).images) == 1


def test_protected_book_says_so(tmp_path: Path, read: Read) -> None:
    path = book(tmp_path, ["c.xhtml"])
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("META-INF/encryption.xml", "<e><EncryptionMethod Algorithm='aes'/></e>")

    extraction = read(path)

    assert extraction.status is ExtractStatus.ENCRYPTED
    assert "protected" in extraction.reason


def test_message_is_read_with_its_attachments(tmp_path: Path, read: Read) -> None:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "ada@example.org", "b@example.org", "Grüße"
    message.set_content(PROSE)
    message.add_alternative(f"<p>{PROSE} again</p>", subtype="html")
    message.add_attachment("attached textword", filename="notes.txt")
    message.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="paper.pdf")
    path = tmp_path / "letter.eml"
    path.write_bytes(bytes(message))

    extraction = read(path)
    text = extraction.pages[0].text

    assert text.startswith("# Grüße\n\nFrom: ada@example.org\n\nTo: b@example.org\n\n" + PROSE)
    assert "again" not in text
    assert "textword" in text
    assert "Attached file: paper.pdf" in text


def test_page_saved_in_one_file_is_a_page(tmp_path: Path, read: Read) -> None:
    message = EmailMessage()
    message["From"] = "<Saved by Blink>"
    message["Snapshot-Content-Location"] = "https://example.org/cake"
    message["Subject"] = "Cake"
    picture = "<img src='https://example.org/a.png' alt='cake'>"
    body = f"<nav>Home</nav><main><h1>Cake</h1>{picture}<p>{PROSE * 5}</p></main>"
    message.set_content(f"<title>Cake</title>{body}", subtype="html")
    message.add_related(
        png(), "image", "png", headers=["Content-Location: https://example.org/a.png"]
    )

    extraction = read(letter(tmp_path, message))

    assert extraction.pages[0].text == f"# Cake\n\n![cake](image1)\n\n{PROSE * 5}"
    assert extraction.metadata["source"] == "https://example.org/cake"


def letter(folder: Path, message: EmailMessage) -> Path:
    path = folder / "letter.eml"
    path.write_bytes(bytes(message))
    return path


def test_forwarded_message_says_from_whom_it_is(tmp_path: Path, read: Read) -> None:
    message, forwarded = EmailMessage(), EmailMessage()
    forwarded["From"], forwarded["Subject"] = "ben@example.org", "Question"
    forwarded.set_content("When will it come?")
    message["From"], message["Subject"] = "ada@example.org", "Fwd: Question"
    message.set_content(PROSE)
    message.add_attachment(forwarded)

    text = read(letter(tmp_path, message)).pages[0].text

    assert text.endswith("## Question\n\nFrom: ben@example.org\n\nWhen will it come?")


@pytest.mark.parametrize("plain", [PROSE, "See the page."])
def test_pictures_of_a_message_are_kept_once_in_either_version(
    tmp_path: Path, read: Read, plain: str
) -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = "ada@example.org", "Photo"
    message.set_content(plain)
    message.add_alternative(f"<p>{PROSE}<img src='cid:one'> <i>after</i></p>", subtype="html")
    version = list(message.iter_parts())[1]
    assert isinstance(version, EmailMessage)
    version.add_related(png(), "image", "png", cid="<one>")

    extraction = read(letter(tmp_path, message))
    text = extraction.pages[0].text

    assert len(extraction.images) == 1
    assert text.count("![](image1)") == 1
    assert text.startswith("# Photo\n\nFrom: ada@example.org\n\n" + PROSE)
    assert ("after" in text) is (plain != PROSE)  # a stub that only points to the page is no text
