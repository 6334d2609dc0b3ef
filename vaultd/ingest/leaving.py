"""A source leaves pages: which go, which are written anew, and which a person keeps."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import PurePosixPath

import structlog

from vaultd.author.seam import Author, MergeRequest
from vaultd.core.block_path import same_path
from vaultd.core.link import Resolver, Targets, find_links, unlinked
from vaultd.core.listing import INDEX, LOG, is_page
from vaultd.core.merge import adds_nothing, both_bodies, claims_of, merge_faults
from vaultd.core.names import media_folder
from vaultd.core.page import parse_page
from vaultd.core.plan import PagePlan
from vaultd.core.region import RegionError, without_regions
from vaultd.core.relink import with_links_changed, without_claims_of
from vaultd.core.update import Leaving, Standing, Updated, left_to_person, page_without
from vaultd.core.weave import Loom
from vaultd.errors import PropertiesError, VaultdError
from vaultd.ingest.aftermath import conflict
from vaultd.ingest.desk import Desk
from vaultd.ingest.edits import Edits, Note
from vaultd.ingest.material import Material
from vaultd.model.paths import Clock, SourceId, VaultPath
from vaultd.model.wiki import OFFLINE, Refused
from vaultd.publish.catalog import read_wiki
from vaultd.publish.links import LinkMap
from vaultd.publish.plan import Removal, Write
from vaultd.publish.questions import Question
from vaultd.store import contributions, ingest_cache, pages
from vaultd.store.contributions import Contribution
from vaultd.store.database import Database
from vaultd.vault.files import Vault

MEDIA = "wiki/media/"

log = structlog.get_logger()


@dataclass(slots=True)
class Leave:
    """The departure of `source` from pages; what it comes to is gathered and not yet written.

    `author` unites what remaining sources say (None: by rule, no model is asked). `trusting`
    takes a page whose base is unknown for ours: only on a person's own word. `withheld` are
    pages that it stays on for now.
    """

    source: SourceId
    db: Database
    vault: Vault
    clock: Clock
    links: LinkMap
    edits: Edits
    author: Author | None = None
    trusting: bool = False
    removed: dict[VaultPath, Removal] = field(default_factory=dict)
    pictures: dict[VaultPath, Removal] = field(default_factory=dict)
    kept: list[VaultPath] = field(default_factory=list)
    rewritten: list[VaultPath] = field(default_factory=list)
    relinked: list[VaultPath] = field(default_factory=list)
    theirs: list[VaultPath] = field(default_factory=list)
    conflicts: dict[VaultPath, Updated] = field(default_factory=dict)
    withheld: list[VaultPath] = field(default_factory=list)

    async def page(self, path: VaultPath) -> None:
        """Take the source off one page."""
        note = await self.edits.note(path)
        if note is None or not note.ours:
            return  # a page that is the person's may name whatever it likes
        page = parse_page(note.text)
        own = same_path(self.source)
        others = [each for each in page.sources if same_path(each) != own]
        if len(others) == len(page.sources):
            return
        try:
            if others:
                await self._share(note, others)
            elif self._is_ours_alone(note) and note.expect is not None and not page.reviewed:
                self.removed[path] = Removal(path, note.expect)
                self.edits.drop(path)
            else:
                self.edits.put(note, left_to_person(note.text), None)
                self._keep(path)
        except (PropertiesError, RegionError) as error:
            log.warning("page left as it is", path=path, reason=str(error))
            self._keep(path)

    def outcome(self) -> dict[str, list[VaultPath]]:
        """Return what became of the pages, for whoever asked for the departure."""
        return {
            "removed": sorted(self.removed),
            "rewritten": sorted(self.rewritten),
            "kept": sorted(self.kept),
            "unlinked": sorted(self.relinked),
            "pictures": sorted(self.pictures),
        }

    def _is_ours_alone(self, note: Note) -> bool:
        return self.trusting if note.base is None else note.text == note.base

    def _keep(self, path: VaultPath) -> None:
        self.kept.append(path)
        self.theirs.append(path)

    async def _share(self, note: Note, others: Sequence[SourceId]) -> None:
        said = await self.db.read(contributions.to_page, note.path)
        by_name = {same_path(source): each for source, each in said.items()}
        standing = Standing(note.text, note.base)
        known = [by_name[same_path(each)] for each in others if same_path(each) in by_name]
        if len(known) == len(others):
            body = await self._united(note.path, known)
        else:
            body = without_claims_of(without_regions(standing.ours.body), self.source)
        leaving = _leaving(self.source, by_name.get(same_path(self.source)), known)
        updated = page_without(standing, body, leaving, self.clock().date())
        self.edits.put(note, updated.text, updated.ours)
        self.rewritten.append(note.path)
        if updated.proposal is not None:
            self.conflicts[note.path] = updated

    async def _united(self, path: VaultPath, known: Sequence[Contribution]) -> str:
        body = known[0].body
        for before, each in zip(known, known[1:], strict=False):
            if adds_nothing(each.body, body):
                body = each.body
            elif not adds_nothing(body, each.body):
                body = await self._merged(path, body, each, before.source)
        return body

    async def _merged(
        self, path: VaultPath, body: str, more: Contribution, before: SourceId
    ) -> str:
        by_rule = both_bodies(body, more.body)
        if self.author is None:
            return by_rule
        request = MergeRequest(path, more.title, "", body, more.body, (before,), more.source)
        try:
            reply = await self.author.merge(request)
        except VaultdError as error:
            log.warning("merged by rule", path=path, reason=error.code)
            return by_rule
        listed = (await read_wiki(self.db, self.vault)).pages
        there = [page for page in listed if page.path not in self.removed]
        shown = {same_path(PurePosixPath(each).name): each for each in _pictures_in(by_rule)}
        loom = Loom(more.source, VaultPath(f"raw/{more.source}"), frozenset(), Targets.over(there))
        proven = claims_of(body) | claims_of(more.body)
        merged = replace(loom, media=shown, proven=proven).weave(reply, path).body
        return by_rule if merge_faults(body, more.body, merged) else merged

    async def finish(self, vanished: Iterable[VaultPath] = ()) -> None:
        """Take away pictures nobody shows any more, and make links to what is gone text.

        `vanished` are files that are gone already.
        """
        await asyncio.to_thread(self.links.look)
        resolver = self.links.resolver(back=vanished)
        await self._pictures(resolver)
        gone = {*self.removed, *self.pictures, *vanished}
        for path in self.links.naming(gone):
            if path in self.removed or path in (INDEX, LOG):
                continue
            note = await self.edits.note(path)
            change = partial(unlinked, near=path, gone=gone, resolver=resolver)
            if await self.edits.change(path, partial(with_links_changed, change=change)):
                self.relinked.append(path)
                if note is not None and not note.ours:
                    self.theirs.append(path)

    async def _pictures(self, resolver: Resolver) -> None:
        shown = set[VaultPath]()
        for path in self.removed:
            note = self.links.notes.get(path)
            for target in note.targets if note else ():
                found = resolver.resolve(target, path)
                shown |= {found} if found and found.startswith(MEDIA) else set()
            if path.startswith("wiki/sources/"):
                folder = media_folder(self.source, path)
                shown |= {each for each in self.links.files if each.startswith(f"{folder}/")}
        for path in sorted(shown - self._still_shown(shown, resolver)):
            content = await asyncio.to_thread(self.vault.read, path)
            written = await self.db.read(pages.last_written, path)
            if content and written and written.sha256 == sha256(content).hexdigest():
                self.pictures[path] = Removal(path, content)

    def _still_shown(
        self, pictures: Collection[VaultPath], resolver: Resolver
    ) -> set[VaultPath | None]:
        return {
            resolver.resolve(target, path)
            for path in self.links.naming(pictures)
            if path not in self.removed
            for target in self.links.notes[path].targets
        }

    async def questions(self) -> list[Question]:
        """Return what has to be asked about pages on which a person stood against us."""
        asked: list[Question] = []
        for path, updated in self.conflicts.items():
            note = await self.edits.note(path)
            if note is not None:
                title = parse_page(note.text).title or PurePosixPath(path).stem
                asked.append(conflict(title, path, replace(updated, text=note.text)))
        return asked

    @property
    def removals(self) -> tuple[Removal, ...]:
        """The pages and pictures that go to the trash."""
        return (*self.removed.values(), *self.pictures.values())

    @property
    def gone(self) -> list[VaultPath]:
        """The paths of what goes."""
        return [*self.removed, *self.pictures]


async def superseded(
    material: Material,
    plan: PagePlan,
    writes: Iterable[Write],
    desk: Desk,
    *,
    refused: Iterable[Refused] = (),
) -> Leave:
    """Take a source off the pages that were made of it before, and that `plan` does not hold.

    They say what its text said then. Of one and the same text a model's pages stay: it does not
    name the same ones twice. All stay where a page was `refused`, since it may be one of them.
    `writes` are those of the plan; the edits returned hold them too.
    """
    source = material.source.id
    edits = Edits(desk.db, desk.vault, writes)
    leave = Leave(source, desk.db, desk.vault, desk.clock, LinkMap(desk.vault), edits, desk.author)
    made = await desk.db.read(ingest_cache.made_before, source)
    stay = {same_path(page.path) for page in plan.pages}
    left = [path for path in made.pages if same_path(path) not in stay]
    outdated = made.text_sha256 != material.text_sha256 or made.recipe.startswith(OFFLINE)
    whole = not any(not each.path or is_page(VaultPath(each.path)) for each in refused)
    if left and outdated and whole:
        for path in left:
            await leave.page(path)
        await leave.finish()
    else:
        leave.withheld += left
    return leave


def _leaving(source: SourceId, own: Contribution | None, others: Sequence[Contribution]) -> Leaving:
    if own is None:
        return Leaving(source)
    tags = {tag for each in others for tag in each.tags}
    names = {name for each in others for name in (*each.aliases, each.title)}
    return Leaving(
        source,
        tuple(tag for tag in own.tags if tag not in tags),
        tuple(name for name in own.aliases if name not in names),
    )


def _pictures_in(body: str) -> list[VaultPath]:
    return [VaultPath(link.target) for link in find_links(body) if link.target.startswith(MEDIA)]
