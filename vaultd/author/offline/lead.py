"""Which sentences a page about a term quotes, and which of them it begins with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable

from vaultd.author.offline.study import Study
from vaultd.core.definition import defines
from vaultd.core.extractive import (
    ABSTRACT_CHARS,
    Ranked,
    chosen,
    instructs,
    points_elsewhere,
)
from vaultd.core.keyphrase import Term
from vaultd.core.leaning import speaks_of_itself
from vaultd.core.phrase import BREAK, HAN_RUN, is_east
from vaultd.core.quotable import width_of
from vaultd.core.stopwords import STOP_WORDS

TERM_SENTENCES = 5
SOON = 16  # width that may stand before the subject of a clause: an article, an adjective


def quotes_of(term: Term, study: Study, told: Container[str], *, is_new: bool) -> list[Ranked]:
    """Return the lead sentence about a term, then others; [] when the source says too little.

    A new page needs a lead that stands by itself and is about the term, and something else to
    say. `told` are the leads of other pages: two pages with one lead are one page. What the
    document says of itself stands on its own page.
    """
    orders = set(term.statements)
    about = [one for one in study.ranked if one.statement.order in orders]
    if len(about) < 2:
        return []
    telling = [one for one in about if len(one.statement.text) <= ABSTRACT_CHARS] or about
    leads = [one for one in telling if not one.leans and _introduces(one.statement.text, term)]
    leads = [one for one in leads if one.statement.text not in told]
    if is_new and not leads:
        return []
    longer = _longer_names(about, term)
    lead = max(
        leads or telling,
        key=lambda one: (
            _as_lead(one, term, longer) * (0.5 if one is study.lead else 1.0),
            -one.statement.order,
        ),
    )
    rest = [one for one in about if one is not lead and not speaks_of_itself(one.statement.text)]
    others = chosen([one for one in rest if not one.leans] or rest, TERM_SENTENCES, [lead])
    return [lead, *others] if others or not is_new else []


# --- what a sentence is about -------------------------------------------------------------------

_EXAMPLE = re.compile(r"\b(?:[A-Z]\d|line \d|step \d)|例如|比如|下列|\bfor (?:example|instance)\b")
_AMONG_OTHERS = re.compile(
    r"(?:\b(?:such as|like|including|e\.g\.,?|than|wie|z\. ?B\.|comme|como) |例如|比如|如|像)"
    r"[^,，、]{0,12}$"
)
_NAMED = re.compile(
    r"(?:\b(?:called|known as|termed|named|genannt|heißt) |称为|稱為|叫做|称作|稱作|と呼ばれる)"
    r"[\"“「『]?$"
)


def _introduces(text: str, term: Term) -> bool:
    """Tell whether a page about the term may begin with this sentence."""
    return is_about(text, term) and not instructs(text) and not speaks_of_itself(text)


def is_about(text: str, term: Term) -> bool:
    """Tell whether a sentence says something of the term, and does not just mention it.

    It does where it defines or names it, or begins with it, be it behind a word or two or one
    clause: what a sentence is about comes first in all the languages here.
    """
    if defines(text, term.variants):
        return True
    at = _place_in(text, term)
    before = text[:at]
    if at == len(text) or _AMONG_OTHERS.search(before) or _is_aside(before):
        return False
    if _NAMED.search(before):
        return True
    opening = _OPENING.match(before)
    clause = text[opening.end() :] if opening else text
    begun = before[opening.end() :] if opening else before
    if _WE.match(clause) or instructs(clause) or width_of(begun) > SOON:
        return False
    if not opening and _OBJECT.match(before):
        return False
    return not _IN_PASSING.match(text, at + len(_form_at(text, at, term)))


_PREPOSITION = (
    r"(?:In|At|On|For|After|Before|During|With|By|From|Since|Under|Unlike|Like|Among|Within|To|Of|As"
    r"|According|Despite|Given)\b"
)
_OBJECT = re.compile(
    # but in "At 65 % a dough" and "In 1896 the Congress" another word is the object
    rf"{_PREPOSITION}(?! (?:\S+ )*(?!(?:of|in|on|for|to|from|with|by|at|and) )\S+ (?:an?|the) $)"
    r"|(?:Bei|Mit|Von|Für|Aus|Auf|Nach|Seit|Durch|Unter|Zu[mr]?|Im|Am)\b"
)
_OPENING = re.compile(
    # as in "In TraceMonkey, loop headers", "1930年2月，廈門大學", "Cold does not kill: at 4 °C"
    rf"(?:{_PREPOSITION}|Today|Usually|Typically|Often|Now)[^,:]*, |[^:：]{{2,60}}[:：] ?"
    r"|[^\x00-\x7f:：][^,，、:：]{0,15}[,，]|\d+ ?年[^,，、:：]{0,12}[,，]"
)
_WE = re.compile(r"(?:we|I|our|my|wir|ich|unsere?|nous|nosotros)\b|我|私", re.IGNORECASE)
_IN_PASSING = re.compile(r"-\w|\s*(?:[(（][^()（）]*[)）])?\s*(?:[をへ]|から|[にで](?!は))")
"""What goes on as a compound, or a Japanese particle that makes it anything but the subject."""


def _is_aside(before: str) -> bool:
    """Tell whether brackets are open in front of the term."""
    return max(before.rfind("("), before.rfind("（")) > max(before.rfind(")"), before.rfind("）"))


def _place_in(text: str, term: Term) -> int:
    """Return where a term stands first, the length of `text` where it does not."""
    places = (text.find(form) for form in term.variants)
    return min((at for at in places if at >= 0), default=len(text))


_BEHIND = re.compile(
    rf"{BREAK.pattern}|[里裡中上下内內外时時为為会會可能需应應有无無已于於由从從用做所不以]"
)
_WORD_BEHIND = re.compile(r" ([A-Za-zÀ-ÿ][A-Za-zÀ-ÿ-]+)(?!\w)")


def _longer_names(about: Iterable[Ranked], term: Term) -> set[str]:
    """Return the words that stand behind the term again and again: lactic acid bacteria."""
    behind = Counter(_word_behind(one.statement.text, term) for one in about)
    return {word for word, count in behind.items() if word and count > 1}


def _word_behind(text: str, term: Term) -> str:
    """Return the word that may make the term a part of a longer name, "" for none."""
    at = _place_in(text, term)
    form = _form_at(text, at, term)
    if is_east(term.key):
        end = at + len(form)
        goes_on = HAN_RUN.match(text, end) and not _BEHIND.match(text, end)
        return text[end] if goes_on else ""
    word = _WORD_BEHIND.match(text, at + len(form))
    return word[1] if word and word[1].lower() not in STOP_WORDS else ""


def _form_at(text: str, at: int, term: Term) -> str:
    forms = (form for form in term.variants if text.startswith(form, at))
    return max(forms, key=len, default="")


def _says_of_it(text: str, term: Term) -> bool:
    """Tell whether a sentence begins with the term and says something of it."""
    head = text[:60].lower()
    forms = "|".join(re.escape(form.lower()) for form in term.variants)
    return bool(re.match(rf"(?:an? |the )?(?:{forms}) (?:is|are|was|were) ", head))


def _as_lead(one: Ranked, term: Term, longer: Container[str]) -> float:
    text = one.statement.text
    at = _place_in(text, term)
    early = 2.2 if at <= 5 else 1.4 if at <= 16 else 1.15 if at < len(text) // 3 else 1.0
    early *= 1.6 if _says_of_it(text, term) or _NAMED.search(text[:at]) else 1.0
    early *= 0.6 if _EXAMPLE.search(text) else 1.0
    behind = _word_behind(text, term)
    early *= 0.4 if behind and (is_east(behind) or behind in longer) else 1.0
    early *= 0.4 if points_elsewhere(text) else 1.0
    return one.worth * early * (4 * (1 + one.early) if defines(text, term.variants) else 1.0)
