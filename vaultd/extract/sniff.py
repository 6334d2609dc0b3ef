"""What a file really is, told by its content; the suffix only tells plain texts apart."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

HEAD = 8192  # bytes; every signature and the first lines of a mail or web page lie within
OLE_SCAN = 8 * 1024 * 1024  # bytes of a compound file searched for stream names

OFFICE_PARTS = (
    (b"wordprocessingml.document.main", "docx"),
    (b"ms-word.document.macroEnabled.main", "docx"),
    (b"wordprocessingml.template.main", "docx"),
    (b"presentationml.presentation.main", "pptx"),
    (b"presentationml.slideshow.main", "pptx"),
    (b"presentationml.template.main", "pptx"),
    (b"ms-powerpoint.presentation.macroEnabled.main", "pptx"),
    (b"spreadsheetml.sheet.main", "xlsx"),
    (b"spreadsheetml.template.main", "xlsx"),
    (b"ms-excel.sheet.macroEnabled.main", "xlsx"),
    (b"ms-excel.sheet.binary", "xlsb"),
)
PACKAGE_TYPES = {
    "application/epub+zip": "epub",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.text-template": "odt",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
}
OLE_STREAMS = (
    ("EncryptedPackage", "encrypted-office"),
    ("WordDocument", "doc"),
    ("PowerPoint Document", "ppt"),
    ("Workbook", "xls"),
    ("__substg1.0_", "msg"),
)
SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"\0\0\0\x0cjP  \r\n\x87\n", "jp2"),
    (b"\xff\x4f\xff\x51", "jp2"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
    (b"II*\x00", "tif"),
    (b"MM\x00*", "tif"),
    (b"{\\rtf", "rtf"),
    (b"ID3", "audio"),
    (b"OggS", "audio"),
    (b"fLaC", "audio"),
    (b"\x1aE\xdf\xa3", "video"),
    (b"Rar!", "archive"),
    (b"7z\xbc\xaf", "archive"),
    (b"\x1f\x8b", "archive"),
    (b"BZh", "archive"),
    (b"\xfd7zXZ", "archive"),
    (b"SQLite format 3", "database"),
    (b"\x7fELF", "program"),
    (b"MZ", "program"),
)
TEXT_SUFFIXES = {
    ".md": "md",
    ".markdown": "md",
    ".mdx": "md",
    ".csv": "csv",
    ".tsv": "csv",
    ".htm": "html",
    ".html": "html",
    ".xhtml": "html",
    ".eml": "eml",
    ".ipynb": "ipynb",
    ".svg": "svg",
}
WEB_PAGE = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype html|html[\s>])", re.I | re.S
)
MAIL_HEADER = re.compile(
    rb"^(?:From|To|Subject|Date|Received|Return-Path|Message-ID|MIME-Version|Delivered-To"
    rb"|Content-Type|Reply-To|Cc|X-[\w-]+):[ \t]",
    re.I | re.M,
)


def kind_of(path: Path) -> str:
    """Return the kind of the file at `path`: "pdf", "docx", "txt", …, "binary" if unknown.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(HEAD)
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _package_kind(path)
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        return _compound_kind(path)
    return _signature_kind(head) or _text_kind(head, path.suffix.lower())


def _package_kind(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as package:
            return _member_kind(package)
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError, ValueError):
        return "broken-archive"


def _member_kind(package: zipfile.ZipFile) -> str:
    names = set(package.namelist())
    if "mimetype" in names:
        with package.open("mimetype") as member:
            kind = PACKAGE_TYPES.get(member.read(100).decode("ascii", "replace").strip())
        if kind:
            return kind
    if "[Content_Types].xml" in names:
        with package.open("[Content_Types].xml") as member:
            types = member.read(1024 * 1024)
        return next((kind for part, kind in OFFICE_PARTS if part in types), "archive")
    return "epub" if "META-INF/container.xml" in names else "archive"


def _compound_kind(path: Path) -> str:
    """Look for the names of streams, which the directory of a compound file holds as UTF-16."""
    with path.open("rb") as file:
        content = file.read(OLE_SCAN)
        size = path.stat().st_size
        if size > 2 * OLE_SCAN:  # the directory often stands at the end
            file.seek(size - OLE_SCAN)
            content += file.read(OLE_SCAN)
    return next((kind for name, kind in OLE_STREAMS if name.encode("utf-16-le") in content), "ole")


def _signature_kind(head: bytes) -> str:
    if head[:4] == b"RIFF":
        return {b"WEBP": "webp", b"WAVE": "audio", b"AVI ": "video"}.get(head[8:12], "binary")
    if head[4:8] == b"ftyp":
        return {b"avif": "avif", b"heic": "heic", b"mif1": "heic"}.get(head[8:12], "video")
    if head[:2] == b"BM" and len(head) > 26 and head[6:10] == b"\0\0\0\0":
        return "bmp"
    return next((kind for start, kind in SIGNATURES if head.startswith(start)), "")


def _text_kind(head: bytes, suffix: str) -> str:
    if not head.startswith((b"\xff\xfe", b"\xfe\xff")) and _is_binary(head):
        return "binary"
    wanted = TEXT_SUFFIXES.get(suffix, "txt")
    if wanted == "eml" or (wanted == "txt" and _is_mail(head)):
        return "eml"
    if wanted == "txt" and WEB_PAGE.match(head.removeprefix(b"\xef\xbb\xbf")):
        return "html"
    return wanted


def _is_binary(head: bytes) -> bool:
    """Tell whether `head` holds what no text holds; UTF-16 without a mark has NULs in one row."""
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) > 0.3 * len(head) / 2 and min(even, odd) < 0.02 * len(head):
        return False
    return sum(byte < 9 or 13 < byte < 27 for byte in head) > 0.05 * len(head)


def _is_mail(head: bytes) -> bool:
    lines = head.split(b"\n\n", 1)[0].split(b"\r\n\r\n", 1)[0]
    names = {match[0].lower() for match in MAIL_HEADER.finditer(lines)}
    return MAIL_HEADER.match(lines) is not None and len(names) > 2
