"""Brings one source's drafts into the wiki: planned, merged, published whole, in turn."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

from vaultd.core.block_path import same_path
from vaultd.core.page import decode_note
from vaultd.core.pictures import gallery
from vaultd.core.plan import PagePlan, PlannedPage, Wiki, plan_pages
from vaultd.core.region import put_region
from vaultd.core.schema import parse_schema
from vaultd.core.timing import stamp
from vaultd.core.update import Standing, Updated
from vaultd.errors import BadReplyError
from vaultd.ingest.desk import Desk
from vaultd.ingest.drafting import Drafted
from vaultd.ingest.material import Material
from vaultd.ingest.merging import settle_page
from vaultd.model.jobs import JobKind, NewJob
from vaultd.model.paths import VaultPath
from vaultd.model.wiki import Refused, ReviewDraft, ReviewKind, WikiContext
from vaultd.publish.catalog import read_wiki
from vaultd.publish.plan import Asset, Plan, Write
from vaultd.publish.publish import publish
from vaultd.publish.questions import Question, asked
from vaultd.store import pages as stored_pages
from vaultd.store import receipt

PICTURES = "images"  # id of the region that shows a source's pictures


@dataclass(slots=True)
class _Outcome:
    """What settling the pages one after the other adds up to."""

    writes: list[Write] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)


async def publish_source(
    material: Material, drafted: Drafted, context: WikiContext, desk: Desk, *, recipe: str
) -> Mapping[str, Any]:
    """Publish the pages of one source; return what a person is told about it.

    Raises:
        BadReplyError: none of the drafts is the source's own page.
        PageChangedError: a page was changed meanwhile; nothing was written.
    """
    wiki = await read_wiki(desk.db, desk.vault, parse_schema(context.schema))
    plan = _planned(material, drafted, context, wiki, desk)
    if not plan.has_summary:
        raise BadReplyError(f"The reply for {material.source.id} lacks the source's own page.")
    outcome = _Outcome()
    for page in plan.pages:
        await _settle(_with_gallery(page, material, context), plan, outcome, material, desk)
    outcome.questions += [Question(each) for each in (*drafted.reviews, *plan.reviews)]
    return await _published(material, drafted, plan, outcome, desk, recipe=recipe)


def _planned(
    material: Material, drafted: Drafted, context: WikiContext, wiki: Wiki, desk: Desk
) -> PagePlan:
    return plan_pages(
        drafted.draft.pages,
        source=material.source,
        wiki=wiki,
        summary_path=context.summary_path,
        author=desk.author.name,
        today=desk.clock().date(),
        limit=context.pages_limit,
        media={same_path(PurePosixPath(file).name): file for file in material.files},
    )


def _with_gallery(page: PlannedPage, material: Material, context: WikiContext) -> PlannedPage:
    """Show the pictures in the source's own page, in a region of their own."""
    if page.path != context.summary_path or not material.images:
        return page
    shown = gallery(
        material.images, material.files, note=page.path, language=material.source.language
    )
    body = put_region(f"{page.body.rstrip()}\n", PICTURES, shown, inputs=shown)
    return replace(page, body=body)


async def _settle(
    page: PlannedPage, plan: PagePlan, outcome: _Outcome, material: Material, desk: Desk
) -> None:
    existing = await asyncio.to_thread(desk.vault.read, page.path)
    if existing is None:
        outcome.writes.append(Write(page.path, page.text.encode(), None))
        return
    written = await desk.db.read(stored_pages.last_written, page.path)
    theirs = decode_note(existing, page.path)
    base = written.base if written else None
    language = material.source.language
    settled = await settle_page(page, Standing(theirs, base), plan.loom, desk.author, language)
    outcome.refused += settled.refused
    updated = settled.updated
    if updated.text != theirs:
        ours = updated.ours if updated.ours != updated.text else None
        outcome.writes.append(
            Write(
                page.path,
                updated.text.encode(),
                existing,
                base=ours,
                known=updated.ours is not None,
            )
        )
    if updated.proposal is not None:
        outcome.questions.append(_conflict(page, updated))


def _conflict(page: PlannedPage, updated: Updated) -> Question:
    title = page.properties.title
    places = "\n\n".join(
        f"Yours:\n\n{_quote(each.theirs)}\n\nOurs:\n\n{_quote(each.ours)}"
        for each in updated.conflicts
    )
    text = (
        f"vaultd would change this page, but you wrote on it too. Your text stands as it is.\n\n"
        f"{places or 'The proposal adds to what you have.'}"
    )
    draft = ReviewDraft(
        ReviewKind.CONFLICT,
        f"Proposed change to {title}",
        text,
        options=("Accept", "Keep mine"),
        pages=(page.path,),
    )
    over = sha256(updated.text.encode()).hexdigest()
    return Question(draft, {"path": page.path, "text": updated.proposal, "over": over})


def _quote(text: str) -> str:
    lines = text.strip().splitlines() or [""]
    return "\n".join(f"> {line}".rstrip() for line in lines)


async def _published(
    material: Material,
    drafted: Drafted,
    plan: PagePlan,
    outcome: _Outcome,
    desk: Desk,
    *,
    recipe: str,
) -> Mapping[str, Any]:
    source, now = material.source, desk.clock()
    questions = await asked(
        outcome.questions,
        source=source.id,
        targets=plan.loom.targets,
        today=now.date(),
        db=desk.db,
        vault=desk.vault,
    )
    paths = [page.path for page in plan.pages]
    warnings = [*drafted.draft.warnings, *plan.warnings]
    note = {
        "at": stamp(now),
        "reviews": list(questions.rows),
        "cache": {
            "source": source.id,
            "text_sha256": material.text_sha256,
            "recipe": recipe,
            "pages": paths,
        },
        "contributions": {"source": source.id, "pages": [_said(page) for page in plan.pages]},
        "ingested": {"source": source.id, "sha256": source.sha256, "pages": paths},
    }
    result = {"pages": paths, "reviews": len(questions.writes), "warnings": warnings}
    summary = next(page for page in plan.pages if page.properties.type == "source")
    await publish(
        Plan(
            source=source.id,
            writes=(*outcome.writes, *questions.writes),
            assets=_assets(material),
            jobs=following_jobs(outcome.writes, source.path, source.sha256),
            dirty=tuple(write.path for write in outcome.writes),
            events=(("source.published", {"path": source.path, **result}),),
            refused=(*drafted.draft.refused, *plan.refused, *outcome.refused),
            log=summary.properties.title,
            note=note,
        ),
        db=desk.db,
        vault=desk.vault,
        clock=desk.clock,
        also=receipt.record,
    )
    return result


def _said(page: PlannedPage) -> dict[str, Any]:
    """Return what the source says on a page, to be kept for the day another one leaves it."""
    return {
        "page": page.path,
        "title": page.properties.title,
        "type": page.properties.type,
        "tags": list(page.properties.tags),
        "aliases": list(page.properties.aliases),
        "body": page.body,
    }


def _assets(material: Material) -> tuple[Asset, ...]:
    return tuple(Asset(path, data) for path, data in material.picture_files().items())


def following_jobs(
    writes: Sequence[Write], source: VaultPath | None = None, digest: str = ""
) -> tuple[NewJob, ...]:
    """Return what has to follow a publication: the files indexed (marks bring the folders)."""
    jobs = [
        NewJob(JobKind.INDEX, write.path, sha256(write.content).hexdigest()) for write in writes
    ]
    if source is not None:
        jobs.append(NewJob(JobKind.INDEX, source, digest))
    return tuple(jobs)
