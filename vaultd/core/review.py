"""Review items: their ids, their notes, and the answers people tick or write in them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from vaultd.model.wiki import ReviewDraft, ReviewKind

RETRY = "Retry"  # of a source that is held
HAND_BACK = "Use the new text"  # of a folder note whose region a person edited
FOR_ONCE = frozenset({RETRY, HAND_BACK})  # settle what is there now, and not what comes later

REVIEWS_PER_SOURCE = 5  # as many as a person answers in one sitting; without a cap 3,000 piled up
NEAR_TITLE = 0.8  # share of equal words from which two titles of one kind are the same question

FNV_OFFSET, FNV_PRIME = 0x811C9DC5, 0x01000193  # FNV-1a, 32 bit (Fowler, Noll and Vo)

_PREFIX = re.compile(
    r"^(missing page|suggestion|contradiction|duplicate|缺失页面|建议|矛盾|重复)\s*[:：]\s*", re.I
)
_OPTION = re.compile(r"^\s*[-*] \[([ xX])\] (.+?)\s*$", re.M)
_ANSWER = re.compile(r"^(?:Answer|回答)\s*[:：][ \t]*(.*)\Z", re.M | re.S)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person decided: one of the options, or their own words (`action` "answer")."""

    action: str
    text: str = ""


def normal_title(title: str) -> str:
    """Return `title` without its kind prefix, in one case and with single spaces."""
    folded = unicodedata.normalize("NFC", title).strip().casefold()
    return " ".join(_PREFIX.sub("", folded).split())


def review_id(kind: ReviewKind, title: str) -> str:
    """Return the stable id of a question: equal kind and title give equal ids."""
    value = FNV_OFFSET
    for byte in f"{kind.value}\n{normal_title(title)}".encode():
        value = ((value ^ byte) * FNV_PRIME) & 0xFFFFFFFF
    return f"review-{value:08x}"


def distinct(drafts: Iterable[ReviewDraft], limit: int = REVIEWS_PER_SOURCE) -> list[ReviewDraft]:
    """Return at most `limit` drafts, near-duplicates united, contradictions first."""
    kept: list[ReviewDraft] = []
    for draft in sorted(drafts, key=lambda each: each.kind is not ReviewKind.CONTRADICTION):
        twin = next((other for other in kept if _near(draft, other)), None)
        if twin is None:
            kept.append(draft)
        else:
            kept[kept.index(twin)] = _united(twin, draft)
    return kept[:limit]


def _near(one: ReviewDraft, other: ReviewDraft) -> bool:
    if one.kind is not other.kind:
        return False
    left, right = (set(_pieces(normal_title(each.title))) for each in (one, other))
    if any(piece.isdigit() for piece in left ^ right):  # "chapter 1" is not "chapter 2"
        return False
    return bool(left and right) and len(left & right) / len(left | right) >= NEAR_TITLE


def _pieces(title: str) -> list[str]:
    """Return words of spaced scripts and single characters of the others; digits always count."""
    return re.findall(r"[぀-ヿ㐀-鿿가-힯]|\w+", title)


def _united(one: ReviewDraft, other: ReviewDraft) -> ReviewDraft:
    return ReviewDraft(
        one.kind,
        one.title,
        one.text if len(one.text) >= len(other.text) else other.text,
        one.options,
        tuple(dict.fromkeys((*one.pages, *other.pages))),
        tuple(dict.fromkeys((*one.searches, *other.searches))),
    )


def answer_in(note: str, options: tuple[str, ...]) -> Answer | None:
    """Return what the person decided in the note's text, None while it is open.

    Own words win over a tick; of several ticks the first counts. An option in the note that
    the item does not have is not an answer.
    """
    words = _ANSWER.search(note)
    if words and words[1].strip():
        return Answer("answer", words[1].strip())
    known = {option.casefold(): option for option in options}
    ticked = [match[2] for match in _OPTION.finditer(note) if match[1] != " "]
    return next((Answer(known[t.casefold()]) for t in ticked if t.casefold() in known), None)


def note_body(
    text: str, options: tuple[str, ...], links: tuple[str, ...], searches: tuple[str, ...]
) -> str:
    """Return a review note's text below its properties; `links` are rendered wikilinks."""
    parts = [text.strip()]
    if links:
        parts.append("## Pages\n\n" + "\n".join(f"- {link}" for link in links))
    if searches:
        parts.append("## Search\n\n" + "\n".join(f"- {query}" for query in searches))
    ticks = "\n".join(f"- [ ] {option}" for option in options)
    parts.append("## Your decision\n\nTick one line, or write after the colon.")
    parts.append(f"{ticks}\n\nAnswer: \n")
    return "\n\n".join(parts)
