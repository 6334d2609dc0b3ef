"""What sources would cost with a model: read, counted, and nobody asked."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from vaultd.core.ignore import Fate
from vaultd.core.reconcile import identity_of
from vaultd.core.title import document_title
from vaultd.daemon.place import Place
from vaultd.daemon.writing import make_author
from vaultd.extract import Converter
from vaultd.ingest.context import NEAR_PAGES
from vaultd.ingest.material import UNREADABLE
from vaultd.model.document import Extraction
from vaultd.model.paths import VaultPath
from vaultd.model.wiki import SourceText, WikiContext
from vaultd.publish.catalog import read_wiki
from vaultd.settings import IngestSettings
from vaultd.store import files as looks
from vaultd.store import sources
from vaultd.store.database import Connection
from vaultd.store.files import KnownFile
from vaultd.vault.files import Vault
from vaultd.vault.scan import Sighting, rules_of, scan

UNNAMED_MODEL = "unnamed"  # none is configured: the estimate is what one would take


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one file would take; `reason` says why it would not be taken at all."""

    file: Path
    tokens: int
    reason: str = ""


async def estimates(place: Place, files: Sequence[Path]) -> AsyncGenerator[Estimate, None]:
    """Yield the estimate of each file, in order. No page is written and no model is asked."""
    llm = place.settings.llm
    named = llm.model_copy(update={"model": llm.model or UNNAMED_MODEL})
    priced = replace(place, settings=place.settings.model_copy(update={"llm": named}))
    async with AsyncExitStack() as closing:
        converter = Converter()
        closing.push_async_callback(converter.close)
        author = make_author(priced, closing)
        wiki = await _context(place)
        for file in files:
            extraction = await converter.convert(file, pictures=False)
            if extraction.status in UNREADABLE:
                yield Estimate(file, 0, extraction.reason or extraction.status.value)
            else:
                yield Estimate(file, author.estimate(_source(place, file, extraction), wiki))


@dataclass(frozen=True, slots=True)
class Taken:
    """Which content of each file was ingested, and how each file looked when it was last read."""

    contents: Mapping[VaultPath, str] = field(default_factory=dict)
    looks: Mapping[str, KnownFile] = field(default_factory=dict)


def taken_of(db: Connection) -> Taken:
    """Return what the database knows of the files."""
    return Taken(sources.ingested(db), looks.all_files(db))


def not_taken(vault: Vault, ingest: IngestSettings, taken: Taken) -> list[Path]:
    """Return the sources, in order, whose content was not ingested. Blocking.

    A file that looks as it did when it was last read is not read again.
    """
    rules = rules_of(
        vault,
        include=ingest.include,
        exclude=ingest.exclude,
        max_bytes=ingest.max_file_mb * 1024 * 1024,
    )
    found = sorted(each for each in scan(vault, rules) if each.fate is Fate.SOURCE)
    places = ((each, vault.locate(each.path)) for each in found)
    return [place for each, place in places if not _is_taken(each, place, taken)]


def _is_taken(sighting: Sighting, place: Path, taken: Taken) -> bool:
    ingested = taken.contents.get(sighting.path)
    if ingested is None:
        return False
    known = taken.looks.get(sighting.path)
    if known is not None and known.stat == sighting.stat:
        return ingested == known.sha256
    return ingested == _digest(place)


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


async def _context(place: Place) -> WikiContext:
    """Return a context as large as that of an ingest: as many pages are listed."""
    pages = (await read_wiki(place.db, place.vault)).pages
    texts = [place.vault.read(VaultPath(name)) for name in ("purpose.md", "schema.md")]
    purpose, schema = ((text or b"").decode("utf-8", "replace") for text in texts)
    ingest = place.settings.ingest
    return WikiContext(
        purpose=purpose,
        schema=schema,
        pages=tuple(pages[:NEAR_PAGES]),
        page_count=len(pages),
        summary_path=VaultPath("wiki/sources/estimate.md"),
        language="" if ingest.language == "auto" else ingest.language,
        today=place.clock().date(),
        pages_limit=ingest.pages_per_source,
    )


def _source(place: Place, file: Path, extraction: Extraction) -> SourceText:
    inside = file.is_relative_to(place.vault.root)
    path = file.relative_to(place.vault.root).as_posix() if inside else f"raw/{file.name}"
    identity = identity_of(VaultPath(path))
    return SourceText(
        id=identity,
        path=VaultPath(path),
        sha256="",
        title=document_title(extraction, identity),
        language=extraction.language,
        pages=extraction.pages,
        metadata=extraction.metadata,
    )
