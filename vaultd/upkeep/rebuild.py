"""What the database knew, found again in the Markdown: the vault is the truth."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any

import structlog

from vaultd.core.block_path import same_path
from vaultd.core.listing import INDEX, WRITER, index_text, is_page
from vaultd.core.page import Page, page_ref, parse_page
from vaultd.core.reconcile import RAW, identity_of
from vaultd.core.schema import SOURCE
from vaultd.core.timing import stamp
from vaultd.errors import VaultdError
from vaultd.model.jobs import Job, JobKind, NewJob, Progress
from vaultd.model.paths import Clock, SourceId, VaultPath
from vaultd.model.wiki import PageRef, ReviewKind
from vaultd.publish.catalog import read_wiki
from vaultd.publish.links import vault_files
from vaultd.publish.plan import Plan
from vaultd.publish.publish import publish
from vaultd.store import ingest_cache, joblist, jobs, nodes, pages, receipt, reviews, sources
from vaultd.store import rebuild as derived
from vaultd.store.database import Connection, Database
from vaultd.store.reviews import ReviewItem
from vaultd.vault.files import Vault

MEDIA, REVIEWS = "wiki/media/", "wiki/reviews/"

_OPTION = re.compile(r"^- \[[ xX]\] (.+?)\s*$", re.MULTILINE)

log = structlog.get_logger()


@dataclass(slots=True)
class Found:
    """What the files tell: our pages with their bytes, pictures, questions, sources, all pages."""

    pages: dict[VaultPath, bytes] = field(default_factory=dict)
    refs: dict[VaultPath, tuple[PageRef, Page]] = field(default_factory=dict)
    pictures: dict[VaultPath, str] = field(default_factory=dict)
    questions: list[ReviewItem] = field(default_factory=list)
    files: dict[SourceId, VaultPath] = field(default_factory=dict)
    listed: list[PageRef] = field(default_factory=list)


async def adopt(
    vault: Vault, db: Database, clock: Clock, *, anew: bool = False
) -> Mapping[str, int]:
    """Take in a wiki that the database does not know, before anything else looks at the vault.

    What a source gave is known by its page's `source_sha256`: unchanged files are not ingested
    again. What a page would be without the person is not known any more. Records that exist
    stay; `anew` replaces those that the files contradict, because another machine wrote them.
    Returns how many pages, sources and questions were taken in.
    """
    found = await asyncio.to_thread(read_vault, vault)
    taken = await db.run(_take_in, found, anew=anew, now=clock())
    if any(taken.values()):
        log.info("wiki taken in", **taken)
    return taken


@dataclass(frozen=True, slots=True)
class Rebuild:
    """Makes everything derived anew, from the files and from rows that are the truth."""

    vault: Vault
    db: Database
    clock: Clock

    async def rebuild(self, job: Job, progress: Progress) -> Mapping[str, Any]:
        """Make records, index and listings anew: the workflow of `JobKind.REBUILD`.

        No model is asked. Full-text and vector indexes are filled from the passages and vectors
        stored; every file is compared with what is stored of it, and read again if it differs.
        Tells what was taken in now, which after the loss of a database is nothing: its opening
        did that. What is `known` counts both.
        """
        del job
        progress("pages", 0, 3)
        taken = await adopt(self.vault, self.db, self.clock)
        await self.db.run(pages.forget_listing)
        progress("index", 1, 3)
        passages = await self.db.run(derived.rebuild_words)
        await self.db.run(derived.rebuild_vectors)
        progress("files", 2, 3)
        queued = await self.db.run(_look_at_everything, now=self.clock())
        await publish(
            Plan(note={"at": stamp(self.clock())}),
            db=self.db,
            vault=self.vault,
            clock=self.clock,
            also=receipt.record,
        )
        progress("files", 3, 3)
        wiki = await read_wiki(self.db, self.vault)
        ingested = [
            each for each in await self.db.read(sources.all_sources) if each.ingested_sha256
        ]
        known = {"pages": len(wiki.pages), "sources": len(ingested)}
        return {**taken, "known": known, "passages": passages, "files_queued": queued}


def read_vault(vault: Vault) -> Found:
    """Return what the files of the vault tell. Blocking."""
    found = Found()
    for path, _ in vault_files(vault):
        if path.startswith(RAW):
            found.files.setdefault(identity_of(path), path)
            continue
        if not path.startswith("wiki/"):
            continue
        try:
            content = vault.read(path) or b""
        except VaultdError as error:
            log.warning("file left out", path=path, reason=str(error))
            continue
        if path.startswith(MEDIA):
            found.pictures[path] = sha256(content).hexdigest()
        elif path.lower().endswith(".md"):
            _read_note(found, path, content)
    return found


def _read_note(found: Found, path: VaultPath, content: bytes) -> None:
    text = content.decode("utf-8", "replace")
    page = parse_page(text)
    if is_page(path):
        found.listed.append(page_ref(path, text))
    if path.startswith(REVIEWS):
        if item := _question(path, page):
            found.questions.append(item)
    elif path == INDEX or (is_page(path) and page.word("author") and page.sources):
        found.pages[path] = content
        found.refs[path] = (page_ref(path, text), page)


def _question(path: VaultPath, page: Page) -> ReviewItem | None:
    """Return the question a review note puts; what it proposed is not known any more."""
    kinds = {kind.value: kind for kind in ReviewKind}
    if not page.word("review") or page.word("kind") not in kinds:
        return None
    return ReviewItem(
        id=page.word("review"),
        kind=kinds[page.word("kind")],
        title=page.title,
        text=page.body.partition("\n## ")[0].strip(),
        options=tuple(_OPTION.findall(page.body)),
        sources=page.sources,
        note=path,
    )


def _take_in(db: Connection, found: Found, *, anew: bool, now: datetime) -> dict[str, int]:
    counts = {"pages": 0, "sources": 0, "questions": 0}
    for path, content in found.pages.items():
        written = pages.last_written(db, path)
        if written is None or (anew and written.sha256 != sha256(content).hexdigest()):
            base = _index_as_ours(path, content, found)
            pages.remember(db, path, content, now=now, base=base, known=base is not None)
            counts["pages"] += 1
    for path, digest in found.pictures.items():
        if pages.last_written(db, path) is None:
            pages.remember_picture(db, path, digest, now=now)
    for path, (ref, page) in found.refs.items():
        if ref.type == SOURCE and _take_source(db, path, page, found, anew=anew, now=now):
            counts["sources"] += 1
    for item in found.questions:
        if reviews.review(db, item.id) is None:
            reviews.propose(db, [item], now=now)
            reviews.set_note(db, item.id, item.note)
            counts["questions"] += 1
    return counts


def _index_as_ours(path: VaultPath, content: bytes, found: Found) -> str | None:
    """Return what we alone would have in the index, if the file is just that."""
    if path != INDEX:
        return None
    writer = parse_page(content.decode("utf-8", "replace")).word(WRITER)
    text, ours = index_text(None, None, found.listed, writer)
    return ours if text.encode() == content else None


def _take_source(
    db: Connection, own: VaultPath, page: Page, found: Found, *, anew: bool, now: datetime
) -> bool:
    digest = page.word("source_sha256")
    if len(page.sources) != 1 or not digest:
        return False
    identity = page.sources[0]
    file, known = found.files.get(identity), sources.find(db, identity)
    if file is None or (known is not None and not (anew and known.ingested_sha256 != digest)):
        return False
    named = [path for path, (ref, _) in found.refs.items() if _names(ref.sources, identity)]
    paths = [own, *(path for path in sorted(named) if path != own)]
    sources.see(db, identity, file, digest, now=now)
    sources.record_ingested(db, identity, digest, paths, now=now)
    for job in joblist.of_subject(db, file, JobKind.INGEST):
        if job.digest == digest:
            jobs.cancel(db, job.id, now=now, reason="ingested already, as its page tells")
    recipe = page.word("author")
    ingest_cache.remember(db, identity, text_sha256="", recipe=recipe, pages=paths, now=now)
    jobs.enqueue_all(db, [NewJob(JobKind.INDEX, file, digest)], now=now)
    return True


def _names(listed: Iterable[SourceId], identity: SourceId) -> bool:
    return same_path(identity) in {same_path(each) for each in listed}


def _look_at_everything(db: Connection, *, now: datetime) -> int:
    """Queue a comparison of every known file with what is stored of it."""
    taken = {source.path for source in sources.all_sources(db) if source.ingested_sha256}
    new = [
        NewJob(JobKind.INDEX, path, digest)
        for path, digest in derived.known_files(db)
        if not path.startswith(RAW) or path in taken
    ]
    jobs.enqueue_all(db, new, now=now)
    nodes.look_at_all(db, now=now)
    return len(new)
