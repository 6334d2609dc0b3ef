"""Brings one source's drafts into the wiki: planned, merged, published whole, in turn."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

from vaultd.core.block_path import same_path
from vaultd.core.page import decode_note
from vaultd.core.pictures import gallery
from vaultd.core.plan import PagePlan, PlannedPage, Wiki, names_of_drafts, plan_pages
from vaultd.core.region import put_region
from vaultd.core.schema import parse_schema
from vaultd.core.timing import stamp
from vaultd.core.update import Standing
from vaultd.errors import BadReplyError
from vaultd.ingest.aftermath import conflict, following_jobs
from vaultd.ingest.desk import Desk
from vaultd.ingest.drafting import Drafted
from vaultd.ingest.leaving import superseded
from vaultd.ingest.material import Material
from vaultd.ingest.merging import settle_page
from vaultd.model.wiki import Refused, SourceText, WikiContext
from vaultd.publish.catalog import read_wiki
from vaultd.publish.links import own_notes
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
    material: Material,
    drafted: Drafted,
    context: WikiContext,
    desk: Desk,
    *,
    recipe: str,
    session: str = "",
) -> Mapping[str, Any]:
    """Publish the pages of one source; return what a person is told about it.

    `session` is the conversation that led to them, which is over with it.

    Raises:
        BadReplyError: none of the drafts is the source's own page.
        PageChangedError: a page was changed meanwhile; nothing was written.
    """
    wiki = await read_wiki(desk.db, desk.vault, parse_schema(context.schema))
    names = names_of_drafts(drafted.draft.pages)
    wiki = replace(wiki, theirs=await asyncio.to_thread(own_notes, desk.vault, names))
    plan = await asyncio.to_thread(_planned, material, drafted, context, wiki, desk)
    if not plan.has_summary:
        raise BadReplyError(f"The reply for {material.source.id} lacks the source's own page.")
    outcome = _Outcome()
    for page in plan.pages:
        await _settle(_with_gallery(page, material, context), plan, outcome, material, desk)
    outcome.questions += [Question(each) for each in (*drafted.reviews, *plan.reviews)]
    note = {"session": {"id": session, "state": "written"}} if session else {}
    note["cache"] = _cached(material, recipe)
    return await _published(material, drafted, plan, outcome, desk, note)


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
        outcome.questions.append(conflict(page.properties.title, page.path, updated))


async def _published(
    material: Material,
    drafted: Drafted,
    plan: PagePlan,
    outcome: _Outcome,
    desk: Desk,
    note: Mapping[str, Any],
) -> Mapping[str, Any]:
    source, now = material.source, desk.clock()
    refused = (*drafted.draft.refused, *plan.refused)
    leave = await superseded(material, plan, outcome.writes, desk, refused=refused)
    writes = leave.edits.writes()
    questions = await asked(
        [(each, source.id) for each in (*outcome.questions, *await leave.questions())],
        targets=plan.loom.targets,
        today=now.date(),
        db=desk.db,
        vault=desk.vault,
    )
    paths = [page.path for page in plan.pages]
    result = {
        "pages": paths,
        "reviews": len(questions.writes),
        "warnings": [*drafted.draft.warnings, *plan.warnings],
    }
    await publish(
        Plan(
            source=source.id,
            writes=(*writes, *questions.writes),
            removals=leave.removals,
            assets=_assets(material),
            jobs=following_jobs(writes, source.path, source.sha256),
            dirty=(*(write.path for write in writes), *leave.removed),
            events=(("source.published", {"path": source.path, **result}),),
            refused=(*refused, *outcome.refused),
            log=_own_page(plan).properties.title,
            burst=True,
            note={
                "at": stamp(now),
                "reviews": list(questions.rows),
                "theirs": leave.theirs,
                "gone": leave.gone,
                **note,
                "cache": {**note["cache"], "pages": [*paths, *leave.withheld]},
                **_receipt(source, plan),
            },
        ),
        db=desk.db,
        vault=desk.vault,
        clock=desk.clock,
        also=receipt.record,
    )
    return result


def _own_page(plan: PagePlan) -> PlannedPage:
    return next(page for page in plan.pages if page.properties.type == "source")


def _receipt(source: SourceText, plan: PagePlan) -> dict[str, Any]:
    """Return what is recorded of the source itself: what it says where, and that it is done."""
    paths = [page.path for page in plan.pages]
    return {
        "contributions": {"source": source.id, "pages": [_said(page) for page in plan.pages]},
        "ingested": {"source": source.id, "sha256": source.sha256, "pages": paths},
    }


def _cached(material: Material, recipe: str) -> dict[str, Any]:
    """Return what lets the same text be recognised as done."""
    return {
        "source": material.source.id,
        "text_sha256": material.text_sha256,
        "recipe": recipe,
    }


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
