"""PDF files: text by page in reading order, and what else a person put into them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pymupdf as _pymupdf

from vaultd.core.legibility import gibberish
from vaultd.extract.content import Content, PageText, because, broken, encrypted, readable
from vaultd.extract.pdf_aligned import put_aligned
from vaultd.extract.pdf_flow import join_lines, join_rows, settle_hyphens
from vaultd.extract.pdf_furniture import without_furniture
from vaultd.extract.pdf_heading import mark_headings, outline_of
from vaultd.extract.pdf_hyphen import BREAK
from vaultd.extract.pdf_page import Page, page_of
from vaultd.extract.pdf_picture import pictures_of
from vaultd.extract.pdf_sheet import Described, Sheet
from vaultd.extract.pdf_table import put_tables
from vaultd.extract.raster import jpeg

SCAN_DPI = 200  # what recognition reads best; 150 and 300 were no better
MOST_PIXELS = 12_000_000  # of a page drawn for recognition; a poster is drawn coarser
PLATE_SHARE = 0.05  # of the pages; up to so many pictures without text are covers and plates
METADATA = ("title", "author", "subject", "keywords", "creationDate")
FILE_ATTACHMENT = _pymupdf.mupdf.PDF_ANNOT_FILE_ATTACHMENT
SAMPLE_PAGES, SAMPLE = 8, 1_500  # pages, and letters of each, that show a font's wrong map
DAMAGED = (RuntimeError, ValueError, TypeError, KeyError, IndexError, AttributeError)

pymupdf: Any = _pymupdf  # its own hints are partial
pymupdf.TOOLS.mupdf_display_errors(False)  # noqa: FBT003 - MuPDF's own switch
pymupdf.TOOLS.mupdf_display_warnings(False)  # noqa: FBT003


def read_pdf(path: Path) -> Content:
    """Read a PDF file; its pictures are looked for after its text.

    Raises:
        UnreadableError: it wants a password, or nothing of it can be read.
    """
    pymupdf.TOOLS.reset_mupdf_warnings()  # else they pile up as long as the child lives
    try:
        document = pymupdf.open(path, filetype="pdf")
        if document.needs_pass:
            raise encrypted("The PDF wants a password; save it without one.")
        count = document.page_count
    except DAMAGED as error:
        raise broken("The PDF is damaged: nothing of it can be read.") from error
    if count < 1:
        raise broken("The PDF is damaged: it has no pages.")
    content = Content([], expected=count, metadata=_metadata(document))
    if document.is_repaired:
        content.warnings.append("The PDF is damaged and was repaired; parts may be missing.")
    pages: list[Page] = []
    texts: list[PageText] = []
    content.pages = _texts(document, content, pages, texts)
    content.pictures = partial(pictures_of, document, pages, texts)
    return content


def _metadata(document: Any) -> Mapping[str, str]:
    found = {name: readable(str((document.metadata or {}).get(name) or "")) for name in METADATA}
    return {name: value for name, value in found.items() if value.strip()}


def _texts(
    document: Any, content: Content, pages: list[Page], texts: list[PageText]
) -> Iterator[PageText]:
    pages += [_page(document, index, content) for index in range(content.expected)]
    _condemn(pages)
    kept = without_furniture(pages)
    for page, blocks in zip(pages, kept, strict=True):
        page.blocks = blocks
    settle_hyphens(kept)
    mark_headings(kept, outline_of(_contents(document)))
    _tell_plates(pages, content)
    for index, page in enumerate(pages):
        if page.scan:
            content.scans[index] = partial(drawn, document, index)
        if page.trouble:
            content.warnings.append(f"Page {page.number}: {page.trouble}.")
        hidden = page.hidden.replace(BREAK, "")
        texts.append(PageText(page.number, page.markdown(), hidden))
        yield texts[-1]


def _tell_plates(pages: list[Page], content: Content) -> None:
    """Take a few pages without text among many with it for what they are: covers and plates."""
    scans = [page for page in pages if page.scan]
    if len(scans) > PLATE_SHARE * len(pages) or any(page.trouble for page in scans):
        return
    for page in scans:
        page.scan = False
        content.warnings.append(f"Page {page.number} is a picture without text.")


def _condemn(pages: list[Page]) -> None:
    """Set the text of every page apart where the letters of the document fit no language."""
    step = len(pages) // SAMPLE_PAGES + 1
    trouble = gibberish("\n".join(page.plain[:SAMPLE] for page in pages[::step]))
    if not trouble:
        return
    for page in pages:
        page.trouble, page.scan = trouble, True
        page.hidden += page.plain
        page.blocks = []


def _page(document: Any, index: int, content: Content) -> Page:
    """Return page `index`; one that cannot be read is empty and gets a warning."""
    try:
        page = document[index]
        sheet = Sheet(page)
        textpage = sheet.text()
        described = Described(textpage)
        found = page_of(index + 1, sheet, described)
        if found.runs_to_the_left:
            described = Described(textpage)  # lines have been joined
        put_tables(page, described, found)
        put_aligned(described, found)
        join_rows(found.blocks, textpage)
        if found.runs_to_the_left:
            join_lines(found.blocks, textpage)
        found.notes = _notes_of(document, page)
    except DAMAGED as error:
        content.warnings.append(f"Page {index + 1} is damaged{because(error)}.")
        return Page(index + 1)
    return found


def _contents(document: Any) -> list[Any]:
    try:
        return list(document.get_toc(simple=True))
    except DAMAGED:
        return []  # a damaged outline is no outline


def _notes_of(document: Any, page: Any) -> list[str]:
    try:
        notes = list(_notes(page))
        if page.number == document.page_count - 1:
            notes += [f"Attached file: {readable(name)}" for name in document.embfile_names()]
    except DAMAGED:
        return []  # damaged annotations; the page's own text is not concerned
    return notes


def _notes(page: Any) -> Iterator[str]:
    """Give what people wrote on the page: comments, form fields, files pinned to it."""
    for annotation in page.annots() or ():
        text = readable(annotation.info.get("content", "")).strip()
        author = readable(annotation.info.get("title", "")).strip()
        if annotation.type[0] == FILE_ATTACHMENT:
            text = f"Attached file: {readable(annotation.file_info.get('filename', ''))} {text}"
        if text:
            yield f"> Note{f' by {author}' if author else ''}: " + text.replace("\n", "\n> ")
    for field in page.widgets() or ():
        value = field.field_value
        if value not in (None, "", "Off", False):
            label = readable(str(field.field_label or field.field_name or "Field"))
            yield f"{label}: {readable(str(value))}"


def drawn_page(path: Path, index: int) -> bytes:
    """Return page `index` of the PDF file at `path` as a JPEG.

    Raises:
        UnreadableError: it cannot be drawn.
    """
    try:
        with pymupdf.open(path, filetype="pdf") as document:
            return jpeg(drawn(document, index))
    except DAMAGED as error:
        raise broken(f"Page {index + 1} cannot be drawn{because(error)}.") from error


def drawn(document: Any, index: int) -> bytes:
    """Return page `index` as a PNG, fit for recognition."""
    page = document[index]
    scale = SCAN_DPI / 72
    pixels = page.rect.width * page.rect.height * scale * scale
    if pixels > MOST_PIXELS:
        scale *= (MOST_PIXELS / pixels) ** 0.5
    picture: bytes = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=False).tobytes(
        "png"
    )
    return picture
