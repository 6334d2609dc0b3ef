"""Brings one proposed page together with the page that is there."""

from __future__ import annotations

from dataclasses import dataclass, field

import structlog

from vaultd.author.seam import Author, MergeRequest
from vaultd.core.merge import Conflict, merge_faults
from vaultd.core.page import parse_page
from vaultd.core.rewrite import AskMerge, Hold, Proposal, Write, decide, fallback, merged
from vaultd.errors import BadReplyError, CapacityError
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import Refused

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Settled:
    """What is to be written (None: leave the file), and what a person has to look at.

    `held` is our text for a page that stays as the person has it; `refused` a merge reply that
    was not good enough.
    """

    text: str | None
    conflicts: tuple[Conflict, ...] = ()
    held: str | None = None
    refused: tuple[Refused, ...] = field(default=())


async def settle_page(
    path: VaultPath,
    ours: Proposal,
    *,
    existing: str | None,
    base: str | None,
    source: SourceId,
    author: Author,
    language: str,
) -> Settled:
    """Return the text of `path` after `ours` has reached it.

    Raises: the model errors of `Author.merge`, except a bad reply, which is kept aside.
    """
    match decide(existing, base, ours, source):
        case Write(text, conflicts):
            return Settled(text if text != existing else None, conflicts)
        case Hold(text):
            return Settled(None, held=text)
        case AskMerge(old, new):
            body, refused = await _merged_body(path, ours, old, new, author, language, base or "")
            write = merged(existing or "", base or "", ours, body)
            return Settled(write.text, write.conflicts, refused=refused)


async def _merged_body(
    path: VaultPath,
    ours: Proposal,
    old: str,
    new: str,
    author: Author,
    language: str,
    base: str,
) -> tuple[str, tuple[Refused, ...]]:
    page = parse_page(base)
    request = MergeRequest(
        path=path,
        title=page.title or ours.properties.title,
        language=language,
        existing=old,
        incoming=new,
        existing_sources=page.sources,
        incoming_source=ours.properties.sources[-1],
    )
    try:
        body = await author.merge(request)
    except (BadReplyError, CapacityError) as error:
        log.warning("merge refused", path=path, reason=str(error))
        return fallback(old, new), ()
    faults = merge_faults(old, new, body)
    if not faults:
        return body, ()
    reason = f"merge refused: {'; '.join(faults)}"
    log.warning("merge refused", path=path, faults=len(faults))
    return fallback(old, new), (Refused(path, body, reason),)
