"""What is not as it should be in a wiki, found by looking at all of it at once."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import PurePosixPath
from typing import Any

from vaultd.core.block_path import same_path
from vaultd.core.ignore import CONFLICT
from vaultd.core.link import Resolver, Targets, link_to
from vaultd.core.listing import INDEX, LOG, OVERVIEW, is_page
from vaultd.core.near import NearNames
from vaultd.core.schema import SOURCE
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import PageRef

REPORT = VaultPath("wiki/reviews/lint.md")
REVIEWS = "wiki/reviews/"
OURS = ("wiki/", "raw/")
SUGGESTIONS = 3
NEAR = 0.75  # share of equal letters from which a name may have been meant

HEADINGS = {  # kinds in the order they are told
    "broken-link": "Links that lead nowhere",
    "invalid-properties": "Properties that cannot be read",
    "unread": "Documents that could not be read, or not wholly",
    "stale": "Pages behind their sources",
    "orphan": "Pages nothing links to",
    "unlisted": "Pages missing from the index",
    "duplicate": "Pages that may be one",
    "conflict-copy": "Conflict copies of sync tools",
    "same-name": "Pages that catch links to a note of yours",
    "odd-name": "Names that Obsidian cannot link to",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at. `suggestions` are paths or names that may have been meant."""

    kind: str
    path: VaultPath
    text: str
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """All that is looked at: the notes below `wiki/` with the targets they name, and the rest.

    `unreadable` are notes whose properties cannot be read, `behind` are sources that changed
    since their pages were written, `known` are all sources whose file is there. `unread` says of
    sources that are parked, and of pages whose source is not wholly read, why.
    """

    pages: Sequence[PageRef]
    targets: Mapping[VaultPath, Sequence[str]]
    files: Collection[VaultPath]
    unreadable: Collection[VaultPath] = ()
    behind: Collection[SourceId] = ()
    known: Collection[SourceId] = ()
    unread: Mapping[VaultPath, str] = field(default_factory=dict)


def findings(facts: Facts) -> list[Finding]:
    """Return everything found, by kind and then by path."""
    resolver = Resolver.over(facts.files)
    found = [
        *_broken(facts, resolver),
        *_unreadable(facts),
        *(Finding("unread", path, reason) for path, reason in facts.unread.items()),
        *_stale(facts),
        *_orphans(facts, resolver),
        *_unlisted(facts, resolver),
        *_duplicates(facts),
        *_conflicts(facts),
        *_same_names(facts, resolver),
        *_odd_names(facts),
    ]
    order = list(HEADINGS)
    return sorted(found, key=lambda each: (order.index(each.kind), each.path, each.text))


def as_document(found: Iterable[Finding]) -> dict[str, Any]:
    """Return the findings as plain data, with their number by kind."""
    listed = [asdict(each) for each in found]
    counts = {kind: sum(each["kind"] == kind for each in listed) for kind in HEADINGS}
    return {"counts": counts, "findings": listed}


def report(found: Sequence[Finding]) -> str:
    """Return the text of the report note."""
    parts = ["---\ntype: lint\n---\n\n# Lint"]
    if not found:
        parts.append("Nothing to look at.")
    for kind, heading in HEADINGS.items():
        of_kind = [each for each in found if each.kind == kind]
        if of_kind:
            parts.append(f"## {heading}")
            parts.append("\n".join(_line(each) for each in of_kind))
    return "\n\n".join(parts) + "\n"


def _line(finding: Finding) -> str:
    is_note = finding.path.endswith(".md")
    name = link_to(finding.path) if is_note else f"`{finding.path}`"
    text = re.sub(r"[\[\]|`]|%{2,}", "", finding.text)
    meant = " or ".join(f"`{each}`" for each in finding.suggestions)
    return f"- {name}: {text}" + (f" Perhaps {meant}?" if meant else "")


def _broken(facts: Facts, resolver: Resolver) -> list[Finding]:
    names = {same_path(PurePosixPath(path).stem): path for path in facts.files}
    pages = Targets.over(list(facts.pages))
    return [
        Finding("broken-link", path, f"{target} is not there.", _meant(target, path, names, pages))
        for path, targets in facts.targets.items()
        if not path.startswith(REVIEWS)
        for target in targets
        if resolver.resolve(target, path) is None
    ]


def _meant(
    target: str, path: VaultPath, names: Mapping[str, VaultPath], pages: Targets
) -> tuple[str, ...]:
    page = pages.find(target, str(PurePosixPath(path).parent))
    if page is not None:
        return (page.path,)
    leaf = same_path(PurePosixPath(target).name).removesuffix(".md")
    near = difflib.get_close_matches(leaf, names, n=SUGGESTIONS, cutoff=NEAR)
    return tuple(names[name] for name in near)


def _unreadable(facts: Facts) -> list[Finding]:
    text = "the property block between the two --- lines cannot be read."
    untyped = [page.path for page in facts.pages if not page.type]
    untyped = [path for path in untyped if path not in facts.unreadable]
    return [
        *(Finding("invalid-properties", path, text) for path in facts.unreadable),
        *(Finding("invalid-properties", path, "the page has no type.") for path in untyped),
    ]


def _stale(facts: Facts) -> list[Finding]:
    behind = {same_path(source) for source in facts.behind}
    known = {same_path(source) for source in facts.known}
    found: list[Finding] = []
    for page in facts.pages:
        for source in page.sources:
            if same_path(source) not in known:
                found.append(Finding("stale", page.path, f"its source {source} is not there."))
            elif same_path(source) in behind:
                text = f"its source {source} has changed since."
                found.append(Finding("stale", page.path, text))
    return found


def _orphans(facts: Facts, resolver: Resolver) -> list[Finding]:
    """Pages about sources are where reading begins: nothing has to link to them."""
    linked = {
        resolver.resolve(target, path)
        for path, targets in facts.targets.items()
        if is_page(path)
        for target in targets
        if resolver.resolve(target, path) != path
    }
    return [
        Finding("orphan", page.path, "no other page links here.")
        for page in facts.pages
        if page.type != SOURCE and page.path not in linked
    ]


def _unlisted(facts: Facts, resolver: Resolver) -> list[Finding]:
    listed = {resolver.resolve(target, INDEX) for target in facts.targets.get(INDEX, ())}
    return [
        Finding("unlisted", page.path, "the index does not name it.")
        for page in facts.pages
        if page.path not in listed
    ]


def _duplicates(facts: Facts) -> list[Finding]:
    names = NearNames.over([page for page in facts.pages if page.type != SOURCE])
    groups = {
        tuple(sorted(page.path for page in pages))
        for pages in names.pages.values()
        if len(pages) > 1
    }
    return [
        Finding("duplicate", first, "has nearly the same name as another page.", tuple(others))
        for first, *others in sorted(groups)
    ]


def _conflicts(facts: Facts) -> list[Finding]:
    text = "a sync tool kept two versions apart: unite them by hand and delete this one."
    return [
        Finding("conflict-copy", path, text)
        for path in facts.files
        if CONFLICT.search(PurePosixPath(path).name.lower())
    ]


def _same_names(facts: Facts, resolver: Resolver) -> list[Finding]:
    """A bare link goes to the file of that name with the shortest path."""
    theirs = [path for path in facts.files if path.endswith(".md") and not path.startswith(OURS)]
    pages = {page.path for page in facts.pages}
    found: list[Finding] = []
    for note in theirs:
        there = resolver.resolve(PurePosixPath(note).stem, VaultPath("wiki/note.md"))
        if there in pages:
            text = f"a bare link of this name leads here, and not to your note {note}."
            found.append(Finding("same-name", there, text))
    return found


def _odd_names(facts: Facts) -> list[Finding]:
    """Obsidian reads what stands behind a "#" as a heading, however the link is written."""
    text = "links to it lead nowhere in Obsidian, since its name holds a number sign: rename it."
    paths = [VaultPath(f"raw/{source}") for source in sorted(facts.known)]
    return [Finding("odd-name", path, text) for path in paths if "#" in path]


def is_looked_at(path: VaultPath) -> bool:
    """Tell whether the links of a note count: those that code writes anew do not."""
    return path not in (LOG, REPORT) and (path in (INDEX, OVERVIEW) or not path.startswith(REVIEWS))
