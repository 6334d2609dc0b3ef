"""Tables as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

Rows = Sequence[Sequence[str]]


def markdown_table(rows: Rows) -> str:
    """Return `rows` as a Markdown table whose first row is the header.

    Empty rows and columns at the end are left out; a line break in a cell becomes `<br>`.
    A single column is no table: its cells come as paragraphs. "" if nothing is left.
    """
    cells = _trimmed([[cell_text(cell) for cell in row] for row in rows])
    if not cells:
        return ""
    if len(cells[0]) == 1:
        return "\n\n".join(row[0].replace("<br>", "\n") for row in cells if row[0])
    lines = [_line(row) for row in cells]
    lines.insert(1, "|" + " --- |" * len(cells[0]))
    return "\n".join(lines)


def cell_text(text: str) -> str:
    """Return `text` on one line, fit for a cell."""
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "<br>".join(line for line in lines if line).replace("|", "\\|")


def _line(row: Sequence[str]) -> str:
    return "| " + " | ".join(row) + " |"


def _trimmed(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the rows that say something, as wide as the widest of them."""
    kept = [list(row) for row in rows if any(row)]
    width = max(
        (position for row in kept for position, cell in enumerate(row, 1) if cell), default=0
    )
    return [(row + [""] * width)[:width] for row in kept]
