"""Checkpoints of long sources, and the sections of a chunk's reply."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultd.core.digest import (
    Checkpoint,
    checkpoint_name,
    chunk_sections,
    consolidated,
    read,
    source_hash,
    units,
    written,
)
from vaultd.model.paths import SourceId

FRESH = Checkpoint(SourceId("book.txt"), "0" * 16, 9, 8, 7, 6, 3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8")],
)
def test_the_hash_is_fnv_1a(text: str, expected: str) -> None:
    """Source: the published test vectors, one unit a letter."""
    assert source_hash(text) == expected


def test_hash_and_length_count_utf_16_units() -> None:
    assert len(units("a\U0001f600中")) == 4
    assert source_hash("\U0001f600") != source_hash("\ud83d")


def test_a_checkpoint_holds_every_field_of_the_format() -> None:
    state = FRESH.after("first", "digest")

    document = json.loads(written(state, milliseconds=1_700_000_000_000))

    assert document == {
        "version": 1,
        "sourceIdentity": "book.txt",
        "sourceHash": "0" * 16,
        "sourceLength": 9,
        "sourceBudget": 8,
        "targetChars": 7,
        "overlapChars": 6,
        "chunkTotal": 3,
        "askedWith": "",
        "completedThrough": 1,
        "globalDigest": "digest",
        "analyses": ["first"],
        "updatedAt": 1_700_000_000_000,
    }
    assert read(json.dumps(document)) == state


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sourceIdentity", "other.txt"),
        ("sourceHash", "1" * 16),
        ("sourceLength", 10),
        ("sourceBudget", 10),
        ("targetChars", 10),
        ("overlapChars", 10),
        ("chunkTotal", 10),
        ("askedWith", "another model"),
        ("completedThrough", 2),
        ("version", 2),
        ("analyses", ["a", "b"]),
    ],
)
def test_a_checkpoint_of_other_work_is_not_resumed(field: str, value: object) -> None:
    document = json.loads(written(FRESH.after("first", "digest"), milliseconds=0))
    found = read(json.dumps(document | {field: value}))

    assert found is None or not found.resumes(FRESH)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"version": 1}', '{"version": "1"}'])
def test_what_is_no_checkpoint_is_none(text: str) -> None:
    assert read(text) is None


def test_the_file_is_named_by_source_and_hash() -> None:
    assert checkpoint_name(SourceId("My book.txt"), "ab" * 8) == (
        f"ingest-progress/My book-{'ab' * 8}.json"
    )


@pytest.mark.parametrize(
    "reply",
    [
        "## Chunk Analysis\n\nA.\n\n## Updated Global Digest\n\nD.",
        "Talk.\n# CHUNK ANALYSIS\nA.\n### updated global digest:\nD.",
        "## 1. Chunk Analysis\n\nA.\n\n## 2. **Updated Global Digest**\n\nD.",
        "## Updated Global Digest\n\nD.\n\n## Chunk Analysis\n\nA.",
    ],
)
def test_the_two_sections_are_found(reply: str) -> None:
    assert chunk_sections(reply, "old") == ("A.", "D.")


def test_without_its_sections_a_reply_is_analysis_and_adds_to_the_digest() -> None:
    assert chunk_sections("Just notes.", "old") == ("Just notes.", "old\n\nJust notes.")


def test_both_sections_are_bounded() -> None:
    analysis, digest = chunk_sections(
        f"## Chunk Analysis\n{'a' * 90_000}\n## Updated Global Digest\n{'d' * 90_000}", ""
    )

    assert len(analysis) <= 40_000
    assert len(digest) <= 15_000
    assert analysis.endswith("[… trimmed …]")


@given(st.lists(st.text(max_size=400), max_size=12), st.integers(2_000, 9_000))
def test_the_consolidated_analysis_is_bounded(analyses: list[str], limit: int) -> None:
    text = consolidated("The digest.", tuple(analyses), limit)

    assert len(text) <= limit
    assert "The digest." in text
