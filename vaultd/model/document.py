"""What a converter gives: text by page, and pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class ExtractStatus(StrEnum):
    """How a conversion ended."""

    OK = "ok"
    PARTIAL = "partial"
    NO_TEXT = "no_text"
    ENCRYPTED = "encrypted"
    UNSUPPORTED = "unsupported"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ExtractedPage:
    """One page, slide or sheet as Markdown.

    `number` counts from 1 (PDF: the physical page), None where the format has no pages.
    `text` may place a picture as `![alt](imageN)`, N being its position in
    `Extraction.images` from 1. `hidden` is text a reader cannot see; it is no evidence.
    `transcribed_by` says who read the text from a picture of the page: "ocr", or a model's name;
    "" where it is the file's own.
    """

    number: int | None
    text: str
    hidden: str = ""
    transcribed_by: str = ""


@dataclass(frozen=True, slots=True)
class ExtractedImage:
    """One picture, in document order. Sizes in pixels, `extension` without the dot.

    `data` is empty when only the description was asked for or stored. `caption` is the text
    that stands at the picture in the document ("Figure 3: …"), `alt` its alternative text.
    """

    sha256: str
    page: int | None
    width: int
    height: int
    extension: str
    alt: str = ""
    caption: str = ""
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class Extraction:
    """What came out of one file. `kind` is the real type ("pdf", "docx", …), not the suffix.

    `metadata` holds the document's own title, author, date and properties as plain text;
    it is never offered as evidence of content. `reason` says in a sentence why `status` is
    not OK. `language` is an ISO 639-1 code, or "" when nothing tells. `scans` are the positions
    in `pages`, from 0, of those that are pictures of text nobody has read yet.
    """

    kind: str
    status: ExtractStatus
    language: str
    pages: tuple[ExtractedPage, ...]
    images: tuple[ExtractedImage, ...] = ()
    warnings: tuple[str, ...] = ()
    reason: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    scans: tuple[int, ...] = ()
