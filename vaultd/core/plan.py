"""From an author's drafts to the pages of one source: where, under which name, with what above."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import PurePosixPath

from vaultd.core.block_path import same_path
from vaultd.core.link import Targets, link_to
from vaultd.core.merge import both_bodies, union
from vaultd.core.names import distinct_path, file_stem
from vaultd.core.near import NearNames
from vaultd.core.page import OWN_KEYS, NewProperties, new_page_text
from vaultd.core.schema import SOURCE, Schema, route
from vaultd.core.tags import clean_tags
from vaultd.core.text import clean
from vaultd.core.weave import Loom
from vaultd.model.paths import VaultPath
from vaultd.model.wiki import PageDraft, PageRef, Refused, ReviewDraft, ReviewKind, SourceText

SOURCES_FOLDER = "wiki/sources/"
# Properties that steer Obsidian, its publishing or us are never taken from a model.
_RESERVED = frozenset(
    (*OWN_KEYS, "tag", "alias", "cssclass", "cssclasses", "publish", "permalink", "reviewed")
) | {"locked", "vaultd_writer", "position"}
_PROPERTY = re.compile(r"[a-z_][a-z0-9_-]{0,40}\Z")
MAX_EXTRA = 8  # properties of a schema; more is a model rambling


@dataclass(frozen=True, slots=True)
class Wiki:
    """The wiki that the pages have to fit into.

    `pages` are all pages below `wiki/`; `taken` holds every path there as `same_path` gives it;
    `tags` maps a case-folded tag to the spelling in use. `theirs` are the person's own notes
    elsewhere, by name as `same_path` gives it.
    """

    pages: Sequence[PageRef] = ()
    schema: Schema = field(default_factory=Schema)
    taken: frozenset[str] = frozenset()
    tags: Mapping[str, str] = field(default_factory=dict)
    theirs: Mapping[str, VaultPath] = field(default_factory=dict)

    def note_named(self, title: str) -> VaultPath | None:
        """Return the person's note with the name a page of this title would get."""
        return self.theirs.get(same_path(file_stem(title)))


def names_of_drafts(drafts: Sequence[PageDraft]) -> frozenset[str]:
    """Return the names the drafts' pages would get, as `same_path` gives them."""
    return frozenset(same_path(file_stem(_title(draft))) for draft in drafts)


@dataclass(frozen=True, slots=True)
class PlannedPage:
    """A page as it would be written if nothing stood there. `exists` says that something does."""

    path: VaultPath
    properties: NewProperties
    body: str
    exists: bool

    @property
    def text(self) -> str:
        """The whole new page."""
        return new_page_text(self.properties, self.body)

    @property
    def ref(self) -> PageRef:
        """The page as others may link to it."""
        return PageRef(
            self.path,
            self.properties.title,
            self.properties.type,
            aliases=self.properties.aliases,
            sources=self.properties.sources,
        )


@dataclass(frozen=True, slots=True)
class PagePlan:
    """The pages of one source. `has_summary` is False where no draft was the source's own page.

    `loom` weaves further bodies (merged ones) into the same wiki.
    """

    pages: tuple[PlannedPage, ...]
    loom: Loom
    has_summary: bool
    reviews: tuple[ReviewDraft, ...] = ()
    refused: tuple[Refused, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Placed:
    """A draft that has its path."""

    draft: PageDraft
    path: VaultPath
    type: str
    title: str
    known: PageRef | None


def plan_pages(  # noqa: PLR0913  # the facts an ingest has, each of its own kind
    drafts: Sequence[PageDraft],
    *,
    source: SourceText,
    wiki: Wiki,
    summary_path: VaultPath,
    author: str,
    today: date,
    limit: int = 15,
    media: Mapping[str, VaultPath] | None = None,
) -> PagePlan:
    """Give each draft its path, its links and its properties.

    The source's own page stands at `summary_path`; others go to the folder of their type under
    their title, or to the page that exists under that name. Two drafts of one page become one.
    A draft of what the person has a note about is refused, and links lead to that note: a twin
    would catch the person's own links. Beyond `limit` pages a draft is refused. `media` maps
    picture file names, as `same_path` gives them, to paths. Links and claims that do not hold
    are made text, with a warning each.
    """
    drafts, refused, theirs = _left_to_the_person(drafts, wiki)
    placed, unplaced = _placed(drafts, wiki, summary_path)
    refused += unplaced
    placed, beyond = placed[:limit], placed[limit:]
    refused += [
        Refused(each.path, each.draft.body, f"beyond {limit} pages of one source")
        for each in beyond
    ]
    refs = [PageRef(each.path, each.title, each.type, aliases=_aliases(each)) for each in placed]
    paths = {ref.path for ref in refs}
    targets = Targets.over(
        [*refs, *theirs.values(), *(page for page in wiki.pages if page.path not in paths)],
        {each.draft.path: ref for each, ref in zip(placed, refs, strict=True)} | theirs,
    )
    weaving = _Weaving(source, wiki, Loom.over(source, targets, media), author, today)
    pages = [weaving.page(each, refs) for each in placed]
    return PagePlan(
        pages=tuple(pages),
        loom=weaving.loom,
        has_summary=any(page.path == summary_path for page in pages),
        reviews=tuple(weaving.reviews),
        refused=tuple(refused),
        warnings=(
            *(f"{each.reason}: {each.path}" for each in refused),
            *weaving.warnings,
        ),
    )


def _left_to_the_person(
    drafts: Sequence[PageDraft], wiki: Wiki
) -> tuple[list[PageDraft], list[Refused], dict[VaultPath, PageRef]]:
    """Return the drafts that stay, the others as refused, and the notes to link to instead."""
    near = NearNames.over([page for page in wiki.pages if page.type != SOURCE])
    stay: list[PageDraft] = []
    refused: list[Refused] = []
    theirs: dict[VaultPath, PageRef] = {}
    for draft in drafts:
        title = _title(draft)
        note = None if _is_summary(draft) else wiki.note_named(title)
        if note is None or near.find(title, draft.aliases) is not None:
            stay.append(draft)
            continue
        refused.append(Refused(draft.path, draft.body, f"you have a note of this name ({note})"))
        theirs[draft.path] = PageRef(note, title, draft.type)
    return stay, refused, theirs


def _placed(
    drafts: Sequence[PageDraft], wiki: Wiki, summary_path: VaultPath
) -> tuple[list[_Placed], list[Refused]]:
    """Give the drafts their paths, the source's own page first."""
    refused: list[Refused] = []
    near = NearNames.over([page for page in wiki.pages if page.type != SOURCE])
    by_path = {same_path(page.path): page for page in wiki.pages}
    taken = set(wiki.taken) | set(by_path)
    placed: dict[str, _Placed] = {}
    for draft in sorted(drafts, key=lambda each: not _is_summary(each)):
        if _is_summary(draft):
            known = by_path.get(same_path(summary_path))
            one = _Placed(draft, summary_path, SOURCE, _title(draft), known)
            if same_path(summary_path) in placed:
                refused.append(Refused(draft.path, draft.body, "second page about the source"))
                continue
        else:
            one = _place(draft, wiki.schema, near, by_path, taken | set(placed))
            one = _united(placed, one)
        placed[same_path(one.path)] = one
    return list(placed.values()), refused


def _place(
    draft: PageDraft,
    schema: Schema,
    near: NearNames,
    by_path: Mapping[str, PageRef],
    taken: set[str],
) -> _Placed:
    title = _title(draft)
    known = near.find(title, draft.aliases)
    asked = by_path.get(same_path(draft.path))
    if known is None and asked is not None and asked.type != SOURCE:
        known = asked
    if known is not None:
        return _Placed(draft, known.path, known.type or draft.type, known.title, known)
    place = route(schema, draft.type, draft.path)
    return _Placed(draft, distinct_path(place.folder, title, taken), place.type, title, None)


def _united(placed: Mapping[str, _Placed], one: _Placed) -> _Placed:
    """Bring a draft together with an earlier one of the same page, under whatever spelling."""
    others = [each for each in placed.values() if each.type != SOURCE]
    there = placed.get(same_path(one.path))
    if there is None:
        refs = [
            PageRef(each.path, each.title, each.type, aliases=each.draft.aliases) for each in others
        ]
        found = NearNames.over(refs).find(one.title, one.draft.aliases)
        there = placed.get(same_path(found.path)) if found else None
    if there is None:
        return one
    draft = replace(
        there.draft,
        body=both_bodies(there.draft.body, one.draft.body),
        tags=union(there.draft.tags, one.draft.tags),
        aliases=union(there.draft.aliases, (*one.draft.aliases, one.draft.title)),
        related=union(there.draft.related, one.draft.related),
    )
    return replace(there, draft=draft)


@dataclass(slots=True)
class _Weaving:
    """The pages of one plan on their way to text."""

    source: SourceText
    wiki: Wiki
    loom: Loom
    author: str
    today: date
    reviews: list[ReviewDraft] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def page(self, placed: _Placed, refs: Sequence[PageRef]) -> PlannedPage:
        """Return one page with its body woven and its properties made."""
        woven = self.loom.weave(clean(placed.draft.body), placed.path)
        self.warnings += [f"{each}: {placed.path}" for each in woven.warnings]
        self.warnings += [f"no such page, made text: {each}" for each in woven.unknown]
        self._tell_unproven(placed, woven.unproven)
        self._tell_foreign(placed)
        is_summary = placed.type == SOURCE
        properties = NewProperties(
            type=placed.type,
            title=placed.title,
            created=self.today,
            updated=self.today,
            author=self.author,
            tags=clean_tags(placed.draft.tags, self.wiki.tags),
            aliases=_aliases(placed),
            related=self._related(placed, refs if is_summary else ()),
            sources=(self.source.id,),
            source_sha256=self.source.sha256 if is_summary else "",
            transcribed=self.source.transcribed_by if is_summary else "",
            unread=self.source.unread if is_summary else "",
            extra=_extra(placed.draft.extra),
        )
        return PlannedPage(placed.path, properties, woven.body, placed.known is not None)

    def _related(self, placed: _Placed, always: Sequence[PageRef]) -> tuple[str, ...]:
        """Return links to the pages named, and from a source's page to all of its pages."""
        folder = str(PurePosixPath(placed.path).parent)
        named = [self.loom.targets.find(each, folder) for each in placed.draft.related]
        pages = {page.path: page for page in (*named, *always) if page is not None}
        pages.pop(placed.path, None)
        return tuple(link_to(page.path, page.title) for page in pages.values())

    def _tell_unproven(self, placed: _Placed, claims: Sequence[str]) -> None:
        if not claims:
            return
        self.warnings += [f"claim not confirmed ({claim}): {placed.path}" for claim in claims]
        lines = "\n".join(f"- {claim}" for claim in claims)
        self.reviews.append(
            ReviewDraft(
                ReviewKind.CONFIRM,
                f"Unverified claims on {placed.title}",
                f"These passages are named, but {self.source.id} does not hold them:\n\n{lines}",
                options=("Skip",),
                pages=(placed.path,),
            )
        )

    def _tell_foreign(self, placed: _Placed) -> None:
        own = same_path(self.source.id)
        foreign = [
            name
            for name in placed.draft.sources
            if not same_path(name).removeprefix("raw/").endswith(own.rsplit("/", 1)[-1])
        ]
        if foreign:
            self.warnings.append(f"sources not taken over ({', '.join(foreign)}): {placed.path}")


def _is_summary(draft: PageDraft) -> bool:
    return same_path(draft.path).startswith(SOURCES_FOLDER)


def _title(draft: PageDraft) -> str:
    title = " ".join(clean(draft.title).split())
    return title or PurePosixPath(draft.path).stem.replace("-", " ")


def _aliases(placed: _Placed) -> tuple[str, ...]:
    """Return other names of a page: never its own, nor one that differs in case only."""
    own = same_path(placed.title)
    names = [*placed.draft.aliases, *([placed.draft.title] if placed.known else [])]
    wanted = (" ".join(clean(name).split()) for name in names)
    return union((), (name for name in wanted if name and same_path(name) != own))


def _extra(extra: Mapping[str, str]) -> dict[str, str]:
    kept = {
        key: " ".join(clean(value).split())
        for key, value in extra.items()
        if _PROPERTY.match(key) and key not in _RESERVED and value.strip()
    }
    return dict(list(kept.items())[:MAX_EXTRA])
