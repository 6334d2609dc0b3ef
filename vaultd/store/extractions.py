"""Stored conversions: what a file's bytes gave, by content hash and converter version."""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, astuple

from vaultd.model.document import ExtractedImage, ExtractedPage, Extraction, ExtractStatus
from vaultd.store.database import Connection

KEPT = 20_000  # conversions; the oldest make room, and making one again costs seconds


def find(db: Connection, sha256: str, converter: str) -> Extraction | None:
    """Return the stored extraction of the bytes with this hash; its images hold no data."""
    content = db.execute(
        "select content from extractions where sha256 = ? and converter = ?", (sha256, converter)
    ).get
    return None if content is None else _unpacked(content)


def newest(db: Connection, sha256: str) -> Extraction | None:
    """Return what any converter read of the bytes with this hash last."""
    content = db.execute(
        "select content from extractions where sha256 = ? order by id desc limit 1", (sha256,)
    ).get
    return None if content is None else _unpacked(content)


def keep(db: Connection, sha256: str, converter: str, extraction: Extraction) -> None:
    """Store `extraction` in place of any earlier one of the same bytes, older versions included."""
    db.execute("delete from extractions where sha256 = ?", (sha256,))
    db.execute(
        "insert into extractions (sha256, converter, content) values (?, ?, ?)",
        (sha256, converter, _packed(extraction)),
    )
    db.execute("delete from extractions where id <= last_insert_rowid() - ?", (KEPT,))


def _packed(extraction: Extraction) -> bytes:
    fields = {
        "kind": extraction.kind,
        "status": extraction.status,
        "language": extraction.language,
        "pages": [astuple(page) for page in extraction.pages],
        "images": [
            {name: value for name, value in asdict(image).items() if name != "data"}
            for image in extraction.images
        ],
        "warnings": extraction.warnings,
        "reason": extraction.reason,
        "metadata": dict(extraction.metadata),
        "scans": extraction.scans,
    }
    return zlib.compress(json.dumps(fields, ensure_ascii=False).encode(), 3)


def _unpacked(content: bytes) -> Extraction:
    fields = json.loads(zlib.decompress(content))
    return Extraction(
        kind=fields["kind"],
        status=ExtractStatus(fields["status"]),
        language=fields["language"],
        pages=tuple(ExtractedPage(*page) for page in fields["pages"]),
        images=tuple(ExtractedImage(**image) for image in fields["images"]),
        warnings=tuple(fields["warnings"]),
        reason=fields["reason"],
        metadata=fields["metadata"],
        scans=tuple(fields["scans"]),
    )
