"""What an author may know of the wiki: the part that concerns the source, never all of it."""

from __future__ import annotations

import asyncio

from vaultd.core.timing import stamp
from vaultd.ingest.desk import Desk
from vaultd.model.paths import VaultPath
from vaultd.model.wiki import PageRef, SourceText, WikiContext
from vaultd.store import ledger, pages

PURPOSE, SCHEMA = VaultPath("purpose.md"), VaultPath("schema.md")
NEAR_PAGES = 40  # names and abstracts of about 8,000 characters; the same at 50 and 5,000 pages
OWN_PAGES = 20  # pages made of an earlier version of the source
SAMPLE_CHARS = 2_000  # from the beginning, the middle and the end: what the source is about


async def wiki_context(
    source: SourceText, summary_path: VaultPath, desk: Desk, *, language: str, job: int
) -> WikiContext:
    """Gather purpose, schema and the pages nearest to the source.

    A job that is tried again lists the same pages again, whatever was published meanwhile:
    the replies it has paid for are found by what was asked.
    """
    purpose, schema = await asyncio.to_thread(
        lambda: (read_optional(desk, PURPOSE), read_optional(desk, SCHEMA))
    )
    listed, total = await listed_pages(source, summary_path, desk, job)
    return WikiContext(
        purpose=purpose,
        schema=schema,
        pages=listed,
        page_count=total,
        summary_path=summary_path,
        language=language,
        today=desk.clock().date(),
        pages_limit=desk.rules.pages_per_source,
    )


async def listed_pages(
    source: SourceText, summary_path: VaultPath, desk: Desk, job: int
) -> tuple[tuple[PageRef, ...], int]:
    """Return the pages that concern the source and how many others stand in the wiki.

    Those made of it before come first, so that they keep their names, then those nearest to it;
    all as this job saw them first.
    """
    kept = await desk.db.read(ledger.kept_listing, source.id, job)
    if kept is not None:
        return kept
    listing = await desk.db.read(pages.listing)
    there = [each.ref for each in listing.values() if each.ref and each.ref.path != summary_path]
    own = [page for page in there if source.id in page.sources][:OWN_PAGES]
    near = await desk.near_pages(sample_of(source), NEAR_PAGES) if there else ()
    first = {page.path: page for page in (*own, *near) if page.path != summary_path}
    listed, total = tuple(first.values())[:NEAR_PAGES], len(there)
    now = stamp(desk.clock())
    await desk.db.run(ledger.keep_listing, source.id, job, listed, total, now=now)
    return listed, total


def sample_of(source: SourceText) -> str:
    """Return title, beginning, middle and end of the source: enough to find related pages."""
    text = source.text
    if len(text) <= 3 * SAMPLE_CHARS:
        return f"{source.title}\n\n{text}"
    middle = len(text) // 2
    parts = (text[:SAMPLE_CHARS], text[middle : middle + SAMPLE_CHARS], text[-SAMPLE_CHARS:])
    return "\n\n".join((source.title, *parts))


def read_optional(desk: Desk, path: VaultPath) -> str:
    """Return the note's text, "" where there is none."""
    content = desk.vault.read(path)
    return content.decode("utf-8", "replace") if content is not None else ""
