"""Faults of the system behind spec/000 that must not exist here, by their ids."""

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.fakes import FakeClock
from tests.summarize.conftest import MakeSummarizer
from tests.summarize.fakes import FakeAuthor, FakeEmbedder, page, put, snapshot, tree_of
from vaultd.author.seam import FolderRequest, FolderText
from vaultd.core.staleness import Maker
from vaultd.errors import DiskFullError
from vaultd.model.jobs import Job, JobKind
from vaultd.model.paths import VaultPath
from vaultd.model.summary import ChildSummary, Node, NodeKind, NodeState
from vaultd.store import jobs, nodes, summaries
from vaultd.store.database import Database
from vaultd.summarize.dag import Ascent, Ending, Settled, Visit
from vaultd.summarize.describe import Describer
from vaultd.summarize.summarizer import DirectorySummarizer
from vaultd.vault.files import Vault

WIKI = VaultPath("wiki")


async def test_s1_runs_inside_a_running_loop(summarizer: DirectorySummarizer, vault: Vault) -> None:
    put(vault, tree_of(depth=1, fan=2, notes=1))

    both = await asyncio.gather(summarizer.refresh_all(), summarizer.refresh_all())

    assert all(result.success for result in both)
    assert sum(result.calls for result in both) == 3


async def test_s2_tree_that_is_no_tree_ends_instead_of_waiting_for_ever() -> None:
    async def visit(path: VaultPath, settled: Settled) -> Visit:
        return Visit(Ending.OK, changed=True)

    a, b = VaultPath("wiki/a"), VaultPath("wiki/a/b")
    ascent = Ascent({a: {b}, b: {a}}, {a, b}, visit, width=2)

    with pytest.raises(ExceptionGroup, match="unhandled"):
        await asyncio.wait_for(ascent.run(), timeout=5)
    assert ascent.endings[Ending.CANCELLED] == 2


async def test_s2_child_listed_twice_is_one_child() -> None:
    visited = []

    async def visit(path: VaultPath, settled: Settled) -> Visit:
        visited.append(path)
        return Visit(Ending.OK, changed=True)

    child = VaultPath("wiki/a")
    endings = await Ascent({WIKI: [child, child], child: []}, {child}, visit, width=4).run()

    assert visited == ["wiki/a", "wiki"]
    assert endings[Ending.OK] == 2


async def test_s3_error_of_one_folder_ends_that_folder_only(
    summarizer: DirectorySummarizer, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(vault, {"wiki/a/x.md": page("x", "One."), "wiki/b/y.md": page("y", "Two.")})
    listed = summarizer.tree.children

    def refuse(folder: VaultPath) -> object:
        if folder == "wiki/a":
            raise OSError(5, "Input/output error")
        return listed(folder)

    monkeypatch.setattr(summarizer.tree, "children", refuse)
    result = await summarizer.refresh_all()

    assert (result.failed, result.success, result.records_upserted) == (1, False, 2)


async def test_s3_bug_in_one_folder_is_that_folders_failure(
    summarizer: DirectorySummarizer, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(vault, {"wiki/a/x.md": page("x", "One."), "wiki/b/y.md": page("y", "Two.")})
    folders = list(summarizer.tree.folders_below(WIKI))
    listed = summarizer.tree.children

    def broken(folder: VaultPath) -> object:
        if folder == "wiki/a":
            raise ZeroDivisionError
        return listed(folder)

    monkeypatch.setattr(summarizer.tree, "children", broken)
    monkeypatch.setattr(summarizer.tree, "folders_below", lambda root: iter(folders))
    result = await summarizer.refresh_all()

    assert (result.failed, result.records_upserted) == (1, 2)


async def test_s5_cancelled_run_ends_every_folder_and_leaves_no_task(
    summarizer: DirectorySummarizer, vault: Vault, author: FakeAuthor
) -> None:
    put(vault, tree_of(depth=2, fan=3, notes=1))
    author.latency = 10
    before = asyncio.all_tasks()
    run = asyncio.create_task(summarizer.refresh_all())
    await author.working.wait()

    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run

    assert author.open == 0
    assert asyncio.all_tasks() - before == set()


async def test_s5_run_after_a_cancelled_one_finishes_the_rest(
    summarizer: DirectorySummarizer, vault: Vault, author: FakeAuthor
) -> None:
    put(vault, tree_of(depth=2, fan=3, notes=1))
    author.latency = 0.005
    run = asyncio.create_task(summarizer.refresh_all())
    await author.working.wait()
    await asyncio.sleep(0.012)
    run.cancel()
    await asyncio.gather(run, return_exceptions=True)

    result = await summarizer.refresh_all()

    assert result.records_upserted == 13
    assert author.calls <= 13 + 10


async def test_row_stored_by_another_run_meanwhile_is_looked_at_again(
    summarizer: DirectorySummarizer,
    vault: Vault,
    author: FakeAuthor,
    db: Database,
    clock: FakeClock,
    make: MakeSummarizer,
) -> None:
    put(vault, {"wiki/a.md": page("a", "One.")})

    def other_run(_: str) -> None:
        author.fault = None
        row = Node(WIKI, NodeKind.FOLDER, NodeState.OK, "other", "Theirs.", "Theirs.", generation=1)
        db.run_sync(nodes.store_node, row, now=clock())

    author.fault = other_run
    result = await summarizer.refresh_all()

    row = await db.read(nodes.node, WIKI)
    assert row is not None
    assert (row.generation, result.records_upserted) == (2, 1)
    assert row.abstract in (vault.root / "wiki/overview.md").read_text("utf-8")


async def test_s7_empty_folder_is_not_asked_for(
    summarizer: DirectorySummarizer, vault: Vault, author: FakeAuthor, db: Database
) -> None:
    put(vault, {"wiki/a.md": page("a", "One.")})
    (vault.root / "wiki/empty").mkdir()

    result = await summarizer.refresh_all()

    assert author.asked() == ["wiki"]
    assert result.empty >= 1
    assert await db.read(nodes.node, VaultPath("wiki/empty")) is None


async def test_s9_no_child_is_invisible(
    summarizer: DirectorySummarizer, vault: Vault, author: FakeAuthor
) -> None:
    put(vault, {f"wiki/n{n}.md": page(f"n{n}", f"Note {n}.") for n in range(60)})
    for number in range(60):
        put(vault, {f"wiki/f{number}/x.md": page("x", f"Folder {number}.")})

    await summarizer.refresh_all()

    seen = {child.name for each in author.folders if each.folder == WIKI for child in each.children}
    assert len(seen) == 120
    note = (vault.root / "wiki/overview.md").read_text("utf-8")
    assert all(f"[[wiki/n{n}|n{n}]]" in note for n in range(60))


async def test_s10_files_are_read_off_the_loop(
    summarizer: DirectorySummarizer, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(vault, tree_of(depth=1, fan=1, notes=1))
    threads = set()
    read = vault.read

    def noticed(path: VaultPath) -> bytes | None:
        threads.add(threading.get_ident())
        return read(path)

    monkeypatch.setattr(vault, "read", noticed)
    await summarizer.refresh_all()

    assert threads
    assert threading.get_ident() not in threads


async def test_s10_languages_and_digests_are_found_off_the_loop(
    summarizer: DirectorySummarizer, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(vault, tree_of(depth=1, fan=1, notes=2))
    threads = set()
    maker = Describer.maker

    def noticed(self: Describer, children: Sequence[ChildSummary]) -> Maker:
        threads.add(threading.get_ident())
        return maker(self, children)

    monkeypatch.setattr(Describer, "maker", noticed)
    await summarizer.refresh_all()

    assert threads
    assert threading.get_ident() not in threads


async def test_s11_two_runs_share_one_limit_and_reach_it(
    make: MakeSummarizer, vault: Vault, author: FakeAuthor
) -> None:
    summarizer = make(max_concurrent_llm=4, roots=("wiki", "more"))
    files = tree_of(depth=1, fan=8, notes=1)
    put(vault, files | {path.replace("wiki", "more", 1): text for path, text in files.items()})
    author.latency = 0.01

    await asyncio.gather(
        summarizer.refresh_tree(VaultPath("wiki")), summarizer.refresh_tree(VaultPath("more"))
    )

    assert author.peak == 4


async def test_s13_many_writes_are_one_run(
    summarizer: DirectorySummarizer, vault: Vault, db: Database, clock: FakeClock
) -> None:
    for number in range(30):
        path = VaultPath(f"wiki/n{number}.md")
        put(vault, {path: page("n", f"Text {number}.")})
        await db.run(nodes.mark_dirty, [path], reason="new", now=clock())
    clock.pass_(seconds=5)

    first = await db.run(jobs.claim, kinds=[JobKind.SUMMARIZE], now=clock())
    second = await db.run(jobs.claim, kinds=[JobKind.SUMMARIZE], now=clock())

    assert first is not None
    assert second is None


async def test_s15_row_and_vectors_are_stored_together_or_not_at_all(
    summarizer: DirectorySummarizer, vault: Vault, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(vault, {"wiki/a.md": page("a", "One.")})

    def full(*_: object) -> None:
        raise DiskFullError("no space left")

    monkeypatch.setattr(summaries, "store_vectors", full)
    with pytest.raises(ExceptionGroup):
        await summarizer.refresh_all()

    assert await db.read(nodes.node, WIKI) is None
    assert not (vault.root / "wiki/overview.md").exists()


async def test_s16_level_that_is_not_made_again_is_gone(db: Database) -> None:
    embedder = FakeEmbedder()
    one, two = await embedder.embed(["a", "b"])
    assert one is not None
    assert two is not None
    await db.run(summaries.store_vectors, WIKI, "fake-8", {0: one, 1: two})
    await db.run(summaries.store_vectors, WIKI, "fake-8", {0: one})

    levels = await db.read(
        lambda connection: connection.execute("select level from summary_vectors").fetchall()
    )
    assert levels == [(0,)]


class EmptyAuthor(FakeAuthor):
    async def summarise(self, request: FolderRequest) -> FolderText:
        self.folders.append(request)
        return FolderText(" ", "")


async def test_s17_empty_reply_is_no_summary(
    db: Database, vault: Vault, clock: FakeClock, make: MakeSummarizer
) -> None:
    put(vault, {"wiki/a.md": page("a", "One.")})
    summarizer = make()
    summarizer.asker.author = EmptyAuthor()

    result = await summarizer.refresh_all()

    row = await db.read(nodes.node, WIKI)
    assert row is not None
    assert (row.state, row.error_code, row.attempts) == (NodeState.FALLBACK, "bad_reply", 1)
    assert result.faults == {"bad_reply": 1}


async def test_s18_prompt_and_digest_know_no_path_above_the_folder(
    summarizer: DirectorySummarizer, vault: Vault, author: FakeAuthor, db: Database
) -> None:
    put(vault, {"wiki/old/deep/x.md": page("x", "One.")})
    await summarizer.refresh_all()
    before = await db.read(nodes.node, VaultPath("wiki/old/deep"))
    (vault.root / "wiki/old").rename(vault.root / "wiki/new")
    author.forget()

    await summarizer.refresh_all()

    after = await db.read(nodes.node, VaultPath("wiki/new/deep"))
    assert before is not None
    assert after == replace(before, path=VaultPath("wiki/new/deep"))
    assert author.asked() == ["wiki"]


async def test_s21_s22_each_run_counts_its_own_work(
    make: MakeSummarizer, vault: Vault, author: FakeAuthor
) -> None:
    summarizer = make(roots=("one", "two"))
    put(vault, {"one/a.md": "A.\n", "two/b/c.md": "C.\n"})
    author.latency = 0.005

    first, second = await asyncio.gather(
        summarizer.refresh_tree(VaultPath("one")), summarizer.refresh_tree(VaultPath("two"))
    )

    assert (first.calls, first.rows, first.records_upserted) == (1, 1, 1)
    assert (second.calls, second.rows, second.records_upserted) == (2, 2, 2)


async def test_s23_the_file_system_says_what_is_a_folder(
    summarizer: DirectorySummarizer, vault: Vault, author: FakeAuthor
) -> None:
    put(vault, {"wiki/looks like a note.md/x.md": page("x", "One."), "wiki/plain": "no note"})

    await summarizer.refresh_all()

    assert author.asked() == ["wiki/looks like a note.md", "wiki"]


async def test_s24_own_note_leads_to_no_further_work(
    summarizer: DirectorySummarizer,
    vault: Vault,
    author: FakeAuthor,
    db: Database,
    clock: FakeClock,
) -> None:
    put(vault, {"wiki/a/x.md": page("x", "One.")})
    await summarizer.refresh_all()
    before = snapshot(vault)
    author.forget()

    notes = [VaultPath("wiki/a/a.md"), VaultPath("wiki/overview.md")]
    await db.run(nodes.mark_dirty, notes, reason="changed", now=clock())
    result = await summarizer.refresh_marked()

    assert (author.calls, result.notes, result.rows) == (0, 0, 0)
    assert snapshot(vault) == before
    assert await db.read(nodes.marks) == []


async def test_run_is_held_back_while_sources_are_on_their_way(
    summarizer: DirectorySummarizer, vault: Vault, db: Database, clock: FakeClock
) -> None:
    from vaultd.model.jobs import NewJob

    put(vault, {"wiki/a/x.md": page("x", "One.")})
    source = NewJob(JobKind.INGEST, "raw/x.pdf", "d")
    await db.run(jobs.enqueue_all, [source], now=clock())
    await db.run(nodes.mark_dirty, [VaultPath("wiki/a/x.md")], reason="new", now=clock())
    look = Job(1, JobKind.SUMMARIZE, ".", "", {}, 1, 1)

    held = await summarizer.summarize(look, lambda stage, done=0, total=0: None)
    clock.pass_(minutes=6)
    after = await summarizer.summarize(look, lambda stage, done=0, total=0: None)

    assert held == {"held": True}
    assert after["calls"] == 2
