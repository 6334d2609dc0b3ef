"""The part of a passage to show, with the words that were looked for marked."""

from __future__ import annotations

import re
from collections.abc import Iterable

from vaultd.core.plain import plain
from vaultd.core.script import DENSE, DENSE_CHARACTER

MARK = "**"  # before and after a found word; cannot occur in the text of a snippet
LENGTH = 240  # characters: two lines of a result list

_WORD = re.compile(f"[{DENSE}]|[^\\W_{DENSE}]+")
_ENDINGS = re.compile(r"(?:ings?|ed|es|s|ly|ions?|ation|ations|al|er|ers|e)\Z")
_STEM_FROM = 4  # letters: shorter words are compared whole


def snippet(text: str, terms: Iterable[str], start: str = "") -> str:
    """Return at most about `LENGTH` characters of the passage `text`, without markup.

    Begins where most of the `terms` stand close together, else at `start`, the piece whose
    meaning is nearest. Found words stand between `MARK`s.
    """
    shown = " ".join(plain(text).replace(MARK, "*").split())
    spans = _found(shown, set(terms))
    begin = _best_begin(shown, spans, shown.find(start[:40]) if start else 0)
    end = min(len(shown), begin + LENGTH)
    if end < len(shown):
        space = shown.rfind(" ", begin + LENGTH // 2, end)
        end = space if space > 0 else end
    inside = [span for span in spans if begin <= span[0] and span[1] <= end]
    head = "…" if begin else ""
    tail = "…" if end < len(shown) else ""
    return head + _marked(shown, inside, begin, end) + tail


def _found(text: str, terms: set[str]) -> list[tuple[int, int]]:
    """Return the places of the terms; neighbouring CJK characters are one place.

    A character that was only part of a longer run is not worth a mark where it stands alone.
    """
    stems = {_stem(term) for term in terms}
    paired = {character for term in terms if len(term) == 2 for character in term}
    spans: list[tuple[int, int]] = []
    words = list(_WORD.finditer(text))
    for n, word in enumerate(words):
        token = word[0].casefold()
        dense = DENSE_CHARACTER.match(token) is not None
        pair = token + words[n + 1][0] if dense and n + 1 < len(words) else ""
        if pair and pair in terms:
            end = words[n + 1].end()
        elif (dense and token in terms and token not in paired) or (
            not dense and _stem(token) in stems
        ):
            end = word.end()
        else:
            continue
        if spans and word.start() <= spans[-1][1] and dense:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((word.start(), end))
    return spans


def _stem(word: str) -> str:
    return _ENDINGS.sub("", word) if len(word) > _STEM_FROM else word


def _best_begin(text: str, spans: list[tuple[int, int]], near: int) -> int:
    if not spans:
        return max(0, near)
    words = [(a, b, text[a:b].casefold()) for a, b in spans]
    counts = [
        (len({word for a, b, word in words if s <= a and b <= s + LENGTH}), -s) for s, _ in spans
    ]
    first = -max(counts)[1]
    if first + LENGTH // 2 >= len(text) or first > LENGTH // 3:
        first = max(0, min(first - LENGTH // 4, len(text) - LENGTH))
    else:
        return 0
    space = text.find(" ", first, first + 20)
    return space + 1 if first and space >= 0 else first


def _marked(text: str, spans: list[tuple[int, int]], begin: int, end: int) -> str:
    parts = []
    at = begin
    for start, stop in spans:
        parts += [text[at:start], MARK, text[start:stop], MARK]
        at = stop
    return "".join([*parts, text[at:end]])
