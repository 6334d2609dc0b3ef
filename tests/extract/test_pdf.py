"""PDF files made here: every place a word can hide in."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf as _pymupdf
import pytest
from PIL import Image

from tests.extract.conftest import Read
from vaultd.model.document import ExtractStatus

pymupdf: Any = _pymupdf
PROSE = "The quick brown fox jumps over the lazy dog and goes on to the river to drink. "


def saved(document: Any, folder: Path, **options: Any) -> Path:
    path = folder / "made.pdf"
    document.save(path, **options)
    document.close()
    return path


def picture(colour: tuple[int, ...], mode: str = "RGB", size: tuple[int, int] = (120, 90)) -> bytes:
    out = io.BytesIO()
    Image.new(mode, size, colour).save(out, "JPEG" if mode == "CMYK" else "PNG")
    return out.getvalue()


def test_every_hiding_place_is_found(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), PROSE + "bodyword")
    page.add_text_annot((300, 300), "annotationword")
    field = pymupdf.Widget()
    field.field_name, field.field_type = "Name", pymupdf.PDF_WIDGET_TYPE_TEXT
    field.field_value, field.rect = "fieldword", pymupdf.Rect(72, 400, 300, 420)
    page.add_widget(field)
    document.new_page().insert_text((72, 100), PROSE + "turnedword")
    document[1].set_rotation(90)
    document.embfile_add("attachedword.csv", b"1,2", filename="attachedword.csv")

    extraction = read(saved(document, tmp_path))

    assert [page.number for page in extraction.pages] == [1, 2]
    first, second = (page.text for page in extraction.pages)
    assert all(word in first for word in ("bodyword", "annotationword", "Name: fieldword"))
    assert "turnedword" in second
    assert "Attached file: attachedword.csv" in second


def test_two_columns_are_read_one_after_the_other(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for row in range(20):  # drawn row by row, as many programs do
        page.insert_text((50, 100 + row * 14), f"left{row} column of the page", fontsize=10)
        page.insert_text((320, 100 + row * 14), f"right{row} column of the page", fontsize=10)

    text = read(saved(document, tmp_path)).pages[0].text

    assert text.index("left19") < text.index("right0")


def test_numbers_behind_their_lines_stay_with_them(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for row in range(20):  # so close that the font's own height makes lines overlap
        entry = f"({row}) Substance {row} of the list" + 30 * "."
        for x, piece in ((50, entry), (200, f"74{row:02}"), (320, f"right{row} column " + PROSE)):
            page.insert_text((x, 100 + row * 6.6), piece, fontsize=6)

    text = read(saved(document, tmp_path)).pages[0].text

    assert f"(18) Substance 18 of the list{30 * '.'} 7418 (19) Substance" in text
    assert text.index("7419") < text.index("right0")


def test_text_between_columns_is_given_once(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for row in range(20):
        for x in (50, 380):
            page.insert_text((x, 100 + row * 14), f"row{row} of a column of text", fontsize=10)
    page.insert_text((220, 170), "notebetween columns", fontsize=10)

    assert read(saved(document, tmp_path)).pages[0].text.count("notebetween") == 1


def test_invisible_tiny_and_white_text_stand_apart(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), PROSE)
    page.insert_text((72, 200), "invisibleword", render_mode=3)
    page.insert_text((72, 300), "whiteword", color=(1, 1, 1))
    page.insert_text((72, 400), "tinyword", fontsize=1)

    found = read(saved(document, tmp_path)).pages[0]

    assert "fox" in found.text
    for word in ("invisibleword", "whiteword", "tinyword"):
        assert word in found.hidden
        assert word not in found.text


def test_white_text_on_a_dark_ground_is_visible(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.draw_rect(pymupdf.Rect(50, 280, 400, 320), fill=(0, 0, 0.5))
    page.insert_text((72, 305), PROSE[:40] + "headingword", color=(1, 1, 1))

    assert "headingword" in read(saved(document, tmp_path)).pages[0].text


def test_turned_page_is_read_as_it_is_shown(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.set_rotation(90)

    def put(x: int, y: int, text: str, **options: Any) -> None:
        page.insert_text(pymupdf.Point(x, y) * page.derotation_matrix, text, rotate=90, **options)

    ground = pymupdf.Rect(40, 40, 800, 70) * page.derotation_matrix
    page.draw_rect(ground, fill=(0, 0, 0.4))
    put(50, 60, PROSE + "titleword", color=(1, 1, 1), fontsize=10)
    for row in range(20):
        put(50, 120 + row * 14, f"left{row} column of the page", fontsize=10)
        put(450, 120 + row * 14, f"right{row} column of the page", fontsize=10)

    found = read(saved(document, tmp_path)).pages[0]

    assert found.hidden == ""
    assert found.text.index("titleword") < found.text.index("left0")
    assert found.text.index("left19") < found.text.index("right0")


def test_invisible_text_over_a_scan_is_its_text_layer(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_image(page.rect, stream=picture((250, 250, 240), size=(300, 400)))
    page.insert_text((72, 100), PROSE + PROSE + "layerword", fontsize=5, render_mode=3)

    extraction = read(saved(document, tmp_path))

    assert "layerword" in extraction.pages[0].text
    assert extraction.images == ()


def test_scan_without_text_needs_recognition(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    for _ in range(2):
        page = document.new_page()
        page.insert_image(page.rect, stream=picture((250, 250, 240), size=(300, 400)))

    extraction = read(saved(document, tmp_path))

    assert extraction.status is ExtractStatus.NO_TEXT
    assert extraction.reason.startswith("Needs OCR")
    assert extraction.images == ()


def test_mixed_file_names_the_pages_that_are_scans(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    document.new_page().insert_text((72, 100), PROSE)
    page = document.new_page()
    page.insert_image(page.rect, stream=picture((250, 250, 240), size=(300, 400)))

    extraction = read(saved(document, tmp_path))

    assert extraction.status is ExtractStatus.PARTIAL
    assert "page 2" in extraction.reason


def test_outline_titles_become_headings(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    for number in range(3):
        page = document.new_page()
        page.insert_text((72, 100), f"Chapter {number} begins")
        page.insert_text((72, 150), PROSE)
    document.set_toc([[1 + (n > 0), f"Chapter {n} begins", n + 1] for n in range(3)])

    pages = read(saved(document, tmp_path)).pages

    assert "# Chapter 0 begins" in pages[0].text
    assert "## Chapter 2 begins" in pages[2].text


def test_running_header_and_page_numbers_go_but_never_the_whole_page(
    tmp_path: Path, read: Read
) -> None:
    document = pymupdf.open()
    for number in range(6):
        page = document.new_page()
        page.insert_text((72, 40), "Annual report of the company")
        page.insert_text((300, 820), f"- {number + 1} -")
        if number < 5:
            page.insert_text((72, 300), PROSE)

    pages = read(saved(document, tmp_path)).pages

    assert all("Annual report" not in page.text for page in pages[:5])
    assert "- 3 -" not in pages[2].text
    assert "Annual report" in pages[5].text


def test_ruled_table_becomes_a_markdown_table(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 60), PROSE[:60])
    for line in range(4):
        page.draw_line((72, 100 + 30 * line), (372, 100 + 30 * line))
        page.draw_line((72 + 100 * line, 100), (72 + 100 * line, 190))
    for row in range(3):
        for column in range(3):
            page.insert_text((80 + 100 * column, 120 + 30 * row), f"r{row}c{column}")

    text = read(saved(document, tmp_path)).pages[0].text

    assert "| r0c0 | r0c1 | r0c2 |\n| --- | --- | --- |\n| r1c0 |" in text


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        (("Frau", "Ina Feldmann", "Am Bach 7", "50667 Koeln"), True),
        (("SELECT name, age", "FROM bees", "WHERE queen"), True),
        (("Words that were broken by a", "narrow column in which they", "stand here."), False),
    ],
)
def test_lines_that_end_early_stay_lines(
    tmp_path: Path, read: Read, *, lines: Sequence[str], kept: bool
) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 60), PROSE)
    page.insert_text((72, 100), "\n".join(lines))

    text = read(saved(document, tmp_path)).pages[0].text

    assert ("\n" if kept else " ").join(lines) in text


def put_rows(page: Any, rows: Sequence[Sequence[str]], *, width: int = 120) -> None:
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            page.insert_text((72 + width * column, 100 + 15 * number), text, fontsize=10)


def test_table_without_lines_becomes_markdown(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 60), PROSE)
    put_rows(page, [("Item", "Amount", "Price"), ("Smoker", "2", "49.80"), ("Frames", "", "36.00")])
    page.insert_text((72, 190), PROSE)

    text = read(saved(document, tmp_path)).pages[0].text

    assert "| Item | Amount | Price |\n| --- | --- | --- |\n| Smoker | 2 | 49.80 |" in text
    assert "| Frames |  | 36.00 |\n\nThe quick" in text


@pytest.mark.parametrize(
    "rows",
    [
        [(f"Chapter {n}" + " ." * 20, str(n)) for n in range(8)],
        [("•", f"point {n} of the list") for n in range(8)],
        [("a", "=", "b"), ("c", "=", "d"), ("e", "=", "f")],
        [(f"left {n} text of a column", f"right {n} text of a column") for n in range(8)],
    ],
    ids=["contents", "list", "formulas", "columns"],
)
def test_what_stands_side_by_side_need_not_be_a_table(
    tmp_path: Path, read: Read, rows: Sequence[Sequence[str]]
) -> None:
    document = pymupdf.open()
    put_rows(document.new_page(), rows, width=240)

    assert "|" not in read(saved(document, tmp_path)).pages[0].text


def test_code_is_set_in_as_on_the_page(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 60), PROSE)
    for x, y, text in ((72, 100, "for row in board:"), (96, 112, "if row:"), (120, 124, "break")):
        page.insert_text((x, y), text, fontname="cour", fontsize=10)
    page.insert_text((186, 124), "# done", fontname="cour", fontsize=10)

    text = read(saved(document, tmp_path)).pages[0].text

    assert "```\nfor row in board:\n    if row:\n        break      # done\n```" in text


def test_list_on_a_page_with_a_divided_block_keeps_its_items(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 60), PROSE)
    page.insert_text((72, 300), "Large words", fontsize=16)
    page.insert_text((72, 314), "and small ones below them, in one block of text", fontsize=11)
    for row, sign in enumerate(("1.", "2.")):
        page.insert_text((72, 100 + 13 * row), sign, fontsize=11)
        page.insert_text((95, 100 + 13 * row), f"step{row} of the work", fontsize=11)

    text = read(saved(document, tmp_path)).pages[0].text

    assert "1. step0 of the work\n2. step1 of the work" in text


def test_hyphenated_word_is_mended(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    lines = "This is a matter of interna-\ntional importance for everyone who\nreads it to the end."
    document.new_page().insert_text((72, 100), lines)

    assert "international importance" in read(saved(document, tmp_path)).pages[0].text


def test_password_is_told_from_permissions(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    document.new_page().insert_text((72, 100), PROSE)
    content = document.tobytes()
    aes = pymupdf.PDF_ENCRYPT_AES_256
    locked = saved(
        pymupdf.open("pdf", content), tmp_path, encryption=aes, user_pw="x", owner_pw="y"
    )
    assert read(locked).status is ExtractStatus.ENCRYPTED

    owned = saved(
        pymupdf.open("pdf", content), tmp_path, encryption=aes, owner_pw="y", permissions=0
    )
    assert read(owned).status is ExtractStatus.OK


def test_picture_is_kept_once_in_order_and_in_its_colours(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 60), PROSE)
    page.insert_image(pymupdf.Rect(72, 300, 272, 450), stream=picture((0, 0, 255)))
    page.insert_image(pymupdf.Rect(72, 100, 272, 250), stream=picture((0, 255, 255, 0), "CMYK"))
    page.insert_text((72, 470), "Figure 1: a blue field.")
    page.insert_image(pymupdf.Rect(300, 500, 310, 510), stream=picture((1, 2, 3)))

    extraction = read(saved(document, tmp_path))

    assert [image.page for image in extraction.images] == [1, 1]
    red, blue = (Image.open(io.BytesIO(i.data)).convert("RGB") for i in extraction.images)
    assert red.getpixel((50, 50)) == pytest.approx((237, 28, 36), abs=13)  # press red
    assert blue.getpixel((50, 50)) == pytest.approx((0, 0, 255), abs=13)
    assert extraction.images[1].caption == "Figure 1: a blue field."
    text = extraction.pages[0].text
    assert text.index("image1") < text.index("image2") < text.index("Figure 1")


def test_logo_on_every_page_is_decoration(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    logo = picture((9, 99, 9))
    for _ in range(4):
        page = document.new_page()
        page.insert_text((72, 200), PROSE)
        page.insert_image(pymupdf.Rect(20, 20, 120, 95), stream=logo)

    assert read(saved(document, tmp_path)).images == ()


def test_soft_mask_is_laid_on_white(tmp_path: Path, read: Read) -> None:
    image = Image.new("RGBA", (100, 100), (0, 0, 0, 0))
    image.paste((0, 0, 0, 255), (0, 0, 50, 100))
    out = io.BytesIO()
    image.save(out, "PNG")
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 60), PROSE)
    page.insert_image(pymupdf.Rect(72, 100, 172, 200), stream=out.getvalue())

    (found,) = read(saved(document, tmp_path)).images
    pixels = Image.open(io.BytesIO(found.data)).convert("L")

    assert pixels.getpixel((20, 50)) == 0
    assert pixels.getpixel((80, 50)) == 255


def test_drawn_figure_with_a_caption_is_a_picture(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 60), PROSE)
    for step in range(12):
        page.draw_line((100, 300 - step * 10), (300, 300 - step * step))
    page.insert_text((100, 320), "Figure 7. Lines that cross.")

    (image,) = read(saved(document, tmp_path)).images

    assert image.caption == "Figure 7. Lines that cross."
    assert image.width > 300


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_half_a_file_is_never_whole(tmp_path: Path, read: Read, share: float) -> None:
    document = pymupdf.open()
    for _ in range(5):
        document.new_page().insert_text((72, 100), PROSE)
    content = saved(document, tmp_path).read_bytes()
    path = tmp_path / "half.pdf"
    path.write_bytes(content[: int(len(content) * share)])

    extraction = read(path)

    assert extraction.status is not ExtractStatus.OK or extraction.warnings


def test_table_that_is_open_at_its_sides_is_whole(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for y in (100, 120, 140, 160):
        page.draw_line((72, y), (372, y))
    page.draw_line((172, 100), (172, 160))
    for row, (name, meaning) in enumerate(
        [("Name", "Meaning"), ("apple", "a fruit"), ("carrot", "a root")]
    ):
        page.insert_text((76, 114 + 20 * row), name)
        page.insert_text((176, 114 + 20 * row), meaning)
    page.insert_text((72, 300), PROSE)

    text = read(saved(document, tmp_path)).pages[0].text

    assert "| Name | Meaning |\n| --- | --- |\n| apple | a fruit |\n| carrot | a root |" in text


def test_hidden_words_leave_the_rest_of_their_page_as_it_is(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), PROSE + "boldword", fontname="hebo")
    page.insert_text((72, 700), "secretword", color=(1, 1, 1))

    found = read(saved(document, tmp_path)).pages[0]

    assert "boldword**" in found.text
    assert found.hidden == "secretword"


def test_ghost_of_a_logo_is_no_picture(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), PROSE)
    ghost = Image.new("RGBA", (120, 90), (225, 225, 225))
    ghost.putalpha(Image.linear_gradient("L").resize((120, 90)))
    out = io.BytesIO()
    ghost.save(out, "PNG")
    page.insert_image((72, 200, 300, 400), stream=out.getvalue())
    page.insert_image((72, 450, 300, 650), stream=picture((30, 90, 30)))

    images = read(saved(document, tmp_path)).images

    assert [(image.width, image.extension) for image in images] == [(120, "png")]


def test_page_of_pages_goes_also_from_a_short_document(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    for number in (1, 2):
        page = document.new_page()
        page.insert_text((72, 40), "Letter of 1/2/2024")
        page.insert_text((72, 300), f"{PROSE}{number}/2")
        page.insert_text((300, page.rect.height - 20), f"print {number}/2")

    text = read(saved(document, tmp_path)).pages[1].text

    assert text == f"Letter of 1/2/2024\n\n{PROSE}2/2"


def test_number_high_above_the_edge_is_the_pages(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    for number in range(7, 11):
        page = document.new_page()
        page.insert_text((72, 300), PROSE + "abcd"[number - 7])
        page.insert_text((300, page.rect.height * 0.88), str(number))

    assert read(saved(document, tmp_path)).pages[2].text == PROSE + "c"


def test_header_of_a_short_chapter_goes_with_its_page_number(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    for number in range(20):
        page = document.new_page()
        if 4 <= number < 7:
            page.insert_text((72, 40), f"Chapter 2: Handling structures {number + 1}")
        page.insert_text((72, 200), f"{PROSE} {'abcdefghijklmnopqrst'[number]}")

    text = "\n".join(page.text for page in read(saved(document, tmp_path)).pages)

    assert "Handling structures" not in text


def test_listing_is_one_block_of_code(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), PROSE)
    for line, code in enumerate(("first = 1", "second = 2", "third = 3")):
        page.insert_text((72, 150 + 30 * line), code, fontname="cour")

    text = read(saved(document, tmp_path)).pages[0].text

    assert "```\nfirst = 1\nsecond = 2\nthird = 3\n```" in text


def test_frame_outside_the_page_is_no_part_of_its_table(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page(width=300, height=400)
    page.draw_rect(pymupdf.Rect(-9, -9, 309, 409))
    for number in range(3):
        page.draw_line((50, 100 + number * 30), (250, 100 + number * 30))
        page.draw_line((50 + number * 100, 100), (50 + number * 100, 160))
        page.insert_text((60, 50), PROSE[:40])
    for place, word in {
        (60, 120): "name",
        (160, 120): "age",
        (60, 150): "Ann",
        (160, 150): "7",
    }.items():
        page.insert_text(place, word)

    text = read(saved(document, tmp_path)).pages[0].text

    assert "| name | age |" in text
    assert "| Ann | 7 |" in text


def test_picture_listed_with_every_page_stands_where_it_is_drawn(
    tmp_path: Path, read: Read
) -> None:
    document = pymupdf.open()
    for number in range(4):
        document.new_page().insert_text((72, 100), f"{PROSE} {number}")
    document[2].insert_image((72, 200, 300, 370), stream=picture((200, 30, 30)))
    resources = [int(document.xref_get_key(p.xref, "Resources")[1].split()[0]) for p in document]
    listed = document.xref_get_key(resources[2], "XObject")[1]
    for xref in resources:  # as LibreOffice does
        document.xref_set_key(xref, "XObject", listed)

    extraction = read(saved(document, tmp_path))

    assert [image.page for image in extraction.images] == [3]


def test_list_signs_on_lines_of_their_own_make_a_list(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for row, (sign, text) in enumerate([("1.", "first"), ("2.", "second"), ("-", "no sign")]):
        page.insert_text((72, 100 + 14 * row), sign)
        page.insert_text((120, 100 + 14 * row), f"{text} item of the list")

    text = read(saved(document, tmp_path)).pages[0].text

    assert text.startswith("1. first item of the list\n2. second item of the list")


def test_table_that_is_ruled_only_between_its_rows_is_one(tmp_path: Path, read: Read) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((60, 60), PROSE[:60])
    edges = (50, 200, 300)
    for row, cells in enumerate(
        (("item", "price"), ("lamp", "20"), ("chair", "35"), ("sum", "55"))
    ):
        for left, right, word in zip(edges, edges[1:], cells, strict=False):
            page.insert_text((left + 8, 100 + 20 * row), word)
            if row < 3:  # as a browser prints the lower borders of cells
                line = (left, 106 + 20 * row, right, 106.6 + 20 * row)
                page.draw_rect(line, fill=(0, 0, 0), width=0)
    page.insert_text((60, 240), PROSE[:60])

    text = read(saved(document, tmp_path)).pages[0].text

    rows = "| item | price |\n| --- | --- |\n| lamp | 20 |\n| chair | 35 |\n| sum | 55 |"
    assert text == f"{PROSE[:60].strip()}\n\n{rows}\n\n{PROSE[:60].strip()}"
