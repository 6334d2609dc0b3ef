"""`search` and `related`, on the database and with a daemon's help."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vaultd.model.search import NO_EMBEDDER

ROOT = Path(__file__).resolve().parent.parent.parent
SAMPLE = ROOT / "sample-vault"
FIELDS = {"id", "path", "title", "heading", "line", "start", "end", "page", "score", "snippet"} | {
    "via",
    "link",
}


@pytest.fixture
def indexed(root: Path, run: Callable[..., Any]) -> Path:
    """A vault with a person's notes, indexed by words."""
    for folder in ("Journal", "Recipes"):
        shutil.copytree(SAMPLE / folder, root / folder)
    done = run("run", "--once")
    assert done.exit_code == 0, done.stderr
    return root


def test_search_before_anything_is_indexed_says_so(run: Callable[..., Any], answer: Any) -> None:
    found = run("search", "bread")

    assert found.exit_code == 3
    assert "Nothing is indexed yet" in found.stderr
    assert answer("search", "bread")["results"] == []


def test_a_search_finds_what_a_person_wrote(indexed: Path, answer: Any, run: Any) -> None:
    found = answer("search", "老盐水 白膜", "-k", "3")
    (hit, *_) = found["results"]

    assert found["query"] == "老盐水 白膜"
    assert found["lanes"] == ["words"]
    assert set(hit) >= FIELDS
    assert hit["path"] == "Recipes/泡菜坛.md"
    assert "Recipes/泡菜坛.md" in run("search", "老盐水 白膜").stdout


def test_a_note_that_was_deleted_is_not_found_any_more(indexed: Path, answer: Any) -> None:
    (indexed / "Recipes/泡菜坛.md").unlink()

    found = answer("search", "老盐水 白膜", "-k", "3")["results"]

    assert "Recipes/泡菜坛.md" not in [hit["path"] for hit in found]


def test_a_document_title_is_told_once(indexed: Path, run: Any) -> None:
    (indexed / "Recipes/Rye.md").write_text("# Rye\n\n## Dough\n\nRye dough is sticky as tar.\n")
    (indexed / "Recipes/Rye bread.md").write_text("# Rye breads\n\nTar-like crumb.\n")
    run("run", "--once")

    told = run("search", "sticky as tar", "-k", "1").stdout

    assert told.startswith("1. Rye › Dough\n")


def test_filters_reach_the_engine(indexed: Path, answer: Any) -> None:
    def paths(*arguments: str) -> set[str]:
        return {
            hit["path"] for hit in answer("search", "bread dough starter", *arguments)["results"]
        }

    assert paths("--under", "Journal/") <= {"Journal/2026-10-04.md", "Journal/2026-11-01.md"}
    assert paths("--tag", "#weekly") == {"Recipes/Country loaf.md"}
    assert len(paths("-k", "1")) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["search", "  "], "The question is empty"),
        (["search", "x", "--after", "last week"], "'last week' is no day"),
        (["search", "x", "-k", "0"], "'-k'"),
        (["search", "x", "--mode", "guess"], "guess"),
        (["related", "Nowhere"], "There is no file Nowhere"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    run: Callable[..., Any], arguments: list[str], words: str
) -> None:
    result = run(*arguments)

    assert result.exit_code == 2
    assert words in result.stderr


def test_related_names_the_page_it_was_asked_for(indexed: Path, answer: Any) -> None:
    near = answer("related", "Recipes/Country loaf")

    assert near["path"] == "Recipes/Country loaf.md"
    assert near["results"] == []


@pytest.mark.parametrize("command", [("related",), ("history",), ("restore", "2026-11-30")])
def test_a_name_that_is_no_path_is_told_with_the_files_that_may_be_meant(
    indexed: Path, run: Any, command: tuple[str, ...]
) -> None:
    name, *version = command

    called, misspelt, gone = (
        run(name, page, *version) for page in ("Country", "Recipes/Contry loaf", "Zeppelin")
    )

    assert {called.exit_code, misspelt.exit_code, gone.exit_code} == {2}
    assert "Did you mean Recipes/Country loaf.md?" in called.stderr
    assert "Did you mean Recipes/Country loaf.md?" in misspelt.stderr
    assert "Name it from the vault's root" in gone.stderr


def test_without_an_embedder_it_is_told_why_nothing_is_found_by_meaning(
    indexed: Path, answer: Any, run: Any
) -> None:
    by_meaning = ("search", "bread", "--mode", "vectors")

    for asked in (("related", "Recipes/Country loaf"), by_meaning):
        assert answer(*asked)["notes"] == [NO_EMBEDDER]
        assert NO_EMBEDDER in run(*asked).stderr
    assert NO_EMBEDDER not in run("search", "bread").stderr


def test_related_before_anything_is_indexed_says_so(root: Path, run: Any) -> None:
    (root / "Koji.md").write_text("Rice with mould.")

    near = run("related", "Koji")

    assert near.stdout == "Nothing near.\n"
    assert "Nothing is indexed yet" in near.stderr
