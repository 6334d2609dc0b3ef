"""Whether a document can be read at all: letters enough, and spread as in some language."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

MINIMUM_LETTERS = 20  # fewer letters and digits in a whole document are no evidence of anything
MINIMUM_PAGE_SHARE = 0.1  # a document with text on fewer of its pages is a scan


def letter_count(text: str) -> int:
    """Return how many letters and digits `text` holds, in any script."""
    return sum(map(str.isalnum, text))


def too_little_text(pages: Sequence[str]) -> bool:
    """Tell whether a document of these page texts says too little to be worth reading."""
    counts = [_letters_up_to(MINIMUM_LETTERS, page) for page in pages]
    with_text = sum(count > 0 for count in counts)
    return sum(counts) < MINIMUM_LETTERS or with_text < MINIMUM_PAGE_SHARE * len(pages)


def _letters_up_to(most: int, text: str) -> int:
    """Count letters and digits, but no further than `most`: a text may hold 20 MB."""
    return sum(1 for _ in islice(filter(str.isalnum, text), most))


BAD_SHARE = 0.02  # replacement and private-use characters among the visible ones
GIBBERISH_SAMPLE = 60_000  # characters looked at
_MIN_LETTERS = 120  # fewer letters have no distribution
_BAD = re.compile("[\ufffd\ue000-\uf8ff\U000f0000-\U0010fffd]")
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class _Alphabet:
    """Three groups of letters, and the share of a text's letters that each may have.

    The limits lie just outside what the first article of the Universal Declaration of Human
    Rights shows in 275 languages with Latin and 25 with Cyrillic letters: vowels 0.32 to 0.65
    and 0.24 to 0.53, common letters from 0.44 and 0.18, rare ones up to 0.27 and 0.34.
    """

    vowels: frozenset[str]
    vowel_range: tuple[float, float]
    common: frozenset[str]
    common_least: float
    rare: frozenset[str]
    rare_most: float


_ALPHABETS = {
    "latin": _Alphabet(
        frozenset("aeiouyæœøı"),
        (0.29, 0.68),
        frozenset("etaoinsrl"),
        0.42,
        frozenset("qxjwkvz"),
        0.29,
    ),
    "cyrillic": _Alphabet(
        frozenset("аеёиоуыэюяіїєѣ"),
        (0.22, 0.6),
        frozenset("оеаинтсрвл"),
        0.16,
        frozenset("фщэъцґѳ"),
        0.36,
    ),
    "greek": _Alphabet(
        frozenset("αεηιουω"), (0.4, 0.7), frozenset("αοιετσνηυρ"), 0.5, frozenset("ψξζβφ"), 0.15
    ),
}
# The commonest characters of Chinese (both spellings) and of Japanese texts: together above 10 %
# of the Han characters of any running text, near nothing when codes are misread.
_COMMON_HAN = frozenset(
    "的一是不了在人有我他这這个個们們来來到时時大地为為子中你说說生国國年着就那和要她出也得里后後自以会會家可下而过過"
    "天去能对對小多然于於心学學么之都好看起发發当當没沒成只如事把还還用第样樣道想作种種开開本部法分上行方面定同日月文章"
    "数數据據理工业業产產政经經民主体體制度公系统統信息式性化者高物长長动動新前进進最现現机機电電量通等与與及或其所将將"
    "使合内內外表目条條件规規应應并並该該何見今名前言問題書場合全気間手"
)
_COMMON_HAN_SHARE = 0.06


def gibberish(text: str) -> str:
    """Return why a text layer is unusable, "" if it reads as some language.

    Unmapped fonts give replacement and private-use characters, or letters exchanged one for
    another; both are found in the first `GIBBERISH_SAMPLE` characters.
    """
    sample = text[:GIBBERISH_SAMPLE]
    visible = len(_SPACE.sub("", sample))
    if not visible:
        return ""
    bad = len(_BAD.findall(sample))
    if bad > BAD_SHARE * visible:
        return f"{bad * 100 // visible} % of the characters have no meaning (the font has no map)"
    letters = Counter("".join(_WORD.findall(sample)).lower())
    alphabet = _alphabet_of(letters)
    if alphabet and not _has_a_language(letters, alphabet):
        return "the letters are spread as in no language (the font's map is wrong)"
    return ""


def _alphabet_of(letters: Counter[str]) -> str:
    """Return the alphabet of most letters, "" when too few letters are in one that we know."""
    counts: Counter[str] = Counter()
    for letter, count in letters.items():
        counts[_alphabet_with(ord(letter))] += count
    least = max(_MIN_LETTERS, letters.total() // 2)
    return next((name for name in (*_ALPHABETS, "han") if counts[name] >= least), "")


def _alphabet_with(code: int) -> str:
    if code < 0x250 or 0x1E00 <= code < 0x1F00:
        return "latin"
    if 0x370 <= code < 0x400 or 0x1F00 <= code < 0x2000:
        return "greek"
    if 0x400 <= code < 0x530:
        return "cyrillic"
    return "han" if 0x3400 <= code < 0xA000 or 0xF900 <= code < 0xFB00 else ""


def _has_a_language(letters: Counter[str], alphabet: str) -> bool:
    if alphabet == "han":
        han = Counter({sign: n for sign, n in letters.items() if "\u3400" <= sign < "\ufb00"})
        return _share(han, _COMMON_HAN) >= _COMMON_HAN_SHARE
    own = letters if alphabet == "cyrillic" else _without_accents(letters)
    limits = _ALPHABETS[alphabet]
    low, high = limits.vowel_range
    return (
        low <= _share(own, limits.vowels) <= high
        and _share(own, limits.common) >= limits.common_least
        and _share(own, limits.rare) <= limits.rare_most
        and (alphabet != "latin" or own.total() < _PROFILED or _likeness(own) >= _LIKENESS)
    )


def _without_accents(letters: Counter[str]) -> Counter[str]:
    """Count letters without their accents; where one falls apart, its letters."""
    own: Counter[str] = Counter()
    for letter, count in letters.items():
        for part in unicodedata.normalize("NFD", letter):
            if part.isalpha():
                own[part] += count
    return own


_PROFILED = 1_000  # letters from which on their shares are steady enough to be compared
# Per cent of each letter, the mean of published tables for ten European languages, and the least
# cosine to it: English shifted by 1 to 25 letters reaches 0.66 at most.
_PROFILE = dict(
    zip(
        "eaintrosldukmcphgvybzfwjqx",
        (12.7, 9.9, 7.9, 7.7, 6.2, 6.5, 6.2, 6.0, 4.6, 4.1, 4.0, 2.9, 2.9, 2.9, 2.1, 1.9, 1.7, 1.6)
        + (1.6, 1.4, 1.4, 1.1, 1.2, 0.7, 0.3, 0.1),
        strict=True,
    )
)
_LIKENESS = 0.67


def _likeness(letters: Counter[str]) -> float:
    counts = {letter: letters[letter] for letter in _PROFILE if letters[letter]}
    product = sum(_PROFILE[letter] * count for letter, count in counts.items())
    length = math.hypot(*counts.values()) * math.hypot(*_PROFILE.values())
    return product / length if length else 1.0


def _share(letters: Counter[str], group: frozenset[str]) -> float:
    return sum(letters[letter] for letter in group) / letters.total()
