from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from vaultd.model.paths import VaultPath
from vaultd.model.summary import Node, NodeKind, NodeState
from vaultd.store import nodes
from vaultd.store.database import Connection, connect, migrate

NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
FOLDER = VaultPath("wiki/concepts")
GOOD = Node(FOLDER, NodeKind.FOLDER, NodeState.OK, "d1", "Two words.", "## All", categories=("a",))


@pytest.fixture
def db() -> Iterator[Connection]:
    connection = connect(":memory:")
    migrate(connection)
    yield connection
    connection.close()


def test_node_comes_back_as_it_was_stored(db: Connection) -> None:
    item = replace(GOOD, next_try=NOON, attempts=2, error_code="rate_limited", partial=1)

    nodes.store_node(db, item, now=NOON)

    assert nodes.node(db, FOLDER) == item
    assert nodes.nodes_below(db, VaultPath("wiki")) == [item]
    assert nodes.nodes_due(db, NOON) == [FOLDER]
    assert nodes.next_due(db) == NOON


def test_replacing_keeps_the_row_id_and_the_former_text(db: Connection) -> None:
    first = nodes.store_node(db, GOOD, now=NOON)
    second = nodes.store_node(db, replace(GOOD, abstract="New.", generation=1), now=NOON)

    former = nodes.former_node(db, FOLDER)

    assert first == second
    assert former is not None
    assert former[0] == GOOD


def test_ten_changes_of_one_child_are_one_mark_that_keeps_the_oldest_time(db: Connection) -> None:
    for minute in range(10):
        nodes.mark_dirty(
            db,
            [VaultPath("wiki/concepts/A.md")],
            reason="edit",
            now=NOON + timedelta(minutes=minute),
        )

    (mark,) = nodes.marks(db)

    assert (mark.folder, mark.since) == (FOLDER, NOON)


def test_change_during_a_run_survives_the_run(db: Connection) -> None:
    nodes.mark_dirty(db, [VaultPath("wiki/a.md")], reason="edit", now=NOON)
    seen = nodes.newest_mark(db, VaultPath("wiki"))
    nodes.mark_dirty(db, [VaultPath("wiki/a.md")], reason="edit", now=NOON)

    nodes.clear_marks(db, VaultPath("wiki"), seen=seen)

    assert [mark.folder for mark in nodes.marks(db)] == ["wiki"]
    nodes.clear_marks(db, VaultPath("wiki"), seen=nodes.newest_mark(db, VaultPath("wiki")))
    assert nodes.marks(db) == []
    nodes.mark_dirty(db, [VaultPath("wiki/b.md")], reason="edit", now=NOON)
    assert nodes.newest_mark(db, VaultPath("wiki")) > seen


def test_dropped_summary_can_be_found_until_it_is_forgotten(db: Connection) -> None:
    nodes.store_node(db, GOOD, now=NOON)

    assert nodes.drop_node(db, FOLDER, asked=True, now=NOON)

    assert nodes.node(db, FOLDER) is None
    assert nodes.former_within(db, VaultPath("wiki")) == [FOLDER]
    assert nodes.forget_former(db, before=NOON) == 0
    assert nodes.forget_former(db) == 1


def test_folder_names_with_wildcards_do_not_reach_their_neighbours(db: Connection) -> None:
    for path in ("a_b", "a_b/c", "axb", "A_B", "a%"):
        nodes.store_node(db, replace(GOOD, path=VaultPath(path)), now=NOON)

    found = [item.path for item in nodes.nodes_within(db, VaultPath("a_b"))]

    assert found == ["a_b", "a_b/c"]


def test_states_are_counted_with_those_that_are_empty(db: Connection) -> None:
    nodes.store_node(db, GOOD, now=NOON)

    assert nodes.state_counts(db) == {"ok": 1, "fallback": 0, "stale": 0, "failed": 0}
