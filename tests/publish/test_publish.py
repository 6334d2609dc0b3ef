"""A plan is published whole or not at all, and a person who saves meanwhile wins."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.fakes import NOON, FakeClock
from vaultd.core.listing import INDEX, index_body
from vaultd.core.page import NewProperties, new_page_text
from vaultd.errors import DiskFullError, PageChangedError
from vaultd.model.jobs import JobKind, NewJob
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import PageRef, Refused
from vaultd.publish import (
    Asset,
    Plan,
    Removal,
    Write,
    list_anew,
    publish,
    read_wiki,
    recover,
    versions,
)
from vaultd.publish.catalog import listed_as
from vaultd.store import jobs, pages, plans, sources
from vaultd.store.database import Connection, Database
from vaultd.vault.disk import Disk
from vaultd.vault.files import Vault
from vaultd.vault.layout import make_layout

SOURCE = SourceId("a.pdf")
OLD, NEW, GONE = (VaultPath(f"wiki/concepts/{name}.md") for name in ("Old", "New", "Gone"))
PICTURE = VaultPath("wiki/media/a/image1.png")


class Died(BaseException):
    """Stands for kill -9 at a durable step."""


@dataclass
class FailingDisk(Disk):
    """A real disk that calls `strike` before its `at`-th durable step, from 1."""

    at: int = 0
    steps: int = 0
    strike: Any = None
    names: list[str] = field(default_factory=list)

    def _step(self, name: str) -> None:
        self.steps += 1
        self.names.append(name)
        if self.steps == self.at:
            self.strike()

    def open_new(self, path: Path, mode: int) -> int:
        self._step("open")
        return super().open_new(path, mode)

    def write(self, descriptor: int, content: memoryview) -> int:
        self._step("write")
        return super().write(descriptor, content)

    def replace(self, old: Path, new: Path) -> None:
        self._step("replace")
        super().replace(old, new)

    def exchange(self, one: Path, other: Path) -> bool:
        self._step("exchange")
        return super().exchange(one, other)

    def link_new(self, old: Path, new: Path) -> bool:
        self._step("link")
        return super().link_new(old, new)

    def unlink(self, path: Path) -> None:
        self._step("unlink")
        super().unlink(path)


def die() -> None:
    raise Died


@dataclass
class Wiki:
    """A vault with two pages, a plan over them, and everything that publishing needs."""

    root: Path
    disk: FailingDisk
    clock: FakeClock
    db: Database
    vault: Vault

    def also(self, db: Connection, note: Mapping[str, Any]) -> None:
        db.execute(
            "insert or replace into meta (key, value) values ('receipt', ?)", (note["name"],)
        )

    async def publish(self, plan: Plan) -> Any:
        return await publish(plan, db=self.db, vault=self.vault, clock=self.clock, also=self.also)

    async def recover(self) -> int:
        return await recover(db=self.db, vault=self.vault, clock=self.clock, also=self.also)

    def restart(self) -> None:
        """Come back after a death: what was in memory is gone."""
        self.db.close()
        self.db = Database(self.root / "vaultd.db")
        self.disk = FailingDisk()
        self.vault = Vault(self.vault.root, self.vault.state, self.disk)

    def read(self, path: str) -> str | None:
        content = self.vault.read(VaultPath(path))
        return content.decode() if content is not None else None

    def files(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.vault.root)): path.read_bytes()
            for path in sorted(self.vault.root.rglob("*"))
            if path.is_file() and ".llm-wiki" not in path.parts
        }


def page(title: str, body: str) -> bytes:
    properties = NewProperties(
        "concept", title, NOON.date(), NOON.date(), "offline", sources=(SOURCE,)
    )
    return new_page_text(properties, body).encode()


@cache
def empty_database() -> bytes:
    """A migrated database file: migrating one for every vault would take most of the time."""
    with TemporaryDirectory() as folder:
        Database(Path(folder) / "vaultd.db").close()
        return (Path(folder) / "vaultd.db").read_bytes()


def make_wiki(root: Path) -> Wiki:
    (root / "vault/wiki/concepts").mkdir(parents=True)
    (root / "vaultd.db").write_bytes(empty_database())
    state = make_layout(root / "vault")
    disk = FailingDisk()
    wiki = Wiki(
        root, disk, FakeClock(), Database(root / "vaultd.db"), Vault(root / "vault", state, disk)
    )
    for path, body in ((OLD, "Old text."), (GONE, "Gone text.")):
        content = page(Path(path).stem, body)
        wiki.vault.locate(path).write_bytes(content)
        wiki.db.run_sync(pages.remember, path, content, now=NOON)
    wiki.disk.steps = 0
    wiki.disk.names.clear()
    return wiki


@pytest.fixture
def wiki(tmp_path: Path) -> Iterator[Wiki]:
    made = make_wiki(tmp_path)
    yield made
    made.db.close()


def plan() -> Plan:
    return Plan(
        source=SOURCE,
        writes=(
            Write(OLD, page("Old", "Better text."), page("Old", "Old text.")),
            Write(NEW, page("New", "New text, with a claim."), None),
        ),
        removals=(Removal(GONE, page("Gone", "Gone text.")),),
        assets=(Asset(PICTURE, b"png"),),
        jobs=(NewJob(JobKind.INDEX, NEW, "digest", run_at=NOON + timedelta(hours=1)),),
        dirty=(NEW,),
        events=(("ingest.done", {"source": SOURCE}),),
        refused=(Refused("wiki/x.md", "cut text", "truncated"),),
        log="A report",
        note={"name": "first"},
    )


async def test_plan_leaves_pages_listing_log_history_and_receipt(wiki: Wiki) -> None:
    done = await wiki.publish(plan())
    assert set(done.written) == {OLD, NEW, "wiki/index.md", "wiki/log.md"}
    assert wiki.read(NEW) == page("New", "New text, with a claim.").decode()
    assert wiki.read(GONE) is None
    assert wiki.read(PICTURE) == "png"
    assert wiki.read("wiki/log.md") == "# Log\n\n## [2026-11-29] ingest | A report\n"
    index = wiki.read("wiki/index.md") or ""
    assert "- [[wiki/concepts/New|New]]: New text, with a claim.\n" in index
    assert "Gone" not in index
    kept = versions(wiki.vault, OLD)
    assert [version.when for version in kept] == [NOON]
    assert wiki.vault.read_state(kept[0].name) == page("Old", "Old text.")
    quarantine = list(wiki.vault.state_file("quarantine").iterdir())
    assert "cut text" in quarantine[0].read_text()

    def records(db: Connection) -> list[Any]:
        return [
            db.execute("select value from meta where key = 'receipt'").get,
            db.execute("select subject from jobs where kind = 'index'").get,
            db.execute("select kind from events where kind <> 'job'").get,
            pages.is_own(db, PICTURE, plans._hash(b"png") or ""),
            pages.last_written(db, GONE),
            [change.path for change in plans.changes_by(db, SOURCE)][:3],
        ]

    assert await wiki.db.read(records) == [
        "first", NEW, "ingest.done", True, None, [OLD, NEW, GONE],
    ]  # fmt: skip


async def test_what_was_published_is_listed_at_once_and_right(wiki: Wiki) -> None:
    await wiki.publish(plan())

    listed = await wiki.db.read(pages.listing)

    assert set(listed) == {OLD, NEW, VaultPath("wiki/index.md"), VaultPath("wiki/log.md")}
    assert [ref.abstract if (ref := listed[path].ref) else "" for path in (OLD, NEW)] == [
        "Better text.",
        "New text, with a claim.",
    ]
    await read_wiki(wiki.db, wiki.vault)
    assert await wiki.db.read(pages.listing) == listed  # there was nothing to be found out


async def test_an_index_that_fell_behind_is_made_once(
    wiki: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []

    def counted(listed: Iterable[PageRef]) -> str:
        made.append(listed)
        return index_body(listed)

    async def again() -> bool:
        return await list_anew(db=wiki.db, vault=wiki.vault, clock=wiki.clock, also=lambda *_: None)

    await wiki.publish(plan())
    wiki.vault.locate(NEW).write_bytes(page("Newer", "New text."))
    monkeypatch.setattr("vaultd.core.listing.index_body", counted)

    assert await again()
    assert len(made) == 1
    assert "[[wiki/concepts/New|Newer]]" in (wiki.read(INDEX) or "")
    assert not await again()


async def test_an_index_is_kept_only_where_a_person_wrote_in_its_lines(wiki: Wiki) -> None:
    await wiki.publish(plan())
    more = VaultPath("wiki/concepts/More.md")
    await wiki.publish(Plan(writes=(Write(more, page("More", "More."), None),), note={"name": "x"}))
    assert versions(wiki.vault, INDEX) == []

    place = wiki.vault.locate(INDEX)
    place.write_text(
        place.read_text().replace("[[wiki/concepts/More", "Mine: [[wiki/concepts/More")
    )
    edited = place.read_bytes()
    last = VaultPath("wiki/concepts/Last.md")
    wiki.clock.pass_(days=400)
    await wiki.publish(Plan(writes=(Write(last, page("Last", "Last."), None),), note={"name": "x"}))

    (kept,) = versions(wiki.vault, INDEX)
    assert wiki.vault.read_state(kept.name) == edited


async def test_of_many_sources_the_last_one_lists_what_all_of_them_made(wiki: Wiki) -> None:
    other, digest = SourceId("b.pdf"), "d" * 64
    job = NewJob(JobKind.INGEST, VaultPath(f"raw/{other}"), digest)
    await wiki.db.run(jobs.enqueue_all, [job], now=NOON)
    await wiki.publish(replace(plan(), burst=True))
    assert wiki.read(INDEX) is None  # another source is under way

    write = Write(VaultPath("wiki/concepts/More.md"), page("More", "More."), None)
    await wiki.db.run(sources.see, other, VaultPath(job.subject), digest, now=NOON)
    await wiki.publish(Plan(source=other, writes=(write,), burst=True, note={"name": "x"}))

    index = wiki.read(INDEX) or ""
    assert "[[wiki/concepts/New" in index
    assert "[[wiki/concepts/More" in index


async def test_a_note_somebody_saved_over_is_not_listed_as_ours(wiki: Wiki) -> None:
    await read_wiki(wiki.db, wiki.vault)
    theirs = (await wiki.db.read(pages.listing))[OLD]

    assert listed_as(wiki.vault, OLD, page("Old", "Old text.")) == theirs
    assert listed_as(wiki.vault, OLD, page("Old", "What we wrote.")) is None
    assert listed_as(wiki.vault, NEW, b"gone meanwhile") is None


async def test_same_plan_is_refused_whole_once_a_page_differs(wiki: Wiki) -> None:
    wiki.vault.locate(OLD).write_bytes(b"mine")
    before = wiki.files()
    with pytest.raises(PageChangedError):
        await wiki.publish(plan())
    assert wiki.files() == before
    assert await wiki.recover() == 0


async def test_note_saved_a_moment_ago_is_waited_for(wiki: Wiki) -> None:
    mine = page("Old", "My own text.")
    place = wiki.vault.locate(OLD)
    place.write_bytes(mine)
    wiki.clock.now = NOON
    saved = (NOON - timedelta(seconds=4)).timestamp()
    os.utime(place, (saved, saved))
    new = Plan(writes=(Write(OLD, page("Old", "x"), mine),), note={"name": "x"})
    with pytest.raises(PageChangedError) as error:
        await wiki.publish(new)
    assert (error.value.retry_after, error.value.counted) == (timedelta(seconds=6), False)
    assert place.read_bytes() == mine
    wiki.clock.pass_(seconds=7)
    await wiki.publish(new)
    assert place.read_bytes() == page("Old", "x")


async def finished(wiki: Wiki) -> dict[str, bytes]:
    await wiki.publish(plan())
    return wiki.files()


def die_at_steps(tmp_path: Path, stride: int) -> None:
    whole_wiki = make_wiki(tmp_path / "whole")
    untouched = whole_wiki.files()
    whole = asyncio.run(finished(whole_wiki))
    steps = whole_wiki.disk.steps
    whole_wiki.db.close()
    assert steps > 15
    for at in range(1, steps + 1, stride):
        wiki = make_wiki(tmp_path / str(at))
        wiki.disk.at, wiki.disk.strike = at, die
        with pytest.raises(Died):
            asyncio.run(wiki.publish(plan()))
        wiki.restart()
        wiki.vault.sweep()
        if asyncio.run(wiki.recover()):
            assert wiki.files() == whole, f"step {at}"
        else:
            left = {path: text for path, text in wiki.files().items() if "media" not in path}
            assert left == untouched, f"step {at}"
            assert asyncio.run(finished(wiki)) == whole
        assert asyncio.run(wiki.recover()) == 0
        wiki.db.close()


def test_death_at_every_third_step_leaves_all_or_nothing(tmp_path: Path) -> None:
    die_at_steps(tmp_path, 3)


@pytest.mark.full
@pytest.mark.timeout(300)
def test_death_at_every_step_leaves_all_or_nothing(tmp_path: Path) -> None:
    die_at_steps(tmp_path, 1)


def test_second_death_while_recovering_changes_nothing(tmp_path: Path) -> None:
    whole_wiki = make_wiki(tmp_path / "whole")
    whole = asyncio.run(finished(whole_wiki))
    whole_wiki.db.close()
    for again in range(1, 14, 4):
        wiki = make_wiki(tmp_path / str(again))
        wiki.disk.at, wiki.disk.strike = 9, die
        with pytest.raises(Died):
            asyncio.run(wiki.publish(plan()))
        wiki.restart()
        wiki.disk.at, wiki.disk.strike = again, die
        try:
            asyncio.run(wiki.recover())
        except Died:
            wiki.restart()
            asyncio.run(wiki.recover())
        wiki.vault.sweep()
        assert wiki.files() == whole
        wiki.db.close()


def test_full_disk_is_told_and_the_plan_finished_when_there_is_space(tmp_path: Path) -> None:
    whole_wiki = make_wiki(tmp_path / "whole")
    whole = asyncio.run(finished(whole_wiki))
    steps = whole_wiki.disk.steps
    whole_wiki.db.close()

    def full() -> None:
        raise OSError(28, "No space left on device")

    for at in range(2, steps, 8):
        wiki = make_wiki(tmp_path / str(at))
        wiki.disk.at, wiki.disk.strike = at, full
        with pytest.raises(DiskFullError):
            asyncio.run(wiki.publish(plan()))
        if not asyncio.run(wiki.recover()):
            asyncio.run(wiki.publish(plan()))
        wiki.vault.sweep()
        assert wiki.files() == whole
        wiki.db.close()


def race(tmp_path: Path, seed: int) -> None:
    """A person appends to a page at some step of the publishing; their line must stay."""
    rng = random.Random(seed)
    wiki = make_wiki(tmp_path / str(seed))
    path = rng.choice([OLD, OLD, VaultPath("wiki/index.md"), VaultPath("wiki/log.md"), NEW])
    place = wiki.vault.locate(path)
    words = f"My words {seed}.\n"

    def save() -> None:
        there = place.read_text() if place.exists() else ""
        place.write_text(there + words)

    wiki.disk.at, wiki.disk.strike = rng.randint(1, 30), save
    try:
        asyncio.run(wiki.publish(plan()))
    except PageChangedError:
        asyncio.run(wiki.recover())
    text = place.read_text()
    if wiki.disk.steps >= wiki.disk.at:
        assert words in text, (seed, path, wiki.disk.names[wiki.disk.at - 1])
        assert text.count(words) == 1
        assert text.count("---\ntype:") <= 1
    wiki.db.close()


def test_persons_save_at_any_moment_is_kept(tmp_path: Path) -> None:
    for seed in range(12):
        race(tmp_path, seed)


@pytest.mark.full
@pytest.mark.timeout(300)
def test_persons_save_at_any_moment_is_kept_500_times(tmp_path: Path) -> None:
    for seed in range(1000, 1500):
        race(tmp_path, seed)


async def test_page_deleted_by_a_person_meanwhile_is_not_made_again(wiki: Wiki) -> None:
    wiki.disk.at, wiki.disk.strike = 8, wiki.vault.locate(OLD).unlink
    done = await wiki.publish(plan())
    if wiki.read(OLD) is None:
        assert done.kept[0][0] == OLD
        assert b"Better text." in (wiki.vault.read_state(done.kept[0][1]) or b"")


async def test_listing_is_not_written_when_nothing_changed(wiki: Wiki) -> None:
    await wiki.publish(plan())
    wiki.disk.steps = 0
    done = await wiki.publish(Plan(note={"name": "again"}))
    assert done.written == ()
    assert wiki.disk.steps == 0


async def test_pages_are_read_again_only_where_they_changed(wiki: Wiki) -> None:
    folder = wiki.vault.locate(VaultPath("wiki/concepts"))
    for number in range(300):
        (folder / f"Page {number}.md").write_bytes(page(f"Page {number}", "Text."))
    assert len((await read_wiki(wiki.db, wiki.vault)).pages) == 302
    began = time.perf_counter()
    again = await read_wiki(wiki.db, wiki.vault)
    assert time.perf_counter() - began < 1
    assert len(again.pages) == 302
