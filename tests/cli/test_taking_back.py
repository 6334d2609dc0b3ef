"""`forget`, `undo`, `restore`, `reviews`, `review` and `summarize` on a real vault."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from vaultd.cli.reviewing import shown_lines

TEXT = "# Heat\n\nHeat flows from warm to cold bodies. Nobody has ever seen it flow back.\n" * 3


def test_a_long_question_is_cut_and_says_where_the_rest_is() -> None:
    lines = [f"line {number}" for number in range(40)]

    assert shown_lines("\n".join(lines[:9]), "wiki/reviews/x.md") == lines[:9]
    cut = shown_lines("\n".join(lines), "wiki/reviews/x.md")
    assert cut == [*lines[:8], "… 32 lines more in wiki/reviews/x.md"]


def test_an_ingest_is_described_undone_taken_again_and_forgotten(
    root: Path, run: Callable[..., Any], answer: Any
) -> None:
    (root / "raw/heat.md").write_text(TEXT)
    own = root / "wiki/sources/heat.md"
    answer("ingest", str(root / "raw/heat.md"))
    assert own.exists()

    assert "described" in run("summarize", "wiki").stdout
    assert answer("summarize", "wiki", "--drop")["result"]["dropped"] > 0

    expected = answer("forget", "heat.md", "--dry-run")
    assert own.exists()
    undone = answer("undo", "heat.md")
    assert undone["state"] == "done"
    assert not own.exists()
    assert run("undo", "heat.md").exit_code == 3  # nothing is left to be undone

    answer("ingest", str(root / "raw/heat.md"))
    assert own.exists()
    forgotten = answer("forget", "raw/heat.md")
    assert forgotten["removed"] == expected["removed"] == undone["removed"]
    assert not own.exists()
    assert (root / "raw/heat.md").exists()
    (file,) = answer("status")["files"]
    assert (file["state"], "forgotten" in file["reason"]) == ("skipped", True)


def test_an_old_version_is_put_back(root: Path, run: Callable[..., Any], answer: Any) -> None:
    (root / "raw/heat.md").write_text(TEXT)
    answer("ingest", str(root / "raw/heat.md"))
    own = root / "wiki/sources/heat.md"
    before = own.read_bytes()
    (root / "raw/heat.md").write_text(TEXT + "\n\nEntropy grows wherever nobody tidies up.\n")
    answer("ingest", str(root / "raw/heat.md"))
    (version,) = answer("history", "wiki/sources/heat.md")["versions"]

    result = run("restore", "wiki/sources/heat", version["version"])

    assert result.exit_code == 0
    assert own.read_bytes() == before
    assert run("restore", "wiki/sources/heat", "never").exit_code == 2


def test_a_question_is_listed_and_answered(
    root: Path, run: Callable[..., Any], answer: Any
) -> None:
    assert "No question" in run("reviews").stdout
    (root / "raw/broken.pdf").write_bytes(b"%PDF-1.7\nnot really\n%%EOF\n")
    assert run("run", "--once").exit_code == 3
    (item,) = answer("reviews")["reviews"]

    refused = run("review", item["id"], "--action", "Maybe")
    answered = run("review", item["id"], "--action", "skip")

    assert refused.exit_code == 2
    assert "Possible: Retry, Skip" in refused.stderr
    assert answered.exit_code == 0
    assert answer("reviews")["reviews"] == []
    assert run("review", item["id"], "--action", "Skip").exit_code == 2
    assert run("review", "review-none", "--action", "Skip").exit_code == 2


def test_what_is_not_there_is_named(run: Callable[..., Any]) -> None:
    assert "no source 'gone.pdf'" in run("forget", "gone.pdf").stderr
    assert "no source 'gone.pdf'" in run("undo", "gone.pdf").stderr
    assert "no folder or file" in run("summarize", "nowhere").stderr


def test_a_folder_that_is_never_described_is_refused_and_leaves_no_job(
    root: Path, run: Callable[..., Any], answer: Any
) -> None:
    (root / "Journal").mkdir()
    (root / "wiki/new").mkdir(parents=True)

    elsewhere, left_out = run("summarize", "Journal"), run("summarize", "raw/")

    assert (elsewhere.exit_code, left_out.exit_code) == (2, 2)
    assert "Journal is in none" in elsewhere.stderr
    assert "`[summaries] roots` names wiki." in elsewhere.stderr
    assert "raw is never described" in left_out.stderr
    assert answer("jobs")["jobs"] == []
    assert run("summarize", "./wiki/new/").exit_code == 0
