"""What becomes of a page that exists when a source brings a new version of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vaultd.core.merge import Conflict, adds_nothing, both_bodies, three_way, union
from vaultd.core.page import NewProperties, Page, new_page_text, parse_page, with_body
from vaultd.core.properties import Settable, set_properties, split_note
from vaultd.model.paths import SourceId


@dataclass(frozen=True, slots=True)
class Proposal:
    """A page as one source would have it."""

    properties: NewProperties
    body: str


@dataclass(frozen=True, slots=True)
class Write:
    """Write `text`; `conflicts` are places where a person's words stood against ours."""

    text: str
    conflicts: tuple[Conflict, ...] = ()


@dataclass(frozen=True, slots=True)
class AskMerge:
    """Both bodies say something: an author has to unite them first (see `merged`)."""

    existing: str
    incoming: str


@dataclass(frozen=True, slots=True)
class Hold:
    """The page is the person's, or we no longer know what we wrote: ours becomes a review."""

    text: str


Decision = Write | AskMerge | Hold


def decide(existing: str | None, base: str | None, ours: Proposal, source: SourceId) -> Decision:
    """Decide how `ours` reaches a page that now reads `existing` and that we left as `base`.

    A page that is not there is new. A page a person marked `reviewed: true` only gains what is
    new. A page made from this source alone is replaced, so that a corrected source leaves no
    retracted words. Where the new body says nothing new, only lists change.
    """
    if existing is None:
        return Write(new_page_text(ours.properties, ours.body))
    page = parse_page(existing)
    if page.reviewed:
        return Write(_settled(existing, base, ours, both_bodies(page.body, ours.body)))
    if base is None:
        return _unknown(existing, page, ours)
    before = parse_page(base)
    if set(before.sources) <= {source}:
        return merged(existing, base, ours, ours.body)
    if adds_nothing(before.body, ours.body):
        return merged(existing, base, ours, before.body)
    return AskMerge(before.body, ours.body)


def _unknown(existing: str, page: Page, ours: Proposal) -> Write | Hold:
    if adds_nothing(page.body, ours.body):
        return Write(existing)
    return Hold(new_page_text(ours.properties, ours.body))


def merged(existing: str, base: str, ours: Proposal, body: str) -> Write:
    """Bring `body`, our text for the page, into `existing`; a person's edits since stay."""
    theirs, old = split_note(existing).body, split_note(base).body
    if theirs == old:
        return Write(_settled(existing, base, ours, body))
    result = three_way(old.strip("\n"), theirs.strip("\n"), body.strip("\n"))
    return Write(_settled(existing, base, ours, result.text), result.conflicts)


def fallback(existing: str, incoming: str) -> str:
    """Return the body to write when no merge could be had: the incoming one, nothing lost.

    The new text stands first as it came, followed by what the old one says beyond it.
    """
    return both_bodies(incoming, existing)


def _settled(existing: str, base: str | None, ours: Proposal, body: str) -> str:
    """Return `existing` with `body` and our lists united into its properties.

    `type`, `title` and `created` stay. `updated` moves only if something else did.
    """
    page = parse_page(existing)
    before = parse_page(base) if base is not None else None
    new = ours.properties
    changes: dict[str, Settable] = {
        key: _united(page, before, key, wanted)
        for key, wanted in (
            ("tags", new.tags),
            ("aliases", new.aliases),
            ("related", new.related),
            ("sources", new.sources),
        )
    }
    if new.type == "source" and page.type == "source":
        changes["source_sha256"] = new.source_sha256
    changes = {key: value for key, value in changes.items() if value}
    text = set_properties(existing, changes) if page.readable else existing
    if body.strip("\n") != page.body.strip("\n"):
        text = with_body(text, body.strip("\n") + "\n")
        text = set_properties(text, {"author": new.author}) if page.readable else text
    if text != existing and page.readable:
        text = set_properties(text, {"updated": new.updated})
    return text


def _united(page: Page, before: Page | None, key: str, wanted: Sequence[str]) -> tuple[str, ...]:
    """Unite a list; what a person took out since we wrote it stays out, except sources."""
    there = page.listed(key)
    removed = set(before.listed(key)) - set(there) if before and key != "sources" else set()
    return union(there, [each for each in wanted if each not in removed])
