"""How a context is shared out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultd.core import budget
from vaultd.core.budget import (
    budget_of,
    fewest_tokens,
    generation_tokens,
    halved,
    pages_a_reply,
    review_tokens,
    trimmed,
    wants_review_stage,
)


@pytest.mark.parametrize(
    ("context", "source"),
    [(204_800, 122_880), (64_000, 30_400), (16_000, 8_000), (1_000_000, 300_000)],
)
def test_the_worked_examples_come_out(context: int, source: int) -> None:
    assert budget_of(context, 0).source == source


@pytest.mark.parametrize(
    ("context", "tokens", "review"),
    [
        (16_000, 8_192, 4_096),
        (127_999, 8_192, 4_096),
        (128_000, 16_384, 8_192),
        (256_000, 24_576, 8_192),
        (512_000, 32_768, 8_192),
    ],
)
def test_the_longest_reply_follows_the_context(context: int, tokens: int, review: int) -> None:
    assert generation_tokens(context) == tokens
    assert review_tokens(context) == review


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LONG_SOURCE_MIN_BUDGET", 8_000),
        ("LONG_SOURCE_MAX_SINGLE_PASS_BUDGET", 300_000),
        ("LONG_SOURCE_CHUNK_MIN", 12_000),
        ("LONG_SOURCE_CHUNK_MAX", 60_000),
        ("LONG_SOURCE_OVERLAP_MIN", 800),
        ("LONG_SOURCE_OVERLAP_MAX", 3_000),
        ("LONG_SOURCE_DIGEST_MAX", 15_000),
        ("LONG_SOURCE_CHUNK_ANALYSIS_MAX", 40_000),
        ("REVIEW_STAGE_MIN_SIGNAL_CHARS", 10_000),
        ("REVIEW_STAGE_MIN_FILE_BLOCKS", 4),
        ("ANALYSIS_MAX_TOKENS", 4_096),
    ],
)
def test_the_constants_of_the_format_hold(name: str, value: int) -> None:
    assert getattr(budget, name) == value


@given(st.integers(0, 2_000_000), st.integers(0, 500_000))
def test_every_part_fits_into_its_whole(context: int, stable: int) -> None:
    shared = budget_of(context, stable)

    assert 0 < shared.chunk <= shared.source <= shared.context
    assert shared.overlap <= shared.chunk // 4
    assert shared.source <= 300_000
    assert shared.source >= min(8_000, shared.context // 2)


def test_chunks_have_the_sizes_of_the_format_where_the_budget_allows() -> None:
    shared = budget_of(204_800, 0)

    assert shared.chunk == 60_000
    assert shared.overlap == 3_000
    assert budget_of(64_000, 0).chunk == 16_720
    assert budget_of(64_000, 0).overlap == 1_337


@pytest.mark.parametrize(
    ("length", "blocks", "asked", "wanted"),
    [
        (9_999, 3, False, False),
        (10_000, 0, False, True),
        (0, 4, False, True),
        (0, 0, True, True),
    ],
)
def test_the_review_stage_has_its_triggers(
    length: int, blocks: int, asked: bool, wanted: bool
) -> None:
    assert wants_review_stage(length, blocks, asked=asked) is wanted


@given(st.integers(4_000, 1_000_000), st.integers(0, 1_000_000))
def test_halving_always_ends_and_rules_the_prompt_out(context: int, prompt: int) -> None:
    smaller = halved(context, prompt)

    assert smaller >= 4_000
    assert smaller <= max(context // 2, 4_000)
    assert smaller <= max(prompt, 4_000)


@given(st.text(max_size=300), st.integers(20, 200))
def test_trimmed_text_never_exceeds_its_limit(text: str, limit: int) -> None:
    cut = trimmed(text, limit)

    assert len(cut) <= limit
    assert cut == text or cut.endswith("[… trimmed …]")


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("word " * 100, 100),
        ("- " * 400, 400),
        (" " * 9_000, 1),
        ("=" * 9_000, 40),
        ("中文字符" * 100, 250),
    ],
)
def test_the_least_count_is_below_any_tokenizers(text: str, most: int) -> None:
    assert 0 < fewest_tokens(text) <= most


def test_a_reply_holds_whole_pages() -> None:
    assert pages_a_reply(8_192) == 7
    assert pages_a_reply(100) == 1
