"""One file's summary: windows of its passages are summarised, and their summaries united."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil

from vaultd.author.seam import FileRequest
from vaultd.core.staleness import text_digest
from vaultd.core.text import sentences, tokens_of
from vaultd.errors import UnreadableSourceError
from vaultd.model.paths import VaultPath
from vaultd.summarize.ask import Asker, Tally
from vaultd.summarize.gate import together

REDUCE_TOKENS = 1_300  # spec/004 (token_max); a larger window takes more at once
WINDOW_SHARE = 0.6  # of the context: the rest is for instructions, the answer and bad estimates
CHARS_PER_TOKEN = 4  # of Latin text; `tokens_of` counts the others as they are


@dataclass(frozen=True, slots=True)
class FileTexts:
    """A file's summary, and the summaries of its windows and groups it was united from."""

    summary: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wish:
    """How a file is to be summarised; defaults are those of spec/004.

    `description` is a person's words about the file; they reach the prompt and the vector.
    `temperature` from 0 to 1; `max_tokens` of one answer, None or 0 = the model's own limit.
    """

    description: str = ""
    model: str = ""
    temperature: float = 0.01
    max_tokens: int | None = None


def window_tokens(context_chars: int) -> int:
    """Return how many tokens of text go into one prompt."""
    return max(1, int(context_chars / CHARS_PER_TOKEN * WINDOW_SHARE))


def file_digest(content: str, wish: Wish, author: str, prompt_version: str, language: str) -> str:
    """Return the hash of what a file's summary is made from; `content` is the file's own hash."""
    model = wish.model or author
    return text_digest("file", content, wish.description, model, prompt_version, language)


async def summarise_passages(
    path: VaultPath,
    passages: Sequence[str],
    wish: Wish,
    language: str,
    asker: Asker,
    tally: Tally,
    *,
    window: int,
) -> FileTexts:
    """Return the summary of `passages`, with ceil(tokens / window) calls and one to unite them.

    Raises:
        UnreadableSourceError: there is no text, so nothing is asked (a model would invent some).
        VaultdError: the author gave nothing usable.
    """
    if not any(passage.strip() for passage in passages):
        raise UnreadableSourceError(f"{path} has no text to summarise.", "empty")
    request = FileRequest(
        path,
        language,
        wish.description,
        passages=(),
        temperature=wish.temperature,
        max_tokens=wish.max_tokens or None,
        model=wish.model,
    )
    windows = await asyncio.to_thread(packed, passages, window)  # a book takes a moment
    texts = await together(
        asker.file(replace(request, passages=tuple(pieces)), tally) for pieces in windows
    )
    if len(texts) == 1:
        return FileTexts(texts[0], ())
    return await _united(texts, request, asker, tally, budget=max(REDUCE_TOKENS, window))


async def _united(
    texts: list[str], request: FileRequest, asker: Asker, tally: Tally, *, budget: int
) -> FileTexts:
    """Return one summary of several, and what it was made from."""
    steps = list(texts)
    while len(texts) > 1:
        groups = packed(texts, budget)
        if len(groups) >= len(texts):  # each fills a group by itself: two at a time still shrinks
            groups = [list(texts[at : at + 2]) for at in range(0, len(texts), 2)]
        texts = await together(
            asker.file(replace(request, partials=tuple(group)), tally) for group in groups
        )
        steps += texts if len(texts) > 1 else []
    return FileTexts(texts[0], tuple(steps))


def packed(pieces: Sequence[str], window: int) -> list[list[str]]:
    """Return `pieces` in ceil(tokens / window) groups of about equal size, in order.

    A piece longer than a window is cut at sentences first, so that none is refused or lost.
    """
    sized = [(part, tokens_of(part)) for piece in pieces for part in _parts(piece, window)]
    sized = [(part, size) for part, size in sized if part.strip()]
    total = sum(size for _, size in sized)
    count = max(1, min(len(sized), ceil(total / window)))
    groups: list[list[str]] = [[]]
    filled = 0
    for part, size in sized:
        if groups[-1] and filled >= total * len(groups) / count:
            groups.append([])
        groups[-1].append(part)
        filled += size
    return groups


def _parts(piece: str, window: int) -> list[str]:
    """Return `piece` in parts of at most a fifth of a window, where it is longer than that."""
    limit = max(1, window // 5)
    if tokens_of(piece) <= limit:
        return [piece]
    starts = [sentence.start for sentence in sentences(piece)]
    bounds = sorted({0, *starts, len(piece)})
    parts: list[str] = []
    filled = limit
    for start, end in pairwise(bounds):
        sentence = piece[start:end]
        size = tokens_of(sentence)
        if size > limit:
            parts += _hard_parts(sentence, limit)
            filled = limit
        elif filled + size <= limit:
            parts[-1] += sentence
            filled += size
        else:
            parts.append(sentence)
            filled = size
    return parts


def _hard_parts(text: str, limit: int) -> list[str]:
    size = tokens_of(text)
    if size <= limit:
        return [text]
    count = ceil(size / limit)
    step = max(1, ceil(len(text) / count))
    return [text[at : at + step] for at in range(0, len(text), step)]
