"""From a source to drafts: analysis, generation, the language guard, review."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace

import structlog

from vaultd.author.seam import Author, Turn
from vaultd.core.language import matches_target
from vaultd.core.review import distinct
from vaultd.errors import BadReplyError, CapacityError
from vaultd.ingest.desk import Desk
from vaultd.model.jobs import Progress
from vaultd.model.wiki import (
    Analysis,
    Draft,
    PageDraft,
    Refused,
    ReviewDraft,
    SourceText,
    WikiContext,
)

UNJUDGED = frozenset({"source", "entity"})  # names and quotations stay in their own language
AT_ONCE = nullcontext()

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Drafted:
    """What an author made of a source, before anything is planned or written."""

    draft: Draft
    reviews: tuple[ReviewDraft, ...]


async def drafted(
    source: SourceText,
    wiki: WikiContext,
    desk: Desk,
    progress: Progress,
    *,
    analysis: Analysis | None = None,
    talk: Sequence[Turn] = (),
    asking: AbstractAsyncContextManager[object] = AT_ONCE,
) -> Drafted:
    """Ask for analysis and pages, then for what a person should look at.

    An interactive ingest hands in its `analysis` and its whole `talk`, and waits for nobody;
    others enter `asking` to analyse, and again to write and review.

    Raises:
        BadReplyError: no page came of it, or not every promised one.
    """
    author = desk.author
    if analysis is None:
        async with asking:
            progress("analysis")
            analysis = await author.analyse(source, wiki, progress)
    async with asking:
        progress("generation")
        draft = await author.generate(source, analysis, wiki, progress, talk)
        if not draft.pages:
            raise BadReplyError(f"The reply for {source.id} holds no page.")
        if desk.rules.language != "auto" and not author.offline:  # quotations stay as they are
            draft = await in_language(draft, desk.rules.language, author)
        progress("review")
        more = await author.review(source, analysis, wiki, draft)
    return Drafted(draft, tuple(distinct((*draft.reviews, *more))))


async def in_language(draft: Draft, language: str, author: Author) -> Draft:
    """Return the draft with every page in `language`: asked again once, else refused."""
    kept: list[PageDraft] = []
    refused: list[Refused] = []
    for page in draft.pages:
        if page.type in UNJUDGED or matches_target(page.body, language):
            kept.append(page)
            continue
        body = await _again(page, language, author)
        if body is None:
            refused.append(Refused(page.path, page.body, f"not in the language {language}"))
        else:
            kept.append(replace(page, body=body))
    warnings = tuple(f"{each.reason}: {each.path}" for each in refused)
    return replace(
        draft,
        pages=tuple(kept),
        refused=(*draft.refused, *refused),
        warnings=(*draft.warnings, *warnings),
    )


async def _again(page: PageDraft, language: str, author: Author) -> str | None:
    try:
        body = await author.rewrite_language(page.path, page.body, language)
    except (BadReplyError, CapacityError) as error:
        log.warning("page stays in the wrong language", path=page.path, reason=error.code)
        return None
    return body if body.strip() and matches_target(body, language) else None
