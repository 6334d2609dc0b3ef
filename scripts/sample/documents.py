#!/usr/bin/env python3
# mypy: disallow-untyped-calls=False
"""Makes the documents of the sample vault from the texts beside this file."""

from __future__ import annotations

import io
from pathlib import Path

import docx
import pymupdf

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
CSS = """
body { font-family: serif; font-size: 11.5pt; line-height: 1.4; }
h1 { font-size: 19pt; } h2 { font-size: 14pt; } .by { font-style: italic; font-size: 9pt; }
table { border-collapse: collapse; }
td, th { padding: 4pt; font-size: 10pt; border: 0.5pt solid black; }
"""
HOURS_AND_GROWTH = {  # per cent of growth by hour, as in figure 1
    "27 °C": [0, 4, 14, 32, 58, 86, 98, 92, 80],
    "21 °C": [0, 1, 4, 9, 17, 28, 42, 57, 71],
}


def figure() -> bytes:
    """Draw the curves of figure 1 as a picture."""
    page = pymupdf.open().new_page(width=400, height=230)
    page.draw_line((40, 200), (385, 200))
    page.draw_line((40, 200), (40, 15))
    for hour in range(9):
        page.insert_text((38 + hour * 42, 214), str(hour), fontsize=9)
    for growth in range(0, 101, 25):
        page.insert_text((10, 203 - growth * 1.8), f"{growth}%", fontsize=8)
    for name, values in HOURS_AND_GROWTH.items():
        colour = (0.7, 0.2, 0.1) if name.startswith("27") else (0.1, 0.3, 0.7)
        points = [(40 + hour * 42, 200 - growth * 1.8) for hour, growth in enumerate(values)]
        page.draw_polyline(points, color=colour, width=2)
        page.insert_text((points[-4][0] - 58, points[-4][1] - 4), name, fontsize=9, color=colour)
    page.insert_text((180, 227), "hours", fontsize=9)
    return bytes(page.get_pixmap(dpi=144).tobytes("png"))


def make_pdf(source: Path, target: Path, *, title: str, pictures: dict[str, bytes]) -> None:
    """Set the HTML of `source` on A4 pages."""
    archive = pymupdf.Archive()
    for name, picture in pictures.items():
        archive.add(picture, name)
    story = pymupdf.Story(source.read_text(encoding="utf-8"), user_css=CSS, archive=archive)
    paper = pymupdf.paper_rect("a4")
    content = io.BytesIO()
    writer = pymupdf.DocumentWriter(content)
    story.write(writer, lambda *_: (paper, paper + (64, 64, -64, -64), None))
    writer.close()
    with pymupdf.open("pdf", content.getvalue()) as document:
        document.set_metadata({"title": title, "author": "Ines Moreau"})
        document.subset_fonts()
        document.save(target, garbage=4, deflate=True, no_new_id=True)


def make_docx(source: Path, target: Path) -> None:
    """Turn the simple Markdown of `source` (headings, a list, a table) into a document."""
    document = docx.Document()
    table = None
    for line in source.read_text(encoding="utf-8").splitlines():
        if line.startswith("| ---") or not line.strip():
            continue
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            table = table or document.add_table(rows=0, cols=len(cells), style="Table Grid")
            for cell, text in zip(table.add_row().cells, cells, strict=True):
                cell.text = text
        elif line.startswith("#"):
            marks, _, text = line.partition(" ")
            document.add_heading(text, level=len(marks) if len(marks) > 1 else 0)
        elif line.startswith("- "):
            document.add_paragraph(line[2:], style="List Bullet")
        else:
            document.add_paragraph(line)
    document.core_properties.title = "四川泡菜：盐、温度与时间"
    document.core_properties.author = "林岚"
    document.save(str(target))


if __name__ == "__main__":
    raw = ROOT / "sample-vault" / "raw"
    make_pdf(
        HERE / "sourdough.html",
        raw / "bread" / "Sourdough, what happens in the dough.pdf",
        title="Sourdough: what happens in the dough",
        pictures={"rise.png": figure()},
    )
    make_pdf(
        HERE / "temperature.html",
        HERE / "Temperature and fermentation.pdf",
        title="Temperature and fermentation: a cook's reference",
        pictures={},
    )
    make_docx(HERE / "pickles.md", raw / "vegetables" / "四川泡菜.docx")
