"""`ingest`, `retry` and `cancel` on a real vault with the offline author."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
NOTE = ROOT / "sample-vault/raw/Koji for beginners.md"


def test_a_file_from_elsewhere_is_copied_and_becomes_pages(root: Path, answer: Any) -> None:
    (job,) = answer("ingest", str(NOTE))["jobs"]

    assert (job["subject"], job["state"]) == ("raw/Koji for beginners.md", "done")
    assert (root / "raw/Koji for beginners.md").read_bytes() == NOTE.read_bytes()
    assert (root / "wiki/sources/Koji for beginners.md").exists()
    assert answer("status")["counts"]["done"] == 1


def test_a_name_that_is_taken_gets_a_number(root: Path, answer: Any, tmp_path: Path) -> None:
    (root / "raw" / NOTE.name).write_text("# Other\n\nSomething else entirely stands here.\n")

    (job,) = answer("ingest", str(NOTE))["jobs"]

    assert job["subject"] == "raw/Koji for beginners 2.md"
    assert "Something else" in (root / "raw" / NOTE.name).read_text()


def test_a_file_without_text_is_parked_and_can_be_tried_again(
    root: Path, run: Callable[..., Any], answer: Any
) -> None:
    (root / "raw/broken.pdf").write_bytes(b"%PDF-1.7\nnot really\n%%EOF\n")

    result = run("ingest", str(root / "raw/broken.pdf"))
    assert result.exit_code == 3
    assert "parked" in result.stdout

    assert run("retry", "broken.pdf").exit_code == 3
    shutil.copy(ROOT / "scripts/sample/Temperature and fermentation.pdf", root / "raw/broken.pdf")
    assert run("ingest", str(root / "raw/broken.pdf")).exit_code == 0
    assert "nothing to try again" in run("retry", "--all").stdout


def test_an_empty_file_is_parked_with_its_reason(
    root: Path, run: Callable[..., Any], answer: Callable[..., Any]
) -> None:
    (root / "raw/empty.md").write_bytes(b"")

    result = run("ingest", str(root / "raw/empty.md"))

    (line,) = result.stdout.splitlines()
    assert result.exit_code == 3
    assert line.startswith("raw/empty.md: parked (")
    (file,) = answer("status")["files"]
    assert (file["state"], file["code"]) == ("parked", "empty")
    assert not list((root / "wiki/sources").glob("*.md"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ingest", "gone.pdf"], "There is no file gone.pdf"),
        (["retry"], "Name a source"),
        (["retry", "x.pdf", "--all"], "Name a source"),
        (["retry", "--offline"], "No model is configured"),
        (["retry", "x.pdf"], "has no database yet"),
    ],
)
def test_what_cannot_be_done_is_refused(
    run: Callable[..., Any], arguments: list[str], words: str
) -> None:
    result = run(*arguments)

    assert result.exit_code == 2
    assert words in result.stderr


def test_a_page_of_the_wiki_is_no_source(run: Callable[..., Any], root: Path) -> None:
    (root / "wiki/concepts/Salt.md").write_text("# Salt\n")

    result = run("ingest", str(root / "wiki/concepts/Salt.md"))

    assert result.exit_code == 2
    assert "is a page of the wiki" in result.stderr


def test_a_hidden_file_is_no_source(run: Callable[..., Any], root: Path) -> None:
    (root / ".obsidian").mkdir()
    (root / ".obsidian/app.json").write_text("{}")

    result = run("ingest", str(root / ".obsidian/app.json"))

    assert result.exit_code == 2
    assert ".obsidian/app.json is hidden" in result.stderr
