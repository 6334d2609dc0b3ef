"""A wiki made in milliseconds: drafts are published as an ingest would, no document is read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, cast

import pytest

from tests.fakes import FakeClock
from tests.wiki_checks import vault_files
from vaultd.author.offline import OfflineAuthor
from vaultd.core.pictures import picture_paths
from vaultd.ingest.captions import CaptionCache
from vaultd.ingest.desk import Desk, IngestRules
from vaultd.ingest.drafting import Drafted
from vaultd.ingest.material import Material, pictures_folder
from vaultd.ingest.moving import Mover
from vaultd.ingest.publication import publish_source
from vaultd.ingest.source import summary_path_of
from vaultd.ingest.turns import PublishOrder
from vaultd.ingest.undoing import Undoing
from vaultd.ingest.withdrawal import Withdrawal
from vaultd.model.document import ExtractedImage, ExtractedPage
from vaultd.model.jobs import Job, JobKind
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import Draft, PageDraft, PageRef, Refused, SourceText, WikiContext
from vaultd.publish.links import LinkMap
from vaultd.reading import Reader
from vaultd.store import files, sources
from vaultd.store.database import Connection, Database
from vaultd.vault.files import Vault

PNG = b"\x89PNG not really, but nobody looks"
Pages = Mapping[str, str]  # title -> body
NO_PAGES: Pages = {}


@dataclass
class World:
    """A vault in which sources are written without being read."""

    vault: Vault
    db: Database
    clock: FakeClock
    links: LinkMap = field(init=False)
    desk: Desk = field(init=False)
    number: int = 0

    def __post_init__(self) -> None:
        author = OfflineAuthor()
        self.links = LinkMap(self.vault)
        self.desk = Desk(
            vault=self.vault,
            db=self.db,
            reader=cast(Reader, None),  # nothing is read here
            author=author,
            captions=CaptionCache(self.vault, author, self.clock, concurrency=1),
            order=PublishOrder(),
            near_pages=_no_pages,
            clock=self.clock,
            rules=IngestRules(),
        )

    async def ingest(
        self,
        name: str,
        pages: Pages = NO_PAGES,
        *,
        picture: bool = False,
        recipe: str = "offline",
        content: str = "",
        refused: tuple[Refused, ...] = (),
    ) -> Mapping[str, Any]:
        """Drop `raw/<name>` and publish its own page and concept pages as an ingest would."""
        path = VaultPath(f"raw/{name}")
        place = self.vault.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        content = content or f"{name} {sorted(pages.items())}"
        place.write_text(content, "utf-8")
        digest = sha256(content.encode()).hexdigest()
        identity = SourceId(name)
        await self.db.run(_see, identity, path, digest, place.stat(), now=self.clock())
        summary = await summary_path_of(identity, self.desk)
        source = SourceText(
            identity,
            path,
            digest,
            name,
            "en",
            (ExtractedPage(1, content), ExtractedPage(2, "More.")),
        )
        images: tuple[ExtractedImage, ...] = ()
        if picture:
            images = (ExtractedImage(digest, None, 120, 90, "png", "a chart", data=PNG),)
        folder = await pictures_folder(identity, summary, self.desk)
        paths = tuple(picture_paths(folder, images))
        material = Material(source, images, paths, digest)
        drafts = [
            PageDraft(summary, "source", name, f"What {name} says. [[raw/{name}]]"),
            *(
                PageDraft(VaultPath(f"wiki/concepts/{title}.md"), "concept", title, body)
                for title, body in pages.items()
            ),
        ]
        context = WikiContext("", "", (), 0, summary, "", self.clock().date())
        drafted = Drafted(Draft(tuple(drafts), refused=refused), ())
        self.clock.pass_(minutes=1)
        return await publish_source(material, drafted, context, self.desk, recipe=recipe)

    def text(self, path: str) -> str:
        """Return the text of a note."""
        return (self.vault.root / path).read_text("utf-8")

    def write(self, path: str, text: str) -> None:
        """Save a note as a person does, long enough ago."""
        place = self.vault.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
        self.clock.pass_(days=400)

    def has(self, path: str) -> bool:
        """Tell whether there is a file."""
        return (self.vault.root / path).is_file()

    async def move(self, old: str, new: str, role: str = "source") -> Mapping[str, Any]:
        """Move a file as a person does, and follow it as the worker would."""
        place = self.vault.root / new
        place.parent.mkdir(parents=True, exist_ok=True)
        (self.vault.root / old).rename(place)
        return await self.follow(old, new, role)

    async def follow(self, old: str, new: str, role: str = "source") -> Mapping[str, Any]:
        """Follow a move that was made as the worker would."""
        mover = Mover(self.vault, self.db, self.clock, self.desk.order, self.links)
        return await mover.move(self.job(JobKind.MOVE, old, to=new, role=role), nothing)

    def withdrawal(self) -> Withdrawal:
        """Return what takes sources back."""
        desk = self.desk
        return Withdrawal(self.vault, self.db, self.clock, desk.author, desk.order, self.links)

    async def vanish(self, path: str) -> Mapping[str, Any]:
        """Delete a source as a person does, and act as when the grace time is over."""
        (self.vault.root / path).unlink()
        return await self.withdrawal().retract(self.job(JobKind.RETRACT, path), nothing)

    async def forget(self, source: str, **payload: object) -> Mapping[str, Any]:
        """Forget a source as the worker would."""
        return await self.withdrawal().forget(self.job(JobKind.FORGET, source, **payload), nothing)

    async def undo(self, source: str) -> Mapping[str, Any]:
        """Undo the last ingest of a source as the worker would."""
        undoing = Undoing(self.vault, self.db, self.clock, self.desk.order, self.links)
        return await undoing.undo(self.job(JobKind.UNDO, source), nothing)

    def snapshot(self) -> dict[str, bytes]:
        """Return every file of the vault that people see."""
        root = self.vault.root
        return {path: (root / path).read_bytes() for path in vault_files(root)}

    def tell(self, stage: str, done: int = 0, total: int = 0) -> None:
        """Tell nobody."""

    def job(self, kind: JobKind, subject: str, **payload: object) -> Job:
        """Return a claimed job."""
        self.number += 1
        return Job(self.number, kind, subject, "", payload, 1, self.number)


@pytest.fixture
def world(vault: Vault, db: Database, clock: FakeClock) -> Iterator[World]:
    """An empty wiki."""
    world = World(vault, db, clock)
    yield world
    if world.db is not db:
        world.db.close()


def nothing(stage: str, done: int = 0, total: int = 0) -> None:
    """Tell nobody."""


def _see(
    db: Connection, identity: SourceId, path: VaultPath, digest: str, about: Any, *, now: Any
) -> None:
    sources.see(db, identity, path, digest, now=now)
    files.expect(db, path, digest, files.SOURCE)


async def _no_pages(text: str, k: int) -> tuple[PageRef, ...]:
    await asyncio.sleep(0)
    return ()
