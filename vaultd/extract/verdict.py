"""How a conversion ended, judged from what came out of it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from vaultd.core.language import language_of
from vaultd.core.legibility import letter_count, too_little_text
from vaultd.extract.content import Content
from vaultd.extract.version import EXTRAS
from vaultd.model.document import ExtractStatus

NEEDS_OCR = "Needs OCR"  # begins every reason that text recognition would settle
INSTALLER = "pipx inject vaultd" if "pipx" in Path(sys.prefix).parts else "pip install"
SEEING = "name a model that sees pictures (`llm.model` and `llm.vision_model` in the settings)"
INSTALL = f"Install text recognition (`{INSTALLER} {' '.join(EXTRAS['ocr'])}`), or {SEEING}."
RESCAN = f"Text recognition read nothing there: scan anew, larger and sharper, or {SEEING}."


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement on a document: `reason` is "" exactly when `status` is OK."""

    status: ExtractStatus
    reason: str
    language: str
    warnings: list[str]
    scans: list[int]

    def fields(self) -> dict[str, Any]:
        """Return the judgement as JSON fields."""
        return asdict(self)


def verdict(kind: str, content: Content, texts: Sequence[str]) -> Verdict:
    """Judge a document of `kind` from its page texts; file name and metadata are no evidence."""
    status, reason = content.status, content.reason
    if too_little_text(texts):
        status, reason = ExtractStatus.NO_TEXT, _reason_for_nothing(kind, content, texts)
    elif content.scans:
        numbers = page_ranges([index + 1 for index in content.scans])
        status = ExtractStatus.PARTIAL
        reason = f"{NEEDS_OCR}: there are only pictures on page {numbers}."
    if reason.startswith(NEEDS_OCR):
        reason = f"{reason} {RESCAN if content.recognises else INSTALL}"
    language = language_of("\n\n".join(texts))
    return Verdict(status, reason, language, list(content.warnings), sorted(content.scans))


def _reason_for_nothing(kind: str, content: Content, texts: Sequence[str]) -> str:
    if content.scans:
        return f"{NEEDS_OCR}: the pages of this {kind} file are pictures without usable text."
    if any(map(letter_count, texts)):
        return "The file holds too little text to write about."
    return "The file is empty: it holds no text."


def page_ranges(numbers: Sequence[int]) -> str:
    """Return sorted page numbers as "1-3, 7"."""
    ranges: list[list[int]] = []
    for number in sorted(numbers):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ", ".join(f"{a}-{b}" if a < b else str(a) for a, b in ranges)
