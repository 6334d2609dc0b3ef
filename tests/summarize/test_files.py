import hashlib
import os
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes import FakeClock
from tests.summarize.conftest import MakeSummarizer
from tests.summarize.fakes import FakeAuthor, FakeEmbedder, put
from vaultd.core.text import tokens_of
from vaultd.errors import ConflictError, EndpointClosedError, NotFoundError, UsageError
from vaultd.model.jobs import Job, JobKind
from vaultd.model.paths import VaultPath
from vaultd.model.search import IndexedFile, IndexedPassage
from vaultd.model.summary import NodeState
from vaultd.store import folders, nodes, passages, summaries
from vaultd.store.database import Connection, Database
from vaultd.summarize.files import Wish, packed
from vaultd.summarize.operations import Event, SummaryOperations
from vaultd.summarize.summarizer import DirectorySummarizer
from vaultd.vault.files import Vault

FILE = VaultPath("wiki/sources/paper.md")
SENTENCE = "This sentence has exactly eight words in it. "


def index(db: Connection, path: VaultPath, texts: list[str], clock: FakeClock) -> list[int]:
    content = hashlib.sha256("".join(texts).encode()).hexdigest()
    file = passages.put_file(db, IndexedFile(path, content, "test", path), now=clock())
    made = [IndexedPassage(text, "", 1, 0, len(text), None, "en", ()) for text in texts]
    replaced = passages.replace_passages(db, file, path, made)
    passages.delete_passages(db, replaced.gone)
    return list(replaced.ids)


@pytest.fixture
def operations(
    db: Database, summarizer: DirectorySummarizer, clock: FakeClock, embedder: FakeEmbedder
) -> SummaryOperations:
    """Operations on the default summarizer."""
    return SummaryOperations(db, summarizer, clock, embed_model=embedder.identity)


async def events_of(operations: SummaryOperations, root: str = "wiki") -> list[Event]:
    return [event async for event in operations.recreate(operations.knowledge_base(root), Wish())]


async def test_summary_of_a_file_is_bound_to_its_passages(
    operations: SummaryOperations, db: Database, clock: FakeClock, author: FakeAuthor
) -> None:
    ids = await db.run(index, FILE, ["First passage.", "Second passage."], clock)

    assert await operations.add_kb_summary(FILE, Wish(description="A paper on boats"))

    node = await db.read(nodes.node, FILE)
    assert node is not None
    assert (node.state, node.description) == (NodeState.OK, "A paper on boats")
    assert await db.read(summaries.bound_passages, FILE) == ids
    (request,) = author.files
    assert request.description == "A paper on boats"
    assert request.temperature == 0.01


async def test_description_reaches_the_vector(
    operations: SummaryOperations, db: Database, clock: FakeClock, embedder: FakeEmbedder
) -> None:
    await db.run(index, FILE, ["First passage."], clock)

    await operations.add_kb_summary(FILE, Wish(description="boats"))

    assert any("boats" in text for text in embedder.texts)


async def test_same_file_twice_is_one_call_one_row_and_one_set_of_vectors(
    operations: SummaryOperations, db: Database, clock: FakeClock, author: FakeAuthor
) -> None:
    await db.run(index, FILE, ["First passage."], clock)

    await operations.add_kb_summary(FILE, Wish())
    await operations.add_kb_summary(FILE, Wish())

    assert author.calls == 1
    rows = await db.read(
        lambda connection: connection.execute("select path, level from summary_vectors").fetchall()
    )
    assert rows == [(FILE, 0), (FILE, 1)]


async def test_replaced_passages_take_their_binding_along(
    operations: SummaryOperations, db: Database, clock: FakeClock, author: FakeAuthor
) -> None:
    await db.run(index, FILE, ["Old passage.", "Kept passage."], clock)
    await operations.add_kb_summary(FILE, Wish())

    new = await db.run(index, FILE, ["New passage.", "Kept passage."], clock)
    assert await db.read(summaries.bound_passages, FILE) == [new[1]]
    await operations.add_kb_summary(FILE, Wish())

    assert await db.read(summaries.bound_passages, FILE) == new
    assert author.calls == 2


async def test_long_file_is_packed_and_its_steps_are_kept(
    make: MakeSummarizer, db: Database, clock: FakeClock, author: FakeAuthor
) -> None:
    summarizer = make(context_chars=8_000)
    operations = SummaryOperations(db, summarizer, clock, embed_model="")
    texts = [SENTENCE * 18 for _ in range(40)]
    await db.run(index, FILE, texts, clock)

    await operations.add_kb_summary(FILE, Wish())

    total = sum(tokens_of(text) for text in texts)
    assert author.calls <= ceil(total / 1_200) + 1
    steps = await db.read(summaries.partials, FILE)
    assert len(steps) == author.calls - 1
    assert author.files[-1].partials == tuple(steps)


async def test_file_without_text_is_not_asked_for(
    operations: SummaryOperations, db: Database, clock: FakeClock, author: FakeAuthor
) -> None:
    await db.run(index, FILE, ["  \n "], clock)

    (event,) = [event async for event in operations.summarise_file(FILE, Wish())]

    assert event["code"] == 500
    assert author.calls == 0


async def test_one_file_answers_with_one_event(
    operations: SummaryOperations, db: Database, clock: FakeClock
) -> None:
    await db.run(index, FILE, ["Text."], clock)

    (event,) = [event async for event in operations.summarise_file(FILE, Wish())]

    assert event == {
        "code": 200,
        "msg": "paper.md 总结完成",
        "total": 1,
        "finished": 1,
        "doc": FILE,
    }


async def test_named_passages_are_summarised_and_stored_nowhere(
    operations: SummaryOperations, db: Database, clock: FakeClock
) -> None:
    ids = await db.run(index, FILE, ["One.", "Two.", "Three."], clock)

    made = await operations.summarise_passages([ids[2], ids[0]], Wish(description="parts"))

    assert made.document()["metadata"]["doc_ids"] == f"{ids[0]},{ids[2]}"
    assert made.document()["metadata"]["file_description"] == "parts"
    assert await db.read(nodes.node, FILE) is None
    with pytest.raises(NotFoundError, match="999"):
        await operations.summarise_passages([ids[0], 999], Wish())


async def test_rebuild_reports_every_file_and_goes_on_after_a_failure(
    operations: SummaryOperations, db: Database, clock: FakeClock, author: FakeAuthor
) -> None:
    for number in range(5):
        path = VaultPath(f"wiki/n{number}.md")
        await db.run(index, path, [f"Text {number}."], clock)
    await db.run(index, VaultPath("wiki/index.md"), ["Not a file of its own."], clock)

    def poisoned(path: str) -> None:
        if path == "wiki/n2.md":
            raise ValueError("boom")

    author.fault = poisoned
    events = await events_of(operations)

    assert [event["finished"] for event in events] == [1, 2, 3, 4, 5]
    assert {event["total"] for event in events} == {5}
    assert [event["doc"] for event in events if event["code"] == 500] == ["wiki/n2.md"]
    assert all(
        event["msg"].startswith(f"({event['finished']}/5): {event['doc']}") for event in events
    )


async def test_rebuild_costs_no_more_than_was_estimated(
    make: MakeSummarizer, db: Database, clock: FakeClock, author: FakeAuthor
) -> None:
    operations = SummaryOperations(db, make(context_chars=8_000), clock, embed_model="")
    await db.run(index, FILE, [SENTENCE * 18 for _ in range(30)], clock)
    await db.run(index, VaultPath("wiki/short.md"), ["Text."], clock)

    estimate = await operations.estimate(VaultPath("wiki"))
    await events_of(operations)

    assert (estimate.files, author.calls) == (2, estimate.calls)
    assert estimate.input_tokens > 1_000


async def test_old_summaries_are_found_until_each_is_replaced(
    operations: SummaryOperations, db: Database, clock: FakeClock, author: FakeAuthor
) -> None:
    await db.run(index, FILE, ["Text."], clock)
    await events_of(operations)
    good = await db.read(nodes.node, FILE)
    assert good is not None

    def closed(_: str) -> None:
        raise EndpointClosedError("refused")

    author.fault = closed
    (event,) = await events_of(operations)

    kept = await db.read(nodes.node, FILE)
    assert kept is not None
    assert (event["code"], kept.state, kept.overview) == (500, NodeState.STALE, good.overview)


async def test_rebuild_that_is_closed_early_leaves_nothing_running(
    operations: SummaryOperations, db: Database, clock: FakeClock, author: FakeAuthor
) -> None:
    for number in range(8):
        await db.run(index, VaultPath(f"wiki/n{number}.md"), [f"Text {number}."], clock)
    author.latency = 0.01

    events = operations.recreate(VaultPath("wiki"), Wish())
    await anext(events)
    await events.aclose()

    assert author.open == 0


async def test_drop_can_be_taken_back_without_a_call(
    operations: SummaryOperations, db: Database, clock: FakeClock, author: FakeAuthor
) -> None:
    ids = await db.run(index, FILE, ["Text."], clock)
    await operations.add_kb_summary(FILE, Wish(description="d"))
    before = await db.read(nodes.node, FILE)
    author.forget()

    assert await operations.drop(VaultPath("wiki")) == 1
    assert await db.read(nodes.node, FILE) is None
    assert await operations.take_back(VaultPath("wiki")) == 1

    after = await db.read(nodes.node, FILE)
    assert before is not None
    assert after is not None
    assert (after.overview, after.description) == (before.overview, "d")
    assert await db.read(summaries.bound_passages, FILE) == ids
    assert author.calls == 0


async def test_folder_keeps_its_text_when_its_notes_get_summaries_of_their_own(
    operations: SummaryOperations,
    summarizer: DirectorySummarizer,
    vault: Vault,
    db: Database,
    clock: FakeClock,
) -> None:
    put(vault, {"wiki/topic/a.md": "---\ntype: concept\n---\n\nBoats float."})
    os.utime(vault.root / "wiki/topic/a.md", (0, 0))  # long at rest: read again only if changed
    await summarizer.refresh_all()
    await db.run(index, VaultPath("wiki/topic/a.md"), ["Boats float."], clock)
    await events_of(operations)

    result = await summarizer.refresh_directory("wiki/")

    assert result.records_upserted == 2
    assert await db.read(nodes.node, VaultPath("wiki/topic")) is not None


async def test_summary_by_a_model_of_a_persons_choice_is_not_made_again_by_its_folder(
    operations: SummaryOperations,
    summarizer: DirectorySummarizer,
    vault: Vault,
    db: Database,
    clock: FakeClock,
    author: FakeAuthor,
) -> None:
    path = VaultPath("wiki/topic/a.md")
    put(vault, {path: "Boats float."})
    await db.run(index, path, ["Boats float."], clock)
    await operations.add_kb_summary(path, Wish(model="a larger one"))

    await summarizer.refresh_all()
    assert len(author.files) == 1

    put(vault, {path: "Boats sink."})
    await summarizer.refresh_all()
    assert [request.model for request in author.files] == ["a larger one", ""]


async def test_room_can_be_made_twice_and_lets_dropped_folders_be_described(
    operations: SummaryOperations, summarizer: DirectorySummarizer, vault: Vault
) -> None:
    put(vault, {"wiki/topic/a.md": "Boats float."})
    await summarizer.refresh_all()
    await operations.drop(VaultPath("wiki"))
    assert (await summarizer.refresh_all()).records_upserted == 0

    for _ in range(2):
        await operations.create_kb_summary(VaultPath("wiki"))

    assert (await summarizer.refresh_all()).records_upserted == 2


async def test_dropped_folder_is_left_out_until_a_person_asks(
    operations: SummaryOperations,
    summarizer: DirectorySummarizer,
    vault: Vault,
    db: Database,
    author: FakeAuthor,
) -> None:
    put(
        vault,
        {"wiki/a/one.md": "First.\n", "wiki/a/b/two.md": "Second.\n", "wiki/c.md": "Third.\n"},
    )
    await summarizer.refresh_all()
    author.forget()

    await operations.drop(VaultPath("wiki/a"))
    await summarizer.refresh_all()

    assert author.asked() == ["wiki"]
    assert not (vault.root / "wiki/a/a.md").exists()
    assert await db.read(nodes.node, VaultPath("wiki/a/b")) is None
    await summarizer.refresh_directory("wiki/a/")
    assert (vault.root / "wiki/a/b/b.md").exists()
    assert not await db.read(folders.is_left_out, VaultPath("wiki/a"))


async def test_taken_back_folder_is_shown_again_without_a_call(
    operations: SummaryOperations,
    summarizer: DirectorySummarizer,
    vault: Vault,
    author: FakeAuthor,
) -> None:
    put(vault, {"wiki/a/one.md": "First.\n", "wiki/c.md": "Third.\n"})
    await summarizer.refresh_all()
    before = (vault.root / "wiki/a/a.md").read_bytes()
    await operations.drop(VaultPath("wiki/a"))
    author.forget()

    await operations.take_back(VaultPath("wiki/a"))
    await summarizer.refresh_all()

    assert (vault.root / "wiki/a/a.md").read_bytes() == before
    assert author.calls == 0


async def test_jobs_summarise_and_drop_one_file(
    operations: SummaryOperations, db: Database, clock: FakeClock, author: FakeAuthor
) -> None:
    await db.run(index, FILE, ["Text."], clock)
    asked = Job(1, JobKind.SUMMARIZE_FILE, FILE, "", {"description": "boats"}, 1, 1)
    drop = Job(2, JobKind.DROP_SUMMARIES, FILE, "", {}, 1, 2)

    made = await operations.summarise_file_job(asked, lambda stage, done=0, total=0: None)
    dropped = await operations.drop_job(drop, lambda stage, done=0, total=0: None)

    assert made["state"] == "ok"
    assert author.files[0].description == "boats"
    assert dropped == {"dropped": 1}


async def test_wishes_that_cannot_be_met_are_refused(operations: SummaryOperations) -> None:
    with pytest.raises(UsageError, match="temperature"):
        operations.check(Wish(temperature=1.5))
    with pytest.raises(UsageError, match="max_tokens"):
        operations.check(Wish(max_tokens=-1))
    with pytest.raises(ConflictError, match="fake-8"):
        operations.check(Wish(), embed_model="other")
    with pytest.raises(NotFoundError, match="nowhere"):
        operations.knowledge_base("nowhere", allow_empty=False)
    operations.check(Wish(max_tokens=0), embed_model="fake-8")
    assert operations.knowledge_base("nowhere") is None
    assert [event["total"] for event in await events_of(operations, "nowhere")] == [0]


async def test_vectors_that_failed_are_made_later_without_a_call(
    operations: SummaryOperations,
    db: Database,
    clock: FakeClock,
    author: FakeAuthor,
    embedder: FakeEmbedder,
) -> None:
    await db.run(index, FILE, ["Text."], clock)
    embedder.fault = EndpointClosedError("no embedder")
    await operations.add_kb_summary(FILE, Wish())
    assert await db.read(summaries.lacks_vectors, FILE, embedder.identity)

    embedder.fault = None
    await operations.add_kb_summary(FILE, Wish())

    assert not await db.read(summaries.lacks_vectors, FILE, embedder.identity)
    assert author.calls == 1


pieces = st.lists(st.text("ab cd. 字", max_size=120), max_size=20)


@settings(max_examples=60, deadline=None)
@given(texts=pieces, window=st.integers(5, 200))
def test_packing_loses_nothing_and_makes_no_more_groups_than_needed(
    texts: list[str], window: int
) -> None:
    groups = packed(texts, window)

    kept = "".join("".join("".join(group) for group in groups).split())
    assert kept == "".join("".join(texts).split())
    total = sum(tokens_of(part) for group in groups for part in group)
    assert len(groups) <= max(1, ceil(total / window))
