"""Text in whatever encoding, notes, delimited tables, and what a file really is."""

from __future__ import annotations

import base64
import io
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tests.extract.conftest import Read
from vaultd.core.text import clean
from vaultd.extract import recognition
from vaultd.extract.content import LATIN
from vaultd.extract.readers import page_picture
from vaultd.model.document import ExtractStatus

GERMAN = (
    "Über den Flüssen Österreichs weht ein kühler Wind, und die Bäume blühen früh im März. " * 5
)
JAPANESE = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。" * 5
CHINESE = (
    "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。" * 5
)


@given(st.from_regex(LATIN, fullmatch=True))
def test_cleaning_would_change_no_latin_text(text: str) -> None:
    assert clean(text).replace("\xad", "") == text


def png(size: int = 80) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (size, size), (200, 30, 30)).save(out, "PNG")
    return out.getvalue()


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "utf-8"),
        (GERMAN, "utf-8-sig"),
        (GERMAN, "utf-16"),
        (GERMAN, "utf-16-le"),
        (GERMAN, "cp1252"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (CHINESE, "gb18030"),
        (GERMAN, "utf-16-be"),
    ],
)
def test_text_comes_through_in_any_encoding(
    tmp_path: Path, read: Read, text: str, encoding: str
) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(text.encode(encoding))

    assert read(path).pages[0].text.strip() == text.strip()


def test_one_letter_after_many_screens_of_ascii_is_right(tmp_path: Path, read: Read) -> None:
    path = tmp_path / "late.txt"
    path.write_bytes(b"plain words here\n" * 5000 + "café".encode())

    assert read(path).pages[0].text.endswith("café")


def test_controls_and_lone_surrogates_are_gone(tmp_path: Path, read: Read) -> None:
    path = tmp_path / "dirty.txt"
    path.write_bytes(b"Words enough to be a text.\x00\x08\r\nNext\xef\xbf\xbd line e\xcc\x81")

    text = read(path).pages[0].text

    assert text == "Words enough to be a text.\nNext\ufffd line é"


@pytest.mark.parametrize("name", ["empty.txt", "empty.md", "empty.bin"])
def test_empty_file_says_so(tmp_path: Path, read: Read, name: str) -> None:
    path = tmp_path / name
    path.touch()

    extraction = read(path)

    assert extraction.status is ExtractStatus.NO_TEXT
    assert "empty" in extraction.reason


def test_note_keeps_its_text_and_gives_its_properties(tmp_path: Path, read: Read) -> None:
    (tmp_path / "photo one.png").write_bytes(png())
    note = tmp_path / "clip.md"
    note.write_text(
        '---\ntitle: "A clipping"\nsource: https://example.org/a\ntags: [one, two]\n---\n'
        "# Heading\n\nA paragraph that says something of use.\n\n![[photo one.png|300]]\n"
        "![a view](photo%20one.png)\n![far](https://example.org/b.png)\n"
    )

    extraction = read(note)

    assert extraction.metadata["source"] == "https://example.org/a"
    assert extraction.metadata["tags"] == "one, two"
    text = extraction.pages[0].text
    assert text.startswith("# Heading")
    assert "![](image1)" in text
    assert "![a view](image1)" in text
    assert "https://example.org/b.png" in text
    assert len(extraction.images) == 1


def test_note_never_reaches_files_elsewhere(tmp_path: Path, read: Read) -> None:
    (tmp_path / "secret.png").write_bytes(png())
    folder = tmp_path / "vault" / "raw"
    folder.mkdir(parents=True)
    note = folder / "note.md"
    note.write_text(
        f"Words enough to be a text. ![x](../../secret.png) ![y]({tmp_path}/secret.png)"
    )

    assert read(note).images == ()


def test_property_bomb_is_only_text(tmp_path: Path, read: Read) -> None:
    rows = ["a: &a [x,x,x,x,x,x,x,x,x]"]
    rows += [
        f"{b}: &{b} [{','.join(['*' + a] * 9)}]"
        for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    note = tmp_path / "bomb.md"
    note.write_text("---\n" + "\n".join(rows) + "\n---\nA body that is long enough to be read.")

    started = time.perf_counter()
    extraction = read(note)

    assert extraction.status is ExtractStatus.OK
    assert time.perf_counter() - started < 5


def test_table_is_read_whatever_separates_it(tmp_path: Path, read: Read) -> None:
    path = tmp_path / "table.csv"
    path.write_text('name;amount;note\nAda;1,5;"two\nlines | bar"\nGrace;2,5;plain words\n')

    text = read(path).pages[0].text

    assert text.startswith("| name | amount | note |\n| --- | --- | --- |\n| Ada | 1,5 |")
    assert "two<br>lines \\| bar" in text


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "WordDocument".encode("utf-16-le"),
            "docx",
        ),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
            + bytes(600)
            + "PowerPoint Document".encode("utf-16-le"),
            "pptx",
        ),
        (b"Rar!\x1a\x07\x00 and more bytes", "Archive"),
        (b"ID3\x04 a song", "Sound"),
        (bytes(range(256)) * 8, "not supported"),
    ],
)
def test_what_cannot_be_read_is_named(
    tmp_path: Path, read: Read, content: bytes, word: str
) -> None:
    path = tmp_path / "thing.doc"
    path.write_bytes(content)

    extraction = read(path)

    assert extraction.status is ExtractStatus.UNSUPPORTED
    assert word in extraction.reason


def test_encrypted_office_file_is_told_by_its_container(tmp_path: Path, read: Read) -> None:
    path = tmp_path / "locked.docx"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"))

    assert read(path).status is ExtractStatus.ENCRYPTED


def test_wrong_suffix_does_not_matter(tmp_path: Path, read: Read) -> None:
    path = tmp_path / "page.txt"
    path.write_text(
        "<!DOCTYPE html><html><body><p>A page that calls itself a text.</p></body></html>"
    )

    extraction = read(path)

    assert extraction.kind == "html"
    assert extraction.pages[0].text == "A page that calls itself a text."


def test_data_address_in_a_note_becomes_a_picture(tmp_path: Path, read: Read) -> None:
    address = "data:image/png;base64," + base64.b64encode(png()).decode()
    note = tmp_path / "note.md"
    note.write_text(f"Words before the picture. ![red]({address}) Words after it.")

    extraction = read(note)

    assert extraction.pages[0].text == "Words before the picture. ![red](image1) Words after it."
    assert (extraction.images[0].width, extraction.images[0].alt) == (80, "red")


@pytest.mark.parametrize(
    "text",
    [
        "![x](data:image/png;base64," + "a=" * 40_000 + ")",
        "data:" * 200_000,
        "![" * 100_000 + "data:image/png;base64,AAAA",
        "word " * 1_000_000,
        "- " * 1_000 + "deep",
        "[a](http://b.c) " * 200_000,
    ],
    ids=["a=", "data:", "brackets", "one line", "list", "links"],
)
def test_hostile_text_takes_linear_time(tmp_path: Path, read: Read, text: str) -> None:
    path = tmp_path / "hostile.md"
    path.write_text(text)

    started = time.process_time()
    read(path)

    assert time.process_time() - started < 5


def test_picture_file_is_a_picture_that_needs_recognition(tmp_path: Path, read: Read) -> None:
    path = tmp_path / "photo.jpg"
    path.write_bytes(png())

    extraction = read(path)

    assert (extraction.kind, extraction.status) == ("png", ExtractStatus.NO_TEXT)
    assert extraction.reason.startswith("Needs OCR")
    assert "nstall text recognition (`pip" in extraction.reason
    assert extraction.pages[0].text == "![](image1)"


def test_picture_without_words_is_not_said_to_want_what_is_installed(
    tmp_path: Path, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recognition, "available", lambda: True)
    monkeypatch.setattr(recognition, "recognised", lambda _: recognition.Recognised("", 0.0))
    path = tmp_path / "photo.jpg"
    path.write_bytes(png())

    reason = read(path).reason

    assert reason.startswith("Needs OCR")
    assert "scan anew" in reason
    assert "nstall" not in reason


def test_photograph_is_as_wide_as_it_is_shown(tmp_path: Path, read: Read) -> None:
    turned = Image.Exif()
    turned[0x0112] = 6  # a telephone held upright
    path = tmp_path / "photo.jpg"
    Image.new("RGB", (120, 80)).save(path, exif=turned)

    (image,) = read(path).images

    assert (image.width, image.height) == (80, 120)
    with Image.open(io.BytesIO(page_picture(path, 0))) as drawn:
        assert drawn.size == (80, 120)


def test_jpeg_2000_is_a_picture(tmp_path: Path, read: Read) -> None:
    path = tmp_path / "scan.jp2"
    Image.new("RGB", (120, 80)).save(path)

    extraction = read(path)

    assert extraction.kind == "jp2"
    assert [image.extension for image in extraction.images] == ["png"]


def test_head_of_a_bank_statement_is_a_table_of_its_own(tmp_path: Path, read: Read) -> None:
    path = tmp_path / "statement.csv"
    rows = [("1.1.", "Bäckerei Müller für Frühstück"), ("2.1.", "Grüne Straße, Möbel und Gemüse")]
    lines = ['"Konto";"DE12";', "", '"Tag";"Empfänger";', *(f'"{a}";"{b}";' for a, b in rows)]
    path.write_bytes("\n".join(lines).encode("latin-1"))

    text = read(path).pages[0].text

    table = "".join(f"\n| {a} | {b} |" for a, b in rows)
    assert text == f"| Konto | DE12 |\n| --- | --- |\n\n| Tag | Empfänger |\n| --- | --- |{table}"


def test_rich_text_keeps_paragraphs_lists_and_tables(tmp_path: Path, read: Read) -> None:
    path = tmp_path / "list.rtf"
    row = r"\trowd\cellx1\cellx2 {} \cell {} \cell\row "
    body = r"First\par \'b7\tab item\par " + row.format("Item", "Price") + row.format("Lamp", "20")
    path.write_text(r"{\rtf1\ansi " + body + r"\pard Last\par}")

    text = read(path).pages[0].text

    assert text == "First\n\n- item\n\n| Item | Price |\n| --- | --- |\n| Lamp | 20 |\n\nLast"
