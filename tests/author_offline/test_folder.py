"""Folders in short."""

from __future__ import annotations

import random

from vaultd.author.offline.folder import folder_text
from vaultd.author.seam import FolderRequest
from vaultd.model.paths import VaultPath
from vaultd.model.summary import ChildSummary


def child(name: str, abstract: str, category: str = "concept") -> ChildSummary:
    return ChildSummary(f"wiki/bread/{name}.md", name, abstract, category, False, bool(abstract))


CHILDREN = (
    child("Sourdough starter", "A sourdough starter is a community of wild yeast and bacteria."),
    child("Salt", "Salt slows the yeast and the bacteria of a sourdough."),
    child("Oven", "An oven holds heat."),
    child("Anna Baker", "Anna Baker keeps a sourdough starter.", "entity"),
    child("Empty", "", "note"),
)


def request(children: tuple[ChildSummary, ...], **more: object) -> FolderRequest:
    return FolderRequest(VaultPath("wiki/bread"), "bread", "en", children, **more)  # type: ignore[arg-type]


def test_the_abstract_tells_what_is_inside() -> None:
    text = folder_text(request(CHILDREN))

    assert text.abstract.startswith("5 entries, among them ")
    assert "Salt" in text.abstract
    assert len(text.abstract) <= 200


def test_the_overview_is_grouped_and_names_every_child() -> None:
    text = folder_text(request(CHILDREN))

    assert [line for line in text.overview.splitlines() if line.startswith("## ")] == [
        "## concept (3)",
        "## entity (1)",
        "## note (1)",
    ]
    assert all(f"**{one.name}**" in text.overview for one in CHILDREN)


def test_the_order_of_children_does_not_matter() -> None:
    shuffled = list(CHILDREN)
    random.Random(7).shuffle(shuffled)

    assert folder_text(request(tuple(shuffled))) == folder_text(request(CHILDREN))


def test_partial_overviews_are_united_by_category() -> None:
    halves = (request(CHILDREN[:2]), request(CHILDREN[2:]))
    partials = tuple((str(n), folder_text(half).overview) for n, half in enumerate(halves))

    whole = folder_text(request((), partials=partials, total=5))
    assert "## concept (3)" in whole.overview
    assert all(f"**{one.name}**" in whole.overview for one in CHILDREN)
    assert whole.abstract.startswith("5 entries")


def test_chinese_folders_are_described_in_chinese() -> None:
    children = (
        child("老盐水", "老盐水里已经有稳定的乳酸菌。"),
        child("乳酸菌", "乳酸菌不需要氧气。"),
    )
    text = folder_text(FolderRequest(VaultPath("wiki/泡菜"), "泡菜", "zh", children))

    assert text.abstract.startswith("内容：乳酸菌、老盐水。")
    assert "乳酸菌" in text.abstract


def test_a_very_long_name_does_not_break_the_limit() -> None:
    text = folder_text(request((child("n" * 400, "x" * 400),)))

    assert len(text.abstract) <= 200


def test_a_folder_of_folders_repeats_no_list_of_names() -> None:
    inner = ChildSummary("wiki/bread/", "bread", "Notes on Rye. Rye is sour.", "folder", True, True)
    text = folder_text(FolderRequest(VaultPath("wiki"), "wiki", "en", (inner,)))

    assert text.abstract == "Notes on bread. Rye is sour."
