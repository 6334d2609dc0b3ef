"""One source into pages: the story of an ingest."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from vaultd.core.block_path import same_path
from vaultd.core.names import source_page_path
from vaultd.core.reconcile import identity_of
from vaultd.errors import WaitingError
from vaultd.ingest.context import wiki_context
from vaultd.ingest.desk import Desk
from vaultd.ingest.drafting import drafted
from vaultd.ingest.material import Material, read_material
from vaultd.ingest.pictures import refresh_pictures
from vaultd.ingest.publication import publish_source
from vaultd.model.jobs import Job, Progress
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import SourceText, WikiContext
from vaultd.publish.publish import recover
from vaultd.store import ingest_cache, pages, receipt, sources


async def ingest_source(job: Job, progress: Progress, desk: Desk) -> Mapping[str, Any]:
    """Turn the source `job.subject` into pages of the wiki: the workflow of `JobKind.INGEST`.

    Safe to repeat: replies are stored before they are used, and the pages are published as one
    plan or not at all. A source whose text made pages before is not asked for again, unless the
    payload says `again`; only its pictures are looked after.

    Raises:
        UnreadableSourceError: the file gives no usable text; no author was asked.
        WaitingError: it would cost more tokens than may be spent without a person's word.
        PageChangedError: a person saved a page meanwhile.
        VaultdError: the author's errors, by the reaction each asks for.
    """
    path = VaultPath(job.subject)
    with desk.order.place(job.started) as place:
        await recover(db=desk.db, vault=desk.vault, clock=desk.clock, also=receipt.record)
        identity = await identity_at(path, desk)
        summary_path = await summary_path_of(identity, desk)
        material = await read_material(path, identity, summary_path, desk, progress)
        known = None if job.payload.get("again") else await known_pages(material, desk)
        if known is not None:
            async with desk.order.turn(place):
                return await refresh_pictures(material, known, summary_path, desk)

        context = await context_of(material.source, summary_path, desk, job.id)
        await ask_before_spending(material.source, context, desk)
        draft = await drafted(material.source, context, desk, progress, asking=desk.asking)

        progress("publishing")
        async with desk.order.turn(place):
            return await publish_source(material, draft, context, desk, recipe=desk.author.name)


async def identity_at(path: VaultPath, desk: Desk) -> SourceId:
    """Return the identity of the source at `path`; a twin in another normal form has its own."""
    known = await desk.db.read(sources.find_by_path, path)
    return known.identity if known else identity_of(path)


async def summary_path_of(identity: SourceId, desk: Desk) -> VaultPath:
    """Return where the source's own page stands, or will stand."""
    own = await desk.db.read(pages.source_pages)
    if identity in own:
        return own[identity]
    claimed = {same_path(path): source for source, path in own.items()}
    return source_page_path(identity, claimed)


async def known_pages(material: Material, desk: Desk) -> tuple[VaultPath, ...] | None:
    """Return the pages this very text made before, if every one of them still exists."""
    cached = await desk.db.read(
        ingest_cache.cached_pages, material.source.id, text_sha256=material.text_sha256
    )
    if cached is None:
        return None
    there = await asyncio.to_thread(
        lambda: all(desk.vault.locate(path).is_file() for path in cached)
    )
    return cached if there else None


async def context_of(
    source: SourceText, summary_path: VaultPath, desk: Desk, job: int
) -> WikiContext:
    """Gather what the author may know of the wiki."""
    language = "" if desk.rules.language == "auto" else desk.rules.language
    return await wiki_context(source, summary_path, desk, language=language, job=job)


async def ask_before_spending(source: SourceText, context: WikiContext, desk: Desk) -> None:
    """Wait for a person's word above the limit; free authors and small sources go on.

    Raises:
        WaitingError: the estimate is above the limit and nobody has allowed it yet.
    """
    limit = desk.rules.confirm_above_tokens
    tokens = desk.author.estimate(source, context)
    if tokens <= limit:
        return
    if await desk.db.read(ingest_cache.confirmed, source.id, sha256=source.sha256):
        return
    raise WaitingError(
        f"{source.path} would take about {tokens:,} tokens, more than the {limit:,} that are "
        "spent without asking. `vaultd retry` lets it go on."
    )
