from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import vaultd.store.database as database
from tests.fakes import FakeClock
from tests.search.worlds import DIMENSIONS, HashingEmbedder, World
from vaultd.embed import Vector
from vaultd.errors import EndpointClosedError
from vaultd.index import Indexer
from vaultd.model.paths import VaultPath
from vaultd.model.search import Mode
from vaultd.store import passages, rebuild, vectors, windows
from vaultd.store.database import Connection, Database
from vaultd.store.vector_index import dead_share, has_index, indexed_nearest
from vaultd.vault.files import Vault
from vaultd.vault.layout import make_layout

LONG = "\n\n".join(
    f"Paragraph {n} tells of topic {n % 7} and of matter {n}. " * 6 for n in range(9)
)


def consistent(db: Connection, embedder: int = 1) -> bool:
    """Every passage has its words and windows, every window its row in the derived index."""
    count = {
        table: int(db.execute(f"select count(*) from {table}").get)
        for table in ("passages", "passage_words", "windows")
    }
    orphans = db.execute(
        "select count(*) from windows w left join passages p on p.id = w.passage where p.id is null"
    ).get
    wanted = int(db.execute("select coalesce(sum(windows), 0) from passages").get)
    db.execute("insert into passage_words (passage_words) values ('integrity-check')")
    return (
        orphans == 0
        and count["passages"] == count["passage_words"]
        and count["windows"] == wanted
        and vectors.pending(db, embedder) == 0
        and (not wanted or (has_index(db, embedder) and _indexed(db, embedder)))
    )


def _indexed(db: Connection, embedder: int) -> bool:
    """Tell whether the derived index holds the windows that have a vector, and no others."""
    return not db.execute(
        f"""
        select exists (select rowid from vectors_{embedder}_rowids except
            select id from windows where embedder = ?1 and vector is not null)
        or exists (select id from windows where embedder = ?1 and vector is not null except
            select rowid from vectors_{embedder}_rowids)
        """,
        (embedder,),
    ).get


async def test_a_file_is_found_by_what_it_says_until_it_is_gone(world: World) -> None:
    await world.note("a.md", "The mitochondrion is the powerhouse.")
    assert await world.paths("mitochondrion") == ["a.md"]

    (world.vault.root / "a.md").unlink()
    outcome = await world.indexer.index_file(VaultPath("a.md"))

    assert outcome["state"] == "forgotten"
    assert await world.paths("mitochondrion") == []


async def test_an_unchanged_file_is_neither_split_nor_embedded_again(world: World) -> None:
    await world.note("a.md", LONG)
    before = world.embedder.embedded

    (world.vault.root / "a.md").touch()
    outcome = await world.indexer.index_file(VaultPath("a.md"))

    assert outcome["state"] == "unchanged"
    assert world.embedder.embedded == before


async def test_moving_and_renaming_embed_nothing(world: World) -> None:
    await world.note("a.md", LONG)
    before = world.embedder.embedded
    (world.vault.root / "b").mkdir()
    (world.vault.root / "a.md").rename(world.vault.root / "b/New name.md")

    await world.db.run(passages.move_file, VaultPath("a.md"), VaultPath("b/New name.md"))
    outcome = await world.indexer.index_file(VaultPath("b/New name.md"))

    assert (outcome["state"], world.embedder.embedded) == ("unchanged", before)
    assert (await world.paths("new name"))[0] == "b/New name.md"
    assert await world.db.read(passages.paths) == ["b/New name.md"]


async def test_a_file_seen_under_a_new_name_before_the_old_one_goes_embeds_nothing(
    world: World,
) -> None:
    await world.note("a.md", LONG)
    before = world.embedder.embedded

    await world.note("b.md", LONG)

    assert world.embedder.embedded == before


async def test_an_edit_embeds_only_what_changed_and_keeps_the_other_passages(world: World) -> None:
    await world.note("a.md", LONG)
    ids = await world.db.read(_passage_ids)
    before = world.embedder.embedded

    await world.note("a.md", f"{LONG}\n\nOne more thought, quite new.")

    kept = set(ids) & set(await world.db.read(_passage_ids))
    assert len(kept) >= len(ids) - 1
    assert world.embedder.embedded - before <= 4
    assert await world.db.run(consistent)


async def test_words_are_found_at_once_when_the_embedder_is_closed(world: World) -> None:
    world.embedder.fault = EndpointClosedError("nothing listens")
    with pytest.raises(EndpointClosedError):
        await world.note("a.md", LONG)

    assert set(await world.paths("paragraph")) == {"a.md"}

    world.embedder.fault = None
    outcome = await world.indexer.index_file(VaultPath("a.md"))
    assert outcome["state"] == "unchanged"
    assert outcome["embedded"] > 0
    assert await world.db.run(consistent)


async def test_a_failure_halfway_keeps_what_was_embedded(world: World) -> None:
    class DiesLater(HashingEmbedder):
        async def embed(self, texts: list[str]) -> list[Vector | None]:  # type: ignore[override]
            if len(self.calls) == 2:
                self.fault = EndpointClosedError("gone")
            return await super().embed(texts)

    world.embedder = DiesLater()
    world.__post_init__()
    many = "\n\n".join(f"Unlike the others, paragraph {n} is number {n}. " * 19 for n in range(150))
    with pytest.raises(EndpointClosedError):
        await world.note("a.md", many)
    stored = await world.db.read(windows.count_windows, 1)

    world.embedder.fault = None
    world.embedder.calls.clear()
    world.embedder.calls += [[], [], []]
    await world.indexer.index_file(VaultPath("a.md"))

    assert stored > 0
    assert world.embedder.embedded == await world.db.read(windows.count_windows, 1) - stored
    assert await world.db.run(consistent)


async def test_a_text_the_embedder_refuses_is_found_by_words_and_not_asked_again(
    world: World,
) -> None:
    await world.note("b.md", "Roses grow there.")
    world.embedder.refused = "Poison"
    await world.note("a.md", "Poison ivy grows here.")
    before = world.embedder.embedded

    await world.indexer.index_file(VaultPath("a.md"))

    assert world.embedder.embedded == before
    assert (await world.paths("ivy"))[0] == "a.md"


async def test_index_log_reviews_and_folder_regions_give_no_passages(world: World) -> None:
    region = (
        "%% vaultd:begin overview v1 sha256:0123456789ab %%\nzebra listing\n"
        "%% vaultd:end overview %%\n"
    )
    await world.note("wiki/log.md", "## [2026-01-01] ingest | zebra")
    await world.note("wiki/reviews/one.md", "zebra?")
    await world.note("wiki/index.md", region.replace("overview", "index"))
    await world.note("wiki/entities/entities.md", f"{region}\nA person's giraffe.\n")

    assert await world.paths("zebra", mode=Mode.WORDS) == []
    assert await world.paths("giraffe") == ["wiki/entities/entities.md"]


async def test_a_new_embedder_is_built_beside_the_old_one(world: World) -> None:
    await world.note("a.md", "old and new")
    await world.note("b.md", "another note")
    newer = HashingEmbedder(identity="hashing/2")
    indexer = Indexer(world.vault, world.db, None, newer, world.clock)  # type: ignore[arg-type]

    first, *others = await indexer.missing()
    await indexer.index_file(first)
    assert (await world.db.read(vectors.embedders))[0].identity == "hashing/1"
    assert (await world.ask("old")).lanes == ("words", "vectors")

    for path in others:
        await indexer.index_file(path)
    (embedder,) = await world.db.read(vectors.embedders)
    assert embedder.identity == "hashing/2"
    assert await world.db.run(consistent, embedder.id)
    assert await indexer.missing() == []


async def test_answers_name_the_embedder_that_is_not_set_up(world: World) -> None:
    await world.note("a.md", "some text")
    world.embedder.identity = "hashing/3"
    world.__post_init__()

    answer = await world.ask("text")

    assert answer.lanes == ("words",)
    assert "hashing/1" in answer.notes[0]


@contextmanager
def without_extension(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(database, "load_vectors", lambda db: False)
        yield


async def test_the_index_heals_after_writes_by_a_program_without_the_extension(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    vault = Vault(root, make_layout(root))
    path = vault.state / "vaultd.db"

    async def write(text: str) -> None:
        db = Database(path)
        await World(vault, db).note("a.md", text)
        db.close()

    await write("first text")
    with without_extension(monkeypatch):
        await write(LONG)
    await write(f"{LONG}\n\nand more")

    db = Database(path)
    assert await db.run(consistent)
    db.close()


async def test_exact_scan_and_derived_index_name_the_same_windows(world: World) -> None:
    for n in range(30):
        await world.note(f"{n}.md", f"{LONG}\n\nNumber {n} about subject {n * n}.")
    query = np.asarray(await world.embedder.embed_question("subject 49 paragraph"), np.float32)

    exact = await world.db.read(windows.exact_nearest, 1, query, 10)
    derived = await world.db.read(indexed_nearest, 1, query, 10)

    assert [window for window, _ in exact[:5]] == [window for window, _ in derived[:5]]


edits = st.lists(
    st.tuples(st.integers(0, 4), st.one_of(st.none(), st.integers(0, 30))), min_size=1, max_size=8
)


@given(edits=edits)
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
async def test_vectors_and_rows_agree_after_any_sequence_of_edits(
    edits: list[tuple[int, int | None]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("vault")
    db = Database(":memory:")
    world = World(Vault(root, make_layout(root)), db, clock=FakeClock())
    held: dict[str, int] = {}
    for number, version in edits:
        path = f"{number}.md"
        if version is None:
            (root / path).unlink(missing_ok=True)
            held.pop(path, None)
            await world.indexer.index_file(VaultPath(path))
        else:
            held[path] = version
            await world.note(path, f"# Note\n\n{LONG[: 200 * version]} marker{number}of{version}x")
        await world.engine.warm()
        assert await db.run(consistent)
    for path, version in held.items():
        assert path in await world.paths(f"marker{path[0]}of{version}x", mode=Mode.WORDS)
    matrix = (
        await world.engine._vectors.matrix((await db.read(vectors.embedders))[0]) if held else None
    )
    if matrix is not None:
        assert matrix.count == await db.read(windows.count_windows, 1)
    db.close()


async def test_replacing_passages_leaves_few_dead_places(world: World) -> None:
    for turn in range(12):
        for n in range(10):
            await world.note(f"{n}.md", LONG.replace("topic", f"turn {turn} {n}"))

    assert await world.db.read(dead_share, 1) <= 0.35
    assert await world.db.run(consistent)


async def test_damaged_words_are_seen_and_made_again(world: World) -> None:
    await world.note("a.md", f"---\naliases: [Alpha]\n---\n{LONG}")
    await world.note("b.md", "Something about zebras.")
    assert await world.db.run(rebuild.words_are_whole)
    await world.db.run(lambda db: db.execute("delete from passage_words where rowid > 1").get)
    assert not await world.db.run(rebuild.words_are_whole)

    await world.db.run(rebuild.rebuild_words)

    assert await world.db.run(rebuild.words_are_whole)
    assert await world.paths("zebras", mode=Mode.WORDS) == ["b.md"]
    assert (await world.paths("alpha", mode=Mode.WORDS))[0] == "a.md"


def test_a_vector_without_direction_is_refused() -> None:
    with pytest.raises(ValueError, match="direction"):
        vectors.pack(np.zeros(DIMENSIONS, np.float32))
    with pytest.raises(ValueError, match="direction"):
        vectors.pack(np.full(DIMENSIONS, np.nan, np.float32))


def _passage_ids(db: Connection) -> list[int]:
    return [row[0] for row in db.execute("select id from passages order by ordinal")]


async def test_files_that_another_version_split_are_missing(world: World) -> None:
    await world.note("a.md", "One.")
    await world.note("b.md", "Two.")
    await world.db.run(
        lambda db: db.execute("update indexed_files set made_by = '0' where path = 'b.md'") and None
    )

    assert await world.indexer.missing() == ["b.md"]
