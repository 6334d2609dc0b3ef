"""Brings one proposed page together with the page that is there."""

from __future__ import annotations

from dataclasses import dataclass, replace

import structlog

from vaultd.author.seam import Author, MergeRequest
from vaultd.core.merge import both_bodies, claims_of, merge_faults
from vaultd.core.plan import PlannedPage
from vaultd.core.update import MergeNeed, Standing, Updated, merge_need, updated_page
from vaultd.core.weave import Loom, links_on
from vaultd.errors import BadReplyError, CapacityError
from vaultd.model.wiki import Refused

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Settled:
    """A page's next text; `refused` holds a merge reply that was not good enough."""

    updated: Updated
    refused: tuple[Refused, ...] = ()


async def settle_page(
    planned: PlannedPage, standing: Standing, loom: Loom, author: Author, language: str
) -> Settled:
    """Return the next text of a page that exists, asking the author only where both say something.

    Where no good merge could be had, the incoming body stands first, followed by what the old
    one says beyond it: nothing of either is lost.

    Raises: the model errors of `Author.merge`, except for a bad reply.
    """
    need = merge_need(planned, standing)
    if need is None:
        return Settled(updated_page(planned, standing))
    body, refused = await _merged(planned, need, loom, author, language)
    return Settled(updated_page(planned, standing, body), refused)


async def _merged(
    planned: PlannedPage, need: MergeNeed, loom: Loom, author: Author, language: str
) -> tuple[str, tuple[Refused, ...]]:
    request = MergeRequest(
        path=planned.path,
        title=planned.properties.title,
        language=language,
        existing=need.existing,
        incoming=need.incoming,
        existing_sources=need.existing_sources,
        incoming_source=planned.properties.sources[0],
    )
    instead = both_bodies(need.incoming, need.existing)
    try:
        reply = await author.merge(request)
    except (BadReplyError, CapacityError) as error:
        log.warning("merge refused", path=planned.path, reason=str(error))
        return instead, ()
    known = replace(loom, proven=claims_of(need.existing), standing=links_on(need.existing))
    body = known.weave(reply, planned.path).body
    faults = merge_faults(need.existing, need.incoming, body)
    if not faults:
        return body, ()
    log.warning("merge refused", path=planned.path, faults=len(faults))
    return instead, (Refused(planned.path, reply, f"merge refused: {'; '.join(faults)}"),)
