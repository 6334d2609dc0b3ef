"""RTF documents, as Word, LibreOffice and others write them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.extract.conftest import Read
from tests.extract.test_plain import png
from vaultd.model.document import ExtractStatus

PROSE = "A paragraph that is long enough to be called a text."
FONTS = (
    r"{\fonttbl{\f0 Arial;}{\f1\fmodern Courier New;}{\f2\fcharset128 MS Gothic;}"
    r"{\f3\fcharset204 Arial Cyr;}}"
)


def rtf(folder: Path, body: str) -> Path:
    path = folder / "made.rtf"
    path.write_bytes(rf"{{\rtf1\ansi\ansicpg1252{FONTS}{body}}}".encode("latin-1"))
    return path


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"{\stylesheet{\s0 Normal;}{\s7 heading 2;}}\pard\s7 Title\par", "## Title"),
        (r"\pard\outlinelevel0 Title\par\pard", "# Title"),
        (r"\pard 10{\super 6} is {\b bold}\par", "10⁶ is **bold**"),
        (r"braces \{x\}, \\ and a\~b\par", "braces {x}, \\ and a b"),
        (r"caf\'e9 \u233? \u-10179?\u-8704?\par", "café é 😀"),
        (r"{\f2 \'93\'fa\'96\'7b} {\f3 \'cc\'e8\'f0}\par", "日本 Мир"),
        (r"{\uc2 \u8364\'80\'80}x\par", "€x"),
        (r"seen {\v hidden} {\deleted gone}\par", "seen"),
        (r"{\*\unknown inner {\b text}}kept\par", "kept"),
        (r"one\line two\par", "one\ntwo"),
        (
            r'{\field{\*\fldinst HYPERLINK "https://example.org/a"}{\fldrslt here}}\par',
            "[here](https://example.org/a)",
        ),
    ],
)
def test_words_mean_what_they_say(tmp_path: Path, read: Read, body: str, expected: str) -> None:
    path = rtf(tmp_path, rf"\pard {PROSE}\par {body}")

    assert read(path).pages[0].text == f"{PROSE}\n\n{expected}"


def test_lists_are_told_by_their_signs(tmp_path: Path, read: Read) -> None:
    body = (
        r"{\listtext\pard 1.\tab}\pard\ls1\ilvl0 one\par"
        r"{\listtext\pard a.\tab}\pard\ls1\ilvl1 inner\par"
        r"\pard\li720\fi-360 2.\tab two\par \pard\li1080\fi-360 \bullet\tab deep\par"
        r"\pard 3.\tab no item\par"
    )

    text = read(rtf(tmp_path, rf"{PROSE}\par {body}")).pages[0].text

    assert text == f"{PROSE}\n\n1. one\n  1. inner\n2. two\n  - deep\n\n3. no item"


def test_notes_stand_at_the_end(tmp_path: Path, read: Read) -> None:
    note = r"{\super\chftn}{\footnote\pard {\super\chftn} The {\i note}.\par}"

    text = read(rtf(tmp_path, rf"{PROSE}{note} Goes on.\par")).pages[0].text

    assert text == f"{PROSE}[^1] Goes on.\n\n[^1]: The note."


def test_code_keeps_its_lines_and_spaces(tmp_path: Path, read: Read) -> None:
    body = rf"{PROSE}\par\pard\f1 if row:\par     stop()\par\pard\plain {PROSE}\par"

    text = read(rtf(tmp_path, body)).pages[0].text

    assert text == f"{PROSE}\n\n```\nif row:\n    stop()\n```\n\n{PROSE}"


def test_pictures_are_kept_once_with_their_words(tmp_path: Path, read: Read) -> None:
    words = r"{\*\picprop{\sp{\sn wzDescription}{\sv A red square}}}"
    picture = rf"{{\*\shppict{{\pict{words}\pngblip\picw80 {png().hex()}}}}}"
    other = r"{\nonshppict{\pict\wmetafile8 0011}}"

    extraction = read(rtf(tmp_path, rf"{PROSE}\par {picture}{other}\par"))

    assert extraction.pages[0].text == f"{PROSE}\n\n![A red square](image1)"
    assert len(extraction.images) == 1


@pytest.mark.parametrize("body", ["{" * 100_000, "}" * 100_000, r"\cell\row" * 20_000])
def test_what_never_ends_is_read_in_no_time(tmp_path: Path, read: Read, body: str) -> None:
    started = time.process_time()

    extraction = read(rtf(tmp_path, rf"{PROSE}\par {body}"))

    assert extraction.status is ExtractStatus.OK
    assert time.process_time() - started < 3
