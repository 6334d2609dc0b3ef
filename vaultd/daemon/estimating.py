"""What sources would cost with a model: read, counted, and nobody asked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from vaultd.core.reconcile import identity_of
from vaultd.core.title import title_of
from vaultd.daemon.place import Place
from vaultd.daemon.writing import make_author
from vaultd.extract import Converter
from vaultd.ingest.context import NEAR_PAGES
from vaultd.ingest.material import UNREADABLE
from vaultd.model.document import Extraction
from vaultd.model.paths import Clock, VaultPath
from vaultd.model.wiki import SourceText, WikiContext
from vaultd.publish.catalog import read_wiki
from vaultd.settings import Settings
from vaultd.store.database import Database
from vaultd.vault.files import Vault

UNNAMED_MODEL = "unnamed"  # none is configured: the estimate is what one would take


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one file would take; `reason` says why it would not be taken at all."""

    file: Path
    tokens: int
    reason: str = ""


async def estimates(
    root: Path, state: Path, settings: Settings, clock: Clock, files: Sequence[Path]
) -> AsyncIterator[Estimate]:
    """Yield the estimate of each file, in order. Nothing is written and no model is asked."""
    llm = settings.llm
    named = llm.model_copy(update={"model": llm.model or UNNAMED_MODEL})
    priced = settings.model_copy(update={"llm": named})
    async with AsyncExitStack() as closing:
        db = Database(":memory:")
        closing.callback(db.close)
        converter = Converter()
        closing.push_async_callback(converter.close)
        place = Place(Vault(root, state), db, priced, clock)
        author = make_author(place, closing)
        wiki = await _context(place)
        for file in files:
            extraction = await converter.convert(file, pictures=False)
            if extraction.status in UNREADABLE:
                yield Estimate(file, 0, extraction.reason or extraction.status.value)
            else:
                yield Estimate(file, author.estimate(_source(place, file, extraction), wiki))


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
    beginning = next((page.text for page in extraction.pages if page.text.strip()), "")
    return SourceText(
        id=identity,
        path=VaultPath(path),
        sha256="",
        title=title_of(extraction.metadata.get("title", ""), beginning, identity),
        language=extraction.language,
        pages=extraction.pages,
        metadata=extraction.metadata,
    )
