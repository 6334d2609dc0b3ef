from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.fakes import FakeClock
from tests.summarize.conftest import MakeSummarizer
from tests.summarize.fakes import FakeAuthor, FakeEmbedder, page, put, snapshot, tree_of
from vaultd.core.staleness import MOST_ATTEMPTS
from vaultd.errors import EndpointClosedError, RateLimitedError, UsageError
from vaultd.model.jobs import JobKind
from vaultd.model.paths import VaultPath
from vaultd.model.summary import ChildSummary, NodeState
from vaultd.store import jobs, nodes
from vaultd.store.database import Connection, Database
from vaultd.summarize.file_nodes import FileText
from vaultd.summarize.summarizer import DirectorySummarizer
from vaultd.vault.files import Vault

WIKI = VaultPath("wiki")


async def change(db: Database, vault: Vault, clock: FakeClock, files: dict[str, str]) -> None:
    put(vault, files)
    paths = [VaultPath(path) for path in files]
    await db.run(nodes.mark_dirty, paths, reason="changed", now=clock())


def vector_count(db: Connection, path: str) -> int:
    return int(db.execute("select count(*) from summary_vectors where path = ?", (path,)).get)


async def test_every_folder_is_described_children_first(
    summarizer: DirectorySummarizer, vault: Vault, author: FakeAuthor, db: Database
) -> None:
    put(vault, tree_of(depth=2, fan=2, notes=2))

    result = await summarizer.refresh_all()

    assert (result.success, result.records_upserted, result.calls) == (True, 7, 7)
    order = author.asked()
    assert order[-1] == "wiki"
    assert all(
        order.index(path) < order.index("wiki/part 0") for path in order if "part 0/" in path
    )
    parent = next(request for request in author.folders if request.folder == WIKI)
    child = await db.read(nodes.node, VaultPath("wiki/part 0"))
    assert child is not None
    assert child.abstract in [item.abstract for item in parent.children]


async def test_scan_without_changes_asks_embeds_and_writes_nothing(
    summarizer: DirectorySummarizer,
    vault: Vault,
    author: FakeAuthor,
    embedder: FakeEmbedder,
    db: Database,
) -> None:
    put(vault, tree_of(depth=2, fan=2, notes=2))
    await summarizer.refresh_all()
    before = snapshot(vault)
    author.forget()
    embedder.texts.clear()
    changes = await db.read(lambda connection: connection.total_changes())
    for place in vault.root.rglob("*.md"):
        place.touch()

    result = await summarizer.refresh_all()

    assert (result.calls, result.rows, result.notes, result.embeddings) == (0, 0, 0, 0)
    assert (author.calls, embedder.texts) == (0, [])
    assert await db.read(lambda connection: connection.total_changes()) == changes
    assert snapshot(vault) == before


async def test_one_edit_asks_for_exactly_the_folders_above_it(
    summarizer: DirectorySummarizer,
    vault: Vault,
    author: FakeAuthor,
    db: Database,
    clock: FakeClock,
) -> None:
    files = tree_of(depth=3, fan=2, notes=2)
    put(vault, files)
    await summarizer.refresh_all()
    author.forget()
    path = next(path for path in files if path.startswith("wiki/part 0/part 1/part 0/"))

    await change(db, vault, clock, {path: page("x", "Something else altogether.")})
    result = await summarizer.refresh_marked()

    ancestors = ["wiki/part 0/part 1/part 0", "wiki/part 0/part 1", "wiki/part 0", "wiki"]
    assert author.asked() == ancestors
    assert result.calls == 4
    assert await db.read(nodes.marks) == []


async def test_burst_in_one_folder_asks_once_for_each_folder(
    summarizer: DirectorySummarizer,
    vault: Vault,
    author: FakeAuthor,
    db: Database,
    clock: FakeClock,
) -> None:
    put(vault, tree_of(depth=3, fan=2, notes=1))
    await summarizer.refresh_all()
    author.forget()

    for number in range(20):
        path = f"wiki/part 0/part 0/part 0/new {number}.md"
        await change(db, vault, clock, {path: page("n", f"New thing {number}.")})
    await summarizer.refresh_marked()

    assert len(author.asked()) == 4


async def test_abstract_that_stays_stops_the_climb(
    summarizer: DirectorySummarizer,
    vault: Vault,
    author: FakeAuthor,
    db: Database,
    clock: FakeClock,
) -> None:
    author.same_abstract = True
    put(vault, {"wiki/a/b/n.md": page("n", "One."), "wiki/m.md": page("m", "Two.")})
    await summarizer.refresh_all()
    author.forget()

    await change(db, vault, clock, {"wiki/a/b/n.md": page("n", "Changed.")})
    result = await summarizer.refresh_marked()

    assert author.asked() == ["wiki/a/b"]
    assert result.changed_abstracts == 0


async def test_deleted_note_leaves_the_list_and_the_text(
    summarizer: DirectorySummarizer, vault: Vault, db: Database, clock: FakeClock
) -> None:
    put(vault, {"wiki/a/one.md": page("one", "First."), "wiki/a/two.md": page("two", "Second.")})
    await summarizer.refresh_all()

    (vault.root / "wiki/a/two.md").unlink()
    await db.run(nodes.mark_dirty, [VaultPath("wiki/a/two.md")], reason="gone", now=clock())
    await summarizer.refresh_marked()

    note = (vault.root / "wiki/a/a.md").read_text("utf-8")
    assert "two" not in note
    row = await db.read(nodes.node, VaultPath("wiki/a"))
    assert row is not None
    assert row.child_count == 1


async def test_emptied_folder_loses_text_vectors_and_note(
    summarizer: DirectorySummarizer, vault: Vault, db: Database, clock: FakeClock
) -> None:
    put(vault, {"wiki/a/one.md": page("one", "First."), "wiki/b.md": page("b", "Stays.")})
    await summarizer.refresh_all()
    assert await db.read(vector_count, "wiki/a") == 2

    (vault.root / "wiki/a/one.md").unlink()
    await db.run(nodes.mark_dirty, [VaultPath("wiki/a/one.md")], reason="gone", now=clock())
    result = await summarizer.refresh_marked()

    assert result.empty == 1
    assert await db.read(nodes.node, VaultPath("wiki/a")) is None
    assert await db.read(vector_count, "wiki/a") == 0
    assert not (vault.root / "wiki/a/a.md").exists()
    assert "wiki/a" not in (vault.root / "wiki/overview.md").read_text("utf-8")


async def test_moved_tree_costs_no_call_inside_and_no_embedding(
    summarizer: DirectorySummarizer,
    vault: Vault,
    author: FakeAuthor,
    embedder: FakeEmbedder,
    db: Database,
    clock: FakeClock,
) -> None:
    put(vault, tree_of(depth=3, fan=2, notes=2))
    await summarizer.refresh_all()
    author.forget()

    (vault.root / "wiki/part 0").rename(vault.root / "wiki/part 1/moved")
    result = await summarizer.refresh_all()

    assert author.asked() == ["wiki/part 1", "wiki"]
    assert result.embeddings == 4
    assert await db.read(nodes.node, VaultPath("wiki/part 0")) is None
    moved = await db.read(nodes.node, VaultPath("wiki/part 1/moved/part 1"))
    assert moved is not None
    assert await db.read(vector_count, moved.path) == 2
    assert (vault.root / "wiki/part 1/moved/moved.md").exists()
    assert not (vault.root / "wiki/part 1/moved/part 0.md").exists()


async def test_wide_folder_is_described_in_buckets_and_one_change_touches_three(
    make: MakeSummarizer, vault: Vault, author: FakeAuthor, db: Database, clock: FakeClock
) -> None:
    summarizer = make(max_children=10)
    put(vault, {f"wiki/n{n}.md": page(f"n{n}", f"Number {n}.") for n in range(200)})
    first = await summarizer.refresh_all()
    seen = {child.name for request in author.folders for child in request.children}
    author.forget()

    await change(db, vault, clock, {"wiki/n7.md": page("n7", "Something new.")})
    second = await summarizer.refresh_marked()

    assert len(seen) == 200
    assert first.calls > 20
    assert second.calls == 3
    assert all(len(request.children) <= 10 for request in author.folders)


async def test_model_that_fails_leaves_marked_fallbacks_that_heal(
    summarizer: DirectorySummarizer,
    vault: Vault,
    author: FakeAuthor,
    db: Database,
    clock: FakeClock,
) -> None:
    def closed(_: str) -> None:
        raise EndpointClosedError("connection refused")

    put(vault, tree_of(depth=2, fan=2, notes=2))
    author.fault = closed
    result = await summarizer.refresh_all()

    assert (result.success, result.fallback, result.degraded) == (True, 7, True)
    assert result.calls <= 10
    assert await db.read(nodes.state_counts) == {"ok": 0, "fallback": 7, "stale": 0, "failed": 0}
    note = (vault.root / "wiki/part 0/part 0.md").read_text("utf-8")
    assert "state:fallback" in note
    assert "Contains 4 items about concept, folder" in note

    author.fault = None
    author.forget()
    due = await db.read(nodes.next_due)
    assert due is not None
    clock.now = due
    healed = await summarizer.refresh_marked()

    assert (healed.calls, healed.fallback) == (7, 0)
    assert sorted(author.asked()) == sorted(set(author.asked()))
    assert "state:ok" in (vault.root / "wiki/part 0/part 0.md").read_text("utf-8")


async def test_fallback_prose_never_travels_upward(
    summarizer: DirectorySummarizer, vault: Vault, author: FakeAuthor
) -> None:
    def poisoned(folder: str) -> None:
        if folder == "wiki/a":
            raise RuntimeError("boom")

    put(vault, {"wiki/a/one.md": page("one", "First."), "wiki/b.md": page("b", "Second.")})
    author.fault = poisoned

    result = await summarizer.refresh_all()

    assert result.fallback == 1
    (request,) = [each for each in author.folders if each.folder == WIKI]
    child = next(each for each in request.children if each.is_directory)
    assert child.abstract == "one"


async def test_good_text_outlives_a_failure(
    summarizer: DirectorySummarizer,
    vault: Vault,
    author: FakeAuthor,
    db: Database,
    clock: FakeClock,
) -> None:
    put(vault, {"wiki/a/one.md": page("one", "First.")})
    await summarizer.refresh_all()
    good = await db.read(nodes.node, VaultPath("wiki/a"))
    assert good is not None

    def limited(_: str) -> None:
        raise RateLimitedError("slow down", retry_after=timedelta(seconds=7))

    author.fault = limited
    await change(db, vault, clock, {"wiki/a/two.md": page("two", "Second.")})
    result = await summarizer.refresh_marked()

    row = await db.read(nodes.node, VaultPath("wiki/a"))
    assert row is not None
    assert result.embeddings == 0
    assert (result.stale, row.state, row.abstract) == (1, NodeState.STALE, good.abstract)
    assert row.next_try == clock() + timedelta(seconds=7)
    assert row.attempts == 0
    note = (vault.root / "wiki/a/a.md").read_text("utf-8")
    assert "state:stale" in note
    assert "[[wiki/a/two|two]]" in note


async def test_repair_is_queued_for_the_moment_it_is_due(
    summarizer: DirectorySummarizer,
    vault: Vault,
    author: FakeAuthor,
    db: Database,
    clock: FakeClock,
) -> None:
    def closed(_: str) -> None:
        raise EndpointClosedError("refused")

    put(vault, {"wiki/a/one.md": page("one", "First.")})
    author.fault = closed
    await summarizer.refresh_all()

    early = await db.run(jobs.claim, kinds=[JobKind.SUMMARIZE], now=clock())
    late = await db.run(jobs.claim, kinds=[JobKind.SUMMARIZE], now=clock.pass_(seconds=30))

    assert early is None
    assert late is not None
    assert late.subject == "."


async def test_poisoned_folder_stops_no_other(
    summarizer: DirectorySummarizer, vault: Vault, author: FakeAuthor, db: Database
) -> None:
    def poisoned(folder: str) -> None:
        if folder == "wiki/f50":
            raise ValueError("boom")

    put(vault, {f"wiki/f{n}/n.md": page("n", f"Text {n}.") for n in range(100)})
    author.fault = poisoned

    result = await summarizer.refresh_all()

    assert (result.fallback, result.records_upserted) == (1, 101)
    counts = await db.read(nodes.state_counts)
    assert counts["ok"] == 100


async def test_folder_that_fails_too_often_is_given_up_and_can_be_driven_again(
    summarizer: DirectorySummarizer,
    vault: Vault,
    author: FakeAuthor,
    db: Database,
    clock: FakeClock,
) -> None:
    def poisoned(_: str) -> None:
        raise ValueError("boom")

    put(vault, {"wiki/a.md": page("a", "One.")})
    author.fault = poisoned
    await summarizer.refresh_all()
    while (due := await db.read(nodes.next_due)) is not None:
        clock.now = due
        await summarizer.refresh_marked()

    (given_up,) = await db.read(nodes.given_up)
    assert (given_up.attempts, author.calls) == (MOST_ATTEMPTS, MOST_ATTEMPTS)
    await summarizer.refresh_all()
    assert author.calls == MOST_ATTEMPTS

    author.fault = None
    assert await db.run(nodes.drive_again, now=clock()) == 1
    await summarizer.refresh_marked()
    assert await db.read(nodes.given_up) == []
    assert (await db.read(nodes.state_counts))["ok"] == 1


async def test_child_that_cannot_be_read_is_counted_and_the_rest_is_described(
    summarizer: DirectorySummarizer, vault: Vault, author: FakeAuthor, db: Database, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("Not for a model.\n")
    put(vault, {"wiki/a/one.md": page("one", "First.")})
    (vault.root / "wiki/a/link.md").symlink_to(outside)

    result = await summarizer.refresh_all()

    row = await db.read(nodes.node, VaultPath("wiki/a"))
    assert row is not None
    assert (result.success, row.state, row.partial) == (True, NodeState.OK, 1)
    assert "Not for a model" not in str(author.folders)
    assert "1 of the entries cannot be read" in (vault.root / "wiki/a/a.md").read_text("utf-8")


async def test_unreadable_folder_keeps_its_text(
    summarizer: DirectorySummarizer,
    vault: Vault,
    db: Database,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put(vault, {"wiki/a/one.md": page("one", "First.")})
    await summarizer.refresh_all()
    listed = summarizer.tree.children

    def refuse(folder: VaultPath) -> object:
        if folder == "wiki/a":
            raise PermissionError(13, "Permission denied")
        return listed(folder)

    monkeypatch.setattr(summarizer.tree, "children", refuse)
    await db.run(nodes.mark_dirty, [VaultPath("wiki/a/one.md")], reason="changed", now=clock())
    result = await summarizer.refresh_marked()

    row = await db.read(nodes.node, VaultPath("wiki/a"))
    assert row is not None
    assert (row.state, bool(row.abstract), result.stale) == (NodeState.STALE, True, 1)
    assert (vault.root / "wiki/a/a.md").exists()


async def test_change_during_a_run_is_not_lost(
    summarizer: DirectorySummarizer,
    vault: Vault,
    author: FakeAuthor,
    db: Database,
    clock: FakeClock,
) -> None:
    put(vault, {"wiki/a/one.md": page("one", "First.")})

    def edit(folder: str) -> None:
        author.fault = None
        put(vault, {"wiki/a/two.md": page("two", "Second.")})
        db.run_sync(nodes.mark_dirty, [VaultPath("wiki/a/two.md")], reason="new", now=clock())

    author.fault = edit
    await summarizer.refresh_all()
    assert [mark.folder for mark in await db.read(nodes.marks)] == ["wiki/a"]
    await summarizer.refresh_marked()

    assert "two" in (vault.root / "wiki/a/a.md").read_text("utf-8")
    assert await db.read(nodes.marks) == []


async def test_raw_dot_and_template_folders_get_no_note(
    make: MakeSummarizer, vault: Vault, author: FakeAuthor
) -> None:
    put(
        vault,
        {
            "raw/x.md": "A source.",
            "raw/deep/y.md": "A source.",
            ".trash/z.md": "Gone.",
            "Templates/t.md": "A template.",
            "Files/f.md": "An attachment's note.",
            "Projects/p.md": "A project of mine.",
            ".obsidian/templates.json": '{"folder": "Templates"}',
            ".obsidian/app.json": '{"attachmentFolderPath": "Files"}',
        },
    )

    await make(roots=(".",)).refresh_all()

    assert set(author.asked()) == {"Projects", "."}
    assert not (vault.root / "raw/raw.md").exists()
    assert (vault.root / "Projects/Projects.md").exists()


async def test_note_without_first_paragraph_gets_an_abstract_once(
    make: MakeSummarizer, vault: Vault, author: FakeAuthor
) -> None:
    put(vault, {"Lists/list.md": "| only |\n|---|\n| rows |\n", "Lists/empty.md": ""})
    summarizer = make(roots=("Lists",))

    await summarizer.refresh_all()
    await summarizer.refresh_all()

    assert [request.path for request in author.files] == ["Lists/list.md"]
    (request,) = author.folders
    assert [child.name for child in request.children] == ["list"]
    assert request.total == 2


async def test_summary_of_a_note_that_did_not_change_is_taken_as_it_is(
    make: MakeSummarizer,
    vault: Vault,
    db: Database,
    clock: FakeClock,
    author: FakeAuthor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put(vault, {"Lists/list.md": "| only |\n|---|\n| rows |\n", "Lists/b.md": page("b", "Text.")})
    summarizer = make(roots=("Lists",))
    await summarizer.refresh_all()
    looked_up = list[VaultPath]()

    async def noticed(path: VaultPath) -> FileText:
        looked_up.append(path)
        return FileText(path, "", ())

    monkeypatch.setattr(summarizer.files, "indexed", noticed)
    await change(db, vault, clock, {"Lists/b.md": page("b", "New text.")})
    await summarizer.refresh_marked()
    assert looked_up == []
    assert len(author.files) == 1

    await change(db, vault, clock, {"Lists/list.md": "| other |\n|---|\n| rows |\n"})
    await summarizer.refresh_marked()
    assert looked_up == ["Lists/list.md"]
    assert len(author.files) == 2


async def test_summary_of_a_note_gets_the_vectors_it_lacks_without_a_call(
    make: MakeSummarizer, vault: Vault, db: Database, author: FakeAuthor, embedder: FakeEmbedder
) -> None:
    put(vault, {"Lists/list.md": "| only |\n|---|\n| rows |\n"})
    summarizer = make(roots=("Lists",))
    embedder.fault = EndpointClosedError("no embedder")
    await summarizer.refresh_all()
    embedder.fault = None

    await summarizer.refresh_all()

    assert await db.read(vector_count, "Lists/list.md") == 2
    assert author.calls == 2


async def test_folder_uri_has_to_end_in_a_slash(summarizer: DirectorySummarizer) -> None:
    child = ChildSummary("wiki/a.md", "a", "Text.", "note", False, True)

    with pytest.raises(UsageError, match="ends in '/'"):
        await summarizer.generate_summary("wiki", [child])
    with pytest.raises(UsageError, match="ends in '/'"):
        await summarizer.refresh_directory("wiki")


async def test_generate_summary_falls_back(
    summarizer: DirectorySummarizer, author: FakeAuthor
) -> None:
    def broken(_: str) -> None:
        raise RuntimeError("no model")

    children = [
        ChildSummary("wiki/a.md", "a", "偏好 PEP8 编码风格。", "preference", False, True),
        ChildSummary("wiki/b.md", "b", "每周一开团队会议。", "event", False, True),
    ]
    good = await summarizer.generate_summary("wiki/", children)
    author.fault = broken
    rule = await summarizer.generate_summary("wiki/", children)

    assert (good.child_count, good.categories) == (2, ("event", "preference"))
    assert rule.abstract == "包含 2 条event、preference相关记忆"
    assert rule.overview.startswith("# 目录内容概览\n\n## event (1条)\n- 每周一开团队会议。")
    assert rule == replace(
        good,
        abstract=summarizer.fallback_abstract(children),
        overview=summarizer.fallback_overview(children),
    )


async def test_links_to_folders_are_not_followed(
    summarizer: DirectorySummarizer, vault: Vault, author: FakeAuthor
) -> None:
    put(vault, {"wiki/a/one.md": page("one", "First.")})
    (vault.root / "wiki/a/loop").symlink_to(vault.root / "wiki", target_is_directory=True)
    (vault.root / "wiki/twin").symlink_to(vault.root / "wiki/a", target_is_directory=True)

    await summarizer.refresh_all()

    assert author.asked() == ["wiki/a", "wiki"]


async def test_names_that_differ_in_case_or_form_are_two_folders(
    summarizer: DirectorySummarizer, vault: Vault, author: FakeAuthor
) -> None:
    names = ["Cafe\u0301", "Caf\u00e9", "X", "x"]
    for name in names:
        put(vault, {f"wiki/{name}/n.md": page("n", f"Text of {name}.")})
    here = {place.name for place in vault.root.glob("wiki/*")}  # a file system may unite the two

    result = await summarizer.refresh_all()

    assert result.success
    assert set(author.asked()) == {f"wiki/{name}" for name in here & set(names)} | {"wiki"}


@pytest.mark.parametrize("depth", [50, pytest.param(200, marks=pytest.mark.full)])
async def test_deep_tree_ends(
    summarizer: DirectorySummarizer, vault: Vault, author: FakeAuthor, depth: int
) -> None:
    put(vault, {"wiki/" + "d/" * depth + "n.md": page("n", "At the bottom.")})

    result = await summarizer.refresh_all()

    assert result.records_upserted == depth + 1


@pytest.mark.full
async def test_ten_thousand_children_are_all_seen(
    summarizer: DirectorySummarizer, vault: Vault, author: FakeAuthor
) -> None:
    put(vault, {f"wiki/n{n}.md": page(f"n{n}", f"Number {n}.") for n in range(10_000)})

    result = await summarizer.refresh_all()

    seen = {child.name for request in author.folders for child in request.children}
    assert len(seen) == 10_000
    assert result.records_upserted == 1
