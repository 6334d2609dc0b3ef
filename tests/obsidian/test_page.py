"""docs/obsidian.md names tests that exist, and each row names one."""

from __future__ import annotations

import re

from tests.conftest import ROOT

PAGE = (ROOT / "docs/obsidian.md").read_text("utf-8")
ROWS = [row for row in PAGE.splitlines() if row.startswith("| ") and not row.startswith("| ---")]
NAMED = re.compile(r"`(tests/[^\s:`]+)::(\w+)`")


def test_every_test_named_on_the_page_exists() -> None:
    named = NAMED.findall(PAGE)
    texts = {path: (ROOT / path).read_text("utf-8") for path, _ in named}

    assert len(named) > 90
    assert [f"{path}::{name}" for path, name in named if f"def {name}(" not in texts[path]] == []


def test_every_row_of_the_page_names_a_test() -> None:
    assert [row for row in ROWS if not NAMED.search(row) and "| test |" not in row] == []


def test_every_test_of_the_folder_is_on_the_page_or_beside_one_that_is() -> None:
    here = {path.name for path in (ROOT / "tests/obsidian").glob("test_*.py")}

    assert here - {path.rpartition("/")[2] for path, _ in NAMED.findall(PAGE)} == {"test_page.py"}
