"""Whether a sentence says what something is."""

from __future__ import annotations

import re
from collections.abc import Iterable

EARLY, LATEST = 24, 60  # characters before a term that is defined, and before its short form


def defines(text: str, forms: Iterable[str]) -> bool:
    """Tell whether `text` says what a term is: "A trace tree is …", "向量库是…"."""
    return any(_defines(text, form) for form in sorted(forms)[:4])


def _defines(text: str, form: str) -> bool:
    at = text.find(form)
    if at < 0 or at > LATEST:
        at = text.lower().find(form.lower(), 0, LATEST + len(form))
    if at < 0:
        return False
    before, after = text[:at], text[at + len(form) :][:60]
    enclosed = (before[-1:], after[:1]) == ("(", ")") or (before[-2:], after[:1]) == (", ", ",")
    if enclosed:  # "A dense passage retriever (DPR) is …", "The product, BLM, is …"
        return bool(_DEFINITION.match(after[1:]))
    return at <= EARLY and bool(_BEFORE_DEFINITION.fullmatch(before) and _DEFINITION.match(after))


_BEFORE_DEFINITION = re.compile(
    r"(?:an?|the|in \w+, an?|der|die|das|ein|eine|l[ea]s?|l'|une?|el|las?|los|una?|所谓"
    r"|所謂)?\s*[\"“「『`]?",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    # "Acme Corporation (ACME) is a …": its legal form and a short name may follow a name.
    r"s?[\"”」』`]?(?:,? (?:Corporation|Company|Incorporated|Limited|Group|Foundation|Corp|Inc|Ltd"
    r"|Co|LLC|PLC|GmbH|AG|SE)\b\.?)?\s*(?:\([^)]{1,40}\)|（[^）]{1,40}）)?\s*,?\s*"
    r"(?:(?:is|are|was|were) (?:an?|the|one|any|defined|called|used)\b|(?:refers? to|means"
    r"|denotes?|consists? of)\b"
    r"|ist (?:ein|eine|der|die|das)\b|sind (?:ein|eine|die|das|alle)\b|est (?:un|une|le|la)\b"
    r"|es (?:un|una|el|la)\b"
    r"|是(?!否|不是)|指的?是?|即|也称|又称|称为|稱為|とは|は、?[^。]{2,40}(?:である|です)|(?:은"
    r"|는|이란|란) )",
    re.IGNORECASE,
)
