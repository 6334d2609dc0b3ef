"""`lint`, `rebuild`, `doctor`, `take-over` and `estimate` on a real vault."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vaultd.vault.layout import machine_id

TEXT = """# Heat pumps

A heat pump is a machine that moves heat from a cold place to a warm one.
Every heat pump needs work, since heat flows from warm to cold bodies.
A heat pump takes heat from the air even in a cold winter.
"""


def test_a_wiki_is_looked_over_and_made_anew(
    root: Path, run: Callable[..., Any], answer: Any
) -> None:
    (root / "raw/heat.md").write_text(TEXT)
    answer("ingest", str(root / "raw/heat.md"))
    (root / "wiki/concepts/Lonely.md").write_text("---\ntype: concept\n---\n[[Nowhere]]\n")

    found = run("lint")
    made = answer("rebuild")

    assert found.exit_code == 3
    assert "wiki/concepts/Lonely.md: Nowhere is not there." in found.stdout
    assert (root / "wiki/reviews/lint.md").exists()
    assert made["state"] == "done"
    assert "Sources: 1 done" in run("status").stdout


def test_a_rebuild_says_what_is_known_also_after_the_database_was_lost(
    root: Path, run: Callable[..., Any], answer: Any
) -> None:
    (root / "raw/heat.md").write_text(TEXT)
    answer("ingest", str(root / "raw/heat.md"))
    before = run("rebuild").stdout
    for place in (root / ".llm-wiki").glob("vaultd.db*"):
        place.unlink()

    after = run("rebuild").stdout

    assert before.splitlines()[0] == after.splitlines()[0] == "Known: 2 pages, 1 source."
    assert "anew" not in before + after, "opening took them in"


def test_doctor_needs_no_vault(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    from typer.testing import CliRunner

    from vaultd.cli.application import app

    monkeypatch.setenv("VAULTD_EMBEDDING__PROVIDER", "builtin")
    result = CliRunner().invoke(app, ["doctor"])

    assert "No vault was looked at" in result.stdout
    assert result.exit_code == 0


def test_doctor_says_which_setting_is_wrong(root: Path, run: Callable[..., Any]) -> None:
    (root / ".llm-wiki/config.toml").write_text("[llm]\nmodle = 'x'\n")

    result = run("doctor")

    assert result.exit_code == 1
    assert "modle" in result.stdout


def test_a_vault_of_another_machine_is_only_read(root: Path, run: Callable[..., Any]) -> None:
    index = root / "wiki/index.md"
    index.write_text('---\nvaultd_writer: "another"\n---\n# Index\n')

    refused = run("run", "--once")
    shown = run("status")
    taken = run("take-over")

    assert refused.exit_code == 1
    assert "take-over" in refused.stderr
    assert "Another machine (another) writes" in shown.stdout
    assert taken.exit_code == 0
    assert machine_id(os.environ) in index.read_text()
    assert run("run", "--once").exit_code == 0


def test_an_estimate_counts_what_is_not_taken_yet(root: Path, answer: Any) -> None:
    (root / "raw/heat.md").write_text(TEXT)
    (root / "raw/broken.pdf").write_bytes(b"%PDF-1.7\nnot really\n%%EOF\n")

    found = answer("estimate")

    by_name = {Path(each["file"]).name: each for each in found["files"]}
    assert by_name["heat.md"]["tokens"] > 1000
    assert by_name["broken.pdf"]["reason"]
    assert found["tokens"] == by_name["heat.md"]["tokens"]


def test_nothing_to_estimate_or_describe_is_said_in_words(
    root: Path, run: Callable[..., Any]
) -> None:
    assert "no document that was not taken" in run("estimate").stdout
    assert run("summarize").stdout.startswith("the whole vault: ")
