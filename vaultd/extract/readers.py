"""Which reader takes which kind of file."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

from vaultd.extract.content import Content, encrypted, unsupported
from vaultd.extract.content import broken as broken_error
from vaultd.extract.sniff import kind_of

Reader = Callable[[Path], Content]

# Loaded when first needed: a child that only reads PDF files never loads the others' libraries.
READERS = {
    "pdf": "vaultd.extract.pdf:read_pdf",
    "docx": "vaultd.extract.word:read_docx",
    "pptx": "vaultd.extract.slides:read_pptx",
    "xlsx": "vaultd.extract.sheet:read_xlsx",
    "odt": "vaultd.extract.opendocument:read_odt",
    "epub": "vaultd.extract.epub:read_epub",
    "html": "vaultd.extract.web:read_html",
    "rtf": "vaultd.extract.rtf:read_rtf",
    "eml": "vaultd.extract.mail:read_eml",
    "ipynb": "vaultd.extract.notebook:read_notebook",
    "svg": "vaultd.extract.svg:read_svg",
    "csv": "vaultd.extract.plain:read_csv",
    "md": "vaultd.extract.plain:read_markdown",
    "txt": "vaultd.extract.plain:read_text",
    **dict.fromkeys(
        ("png", "jpg", "gif", "bmp", "webp", "tif", "avif", "jp2"),
        "vaultd.extract.raster:read_picture",
    ),
}
OLD_OFFICE = {"doc": "docx", "ppt": "pptx", "xls": "xlsx", "xlsb": "xlsx"}
NOT_READ = {
    "odp": "OpenDocument presentations are not supported; save it as .pptx or .pdf.",
    "ods": "OpenDocument spreadsheets are not supported; save it as .xlsx or .csv.",
    "msg": "Outlook messages are not supported; save it as .eml.",
    "heic": "HEIC pictures are not supported; save it as .jpg.",
    "audio": "Sound is not supported.",
    "video": "Video is not supported.",
    "archive": "Archives are not opened; unpack it and drop the files.",
}


def content_of(path: Path, kind: str) -> Content:
    """Return what the reader for `kind` makes of the file at `path`.

    Raises:
        UnreadableError: there is no reader for it, it wants a password, or it is damaged.
        OSError: it cannot be read.
    """
    if path.stat().st_size == 0:
        return Content([])
    return _reader(kind, path)(path)


def page_picture(path: Path, index: int) -> bytes:
    """Return page `index` of a PDF or picture file as a JPEG that a model can read.

    Raises:
        UnreadableError: the file has no pages that can be drawn, or not this one.
        OSError: it cannot be read.
    """
    kind = kind_of(path)
    module = importlib.import_module(READERS.get(kind, "").partition(":")[0] or __name__)
    draw: Callable[[Path, int], bytes] | None = getattr(module, "drawn_page", None)
    if draw is None:
        raise unsupported(f"Pages of .{kind} files cannot be drawn.")
    return draw(path, index)


def _reader(kind: str, path: Path) -> Reader:
    if kind in READERS:
        module, _, name = READERS[kind].partition(":")
        reader: Reader = getattr(importlib.import_module(module), name)
        return reader
    if kind == "encrypted-office":
        raise encrypted("The file wants a password; save it without one.")
    if kind == "broken-archive":
        raise broken_error("The file is damaged or incomplete: its archive cannot be opened.")
    if kind in OLD_OFFICE:
        raise unsupported(f"Old .{kind} files are not supported; save it as .{OLD_OFFICE[kind]}.")
    name = path.suffix or "such"
    raise unsupported(NOT_READ.get(kind, f"The content of {name} files is not supported."))
