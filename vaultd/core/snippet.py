"""The part of a passage to show, with the words that were looked for marked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from vaultd.core.script import DENSE, DENSE_CHARACTER
from vaultd.core.variants import simplified
from vaultd.core.words import terms_of

MARK = "**"  # before and after a found word; cannot occur in the text of a snippet
LENGTH = 240  # characters: two lines of a result list

_WORD = re.compile(f"[^\\W_{DENSE}]+")
_ENDINGS = re.compile(r"(?<=\w{3})(?:ings?|ed|ies|y|es|s|ly|ions?|ation|ations|al|er|ers|e)\Z")
_STEM_FROM = 4  # letters: shorter words are compared whole

Span = tuple[int, int]


class Finder:
    """Finds the words of one question in any number of texts.

    Words count as the same whatever their English endings, and those that begin with `begun`
    are found, too. Of the CJK terms, which are single characters and pairs, a character that is
    part of a pair is not worth a mark of its own. `translated` are words and phrases of another
    language; CJK ones are found as they are, of others each word.
    """

    def __init__(
        self, terms: Iterable[str], *, begun: str = "", translated: Collection[str] = ()
    ) -> None:
        whole = {other for other in translated if DENSE_CHARACTER.match(other)}
        words = {*terms, *(word for other in {*translated} - whole for word in terms_of(other))}
        words -= {""}
        self._begun = begun
        dense = {word for word in words if DENSE_CHARACTER.match(word)}
        self._stems = {_stem(word) for word in words - dense} | ({begun} - dense - {""})
        pairs = {term for term in dense if len(term) > 1}
        paired = {character for pair in pairs for character in pair}
        self._dense = _any_of(
            sorted(pairs | whole, key=lambda one: (-len(one), one)) + sorted(dense - pairs - paired)
        )

    def spans(self, text: str) -> list[Span]:
        """Return the places of the terms in order, each once; CJK terms that touch are one."""
        return sorted({*self._word_spans(text), *self._dense_spans(text)})

    def _word_spans(self, text: str) -> Iterator[Span]:
        lowered = text.lower()
        if len(lowered) != len(text):  # a letter that is two in small
            lowered = text
        for stem in self._stems:  # looking for a text is ten times quicker than for a pattern
            at = lowered.find(stem)
            while at >= 0:
                word = _WORD.match(text, at)
                inside = at > 0 and _WORD.match(text, at - 1)
                if word and not inside and self._is_meant(word[0].casefold(), stem):
                    yield word.span()
                at = lowered.find(stem, at + len(stem))

    def _is_meant(self, word: str, stem: str) -> bool:
        return _stem(word) == stem or (stem == self._begun and word.startswith(stem))

    def _dense_spans(self, text: str) -> list[Span]:
        spans: list[Span] = []
        for found in self._dense.finditer(simplified(text)) if self._dense else ():
            end = found.start() + len(found[1])
            if spans and found.start() <= spans[-1][1]:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((found.start(), end))
        return spans


def _any_of(terms: Iterable[str]) -> re.Pattern[str] | None:
    """Return what finds every place where one of the terms begins, overlapping ones too."""
    escaped = "|".join(map(re.escape, terms))
    return re.compile(f"(?=({escaped}))") if escaped else None


def snippet(text: str, finder: Finder, start: str = "") -> str:
    """Return at most about `LENGTH` characters of `text`, which is without markup.

    Begins where most of what `finder` finds stands close together, else at `start`, the piece
    whose meaning is nearest. Found words stand between `MARK`s.
    """
    shown = " ".join(text.replace(MARK, "*").split())
    spans = finder.spans(shown)
    begin = _best_begin(shown, spans, shown.find(start[:40]) if start else 0)
    end = min(len(shown), begin + LENGTH)
    if end < len(shown):
        space = shown.rfind(" ", begin + LENGTH // 2, end)
        end = space if space > 0 else end
    inside = [span for span in spans if begin <= span[0] and span[1] <= end]
    head = "…" if begin else ""
    tail = "…" if end < len(shown) else ""
    return head + _marked(shown, inside, begin, end) + tail


def _stem(word: str) -> str:
    return _ENDINGS.sub("", word) if len(word) > _STEM_FROM else word


def _best_begin(text: str, spans: list[Span], near: int) -> int:
    if not spans:
        return max(0, near)
    first = _densest(text, spans)
    if first + LENGTH // 2 >= len(text) or first > LENGTH // 3:
        first = max(0, min(first - LENGTH // 4, len(text) - LENGTH))
    else:
        return 0
    space = text.find(" ", first, first + 20)
    return space + 1 if first and space >= 0 else first


def _densest(text: str, spans: list[Span]) -> int:
    """Return where the first window of `LENGTH` begins that holds most different words."""
    words = [text[a:b].casefold() for a, b in spans]
    inside: Counter[str] = Counter()
    best, first, behind = 0, spans[0][0], 0
    for (start, _), word in zip(spans, words, strict=True):
        while behind < len(spans) and spans[behind][1] <= start + LENGTH:
            inside[words[behind]] += 1
            behind += 1
        if len(inside) > best:
            best, first = len(inside), start
        inside[word] -= 1
        if inside[word] <= 0:
            del inside[word]
    return first


def _marked(text: str, spans: list[Span], begin: int, end: int) -> str:
    parts = []
    at = begin
    for start, stop in spans:
        parts += [text[at:start], MARK, text[start:stop], MARK]
        at = stop
    return "".join([*parts, text[at:end]])
