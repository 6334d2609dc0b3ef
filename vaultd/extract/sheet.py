"""Excel workbooks: one page a sheet, the values as tables."""

from __future__ import annotations

import datetime
import posixpath
import re
import warnings
from collections.abc import Iterator
from itertools import repeat, zip_longest
from pathlib import Path
from typing import Any

import openpyxl

from vaultd.core.table import markdown_table
from vaultd.extract.archive import Package, attribute, local, parsed, words_of
from vaultd.extract.content import (
    Content,
    Gallery,
    PageText,
    UnreadableError,
    because,
    broken,
    readable,
)
from vaultd.extract.drawing import chart_text
from vaultd.extract.office_metadata import metadata_of

EMPTY_ROWS = 1_000  # in a row end a sheet: one file claims a million of them
MOST_CELLS = 1_000_000  # of a sheet; nobody reads more, and it is the limit of the text anyway
# A cell that has a formula and no value, in whatever namespace; an empty text is a value.
UNCOUNTED = re.compile(
    rb"<(?:\w+:)?c(?=[ >])(?![^<>]* t=\"str\")[^<>]*>\s{0,20}"
    rb"<(?:\w+:)?f(?: [^<>]*)?(?:/>|>[^<]*</(?:\w+:)?f>)\s{0,20}"
    rb"(?:<(?:\w+:)?v ?/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s{0,20}</(?:\w+:)?c>"
)
NOT_COUNTED = (
    "Formulas stand here without their values, which the program that wrote the workbook did not "
    "work out: save it with Excel or LibreOffice to have them."
)
SHARE = re.compile(r"0(?:\.(0+))?%")  # a number format, with its decimals
FAULTS = (KeyError, ValueError, TypeError, AttributeError, IndexError, OSError, SyntaxError)


def read_xlsx(path: Path) -> Content:
    """Read a workbook; formulas are shown by the values that were stored with them, if any were.

    Raises:
        UnreadableError: it is damaged, or inflates to more than a document may.
    """
    package = Package(path)
    is_counted = True
    for name in package.names:
        if name.endswith((".xml", ".rels")):
            part = package.read(name)
            is_counted &= not UNCOUNTED.search(part)
            if name.endswith("workbook.xml"):
                parsed(part)
    gallery = Gallery()
    book = _opened(path, data_only=True)
    formulas = None if is_counted else _opened(path, data_only=False)
    content = Content([], len(book.sheetnames), metadata=metadata_of(package), pictures=gallery)
    content.pages = _pages(book, formulas, package, gallery, content)
    if formulas is not None:
        content.warnings.append(NOT_COUNTED)
    return content


def _opened(path: Path, *, data_only: bool) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return openpyxl.load_workbook(path, read_only=True, data_only=data_only)
    except FAULTS as error:
        raise broken(f"The workbook is damaged{because(error)}.") from error


def _pages(
    book: Any, formulas: Any, package: Package, gallery: Gallery, content: Content
) -> Iterator[PageText]:
    for number, sheet in enumerate(book.worksheets, 1):
        parts = [f"## {readable(sheet.title)}"]
        try:
            if hasattr(sheet, "iter_rows"):
                parts += _tables(_rows(sheet, formulas and formulas.worksheets[number - 1]))
        except FAULTS as error:
            content.warnings.append(f"Sheet {sheet.title} is damaged{because(error)}.")
        part = getattr(sheet, "_worksheet_path", "")
        parts += _extras(package, part, number, gallery)
        yield PageText(number, "\n\n".join(part for part in parts if part))
    for each in filter(None, (book, formulas)):
        each.close()


def _rows(sheet: Any, formulas: Any) -> Iterator[list[str]]:
    """Give the rows as shown; a formula without a value as it is, where `formulas` has them."""
    empty = cells = 0
    same_rows = formulas.iter_rows() if formulas is not None else repeat(())
    for row, same in zip(sheet.iter_rows(), same_rows, strict=False):
        texts = [
            _shown(cell) or _formula(cell, written)
            for cell, written in zip_longest(row, same[: len(row)], fillvalue=None)
        ]
        empty = 0 if any(texts) else empty + 1
        cells += sum(map(bool, texts))
        if empty >= EMPTY_ROWS or cells > MOST_CELLS:
            return
        yield texts


def _tables(rows: Iterator[list[str]]) -> Iterator[str]:
    """Give a table for every run of rows between empty ones."""
    run: list[list[str]] = []
    for row in rows:
        if any(row):
            run.append(row)
        elif run:
            yield markdown_table(_without_left_margin(run))
            run = []
    if run:
        yield markdown_table(_without_left_margin(run))


def _without_left_margin(rows: list[list[str]]) -> list[list[str]]:
    left = min(next(i for i, cell in enumerate(row) if cell) for row in rows)
    return [row[left:] for row in rows]


def _formula(cell: Any, written: Any) -> str:
    """Return the formula of a cell without a value as code, "" if it has none or gave no text."""
    if written is None or written.data_type != "f" or cell.data_type != "n":
        return ""
    return f"`{readable(str(getattr(written.value, 'text', written.value))).strip()}`"


def _shown(cell: Any) -> str:
    """Return a cell's value as a person reads it; shares as such, since 0.25 is another number."""
    value: object = cell.value
    if value is None:
        return ""
    if isinstance(value, (int, float)) and (share := SHARE.search(cell.number_format)):
        return f"{value * 100:.{len(share[1] or '')}f}%"
    if isinstance(value, datetime.timedelta):
        minutes, seconds = divmod(int(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime.datetime) and not (value.hour or value.minute or value.second):
        return value.date().isoformat()
    return readable(str(value)).strip()


def _extras(package: Package, part: str, number: int, gallery: Gallery) -> Iterator[str]:
    """Give what hangs on a sheet: pictures and charts of its drawing, comments."""
    try:
        for relation in package.relations(part.lstrip("/")).values() if part else ():
            if relation.type == "drawing":
                yield from _drawing(package, relation.target, number, gallery)
            elif "omment" in relation.type and relation.target.endswith(".xml"):
                yield from _comments(package, relation.target)
    except UnreadableError:
        return


def _drawing(package: Package, part: str, number: int, gallery: Gallery) -> Iterator[str]:
    relations = package.relations(part)
    root = package.xml(part)
    alt = ""
    for node in root.iter() if root is not None else ():
        if local(node) == "cNvPr":
            alt = attribute(node, "descr")
        elif local(node) == "blip" and (target := relations.get(attribute(node, "embed"))):
            data = package.picture(target.target)
            yield gallery.place(data, page=number, alt=alt) if data else alt
        elif local(node) == "chart" and (target := relations.get(attribute(node, "id"))):
            chart = package.xml(posixpath.normpath(target.target))
            yield f"Chart: {chart_text(chart)}" if chart is not None else ""
        elif local(node) == "txBody":
            yield readable(words_of(node))


def _comments(package: Package, part: str) -> Iterator[str]:
    root = package.xml(part)
    for node in root.iter() if root is not None else ():
        if local(node) in ("comment", "threadedComment"):
            place = attribute(node, "ref")
            yield readable(f"> Comment on {place}: " + words_of(node))
