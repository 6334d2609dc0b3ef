"""Cutting a long source: nothing lost, nothing too long, cut at its own seams."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultd.core.chunk import split_chunks

pieces = st.sampled_from(
    [
        "# One",
        "## Two",
        "###### Six",
        "```py",
        "```",
        "````",
        "~~~",
        "| a | b |",
        "| --- | --- |",
        "| cell | cell |",
        "",
        "   ",
        "A sentence. Another one! A third?",
        "中文句子。第二句！第三句？",
        "x" * 90,
        "字" * 90,
    ]
)
texts = st.lists(pieces | st.text(max_size=30), max_size=30).map("\n".join)


@given(texts, st.integers(20, 200))
def test_no_chunk_is_longer_than_the_target(text: str, target: int) -> None:
    for chunk in split_chunks(text, target, target // 4):
        assert 0 < len(chunk.text) <= target
        assert len(chunk.overlap) <= target // 4


@given(texts, st.integers(20, 200))
def test_every_visible_character_is_in_some_chunk_in_order(text: str, target: int) -> None:
    whole = "".join(chunk.text for chunk in split_chunks(text, target, target // 4))
    left = iter(re.sub(r"\s", "", whole))

    assert all(char in left for char in re.sub(r"\s", "", text))


@given(texts, st.integers(20, 200))
def test_fences_are_whole_in_every_chunk_of_fences(text: str, target: int) -> None:
    body = "\n".join(f"line {n}" for n in range(40))
    for chunk in split_chunks(f"```\n{body}\n```", target, 0):
        assert chunk.text.startswith("```\n")
        assert chunk.text.endswith("\n```")


def test_short_text_is_one_chunk() -> None:
    (chunk,) = split_chunks("# A\n\nText.\n", 1_000, 80)

    assert (chunk.text, chunk.overlap, chunk.heading) == ("# A\n\nText.", "", "A")


def test_nothing_gives_no_chunk() -> None:
    assert split_chunks("", 100, 10) == []
    assert split_chunks(" \n\n ", 100, 10) == []


def test_a_fence_stays_in_one_chunk_if_it_can() -> None:
    fence = "```py\n" + "x = 1\n" * 10 + "```"
    text = "Before. " * 8 + "\n\n" + fence + "\n\n" + "After. " * 8

    chunks = split_chunks(text, 100, 10)

    assert any(fence in chunk.text for chunk in chunks)


def test_a_long_table_is_cut_between_rows_under_its_head() -> None:
    head = "| name | value |\n| --- | --- |"
    text = head + "\n" + "\n".join(f"| row {n} | {n} |" for n in range(60))

    chunks = split_chunks(text, 200, 20)

    assert len(chunks) > 3
    for chunk in chunks:
        assert chunk.text.startswith(head)
        assert all(re.fullmatch(r"\|.*\|", line) for line in chunk.text.split("\n"))


def test_a_long_paragraph_is_cut_behind_a_sentence() -> None:
    for text in ("This is a sentence of words. " * 40, "这是一句话。" * 100):
        for chunk in split_chunks(text, 150, 20):
            assert chunk.text.rstrip()[-1] in ".。"


def test_a_heading_goes_with_its_text_and_names_the_path() -> None:
    text = "# Book\n\n" + "a " * 40 + "\n\n## Chapter\n\n" + "b " * 40

    chunks = split_chunks(text, 100, 20)

    assert [chunk.heading for chunk in chunks] == ["Book", "Book > Chapter"]
    assert chunks[1].text.startswith("## Chapter")


def test_a_hash_inside_a_fence_is_no_heading() -> None:
    text = "# Real\n\n```sh\n# comment\n```\n\n" + "word " * 30 + "\n\n" + "more " * 30

    assert {chunk.heading for chunk in split_chunks(text, 120, 10)} == {"Real"}


def test_the_overlap_begins_at_a_seam() -> None:
    text = "\n\n".join(f"Paragraph {n} says something short." for n in range(30))

    chunks = split_chunks(text, 200, 80)

    assert chunks[0].overlap == ""
    assert all(chunk.overlap.startswith("Paragraph") for chunk in chunks[1:])
    assert all(
        before.text.endswith(after.overlap)
        for before, after in zip(chunks, chunks[1:], strict=False)
    )


def test_a_novel_is_cut_in_no_time(shared: Path) -> None:
    text = (shared / "corpus/txt-war-and-peace.txt").read_text(encoding="utf-8")

    chunks = split_chunks(text, 60_000, 3_000)

    assert 50 < len(chunks) < 70
    assert max(len(chunk.text) for chunk in chunks) <= 60_000


@pytest.mark.parametrize("target", [20, 1_000])
def test_one_endless_word_is_cut_anywhere(target: int) -> None:
    chunks = split_chunks("x" * 5_000, target, 5)

    assert sum(len(chunk.text) for chunk in chunks) == 5_000
