"""What becomes of a page that exists: kept, added to, replaced, merged, or left to the person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from vaultd.core.block_path import same_path
from vaultd.core.merge import Conflict, adds_nothing, both_bodies, three_way, union
from vaultd.core.page import LISTED_KEYS, NewProperties, Page, parse_page, with_body
from vaultd.core.plan import PlannedPage
from vaultd.core.properties import Settable, set_properties
from vaultd.core.region import find_regions, put_region, short_hash, without_regions
from vaultd.model.paths import SourceId


@dataclass(frozen=True, slots=True)
class MergeNeed:
    """Two bodies that an author has to bring together before the page can be written."""

    existing: str
    incoming: str
    existing_sources: tuple[SourceId, ...]


@dataclass(frozen=True, slots=True)
class Updated:
    """The page's next text.

    `ours` is what it would be without the person: it has to be stored as the next base, so that
    their words are never taken for ours (None: it stays unknown). `conflicts` are the places
    where their words stood against ours: `text` holds theirs there, `proposal` ours.
    """

    text: str
    ours: str | None
    conflicts: tuple[Conflict, ...] = ()
    proposal: str | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """A page as it is on disk (`theirs`) and as we alone would have it (`base`, None: unknown)."""

    theirs: str
    base: str | None

    @property
    def page(self) -> Page:
        """The page on disk."""
        return parse_page(self.theirs)

    @property
    def ours(self) -> Page:
        """What our next text builds on: our own last one, else what is there."""
        return parse_page(self.theirs if self.base is None else self.base)


def merge_need(planned: PlannedPage, standing: Standing) -> MergeNeed | None:
    """Return what an author has to merge; None where code can do it alone.

    No call for a page locked by a person, one we did not write, one that this source alone
    made, or one that says it all already.
    """
    page = standing.page
    if standing.base is None or page.reviewed or _is_sole_source(planned, page):
        return None
    existing, incoming = without_regions(standing.ours.body), without_regions(planned.body)
    if adds_nothing(existing, incoming) or not existing.strip():
        return None
    return MergeNeed(existing, incoming, page.sources)


def updated_page(planned: PlannedPage, standing: Standing, merged: str | None = None) -> Updated:
    """Return the next text of a page that exists; `merged` answers `merge_need`.

    A person's words always stay: what they changed since we wrote wins over what we would
    write, what they locked is only added to, and a page we know no base of is left with the
    proposal. Where nothing but the date would change, the text is theirs to the byte.

    Raises:
        PropertiesError: the property block cannot be spliced.
        RegionError: broken markers.
    """
    page = standing.page
    if page.reviewed:
        return Updated(_dated(planned, standing, _appended(planned, page)), standing.base)
    if standing.base is None:
        return _without_base(planned, standing)
    body = _next_body(planned, standing, merged)
    result = three_way(standing.ours.body, page.body, body)
    text = _dated(planned, standing, page.head + result.text)
    ours = _own_text(planned, standing.base, body, text)
    if not result.conflicts:
        return Updated(text, ours)
    proposal = _dated(planned, standing, page.head + result.proposal)
    return Updated(text, ours, result.conflicts, proposal)


@dataclass(frozen=True, slots=True)
class Leaving:
    """A source that leaves a page, with the tags and other names that it alone brought."""

    source: SourceId
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


def page_without(standing: Standing, body: str, leaving: Leaving, today: date) -> Updated:
    """Return a page that a source has left; `body` is what the remaining ones say.

    A person's words stay as in `updated_page`; a locked page only loses what that source added
    in a region of its own. Where no base is known, `body` takes the place of what is there.

    Raises:
        PropertiesError: the property block cannot be spliced.
        RegionError: broken markers.
    """
    page, region_id = standing.page, _region_of(leaving.source)
    if page.reviewed:
        base = standing.base
        text = _less(_region_taken(standing.theirs, region_id), leaving, today)
        return Updated(text, _less(base, leaving, today) if base is not None else None)
    regions = _region_blocks(standing.ours.body)
    regions.pop(region_id, None)
    new = _put_together(standing.ours, body, regions)
    if standing.base is None:
        return Updated(_less(with_body(standing.theirs, new), leaving, today), None)
    result = three_way(standing.ours.body, page.body, new)
    text = _less(page.head + result.text, leaving, today)
    ours = _less(with_body(standing.base, new), leaving, today)
    proposal = _less(page.head + result.proposal, leaving, today) if result.conflicts else None
    return Updated(text, ours, result.conflicts, proposal)


def left_to_person(text: str) -> str:
    """Return the text of a page that stays although its only source is gone."""
    gone = ("sources", "source_sha256", "transcribed", "unread", "author")
    return set_properties(text, dict.fromkeys(gone))


def _less(text: str, leaving: Leaving, today: date) -> str:
    page = parse_page(text)
    changes: dict[str, Settable] = {}
    gone = {"sources": _keys([leaving.source])}
    gone |= {"tags": _keys(leaving.tags), "aliases": _keys(leaving.aliases)}
    for key, names in gone.items():
        listed = page.listed(key)
        named = page.sources if key == "sources" else listed
        kept = [
            each for each, name in zip(listed, named, strict=True) if same_path(name) not in names
        ]
        if len(kept) < len(listed):
            changes[key] = kept or None
    if page.word("updated"):
        changes["updated"] = today
    return set_properties(text, changes)


def _region_of(source: SourceId) -> str:
    return f"from-{short_hash(source)}"


def _region_taken(text: str, region_id: str) -> str:
    region = find_regions(text).get(region_id)
    if region is None or region.edited:
        return text
    return text[: region.start].rstrip("\n") + "\n" + text[region.end :]


def _without_base(planned: PlannedPage, standing: Standing) -> Updated:
    there, incoming = standing.page.body, without_regions(planned.body)
    text = _dated(planned, standing, standing.theirs)
    if adds_nothing(there, incoming):
        return Updated(text, None)
    proposal = with_body(standing.theirs, both_bodies(there, incoming))
    return Updated(text, None, proposal=_dated(planned, standing, proposal))


def _next_body(planned: PlannedPage, standing: Standing, merged: str | None) -> str:
    ours = standing.ours
    existing, incoming = without_regions(ours.body), without_regions(planned.body)
    if merged is not None:
        text = merged
    elif _is_sole_source(planned, standing.page) or not existing.strip():
        text = incoming
    elif adds_nothing(existing, incoming):
        text = existing
    else:
        text = both_bodies(existing, incoming)
    there = _region_blocks(ours.body)
    regions = there | _region_blocks(planned.body)
    if text.strip("\n") == existing.strip("\n") and regions == there:
        return ours.body
    return _put_together(ours, text, regions)


def _put_together(ours: Page, text: str, regions: Mapping[str, str]) -> str:
    gap = "\n" if ours.head else ""
    return gap + "\n".join((text.strip("\n") + "\n", *regions.values()))


def _region_blocks(body: str) -> dict[str, str]:
    found = find_regions(body).values()
    return {each.id: body[each.start : each.end].strip("\r\n") + "\n" for each in found}


def _own_text(planned: PlannedPage, base: str, body: str, text: str) -> str:
    """Return what we alone would have: our last text with the new body and properties."""
    page, new = parse_page(base), planned.properties
    changes: dict[str, Settable] = {
        key: union(page.listed(key), getattr(new, key)) for key in LISTED_KEYS
    }
    words = _words(new)
    written = parse_page(text).word("updated")
    if written == new.updated.isoformat():
        changes["updated"] = new.updated
    kept = {key: value for key, value in changes.items() if value}
    return set_properties(with_body(base, body), kept | words)


def _appended(planned: PlannedPage, page: Page) -> str:
    """Add what is new below a locked page, in one region for each source."""
    region_id = _region_of(planned.properties.sources[0])
    regions = find_regions(page.text)
    edited = region_id in regions and regions[region_id].edited
    incoming = without_regions(planned.body)
    if edited or adds_nothing(without_regions(page.body), incoming):
        return page.text
    return put_region(page.text, region_id, incoming, inputs=incoming)


def _is_sole_source(planned: PlannedPage, page: Page) -> bool:
    own = {same_path(source) for source in planned.properties.sources}
    return bool(page.sources) and {same_path(source) for source in page.sources} <= own


def _dated(planned: PlannedPage, standing: Standing, text: str) -> str:
    """Return `text` with our properties; the date changes only if something else does."""
    changed = set_properties(text, _changes(planned, standing))
    if changed == standing.theirs:
        return changed
    return set_properties(changed, _date(standing, planned.properties.updated))


def _changes(planned: PlannedPage, standing: Standing) -> dict[str, Settable]:
    page, base = standing.page, parse_page(standing.base or "")
    new = planned.properties
    changes: dict[str, Settable] = {}
    for key in ("sources",) if page.reviewed else LISTED_KEYS:
        there = page.listed(key)
        taken_away = {same_path(each) for each in base.listed(key)} - _keys(there)
        incoming = [each for each in getattr(new, key) if same_path(each) not in taken_away]
        if key == "aliases":
            incoming = [each for each in incoming if same_path(each) != same_path(page.title)]
        wanted = _united_links(there, incoming) if key == "related" else union(there, incoming)
        if _keys(wanted) != _keys(there):
            changes[key] = wanted
    if page.reviewed or standing.base is None:
        known = {"source_sha256": new.source_sha256} if page.word("source_sha256") else {}
        return changes | _own_words(page, page, known)
    for key in ("type", "title", "created"):
        if not page.word(key) and not base.word(key):
            changes[key] = getattr(new, key)
    return changes | _own_words(page, base, _words(new))


def _words(new: NewProperties) -> dict[str, Settable]:
    """Return the words to set; None goes: the source's file now has text of its own."""
    nothing = None if new.source_sha256 else ""
    words = {
        "author": new.author,
        "source_sha256": new.source_sha256,
        "transcribed": new.transcribed or nothing,
        "unread": new.unread or nothing,
    }
    return {key: word for key, word in words.items() if word != ""}


def _own_words(page: Page, base: Page, words: Mapping[str, Settable]) -> dict[str, Settable]:
    """Return properties that follow our last write, unless a person changed them since."""
    return {
        key: word
        for key, word in words.items()
        if page.word(key) == base.word(key) and page.word(key) != (word or "")
    }


def _date(standing: Standing, today: date) -> dict[str, Settable]:
    page, base = standing.page, parse_page(standing.base or "")
    if standing.base is not None and page.word("updated") != base.word("updated"):
        return {}
    return {"updated": today}


def _united_links(there: Iterable[str], incoming: Iterable[str]) -> tuple[str, ...]:
    """Return links without repeats: those to one page are one, whatever their text."""
    kept: dict[str, str] = {}
    for link in (*there, *incoming):
        kept.setdefault(_link_key(link), link)
    return tuple(kept.values())


def _link_key(link: str) -> str:
    inner = link.strip().removeprefix("[[").removesuffix("]]").split("|", 1)[0].split("#", 1)[0]
    return same_path(inner.strip()).removesuffix(".md")


def _keys(texts: Iterable[str]) -> set[str]:
    return {same_path(text) for text in texts}
