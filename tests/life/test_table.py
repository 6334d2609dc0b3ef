"""docs/reliability.md names tests that exist."""

from __future__ import annotations

import re

from tests.conftest import ROOT


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
