"""The checkpoint of a long source: its name, its fields, whether it still fits."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vaultd.core.budget import (
    LONG_SOURCE_CHUNK_ANALYSIS_MAX,
    LONG_SOURCE_DIGEST_MAX,
    trimmed,
)
from vaultd.core.names import source_slug
from vaultd.model.paths import SourceId

CHECKPOINT_VERSION = 1
CHECKPOINT_FOLDER = "ingest-progress"
FNV_64_START, FNV_64_PRIME = 0xCBF29CE484222325, 0x100000001B3
SECTIONS = re.compile(
    r"^ {0,3}#{1,4}[ \t]*(?:\d+[.)][ \t]*)?\**(chunk analysis|updated global digest)\**:?[ \t]*#*$",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How far the analysis of a long source has come. Lengths in UTF-16 units."""

    source_identity: SourceId
    source_hash: str
    source_length: int
    source_budget: int
    target_chars: int
    overlap_chars: int
    chunk_total: int
    asked_with: str = ""  # model and prompt version: other words are not to be mixed
    completed_through: int = 0
    global_digest: str = ""
    analyses: tuple[str, ...] = ()

    def after(self, analysis: str, digest: str) -> Checkpoint:
        """Return the checkpoint after one more chunk."""
        return Checkpoint(
            *self._key,
            completed_through=self.completed_through + 1,
            global_digest=digest,
            analyses=(*self.analyses, analysis),
        )

    def resumes(self, other: Checkpoint) -> bool:
        """Tell whether this stored checkpoint belongs to the very work that `other` begins."""
        return self._key == other._key and self.completed_through == len(self.analyses)

    @property
    def _key(self) -> tuple[SourceId, str, int, int, int, int, int, str]:
        return (
            self.source_identity,
            self.source_hash,
            self.source_length,
            self.source_budget,
            self.target_chars,
            self.overlap_chars,
            self.chunk_total,
            self.asked_with,
        )


FIELDS = {
    "source_identity": "sourceIdentity",
    "source_hash": "sourceHash",
    "source_length": "sourceLength",
    "source_budget": "sourceBudget",
    "target_chars": "targetChars",
    "overlap_chars": "overlapChars",
    "chunk_total": "chunkTotal",
    "asked_with": "askedWith",
    "completed_through": "completedThrough",
    "global_digest": "globalDigest",
}


def written(checkpoint: Checkpoint, *, milliseconds: int) -> str:
    """Return the checkpoint as JSON; `milliseconds` since 1970 is when it was made."""
    document: dict[str, Any] = {"version": CHECKPOINT_VERSION}
    document |= {name: getattr(checkpoint, ours) for ours, name in FIELDS.items()}
    document |= {"analyses": list(checkpoint.analyses), "updatedAt": milliseconds}
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def read(text: str) -> Checkpoint | None:
    """Read a checkpoint; None for anything that is none of this version."""
    try:
        document = json.loads(text)
    except ValueError:
        return None
    if not isinstance(document, Mapping) or document.get("version") != CHECKPOINT_VERSION:
        return None
    analyses = document.get("analyses")
    values = {ours: document.get(name) for ours, name in FIELDS.items()}
    numbers = [name for name in values if name.endswith(("length", "budget", "chars", "total"))]
    whole = all(isinstance(values[name], int) for name in [*numbers, "completed_through"])
    rest = [values[name] for name in values if name not in numbers and name != "completed_through"]
    if not whole or not all(isinstance(value, str) for value in rest):
        return None
    if not isinstance(analyses, list) or not all(isinstance(each, str) for each in analyses):
        return None
    return Checkpoint(**values, analyses=tuple(analyses))  # type: ignore[arg-type]


def checkpoint_name(identity: SourceId, source_hash: str) -> str:
    """Return the checkpoint's file name below the state folder."""
    return f"{CHECKPOINT_FOLDER}/{source_slug(identity)}-{source_hash}.json"


def source_hash(text: str) -> str:
    """Return the 64-bit FNV-1a hash over the UTF-16 units of `text`, 16 hex digits."""
    value = FNV_64_START
    for unit in units(text):
        value = ((value ^ unit) * FNV_64_PRIME) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def units(text: str) -> array[int]:
    """Return the UTF-16 units of `text`, in which the format counts."""
    found = array("H")
    found.frombytes(text.encode("utf-16-le", "surrogatepass"))
    return found


def chunk_sections(reply: str, digest: str) -> tuple[str, str]:
    """Cut a chunk's reply into its analysis and the new digest, both within their limits.

    Where a heading is missing the whole reply is the analysis and is added to the digest.
    """
    marks = {match[1].lower(): match for match in SECTIONS.finditer(reply)}
    first, second = marks.get("chunk analysis"), marks.get("updated global digest")
    if first is None or second is None:
        analysis, following = reply.strip(), f"{digest}\n\n{reply.strip()}".strip()
    elif first.start() < second.start():
        analysis, following = reply[first.end() : second.start()], reply[second.end() :]
    else:
        following, analysis = reply[second.end() : first.start()], reply[first.end() :]
    return (
        trimmed(analysis.strip(), LONG_SOURCE_CHUNK_ANALYSIS_MAX),
        trimmed(following.strip(), LONG_SOURCE_DIGEST_MAX),
    )


def consolidated(digest: str, analyses: tuple[str, ...], limit: int) -> str:
    """Return the analysis of a long source: its digest, and of every chunk an equal share."""
    head = f"# Consolidated Long-Document Analysis\n\n## Final Global Digest\n\n{digest}\n\n"
    head += "## Per-Chunk Analyses\n\n"
    share = max(200, (limit - len(head)) // max(1, len(analyses)) - len("### Chunk 999\n\n\n\n"))
    notes = "\n\n".join(
        f"### Chunk {number}\n\n{trimmed(analysis, share)}"
        for number, analysis in enumerate(analyses, start=1)
    )
    return trimmed(head + notes, limit)
