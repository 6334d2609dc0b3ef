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


def test_main_part_is_preferred_where_it_says_something(tmp_path: Path, read: Read) -> None:
    chrome = "<nav><a href='/'>navword</a></nav>"

    whole = read(page(tmp_path, f"{chrome}<main>short</main><p>{PROSE}</p>")).pages[0].text
    main = read(page(tmp_path, f"{chrome}<main><p>{PROSE * 5}</p></main>")).pages[0].text

    assert "navword" in whole
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
