"""The sentences that tell most about a document, chosen by rule and quoted word for word."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vaultd.core.content import Content, Statement, spread_out
from vaultd.core.leaning import leans, speaks_of_itself
from vaultd.core.quotable import is_foreign, is_quotable, width_of
from vaultd.core.stopwords import STOP_WORDS
from vaultd.core.text import Kind

ABSTRACT_CHARS = 200  # DESIGN, words: an abstract is one paragraph of at most 200 characters
CANDIDATES = 240  # sentences that compete for a place: keeps the choice linear
MAX_STATEMENTS = 6_000  # looked at in a long document, evenly spread: about 500 pages
FEW = 4  # fewer whole sentences: a document of lists and notes
EARLY = math.exp(-2)  # the first quarter, or the first fifteen sentences
FRONT = 0.45  # worth kept by what stands before the abstract or introduction: imprint, disclaimers
LEANING = 0.35  # worth kept by a sentence that leans on the one before
FOREIGN = 0.2  # worth kept by one in another language
REDUNDANCY = 0.55  # how much likeness to a chosen sentence counts against its worth
SAME_SECTION = 0.85  # worth kept for each sentence already taken from the same section
STRETCHES = 12  # parts of equal length: a reader wants to know of all of a document
SAME_STRETCH = 0.8  # worth kept for each sentence already taken from the same stretch
TALK = 0.1  # share of sentences in quotation marks from which on a document is a story
STORY = 200  # sentences from which on that is told


@dataclass(frozen=True, slots=True)
class Ranked:
    """A statement that may be quoted, with its terms and worth.

    `early` falls from 1 to 0 through the document, counted in quotable statements; `stretch`
    is the part of it where the statement stands; `leans` that it cannot be read by itself.
    """

    statement: Statement
    terms: frozenset[str]
    worth: float
    early: float
    stretch: int
    leans: bool = False


def ranked_statements(
    content: Content, title: str = "", focus: str = "", language: str = ""
) -> list[Ranked]:
    """Return the quotable statements with their worth, best first.

    Worth is the mean weight of a sentence's terms in the document, raised for the beginning of
    the document and of its summarising sections, for words of `title` and `focus` (what a
    person asked about), lowered for sentences that lean on the one before, and for those in
    another language than the document's, `language`.
    """
    looked_at = spread_out(content.statements, MAX_STATEMENTS)
    quotable = [one for one in looked_at if is_quotable(one.text, one.kind)]
    if len(quotable) < FEW:  # notes and lists: lines without a full stop
        quotable = [one for one in looked_at if is_quotable(one.text, one.kind, whole=False)]
    quotable = [one for one in quotable if not _is_rest(one, content)]
    termed = [(one, terms_of_sentence(one.text)) for one in quotable]
    weights = _weights(terms for _, terms in termed)
    wanted = terms_of_sentence(title) | terms_of_sentence(focus)
    begins, length = _beginning(content), max(60, len(termed))
    scored = []
    for rank, (one, terms) in enumerate(termed):
        early = math.exp(-8 * rank / length)
        leaning = leans(one.text)
        worth = _worth(one, terms, weights, wanted) * (1 + 0.5 * early)
        worth *= (FRONT if one.order < begins else 1.0) * (LEANING if leaning else 1.0)
        worth *= FOREIGN if is_foreign(one.text, language) else 1.0
        stretch = STRETCHES * one.order // len(content.statements)
        scored.append(Ranked(one, terms, worth, early, stretch, leaning))
    return sorted(scored, key=lambda ranked: (-ranked.worth, ranked.statement.order))


def _is_rest(one: Statement, content: Content) -> bool:
    """Tell whether `one` is cut off: a long sentence at a semicolon, a caption at its number."""
    before = content.statements[one.order - 1] if one.order else one
    return before.section == one.section and bool(_CUT.search(before.text))


def chosen(ranked: Sequence[Ranked], count: int, avoid: Sequence[Ranked] = ()) -> list[Ranked]:
    """Choose `count` of `ranked` that tell much and repeat little, in the document's order.

    `avoid` are sentences that the reader sees anyway.
    """
    pool = list(ranked[:CANDIDATES])
    taken: list[Ranked] = []
    nearest = [max((_likeness(one, seen) for seen in avoid), default=0.0) for one in pool]
    sections: Counter[tuple[str, ...]] = Counter()
    stretches: Counter[int] = Counter()
    while pool and len(taken) < count:
        values = [
            one.worth
            * (1 - REDUNDANCY * near)
            * SAME_SECTION ** sections[one.statement.section]
            * SAME_STRETCH ** stretches[one.stretch]
            for one, near in zip(pool, nearest, strict=True)
        ]
        best = max(range(len(pool)), key=values.__getitem__)
        if nearest[best] < 0.7:  # beyond it, it is the same sentence again
            taken.append(pool[best])
            sections[pool[best].statement.section] += 1
            stretches[pool[best].stretch] += 1
            nearest = [
                max(near, _likeness(one, pool[best]))
                for one, near in zip(pool, nearest, strict=True)
            ]
        del pool[best], nearest[best]
    return sorted(taken, key=lambda one: one.statement.order)


def is_story(content: Content) -> bool:
    """Tell whether people talk in a long document: a novel sums itself up nowhere."""
    count = len(content.statements)
    talk = sum(one.text[0] in _SPEECH for one in content.statements)
    return count >= STORY and talk >= TALK * count


def abstract_from(
    ranked: Sequence[Ranked], title: str = "", *, story: bool = False
) -> Ranked | None:
    """Return the sentence that best stands for the whole: early, complete, at most 200 characters.

    One that says what `title` is wins, or what the document itself is. Of a story it is the
    first that can be quoted. One that leans on another is taken only where all do.
    """
    short = [one for one in ranked if len(one.statement.text) <= ABSTRACT_CHARS]
    if story:
        return min(short, key=lambda one: one.statement.order, default=None)
    fitting = [one for one in short if not one.leans] or short
    early = [one for one in fitting if one.early > EARLY]
    named = terms_of_sentence(title)
    return max(
        early or fitting,
        key=lambda one: (_as_abstract(one, title, named), -one.statement.order),
        default=None,
    )


def _beginning(content: Content) -> int:
    """Return the order of the first statement under an abstract or introduction, else 0."""
    if len(content.headings) < 5:
        return 0
    first = (
        one.order for one in content.statements if one.section and _OPENING.match(one.section[-1])
    )
    order = next(first, 0)
    return order if order < len(content.statements) // 4 else 0


_CUT = re.compile(r"[;；]$|^(?:Fig(?:ure|\.)?|Table|Tab\.|Abb\w*\.?|Tabelle|Listing) [\d.-]+[.:]?$")
_SPEECH = '"“‘「『—–'
_OPENING = re.compile(
    r"(?:[\dIVX.]+\s+)?(?:abstract|summary|executive summary|introduction|preface|overview)\b"
    r"|1\.?\s"
    r"|摘要|概述|概要|简介|簡介|引言|前言|序言|はじめに|要約|요약|서론|einleitung|zusammenfassung"
    r"|vorwort|résumé|resumen",
    re.IGNORECASE,
)


# --- worth ---------------------------------------------------------------------------------------

_LATIN = re.compile(r"[^\W\d_\u3040-\u9fff\uac00-\ud7af][^\W_\u3040-\u9fff\uac00-\ud7af]+")
_RUN = re.compile("[\u3400-\u9fff]+|[\u30a1-\u30ff]+|[\uac00-\ud7af]+")
_EMPTY_PAIR = re.compile("[的了是在和与或及这那它们吗呢也都就]")

_SUMMARISING = re.compile(
    r"abstract|summary|introduction|overview|conclusion|purpose|about|scope|executive"
    r"|key (?:points|findings)|"
    r"摘要|概述|概要|简介|簡介|引言|前言|总结|總結|结论|結論|介绍|介紹|目的|はじめに|まとめ|要約"
    r"|요약|개요|서론|결론|"
    r"zusammenfassung|einleitung|überblick|fazit|résumé|introduction|resumen|conclusi",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\b(?:fig(?:ure|s?\.)?|table|see|section|chapter|above|below|following|listing|equation"
    r"|appendix|click|page)\b"
    r"|如图|如圖|见图|如下|下图|下圖|上图|参见|參見|下表|下列|下面|以下(?![，。、；）)]|$)|次の|下記|図\d|表\d|ください|다음|그림|:\s*$"
    r"|：$",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"\b(?:we (?:present|propose|introduce|describe|show|find|argue|demonstrate|study|report)"
    r"|this (?:paper|document|"
    r"book|report|guide|manual|article|publication|chapter|work|study) |is (?:a|an|the) |are (?:a"
    r"|an|the) |refers? to|"
    r"is defined|means that|the (?:main|key|central|most important|purpose|goal|aim|result)"
    r"|in (?:summary|conclusion)|"
    r"we conclude|consists? of|is used to|in order to|must|shows? that|allows?|enables?)"
    r"|本文|本书|本書|本手册|本节|本章|是一|是指|旨在|用于|目的|核心|关键|關鍵|主要|提出|介绍"
    r"|介紹|总之|综上|由.{1,12}组成|"
    r"とは|である。|目的|本書|本稿|이란|목적|본 연구|ist ein|sind ein|bezeichnet|est un|es un",
    re.IGNORECASE,
)
_DEFINING = re.compile(r"(?:(?!\w+['’]s)[\w&.-]+ ){1,5}(?:\([^)]{1,40}\) )?(?:is|was) (?:an?|the) ")
_TITLE_PARTS = re.compile(r"\s[-–—|]\s|:\s")
_OF_ITS_USE = re.compile(
    r"licen[cs]e|copyright|free to|warrant|redistribut|reproduc|readers?\b|audience|available (?:at"
    r"|from|online)|typeset|citations?\b|wikipedia|许可|許可|版权|版權|自由的|免责|担保|读者|讀者|ライセンス|対象読者|著作権",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(
    r"(?:if|when|while|although|though|because|since|unless|once|please|note|remember)\b"
    r"|虽然|雖然|尽管|儘管|如果|若|当|當|由于|由於|因为|因為|除非|一旦|提示|注意|警告|小心|请|請"
    r"|もし|[^、。]{2,40}(?:場合|とき|時|たら|れば|なら)[はにも]?、|만약"
    r"|(?:wenn|falls|sobald|sollten? Sie|obwohl|weil|si|bien que)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"(?:add|allow|ask|avoid|bake|begin|bring|check|choose|click|close|cook|copy|create|cut|do|don't"
    r"|drain|ensure|evaluate|implement|review|verify|learn|discover|explore|enjoy|enter|feed|fill|find|follow|get|give|go|have|heat|hold|install|keep|leave|let"
    r"|look|make|measure|mix|move|never|open|place|pour|press|provide|put|read|remove|repeat|run|save"
    r"|screen|see|select|send|serve|set|soak|start|stir|stop|store|submit|take|tell|try|turn|type"
    r"|use|visit|wait|wash|watch|work|write)\b|\w+en Sie\b",
    re.IGNORECASE,
)
"""What tells a reader to do something says little of what it is about."""
_FIRST_PERSON = re.compile(r"\b(?:I|my|me)\b|[我咱]|私")


def terms_of_sentence(text: str) -> frozenset[str]:
    """Return what a sentence is compared by: words without endings, pairs of characters."""
    words = {_stem(word) for word in _LATIN.findall(text.lower()) if word not in STOP_WORDS}
    pairs = {run[at : at + 2] for run in _RUN.findall(text) for at in range(len(run) - 1)}
    return frozenset(words | {pair for pair in pairs if not _EMPTY_PAIR.search(pair)})


def _stem(word: str) -> str:
    for ending in ("ations", "ation", "ings", "ing", "ies", "ed", "es", "s", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def _weights(sentences: Iterable[frozenset[str]]) -> dict[str, float]:
    """Return how much each term stands for the document: often said, but not everywhere."""
    counts: Counter[str] = Counter()
    total = 0
    for terms in sentences:
        counts.update(terms)
        total += 1
    return {
        term: (math.log2(count) + 0.1) * math.log2(1 + total / count)
        for term, count in counts.items()
    }


def _worth(
    one: Statement, terms: frozenset[str], weights: dict[str, float], wanted: frozenset[str]
) -> float:
    if not terms:
        return 0.0
    heaviest = sorted((weights.get(term, 0.0) for term in terms), reverse=True)[:12]
    # The square root lets a sentence gain by saying more, without the longest always winning.
    worth = sum(heaviest) / math.sqrt(len(terms) + 4) * (1 + 0.12 * min(4, len(terms & wanted)))
    return worth * _place_factor(one) * _manner_factor(one.text)


def _place_factor(one: Statement) -> float:
    factor = 1.3 if one.section and _SUMMARISING.search(one.section[-1]) else 1.0
    factor *= 1.15 if one.paragraph == 0 else 1.05 if one.paragraph == 1 else 1.0
    return factor * (0.85 if one.kind is Kind.ITEM else 1.0)


def points_elsewhere(text: str) -> bool:
    """Tell whether a sentence sends its reader to a figure, a table or another page."""
    return bool(_POINTING.search(text))


def _manner_factor(text: str) -> float:
    factor = 0.5 if points_elsewhere(text) else 1.0
    factor *= 1.2 if _TELLING.search(text) else 1.0
    factor *= 0.75 if _FIRST_PERSON.search(text) else 1.0
    factor *= 0.75 if instructs(text) else 1.0
    factor *= 0.7 if text[0] in '"“「『' or text[-1] in '"”」』' else 1.0
    wide = width_of(text)
    return factor * (0.85 if wide < 60 or wide > 260 else 1.0)


def instructs(text: str) -> bool:
    """Tell whether a sentence says what to do, or what holds only under a condition."""
    return bool(_CONDITIONAL.match(text) or _ORDER.match(text))


def _is_subject(title: str, text: str) -> bool:
    """Tell whether a sentence begins with what the title names before any " - " or ": "."""
    subject = _TITLE_PARTS.split(title.casefold())[0].strip()
    return bool(subject) and text.casefold().removeprefix("the ").startswith(subject)


def _as_abstract(one: Ranked, title: str, named: frozenset[str]) -> float:
    text = one.statement.text
    early = 1 + 1.2 * one.early
    telling = 1.25 if _TELLING.search(text) else 1.0
    if telling > 1 and named & terms_of_sentence(text[:40]):
        telling = 2.5 if _is_subject(title, text) and _DEFINING.match(text) else 1.9
    if speaks_of_itself(text) and not _OF_ITS_USE.search(text):
        telling = 3.5
    elif instructs(text):
        telling *= 0.6
    section = one.statement.section[-1] if one.statement.section else ""
    telling *= 1.4 if _OPENING.match(section) else 1.0
    return one.worth * early * telling * (0.8 if width_of(text) < 70 else 1.0)


def _likeness(a: Ranked, b: Ranked) -> float:
    shared = len(a.terms & b.terms)
    return shared / math.sqrt(len(a.terms) * len(b.terms)) if shared else 0.0
