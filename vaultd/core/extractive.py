"""The sentences that tell most about a document, chosen by rule and quoted word for word."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vaultd.core.content import Content, Statement, spread_out
from vaultd.core.stopwords import STOP_WORDS
from vaultd.core.text import Kind

ABSTRACT_CHARS = 200  # DESIGN, words: an abstract is one paragraph of at most 200 characters
CANDIDATES = 240  # sentences that compete for a place: keeps the choice linear
MAX_STATEMENTS = 6_000  # looked at in a long document, evenly spread: about 500 pages
FEW = 4  # fewer whole sentences: a document of lists and notes
EARLY = math.exp(-2)  # the first quarter, or the first fifteen sentences
FRONT = 0.45  # worth kept by what stands before the abstract or introduction: imprint, disclaimers
REDUNDANCY = 0.55  # how much likeness to a chosen sentence counts against its worth
SAME_SECTION = 0.85  # worth kept for each sentence already taken from the same section
STRETCHES = 12  # parts of equal length: a reader wants to know of all of a document
SAME_STRETCH = 0.8  # worth kept for each sentence already taken from the same stretch
TALK = 0.1  # share of sentences in quotation marks from which on a document is a story
STORY = 200  # sentences from which on that is told

# A line of reading: shorter says nothing, longer is not read. Chinese and Japanese characters
# count as two, so the limits are 20 to 140 of them, 45 to 320 Latin letters.
MIN_WIDTH = 42
MAX_WIDTH = 320
MIN_WORDS = 6


@dataclass(frozen=True, slots=True)
class Ranked:
    """A statement that may be quoted, with its terms and worth.

    `early` falls from 1 to 0 through the document, counted in quotable statements; `stretch`
    is the part of it where the statement stands.
    """

    statement: Statement
    terms: frozenset[str]
    worth: float
    early: float
    stretch: int


def ranked_statements(content: Content, title: str = "", focus: str = "") -> list[Ranked]:
    """Return the quotable statements with their worth, best first.

    Worth is the mean weight of a sentence's terms in the document, raised for the beginning of
    the document and of its summarising sections, for words of `title` and `focus` (what a
    person asked about), lowered for sentences that lean on the one before.
    """
    looked_at = spread_out(content.statements, MAX_STATEMENTS)
    quotable = [one for one in looked_at if is_quotable(one.text, one.kind)]
    if len(quotable) < FEW:  # notes and lists: lines without a full stop
        quotable = [one for one in looked_at if is_quotable(one.text, one.kind, whole=False)]
    termed = [(one, terms_of_sentence(one.text)) for one in quotable]
    weights = _weights(terms for _, terms in termed)
    wanted = terms_of_sentence(title) | terms_of_sentence(focus)
    begins, length = _beginning(content), max(60, len(termed))
    scored = []
    for rank, (one, terms) in enumerate(termed):
        early = math.exp(-8 * rank / length)
        worth = _worth(one, terms, weights, wanted) * (1 + 0.5 * early)
        worth *= FRONT if one.order < begins else 1.0
        stretch = STRETCHES * one.order // len(content.statements)
        scored.append(Ranked(one, terms, worth, early, stretch))
    return sorted(scored, key=lambda ranked: (-ranked.worth, ranked.statement.order))


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
    first that can be quoted.
    """
    fitting = [one for one in ranked if len(one.statement.text) <= ABSTRACT_CHARS]
    if story:
        return min(fitting, key=lambda one: one.statement.order, default=None)
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


_SPEECH = '"“‘「『—–'
_OPENING = re.compile(
    r"(?:[\dIVX.]+\s+)?(?:abstract|summary|executive summary|introduction|preface|overview)\b"
    r"|1\.?\s"
    r"|摘要|概述|概要|简介|簡介|引言|前言|序言|はじめに|要約|요약|서론|einleitung|zusammenfassung"
    r"|vorwort|résumé|resumen",
    re.IGNORECASE,
)


# --- what may be quoted --------------------------------------------------------------------------

_EAST = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]")
# What ends a sentence may be followed by the mark of a note, as in an encyclopedia: "….[2][a]".
_COMPLETE = re.compile(r"[.!。！．।۔॥][\"”’」』）)\]]*(?:\[\w{1,3}\])*$|[다요죠][.]?$")
_CLOSED = re.compile(r"[\w.!。！」』）)]$")
_BEGINS = re.compile(r"[\"“‘「『《（(\[¿¡]?[^\W_]")
_REFERENCE = re.compile(
    r"^\[?\d{1,3}[\].)]\s|https?:|www\.|\bdoi\b|arxiv|\bISBN\b|\bpp?\.\s?\d|\S+@\S+\.\w"
    r"|\bet al\.,? \d|"
    r"copyright|©|all rights reserved|permission to make|reproduced|licen[cs]ed under|版权所有"
    r"|版權|"
    r"(?:\b[A-Z]\.\s?){2,}.*(?:\b[A-Z]\.\s?)|\.{4,}|_{3,}|…{2,}",
    re.IGNORECASE,
)
LABELLED = re.compile(r"(?:Chart|Comment|Notes):")  # by the converter: no running text
_NUMBERED_REFERENCE = re.compile(r"^[A-Z][\w-]+, [A-Z]\.")
_SOUP = re.compile(r"(?:(?<=\s)|^)[^\W\d](?=\s|$)|[=+<>≤≥∑∫∈|\\{}]")
_ASIDE = re.compile(r"\([^()]*\)|（[^（）]*）")  # a version, a date, a source
_PAIRS = (("(", ")"), ("（", "）"), ("「", "」"), ("“", "”"), ("[", "]"), ("《", "》"))


def is_quotable(text: str, kind: Kind, *, whole: bool = True) -> bool:
    """Tell whether `text` is one readable sentence of running text, with its end if `whole`."""
    if kind not in (Kind.PROSE, Kind.ITEM) or not (_COMPLETE if whole else _CLOSED).search(text):
        return False
    if not MIN_WIDTH * (1 if whole else 0.7) <= width_of(text) <= MAX_WIDTH or not _begins_well(
        text
    ):
        return False
    if _REFERENCE.search(text) or _NUMBERED_REFERENCE.match(text) or LABELLED.match(text):
        return False
    if text.count('"') % 2:
        return False
    return _is_prose(text) and all(text.count(left) == text.count(right) for left, right in _PAIRS)


def width_of(text: str) -> int:
    """Return how wide `text` is, East Asian characters counted twice."""
    return len(text) + len(_EAST.findall(text))


def _begins_well(text: str) -> bool:
    first = _BEGINS.match(text)
    small = text.lstrip('"“‘「『《（([¿¡')[:1].islower()
    return bool(first) and (not small or len(_EAST.findall(text)) > len(text) // 3)


def _is_prose(text: str) -> bool:
    text = _ASIDE.sub("", text)
    visible = [sign for sign in text if not sign.isspace()]
    letters = sum(sign.isalpha() for sign in visible)
    digits = sum(sign.isdigit() for sign in visible)
    words = text.split()
    if letters < 0.72 * len(visible) or digits > 0.12 * len(visible):
        return False
    if len(_SOUP.findall(text)) > max(2, len(words) // 6):
        return False
    east = len(_EAST.findall(text))
    if not east and len(words) > 7 and not any(word[0].islower() for word in words[:7]):
        return False  # a title glued to the sentence
    capitals = sum(word[:1].isupper() for word in words)
    return east * 2 > len(visible) or (len(words) >= MIN_WORDS and capitals <= 0.6 * len(words))


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
_LEANING = re.compile(
    r"(?:this|these|that|those|it|they|he|she|his|her|their|its|however|therefore|thus|hence"
    r"|moreover|but|and|so|or|"
    r"also|then|furthermore|additionally|similarly|instead|nevertheless|in addition|for example"
    r"|for instance|"
    r"as a result|in contrast|on the other hand|in this case|such|another|here|finally|first"
    r"|second|third|next|at this point|in this way|in other words|that is|"
    r"to this end|in our|the (?:problem|reason|difference|answer|question) is|likewise|conversely"
    r"|accordingly|there|if so|yet"
    r"|again|indeed|"
    r"dies|diese[rsmn]?|er|sie|es|aber|jedoch|daher|also|und|ce|cette|ces|il|elle|mais|donc|esto"
    r"|esta|pero|así)\b"
    r"|这|這|那|它|他|她|但|而|因此|所以|此外|同时|同時|另外|然而|不过|不過|例如|比如|其中|其|并"
    r"|并且|于是|如下|以上|上述|首先|其次|最后|接着|随后|为此|"
    r"これ|それ|その|この|しかし|また|そして|ただし|さらに|例えば|그|이러한|그러나|또한|하지만"
    r"|이는",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\b(?:fig(?:ure|s?\.)?|table|see|section|chapter|above|below|following|listing|equation"
    r"|appendix|click|page)\b"
    r"|如图|如圖|见图|如下|下图|下圖|上图|参见|參見|下表|以下|次の|下記|図\d|表\d|ください|다음|그림|:\s*$"
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
_OF_ITSELF = re.compile(
    r"(?:in )?(?:this|the present) (?:[\w-]+ ){0,4}?(?:publication|paper|document|book|report"
    r"|guide|manual|handbook|article|study|thesis|tutorial|specification|policy|presentation)\b"
    r"|(?:the (?:purpose|aim|goal) of this)"
    r"|.{0,4}[本这這此该該](?:文|书|書|手册|手冊|指南|文档|文檔|文件|报告|報告|规范|規範|教程)"
    r"|この(?:マニュアル|文書|本|ガイド|論文|報告書|記事)|本(?:書|稿|論文)[はで]"
    r"|이 (?:문서|책|논문|보고서|글)|본 (?:연구|논문|보고서)"
    r"|die(?:se[rs]?)? (?:buch|bericht|dokument|artikel)"
    r"|(?:ce|cet|cette) (?:document|livre|rapport|article|guide)|este (?:documento|libro|informe)",
    re.IGNORECASE,
)
_DEFINING = re.compile(r"(?:(?!\w+['’]s)[\w&.-]+ ){1,5}(?:\([^)]{1,40}\) )?(?:is|was) (?:an?|the) ")
_TITLE_PARTS = re.compile(r"\s[-–—|]\s|:\s")
_OF_ITS_USE = re.compile(
    r"licen[cs]e|copyright|free to|warrant|redistribut|reproduc|readers?\b|audience|available (?:at"
    r"|from|online)|typeset|citations?\b|wikipedia|许可|許可|版权|版權|自由的|免责|担保|读者|讀者|ライセンス|対象読者|著作権",
    re.IGNORECASE,
)
_ADDING = re.compile(r"(?:\S+ ){1,4}(?:also|too|either)\b|.{1,8}[也还還]")
_CONDITIONAL = re.compile(
    r"(?:if|when|while|although|though|because|since|unless|once|please|note|remember)\b"
    r"|虽然|雖然|尽管|儘管|如果|若|当|當|由于|由於|因为|因為|除非|一旦|提示|注意|警告|小心|请|請"
    r"|もし|만약|wenn|obwohl|weil|si |bien que",
    re.IGNORECASE,
)
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


def _manner_factor(text: str) -> float:
    factor = 0.55 if _LEANING.match(text) and not _TELLING.match(text) else 1.0
    factor *= 0.6 if _POINTING.search(text) or _ADDING.match(text) else 1.0
    factor *= 1.2 if _TELLING.search(text) else 1.0
    factor *= 0.75 if _FIRST_PERSON.search(text) or _CONDITIONAL.match(text) else 1.0
    factor *= 0.7 if text[0] in '"“「『' or text[-1] in '"”」』' else 1.0
    wide = width_of(text)
    return factor * (0.85 if wide < 60 or wide > 260 else 1.0)


def speaks_of_itself(text: str) -> bool:
    """Tell whether a sentence says what its document is or does: "This paper explains …"."""
    return bool(_OF_ITSELF.match(text))


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
    elif _CONDITIONAL.match(text) or _LEANING.match(text):
        telling *= 0.6  # leans on what stands before it, or on a condition
    section = one.statement.section[-1] if one.statement.section else ""
    telling *= 1.4 if _OPENING.match(section) else 1.0
    return one.worth * early * telling * (0.8 if width_of(text) < 70 else 1.0)


def _likeness(a: Ranked, b: Ranked) -> float:
    shared = len(a.terms & b.terms)
    return shared / math.sqrt(len(a.terms) * len(b.terms)) if shared else 0.0
