from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations

from vaultd.core.staleness import (
    MOST_ATTEMPTS,
    Maker,
    Step,
    digest_to_keep,
    folder_digest,
    folders_to_visit,
    next_step,
    parent_of,
    retry_at,
    root_of,
    same_text,
)
from vaultd.model.paths import VaultPath
from vaultd.model.summary import ChildSummary, Node, NodeKind, NodeState

NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
MAKER = Maker("m", "p1", "en", 50)
WIKI = VaultPath("wiki")


def child(name: str, abstract: str = "text", category: str = "note") -> ChildSummary:
    return ChildSummary(f"wiki/x/{name}", name, abstract, category, False, True)


def node(state: NodeState, digest: str = "d", next_try: datetime | None = None) -> Node:
    return Node(WIKI, NodeKind.FOLDER, state, digest, next_try=next_try)


def test_digest_ignores_order_and_where_the_folder_lies() -> None:
    children = [child("a"), child("b"), child("c")]
    moved = [replace(item, uri=f"other/{item.name}") for item in children]

    digests = {folder_digest(order, MAKER) for order in permutations(children)}
    assert digests == {folder_digest(moved, MAKER)}


def test_digest_changes_with_name_text_category_prompt_and_model() -> None:
    base = folder_digest([child("a")], MAKER)

    others = [
        folder_digest([child("b")], MAKER),
        folder_digest([child("a", "other")], MAKER),
        folder_digest([child("a", category="entity")], MAKER),
        folder_digest([child("a")], replace(MAKER, prompt_version="p2")),
        folder_digest([child("a")], replace(MAKER, author="n")),
    ]
    assert base not in others
    assert len(set(others)) == 5


def test_digest_stays_what_it_is_from_one_version_to_the_next() -> None:
    """Another one for the same children would make every text of every vault anew."""
    children = [
        ChildSummary("wiki/x/a.md", "a", "About a.", "concept", False, True),
        ChildSummary("wiki/x/b/", "b", "About b.", "folder", True, True),
    ]
    titled = [replace(children[0], title="An A"), children[1]]
    maker = Maker("a-model", "p1", "en", 50)

    stored = "70b3b8008d4eb3f49ccfdc63483711b598971accd5df6a4777989fa5a75a77b5"
    assert folder_digest(children, maker) == stored
    assert folder_digest(titled, maker) != stored


def test_line_ends_and_unicode_form_are_no_change() -> None:
    assert same_text("e\u0301\r\nx ", "\u00e9\nx")


def test_unchanged_folder_is_kept_and_changed_one_is_asked_for() -> None:
    assert next_step(node(NodeState.OK), "d", NOON) is Step.KEEP
    assert next_step(node(NodeState.OK), "e", NOON) is Step.ASK
    assert next_step(None, "d", NOON) is Step.ASK


def test_fallback_waits_for_its_next_try_unless_a_person_asks() -> None:
    later = node(NodeState.FALLBACK, next_try=NOON + timedelta(seconds=1))

    assert next_step(later, "d", NOON) is Step.WAIT
    assert next_step(later, "d", NOON, asked=True) is Step.ASK
    assert next_step(later, "d", NOON + timedelta(seconds=1)) is Step.ASK
    assert next_step(node(NodeState.STALE), "d", NOON) is Step.WAIT


def test_waits_grow_to_ten_minutes_and_end_after_the_last_attempt() -> None:
    waits = [retry_at(attempts, NOON) for attempts in range(1, MOST_ATTEMPTS + 1)]

    assert [at - NOON for at in waits[:4] if at] == [
        timedelta(seconds=30),
        timedelta(minutes=2),
        timedelta(minutes=8),
        timedelta(minutes=10),
    ]
    assert waits[-1] is None
    assert retry_at(1, NOON, first=timedelta(seconds=1)) == NOON + timedelta(seconds=1)


def test_innermost_root_holds_a_path() -> None:
    roots = [WIKI, VaultPath("Notes"), VaultPath("Notes/Work")]

    assert root_of(VaultPath("Notes/Work/a"), roots) == "Notes/Work"
    assert root_of(VaultPath("Notes2"), roots) is None
    assert root_of(VaultPath("x"), [VaultPath(".")]) == "."


def test_visit_holds_exactly_the_ancestors_of_what_changed() -> None:
    below = folders_to_visit(
        [VaultPath("wiki/a/b"), VaultPath("wiki/a/c"), VaultPath("raw/x")], [WIKI]
    )

    assert below == {
        "wiki": {"wiki/a"},
        "wiki/a": {"wiki/a/b", "wiki/a/c"},
        "wiki/a/b": set(),
        "wiki/a/c": set(),
    }


def test_the_parent_of_a_folder_is_the_one_that_holds_it() -> None:
    assert parent_of(VaultPath("a")) == "."
    assert parent_of(VaultPath(".")) == ""


def test_a_models_text_stays_while_only_the_offline_author_is_there() -> None:
    children = [ChildSummary("wiki/a.md", "a", "About a.", "concept", False, True)]
    model = Maker("big", "v1", "en", 50)
    offline = Maker("offline", "", "en", 50)
    node = Node(
        VaultPath("wiki"),
        NodeKind.FOLDER,
        NodeState.OK,
        folder_digest(children, model),
        author="big",
        prompt_version="v1",
    )
    more = [*children, ChildSummary("wiki/b.md", "b", "About b.", "concept", False, True)]

    assert digest_to_keep(children, offline, node) == node.input_digest
    assert digest_to_keep(more, offline, node) == folder_digest(more, offline)
    assert digest_to_keep(children, model, node) == node.input_digest
    assert digest_to_keep(children, offline, None) == folder_digest(children, offline)
