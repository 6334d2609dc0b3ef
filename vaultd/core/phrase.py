"""What in a sentence could be a term: phrases of words, runs of characters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vaultd.core.stopwords import STOP_WORDS

MAX_WORDS = 4  # longer phrases are sentences' parts, not names
MAX_CHARACTERS = 8  # of a Chinese term


@dataclass(frozen=True, slots=True)
class Use:
    """One place where a candidate stands: first in its sentence, with no word around it."""

    key: str
    form: str
    first: bool
    whole: bool


_EASTERN = "\u0e00-\u0eff\u1100-\u11ff\u3040-\u9fff\uac00-\ud7af"
_WORD = rf"[^\W\d_{_EASTERN}](?:(?![{_EASTERN}])[\w'’+#-])*(?<![-'’])"
_TOKEN = re.compile(
    rf"[A-Z]\w*/[A-Z]\w*(?![\w/])"  # GNU/Linux, TCP/IP
    rf"|(?:(?![{_EASTERN}])[^\s()\[\],;:，。、])*[/\\@_=$]"  # paths, code
    rf"(?:(?![{_EASTERN}])[^\s()\[\],;，。、])*"
    rf"|(?:[A-Z]\.){{2,}}|(?:St|Mt|Ft)\.(?= [A-Z])|{_WORD}(?:\.(?=[a-z]){_WORD})?|[^\w\s]|\d[\w.]*"
    rf"|[\u1100-\u11ff\uac00-\ud7af]+"
)
_CITATION = re.compile(
    r"\([^()]{0,300}\b(?:19|20)\d\d[a-z]?\b[^()]{0,300}\)|\[[\d, –-]+\]"
    r"|\b[A-Z][\w-]+(?: and [A-Z][\w-]+)?,? et al\.?|\b[A-Z][\w-]+(?: and [A-Z][\w-]+)? \((?:19"
    r"|20)\d\d"
)
LINKING = frozenset({"of", "for", "de", "von", "du", "del"})  # within a name: Gulf of Aden
HAN_RUN = re.compile("[\u4e00-\u9fff]+")
_JAPANESE_RUN = re.compile("[\u4e00-\u9fff々\u30a1-\u30fa\u30fc]+")
# Function characters that are no part of the words around them, often enough.
BREAK = re.compile(
    "可以|如果|因为|因為|所以|但是|以及|或者|并且|並且|通过|通過|进行|進行|使用|需要|由于|由於|对于|對於|关于|關於|其中|"
    "这个|這個|这些|這些|一个|一個|没有|沒有|我们|我們|他们|他們|自己|不是|就是|还是|還是|已经|已經|然后|然後|例如|比如|"
    "百分之.|以下|以上|之间|之間|之后|之後|时候|時候|包括|能够|能夠|应该|應該|必须|必須|可能|不能|不会|不會|"
    "最(?![佳优優])|[的了是在和与與或及这這那它们們吗嗎呢也都就很被把让讓而但若且各每该該此您你我他她]"
)
_HAN_EDGE_START = frozenset(
    "不一有个個为為对對从從到将將可能会會要以其所之中上下等时時后後来來者于於与去又只更使"
)
_HAN_EDGE_END = frozenset(
    "不一有为為对對从從到将將可会會要以其所之个個时時后後来來中上下等于於种種次条條只更使用前内內太很"
)
_PARTICLES = re.compile(
    "(?:으로써|으로서|에서는|에서도|이라고|으로는|에게서|까지의|으로|에서|에게|에는|이나|라고|이다|하는|하여|되는|한다|"
    "부터|까지|들이|들을|들은|들의|은|는|이|가|을|를|의|에|와|과|도|만|로)$"
)


def candidates_in(text: str, language: str) -> Iterator[Use]:
    """Yield every place of `text` where something stands that could be a term."""
    yield from _word_phrases(text, nouns=language == "de")
    if language == "ja":
        for run in _JAPANESE_RUN.findall(text):
            if 2 <= len(run) <= 12 and (len(run) > 2 or run[0] >= "\u4e00"):
                yield Use(run, run, first=False, whole=True)
    elif language != "ko":
        for run in HAN_RUN.findall(text):
            for piece in BREAK.split(run):
                yield from _character_phrases(piece)


def _word_phrases(text: str, *, nouns: bool) -> Iterator[Use]:
    """Yield the phrases of words; with `nouns`, a word without a capital is one by itself."""
    phrase: list[str] = []
    begun = 0  # words seen: the first one's capital means nothing
    tokens = [*_TOKEN.findall(_CITATION.sub(" . ", text)), "."]
    for token, following in zip(tokens, [*tokens[1:], "."], strict=True):
        word, ends = _without_particle(token)
        fits = _names(word) or _links(word, phrase, following)
        alone = nouns and fits and word.isalpha() and word[0].islower()
        if alone:
            yield from _grams(phrase, begun, numbered=False)
            begun += len(phrase)
            phrase = []
        ends = ends or alone
        if fits:
            phrase.append(word)
        if not fits or ends:
            yield from _grams(phrase, begun, numbered=token[0].isdigit())
            begun += len(phrase) + (token[0].isalpha() and not fits)
            phrase = []


def _without_particle(token: str) -> tuple[str, bool]:
    """Return a Korean word without its particle, and whether it had one: there a phrase ends."""
    if not "\uac00" <= token[0] <= "\ud7af":
        return token, False
    if token.endswith("다"):  # a verb
        return ".", True
    word = _PARTICLES.sub("", token) if len(token) > 2 else token
    return word, word != token


_CODE_OR_SHORTENED = re.compile(r"[\\@_=$]|/$|/.*/|'(?:ll|re|ve|m|d)$|n't$")


def _names(word: str) -> bool:
    lowered = word.lower().replace("’", "'")
    plain = word[0].isalpha() and len(word) > 1 and not _CODE_OR_SHORTENED.search(lowered)
    return plain and lowered not in STOP_WORDS


def _links(word: str, phrase: list[str], following: str) -> bool:
    if not phrase or not phrase[-1][0].isupper() or not following[0].isupper():
        return False
    return word in LINKING or (word == "and" and any(one in LINKING for one in phrase))


def _grams(words: list[str], begun: int, *, numbered: bool) -> Iterator[Use]:
    """Yield the phrases in a run of words; one with a number behind it, as a road's, is none."""
    for start in range(len(words)):
        for end in range(start + 1, min(start + MAX_WORDS + 2, len(words)) + 1):
            form = words[start:end]
            linked = sum(word in LINKING or word == "and" for word in form)
            edges = {form[0], form[-1]} & {*LINKING, "and"}
            if len(form) - 2 * linked > MAX_WORDS or len(form) > MAX_WORDS + 2 or edges:
                continue
            whole = end - start == len(words) and not numbered
            text = " ".join(form)
            yield Use(key_of(text), text, first=begun + start == 0, whole=whole)


def _character_phrases(run: str) -> Iterator[Use]:
    for size in range(2, min(len(run), MAX_CHARACTERS) + 1):
        for start in range(len(run) - size + 1):
            gram = run[start : start + size]
            if gram[0] not in _HAN_EDGE_START and gram[-1] not in _HAN_EDGE_END:
                yield Use(gram, gram, first=False, whole=True)


def key_of(form: str) -> str:
    """Return what the singular and plural, small and capital forms of a term share."""
    *front, last = form.lower().replace("’", "'").removesuffix("'s").split() or [""]
    return " ".join((*(word.replace("-", " ") for word in front), singular(last.replace("-", " "))))


def singular(word: str) -> str:
    """Return an English word without its plural ending."""
    if len(word) < 4 or not word.isascii() or word.endswith(("ss", "us", "is", "ics", "news")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "zzes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word


def is_name(form: str, *, first: bool) -> bool:
    """Tell whether the spelling marks a name: NATO, mRNA, Qwen2, Mozilla, Gulf of Aden."""
    words = [word for word in form.split() if word not in LINKING and word != "and"]
    inner = [any(sign.isupper() or sign.isdigit() for sign in word[1:]) for word in words]
    if any(inner) and all(
        marked or word[0].isupper() for marked, word in zip(inner, words, strict=True)
    ):
        return True
    return not first and all(word[0].isupper() for word in words)


def is_east(key: str) -> bool:
    """Tell whether a term is written in kana or Han."""
    return "\u3040" <= key[:1] <= "\u9fff"
