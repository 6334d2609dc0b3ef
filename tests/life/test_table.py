"""docs/reliability.md has every promise, and names tests that exist."""

from __future__ import annotations

import re

from tests.conftest import ROOT

LAST = {"A": 10, "B": 18, "C": 14, "D": 12, "E": 10, "F": 11, "G": 7}  # ids run from 1


def test_no_promise_is_left_without_a_test() -> None:
    page = (ROOT / "docs/reliability.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| ([A-G]\d+) \| (.*) \|$", page, re.MULTILINE))
    wanted = {f"{area}{number}" for area, last in LAST.items() for number in range(1, last + 1)}

    assert wanted - rows.keys() == set()
    assert [name for name in wanted if "`tests/" not in rows[name]] == []


def test_every_test_named_in_the_table_exists() -> None:
    named = re.findall(
        r"`(tests/[^\s:`]+)::(\w+)`", (ROOT / "docs/reliability.md").read_text("utf-8")
    )
    gone = [
        f"{path}::{name}"
        for path, name in named
        if f"def {name}(" not in (ROOT / path).read_text("utf-8")
    ]

    assert len(named) > 60
    assert gone == []
