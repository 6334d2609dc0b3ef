"""A Chinese and English dictionary: what a question's words may be in the other language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from vaultd.core.script import HAN
from vaultd.core.variants import simplified
from vaultd.core.words import QUERY_TERMS, STOP_WORDS, is_dense, normal, terms_of

LONGEST = 8  # characters of a Chinese word that is looked up
PHRASE = 4  # English words that are looked up, or looked for, as one
SENSES = 10  # of a Chinese word
OTHERS = 8  # words of the other language for one
SPELT = 50  # rank of a name as it is pronounced: behind what it is called

_ENTRY = re.compile(r"(\S+) (\S+) \[([^\]]*)\] /(.*)/\s*\Z")
_ASIDE = re.compile(r"\([^)]*\)|\[[^\]]*\]")
_NO_MEANING = re.compile(
    r"CL:|surname |abbr\. |see |erhua |(?:old |Japanese |\w+ )?variant of |used in |also |Taiwan pr"
)
_LEADING = re.compile(r"(?:to be|to|a|an|the) ")
_KIND = re.compile(r" (?:corporation|company|dynasty|county|city|province|district|river|lake)\Z")
_ENGLISH = re.compile(r"[a-z0-9]+")
_TONE = re.compile(r"[\d: ·]+")
_PIECE = re.compile(f"[{HAN}]+|[A-Za-z0-9]+")

_BINDING = frozenset(
    "在是有和与或给让把被对从到也都就还很最更能会可要想去来上下里中个些谁哪当成做用按跟比为以之其这那没不地得着过吧啊"
    "样多少点说"
) | {"时候", "什么时候", "多少", "怎样"}
"""What binds or asks: with so many meanings that it translates to nothing in particular."""

Some = TypeVar("Some", str, list[str])


class Translation(NamedTuple):
    """One of the words that `word` may be; of several those of lower `rank` are meant more often.

    Both are in small letters, Chinese ones simplified.
    """

    word: str
    rank: int
    other: str


class Meant(NamedTuple):
    """A word of a question, and all that it may be in a text of the other language."""

    word: str
    others: tuple[str, ...]


def translations_of(lines: Iterable[str]) -> Iterator[Translation]:
    """Return what the lines of a dictionary say, in both directions.

    The form of CC-CEDICT (https://cc-cedict.org/wiki/format:syntax): traditional and simplified
    word, pronunciation in brackets, senses between slashes, each of one or more glosses. A name
    is pronounced with a capital letter, and often written so in English.
    """
    for line in lines:
        if not (entry := _ENTRY.match(line)):
            continue
        chinese, spoken = simplified(entry[2]), entry[3]
        glosses = [gloss.strip() for sense in entry[4].split("/") for gloss in sense.split(";")]
        english = [(rank, _spelt(gloss)) for rank, gloss in enumerate(glosses[:SENSES])]
        if spoken[:1].isupper() and len(chinese) > 1:
            english.append((SPELT, _TONE.sub("", spoken).lower()))
        for rank, words in english:
            if words:
                yield Translation(chinese, rank, words)
                yield Translation(words, rank, chinese)


def to_look_up(question: str) -> list[str]:
    """Return everything of `question` that a dictionary may have, each once."""
    pieces = _pieces(question)
    if is_dense(terms_of(question)):
        parts = [
            part
            for piece in pieces
            for end in range(len(piece), 0, -1)
            for part in _until(piece, end, LONGEST)
        ]
    else:
        parts = [
            form
            for end in range(len(pieces), 0, -1)
            for some in _until(pieces, end, PHRASE)
            for form in _forms(some)
        ]
    return list(dict.fromkeys(parts))


def meant_by(question: str, others: Mapping[str, Sequence[str]]) -> list[Meant]:
    """Return the words of `question` with what they may be in the other language.

    `others` are the dictionary's, by what was looked up, the most usual first. The longest word
    that is known counts, from the end of the question on, which splits Chinese better than from
    its beginning; a name that is not known is looked for as it is.
    """
    pieces = _pieces(question)
    if not is_dense(terms_of(question)):
        return list(_english(pieces, others))
    found: list[Meant] = []
    for piece in pieces:
        found += [Meant(piece, (piece,))] if piece.isascii() else _chinese(piece, others)
    return found


def _pieces(question: str) -> list[str]:
    return _PIECE.findall(simplified(normal(question)).lower())[:QUERY_TERMS]


def _until(whole: Some, end: int, most: int) -> Iterator[Some]:
    """Return the parts of `whole` that end at `end`, longest first."""
    for at in range(max(0, end - most), end):
        yield whole[at:end]


def _chinese(piece: str, others: Mapping[str, Sequence[str]]) -> Iterator[Meant]:
    end = len(piece)
    while end:
        known = (part for part in _until(piece, end, LONGEST) if part in others)
        word = next(known, piece[end - 1])
        end -= len(word)
        if word in others and word not in _BINDING and word not in STOP_WORDS:
            yield Meant(word, tuple(others[word][:OTHERS]))


def _english(words: list[str], others: Mapping[str, Sequence[str]]) -> Iterator[Meant]:
    end = len(words)
    while end:
        last, there = [words[end - 1]], tuple(words[end - 1 : end])
        for some in _until(words, end, PHRASE):
            if known := next((others[form] for form in _forms(some) if form in others), None):
                last, there = some, tuple(known[:OTHERS])
                break
        end -= len(last)
        if not STOP_WORDS.issuperset(last):
            yield Meant(" ".join(last), there)


def _forms(words: list[str]) -> Iterator[str]:
    """Return `words` as they may stand in a dictionary: as they are, or the last without ending."""
    *before, last = words
    for form in (last, *_bases(last)):
        yield " ".join([*before, form])


def _bases(word: str) -> Iterator[str]:
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 2:
            root = word.removesuffix(ending)
            yield root + instead
            if ending in ("ed", "ing") and root[-1] == root[-2]:
                yield root[:-1]


_ENDINGS = (
    *(("ies", "y"), ("ied", "y"), ("s", ""), ("es", "")),
    *(("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"), ("ly", "")),
)


def _spelt(gloss: str) -> str:
    """Return a gloss as words to look up and to look for, "" when it is none."""
    if _NO_MEANING.match(gloss):
        return ""
    plain = _ASIDE.sub("", gloss).strip()
    if plain[:1].isupper():
        plain = plain.partition(",")[0]
    plain = _KIND.sub("", _LEADING.sub("", plain.lower(), count=1))
    words = _ENGLISH.findall(plain)
    usable = 0 < len(words) <= PHRASE and not STOP_WORDS.issuperset(words)
    return " ".join(words) if usable else ""
