"""The terms that matter in a document, without any corpus but the document itself."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from vaultd.core.content import Content, Statement, spread_out
from vaultd.core.definition import defines
from vaultd.core.phrase import (
    BREAK,
    HAN_RUN,
    candidates_in,
    is_east,
    is_name,
    key_of,
    singular,
)
from vaultd.core.stopwords import GENERIC

MAX_STATEMENTS = 6_000  # of a document are counted, evenly spread: about 500 pages
CANDIDATES = 400  # terms examined closely after counting
NOUNS = 0.6  # share of a German phrase's uses where every word of it is a noun or name
COMPOUND = 13  # letters from which on a German noun is a phrase written as one word


class TermKind(StrEnum):
    """Which kind of page a term would get."""

    ENTITY = "entity"
    CONCEPT = "concept"


@dataclass(frozen=True, slots=True)
class Term:
    """A term as it is best written; `key` is equal for its singular and plural.

    `statements` are the orders of the statements that name it, `spread` the number of
    sections or pages these lie in, `defined` whether one of them says what it is, `variants` every
    spelling met, `aliases` its acronyms.
    """

    key: str
    title: str
    kind: TermKind
    count: int
    spread: int
    in_heading: bool
    defined: bool
    score: float
    statements: tuple[int, ...]
    variants: tuple[str, ...]
    aliases: tuple[str, ...] = ()


@dataclass(slots=True)
class _Tally:
    count: int = 0
    headings: int = 0
    names: int = 0  # with a capital where none is due, or with digits or capitals inside
    middles: int = 0  # not at the beginning of a sentence
    wholes: int = 0  # without another word of a phrase beside it
    places: set[tuple[object, ...]] = field(default_factory=set)
    forms: Counter[str] = field(default_factory=Counter)
    statements: list[int] = field(default_factory=list)


def terms_of(content: Content, language: str, limit: int = 30, title: str = "") -> list[Term]:
    """Return the terms that matter most, best first, none a part or a variant of another.

    What the document's `title` names counts as a heading and needs no other sign.
    """
    in_title = candidates_in(title, language)
    titled = {use.key for use in in_title if use.whole or " " in use.key}
    counted = spread_out(content.statements, MAX_STATEMENTS)
    uses = _all_uses(content, counted, language)
    least = 2 if len(counted) < 120 else 3
    tallies = {key: tally for key, tally in uses.items() if tally.count >= least}
    _drop_parts(tallies)
    texts = {statement.order: statement.text for statement in counted}
    places = len({_place(statement) for statement in counted}) or 1
    promising = sorted(tallies.items(), key=lambda item: (-_promise(*item), item[0]))[:CANDIDATES]
    terms = (
        _term(key, tally, texts, places, language, titled=key in titled)
        for key, tally in promising
        if key in titled or _stands_free(key, tally, texts)
    )
    ranked = sorted(terms, key=lambda term: (-term.score, term.key))
    named = _with_acronyms([term for term in ranked if term.score > 0], texts.values())
    return _distinct(named, limit)


def _promise(key: str, tally: _Tally) -> float:
    size = len(key) / 2 if is_east(key) else len(key.split())
    return math.log2(1 + tally.count) * (1.0 if size < 2 else 1.5) * (1.3 if tally.headings else 1)


_VERB_END = re.compile(
    r" (?!.*\b(?:fe|se|spe|ne|embe|bre)ed$)\w+ed$| (?:says?|said|makes?|made|got)$"
)


def _stands_free(key: str, tally: _Tally, texts: dict[int, str]) -> bool:
    """Tell whether the term is whole: not nearly always with the same neighbour."""
    if not is_east(key):
        return tally.wholes >= min(0.25 * tally.count, 20) and not _VERB_END.search(key)
    left, right = Counter[str](), Counter[str]()
    for order in tally.statements[:60]:
        text = f" {texts[order]} "
        at = text.find(key)
        if at > 0:
            left[text[at - 1]] += 1
            right[text[at + len(key)]] += 1
    return not any(_leans(side) for side in (left, right))


def _leans(neighbours: Counter[str]) -> bool:
    (sign, count), *_ = neighbours.most_common(1) or [(" ", 0)]
    bound = bool(HAN_RUN.fullmatch(sign)) and not BREAK.fullmatch(sign)
    return bound and count > 0.6 * neighbours.total()


def _all_uses(content: Content, counted: Sequence[Statement], language: str) -> dict[str, _Tally]:
    """Return every candidate; what stands there twice, as a menu or a notice, counts once."""
    tallies: defaultdict[str, _Tally] = defaultdict(_Tally)
    seen = set[str]()
    for statement in counted:
        if statement.text in seen:
            continue
        seen.add(statement.text)
        place = _place(statement)
        for use in candidates_in(statement.text, language):
            tally = tallies[use.key]
            tally.count += 1
            tally.places.add(place)
            tally.forms[use.form] += 1
            tally.statements.append(statement.order)
            tally.middles += not use.first
            tally.wholes += use.whole
            tally.names += is_name(use.form, first=use.first)
    for heading in content.headings:
        for use in candidates_in(heading.title, language):
            if use.key in tallies:
                tallies[use.key].headings += 1
    return dict(tallies)


def _place(statement: Statement) -> tuple[object, ...]:
    return statement.section or (statement.page, statement.order // 40)


# --- choosing ------------------------------------------------------------------------------------


def _drop_parts(tallies: dict[str, _Tally]) -> None:
    """Drop terms that almost always stand inside one longer term."""
    shorter: dict[str, int] = {}
    for key, tally in tallies.items():
        for part in _parts_of(key):
            shorter[part] = max(shorter.get(part, 0), tally.count)
    for part, longest in shorter.items():
        if part in tallies and longest >= 0.7 * tallies[part].count:
            del tallies[part]


def _parts_of(key: str) -> Iterable[str]:
    words = key.split()
    if len(words) > 1:
        return (" ".join(words[1:]), " ".join(words[:-1]), *(singular(word) for word in words))
    return (key[1:], key[:-1]) if "\u4e00" <= key[:1] <= "\u9fff" else ()


def _term(
    key: str, tally: _Tally, texts: dict[int, str], places: int, language: str, *, titled: bool
) -> Term:
    title = _best_form(tally, language)
    orders = tuple(dict.fromkeys(tally.statements))
    name_share = tally.names / max(1, tally.middles if tally.middles else tally.count)
    east = "\u3040" <= title[0] <= "\ud7af"
    phrase = language == "de" and " " in title
    entity = _is_entity(title, tally.forms, name_share, language, east=east)
    defined = any(defines(texts[order], tally.forms) for order in orders[:40])
    tally.headings += titled
    compound = language == "de" and len(title) >= COMPOUND and title[0].isupper() and not phrase
    nature = _Nature(entity, defined, titled, compound)
    score = _score(key, title, tally, places, nature)
    score *= 0.0 if phrase and name_share < NOUNS else 1.0
    return Term(
        key=key,
        title=_titled(title, language),
        kind=TermKind.ENTITY if entity else TermKind.CONCEPT,
        count=tally.count,
        spread=len(tally.places),
        in_heading=tally.headings > 0,
        defined=defined,
        score=score,
        statements=orders,
        variants=tuple(sorted(tally.forms)),
    )


@dataclass(frozen=True, slots=True)
class _Nature:
    """What tells a term from an everyday word; `compound`: a German phrase written as one word."""

    entity: bool
    defined: bool
    titled: bool
    compound: bool

    @property
    def marked(self) -> bool:
        return self.entity or self.defined or self.titled


def _score(key: str, title: str, tally: _Tally, places: int, nature: _Nature) -> float:
    words = key.split()
    east = "\u3040" <= key[0] <= "\ud7af"
    size = len(key) if east else 2 if nature.compound else len(words)
    generic = sum(word in GENERIC or _plain_word(word) for word in words)
    if title.lower() in GENERIC or (generic == len(words) and not nature.entity):
        return 0.0
    if not east and size == 1 and not (nature.marked or title.isupper()):
        return 0.0  # a lone everyday word names nothing
    weight = {1: 0.9 if nature.entity else 0.6, 2: 1.3, 3: 1.3, 4: 1.0}.get(size, 1.0)
    if east:
        weight = {2: 0.7, 3: 1.0, 4: 1.3, 5: 1.2, 6: 1.2}.get(size, 1.0)
    weight *= 1 + min(len(tally.places) / places, 0.5)
    weight *= (1.4 if tally.headings else 1.0) * (1.35 if nature.defined else 1.0)
    weight *= (1.2 if nature.entity else 1.0) * (0.85 if generic else 1.0)
    return math.log2(1 + tally.count) * weight


def _plain_word(word: str) -> bool:
    return len(word) < 3 or word.endswith("ly")


def _is_entity(
    title: str, forms: Container[str], name_share: float, language: str, *, east: bool
) -> bool:
    if east:
        return bool(_EAST_NAME.search(title))
    if language == "de":  # every noun has a capital
        return any(sign.isupper() for word in title.split() for sign in word[1:])
    if language in ("zh", "ja", "ko"):  # a Latin word among them is a name, if it looks like one
        return title != title.lower() or "." in title
    if title.isupper() and f"{title}s" in forms:  # LLM, LLMs: a kind of thing
        return False
    return name_share >= 0.6 and title != title.lower()


def _titled(form: str, language: str) -> str:
    """Return a term as a page is called: sentence case, names and commands as they are."""
    first = form.split()[0]
    command = language in ("zh", "ja", "ko")
    if language == "de" or command or first != first.lower():
        return form
    return form[0].upper() + form[1:]


_EAST_NAME = re.compile(
    "(?:公司|集团|集團|大学|大學|学院|學院|研究所|研究院|委员会|委員會|基金会|基金會|协会|協會|银行|銀行|"
    "省|市|县|縣|株式会社|研究会|회사|대학교|위원회)$"
)


def _best_form(tally: _Tally, language: str) -> str:
    """Return the commonest spelling; never one in capitals if another is as good as common."""
    shouting = {form for form in tally.forms if form.isupper() and len(form) > 6}
    forms = {form: count for form, count in tally.forms.items() if form not in shouting}
    best = max(forms or tally.forms, key=lambda form: (tally.forms[form], form))
    lowered = best.lower()
    single = " ".join((*best.split()[:-1], singular(best.split()[-1])))
    if single != best and single in tally.forms:
        best = single
    best = _PLURAL_ACRONYM.sub("", best.removesuffix("'s").removesuffix("’s"))
    small = tally.forms.get(lowered, 0)
    return lowered if small * 4 >= tally.count and language != "de" else best


_PLURAL_ACRONYM = re.compile(r"(?<=[A-Z]{2})s$")  # APIs


_IN_BRACKETS = re.compile(
    r"((?:[^\W\d_][\w-]*[ -]){1,7}[\w-]+) \(([A-Z][A-Za-z]{1,7}?)s?\)"
    r"|([\u4e00-\u9fff]{2,12})[（(]([A-Z][\w-]+)[）)]"
)


def _with_acronyms(terms: list[Term], texts: Iterable[str]) -> list[Term]:
    """Unite a term with its acronym under the long form: Dense passage retriever, DPR."""
    by_key = {term.key: term for term in terms}
    for text in texts:
        if "(" not in text and "（" not in text:
            continue
        for long_words, short, east, east_short in _IN_BRACKETS.findall(text):
            acronym = by_key.get(key_of(short or east_short))
            if acronym is None:
                continue
            long = _long_form(long_words, short, acronym, by_key) if short else None
            long = long or (_ending(east, by_key) if east else None)
            if long and acronym is not long:
                del by_key[acronym.key]
                by_key[long.key] = _united(long, acronym)
    return sorted(by_key.values(), key=lambda term: (-term.score, term.key))


def _long_form(words: str, short: str, acronym: Term, by_key: dict[str, Term]) -> Term | None:
    """Return the term whose initials are the acronym, made from it if it is none yet."""
    parts = re.split(r"([ -])", words)
    initials = [part[0].lower() for part in parts[::2] if part]
    size = len(short)
    if size < 2 or initials[-size:] != list(short.lower()):
        return None
    form = "".join(parts[-2 * size + 1 :])
    name = form != form.lower() and form.split()[-1][0].isupper()
    made = replace(
        acronym,
        key=key_of(form),
        title=_titled(form, ""),
        kind=TermKind.ENTITY if name else TermKind.CONCEPT,
        variants=(*acronym.variants, form),
        count=0,
        statements=(),
    )
    return by_key.get(key_of(form), made)


def _ending(east: str, by_key: dict[str, Term]) -> Term | None:
    return next((by_key[east[at:]] for at in range(len(east) - 1) if east[at:] in by_key), None)


def _united(long: Term, acronym: Term) -> Term:
    return replace(
        long,
        count=long.count + acronym.count,
        spread=max(long.spread, acronym.spread),
        in_heading=long.in_heading or acronym.in_heading,
        defined=long.defined or acronym.defined,
        score=max(long.score, acronym.score),
        statements=tuple(sorted({*long.statements, *acronym.statements})),
        variants=(*long.variants, *acronym.variants),
        aliases=(*long.aliases, acronym.title),
    )


def _distinct(terms: Sequence[Term], limit: int) -> list[Term]:
    """Keep the best of terms that contain one another."""
    kept: list[Term] = []
    for term in terms:
        if len(kept) == limit:
            break
        if not any(_overlap(term.key, other.key) for other in kept):
            kept.append(term)
    return kept


def _overlap(a: str, b: str) -> bool:
    if "\u3040" <= a[0] <= "\u9fff" or "\u3040" <= b[0] <= "\u9fff":
        return a in b or b in a
    first, second = set(a.split()), set(b.split())
    return first <= second or second <= first
