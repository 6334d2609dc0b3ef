"""How much of what goes into a prompt, and how long a reply may be.

All lengths are characters of text; the context is a setting in characters, held until an
endpoint says that it is too much. Source of the numbers: requirements of the ingest format.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LONG_SOURCE_MIN_BUDGET = 8_000
LONG_SOURCE_MAX_SINGLE_PASS_BUDGET = 300_000
LONG_SOURCE_CHUNK_MIN = 12_000
LONG_SOURCE_CHUNK_MAX = 60_000
LONG_SOURCE_OVERLAP_MIN = 800
LONG_SOURCE_OVERLAP_MAX = 3_000
LONG_SOURCE_DIGEST_MAX = 15_000
LONG_SOURCE_CHUNK_ANALYSIS_MAX = 40_000
LONG_SOURCE_NOTES_MIN = 40_000  # the generation of a long source sees at least so much of its notes
REVIEW_STAGE_MIN_SIGNAL_CHARS = 10_000
REVIEW_STAGE_MIN_FILE_BLOCKS = 4
ANALYSIS_MAX_TOKENS = 4_096
CAPTION_MAX_TOKENS = 4_096
REVIEW_MAX_TOKENS = 8_192
MIN_CONTEXT_CHARS = 4_000  # below, instructions and a paragraph no longer fit together
SMALL_CONTEXT_CHARS = 16_000  # below, half the context is source, whatever the least budget says
INDEX_MAX_CHARS = 40_000
TRIMMED = "\n\n[… trimmed …]"
GENERATION_TOKENS = ((512_000, 32_768), (256_000, 24_576), (128_000, 16_384), (0, 8_192))
PAGE_TOKENS = 900  # what a page takes in a reply, rather too many: 600 words or 800 CJK characters

LEAST_LATIN_TOKENS = 0.15  # a character, of any tokenizer: used only to notice a cut prompt
LEAST_EAST_TOKENS = 0.5
_RUN = re.compile(r"(.)\1{3,}", re.DOTALL)
_EAST = re.compile("[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff01-\uffee]")


@dataclass(frozen=True, slots=True)
class Budget:
    """How a context is shared out. `source` is what of the document fits into one prompt."""

    context: int
    response: int
    stable: int
    instruction: int
    source: int
    chunk: int
    overlap: int


def budget_of(context_chars: int, stable_chars: int) -> Budget:
    """Share out a context; `stable_chars` is the length of purpose, schema and listed pages."""
    context = max(MIN_CONTEXT_CHARS, context_chars)
    response = context * 15 // 100
    stable = min(context * 25 // 100, max(12_000, stable_chars))
    instruction = max(12_000, context * 8 // 100)
    highest = min(
        LONG_SOURCE_MAX_SINGLE_PASS_BUDGET, max(LONG_SOURCE_MIN_BUDGET, context * 60 // 100)
    )
    source = _clamp(context - response - stable - instruction, LONG_SOURCE_MIN_BUDGET, highest)
    if context < SMALL_CONTEXT_CHARS:
        source = context // 2
    chunk = min(source, _clamp(source * 55 // 100, LONG_SOURCE_CHUNK_MIN, LONG_SOURCE_CHUNK_MAX))
    overlap = _clamp(chunk * 8 // 100, LONG_SOURCE_OVERLAP_MIN, LONG_SOURCE_OVERLAP_MAX)
    return Budget(context, response, stable, instruction, source, chunk, min(overlap, chunk // 4))


def generation_tokens(context_chars: int) -> int:
    """Return the longest reply of the generation stage, in tokens."""
    return next(tokens for least, tokens in GENERATION_TOKENS if context_chars >= least)


def review_tokens(context_chars: int) -> int:
    """Return the longest reply of the review stage, in tokens."""
    return min(REVIEW_MAX_TOKENS, max(4_096, generation_tokens(context_chars) // 2))


def repair_section_chars(context_chars: int) -> int:
    """Return how much of each context section goes along when missing pages are asked for."""
    return max(4_000, context_chars * 12 // 100)


def review_section_chars(context_chars: int) -> tuple[int, int]:
    """Return how much of each section, and of the page list, the review stage sees."""
    section = max(4_000, context_chars * 15 // 100)
    return section, max(3_000, section * 80 // 100)


def notes_chars(budget: Budget) -> int:
    """Return how much of a long source's digest and notes the generation sees."""
    return min(max(budget.source, LONG_SOURCE_NOTES_MIN), budget.context * 60 // 100)


def pages_a_reply(max_tokens: int) -> int:
    """Return how many pages fit into one reply, with a fifth to spare."""
    return max(1, max_tokens * 80 // 100 // PAGE_TOKENS)


def wants_review_stage(length: int, blocks: int, *, asked: bool) -> bool:
    """Tell whether a generation is worth a review call.

    `length` of the reply in characters, `blocks` written, `asked`: it held review blocks.
    """
    return (
        length >= REVIEW_STAGE_MIN_SIGNAL_CHARS or blocks >= REVIEW_STAGE_MIN_FILE_BLOCKS or asked
    )


def halved(context_chars: int, prompt_chars: int) -> int:
    """Return half the context, halved further until a prompt of that length is ruled out."""
    smaller = context_chars // 2
    while smaller > max(prompt_chars, MIN_CONTEXT_CHARS):
        smaller //= 2
    return max(MIN_CONTEXT_CHARS, smaller)


def trimmed(text: str, limit: int) -> str:
    """Return `text` cut at `limit` characters, at a paragraph if one ends near, with a mark."""
    if len(text) <= limit:
        return text
    room = max(0, limit - len(TRIMMED))
    paragraph = text.rfind("\n\n", room * 8 // 10, room)
    return text[: paragraph if paragraph > 0 else room].rstrip() + TRIMMED


def fewest_tokens(text: str) -> float:
    """Return a number of tokens that no tokenizer goes below for `text`.

    A run of one character counts as three at most: tokenizers have long tokens for those.
    """
    text = _RUN.sub(r"\1\1\1", text)
    east = len(_EAST.findall(text))
    return (len(text) - east) * LEAST_LATIN_TOKENS + east * LEAST_EAST_TOKENS


def _clamp(value: int, low: int, high: int) -> int:
    return max(low, min(high, value))
