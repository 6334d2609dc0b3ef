"""Lanes into one order: words, vectors and summaries, each by bounded scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

WORDS_WEIGHT = 0.9
"""Of the words lane at its best against the cosine.

Tuned with the exponents on scifact, anthropic-docs, cmrc, drcd and xquad (docs/benchmarks):
the hybrid is above both lanes on the mean of the one-language sets, keeps the cross-language
hits, and finds the other language's twin in a bilingual vault.
"""

TRANSLATED_WEIGHT = 0.4
"""Of the words in the other language, all of them held, against the cosine.

Tuned on half thoughts and on xquad's views of two languages (docs/benchmarks).
"""

HELD_POWER = 0.75  # of what a passage holds of the words beside the one that holds most of them
EXPLAINED_POWER = 0.5  # of the best BM25's share of its bound: how much the words explain at all
SUMMARY_WEIGHT = 0.25  # of what a file's summary is nearer than the usual one
TYPICAL_SPREAD = 0.32  # cosine of the best passage less that of the hundredth, built-in embedder
SPREAD_DEPTH = 100
NEARER = 2.0  # of what is nearer in another script, against the share of words that are held here
DOUBTED, BELIEVED = 0.3, 0.7  # of the sum of both: below, found by chance; above, what is meant
RAISED = 2  # passages: with the best of the question's own they are the first three
LEAST = 0.002  # between two passages one of which is to come first, as far as scores are shown
A_FILE = 5  # results of one file, half of the ten that are shown first: more would hide others
BESIDE = 2  # passages: what stands so near in a section or page is in sight of what is shown

Place = tuple[int, str, int | None]  # file, heading, page


class Ranked(NamedTuple):
    """A passage with its score, the lanes that found it, and what two of them gave to it."""

    passage: int
    score: float
    via: tuple[str, ...]
    by_words: float = 0.0
    by_vector: float = 0.0


@dataclass(frozen=True, slots=True)
class Lanes:
    """What each lane found, by passage; a lane that did not run is None.

    `words` are BM25 scores (higher is better), `bound` what they cannot exceed, `held` which
    share of the words, by weight, a passage holds. `vectors` are cosines less the language's
    shift, for every passage of either lane. `summaries` are what the summary above a passage is
    nearer to the question than usual, with its path. `translated` are the shares of the words that
    a passage holds in the other language.
    """

    words: Mapping[int, float] | None
    bound: float
    vectors: Mapping[int, float] | None
    summaries: Mapping[int, tuple[float, str]]
    near: frozenset[int] = frozenset()  # passages the vector lane found by itself
    foreign: frozenset[int] = frozenset()  # passages in another script than the question
    held: Mapping[int, float] = field(default_factory=dict)
    translated: Mapping[int, float] = field(default_factory=dict)


def fuse(lanes: Lanes, *, scale: float = 1.0) -> list[Ranked]:
    """Return every passage of any lane, best first; equal scores by number.

    Words add to the vectors' cosine (times `scale`) and never take away, so a hit in another
    language is not pushed down by the words it cannot share. A lane that is missing or found
    nothing leaves the other's order as it is.
    """
    vectors, by_words = lanes.vectors or {}, _by_words(lanes)
    trust = min(1.0, max(0.0, _belief(lanes, scale) / DOUBTED))
    ranked = []
    for passage in by_words.keys() | vectors.keys() | lanes.translated.keys():
        words = by_words.get(passage, 0.0)
        if passage in lanes.foreign:
            words = max(words, TRANSLATED_WEIGHT * lanes.translated.get(passage, 0.0))
        else:
            words *= trust
        by_vector = scale * vectors.get(passage, 0.0)
        extra, route = lanes.summaries.get(passage, (0.0, ""))
        score = words + by_vector + SUMMARY_WEIGHT * extra
        ranked.append(Ranked(passage, score, _via(lanes, passage, route), words, by_vector))
    return sorted(ranked, key=lambda one: (-one.score, one.passage))


def _by_words(lanes: Lanes) -> dict[int, float]:
    """Return what words give to each passage that holds any.

    Beside meaning it counts more how many of them a passage holds than how often: of a few
    words typed, one that stands all over a note says little by standing there once more.
    """
    words = lanes.words or {}
    best = max(words.values(), default=0.0)
    if best <= 0 or lanes.bound <= 0:
        return dict.fromkeys(words, 0.0)
    weight = WORDS_WEIGHT * min(1.0, best / lanes.bound) ** EXPLAINED_POWER / best
    most = max(lanes.held.values(), default=0.0) if lanes.vectors else 0.0
    return {
        passage: weight * score * ((lanes.held[passage] / most) ** HELD_POWER if most else 1.0)
        for passage, score in words.items()
    }


def _belief(lanes: Lanes, scale: float) -> float:
    """Return how far the question's own script can be believed to hold what is meant.

    The more of the question's words one passage holds, the more; the nearer in meaning what is
    in another script, the less: then the answer is there, and words are found here by chance.
    """
    vectors, foreign = lanes.vectors or {}, lanes.foreign
    there = max((vectors[passage] for passage in vectors.keys() & foreign), default=None)
    here = max((vectors[passage] for passage in vectors.keys() - foreign), default=None)
    if there is None or here is None:
        return BELIEVED
    held = max((lanes.held[passage] for passage in lanes.held.keys() - foreign), default=0.0)
    return held - NEARER * scale * (there - here)


def joined(ranked: Iterable[Ranked], place_of: Mapping[int, Place]) -> list[Ranked]:
    """Let the best passage of each section or page stand for what the lanes found in all of it.

    The words a question names and what it means often stand in neighbouring passages.
    """
    firsts: dict[Place, Ranked] = {}
    rest: list[Ranked] = []
    for one in ranked:
        place = place_of[one.passage]
        if (first := firsts.get(place)) is None:
            firsts[place] = one
            continue
        rest.append(one)
        words = max(0.0, one.by_words - first.by_words)
        vector = max(0.0, one.by_vector - first.by_vector)
        firsts[place] = first._replace(
            score=first.score + words + vector,
            by_words=first.by_words + words,
            by_vector=first.by_vector + vector,
        )
    return sorted([*firsts.values(), *rest], key=lambda one: (-one.score, one.passage))


def levelled(ranked: Sequence[Ranked], lanes: Lanes, *, scale: float = 1.0) -> list[Ranked]:
    """Raise the best of another script as far as the question's own may not hold what is meant.

    Up to right below the best passage of its own script, and by no more than words gave to
    that: they can find it nowhere else, so there meaning decides.
    """
    doubt = min(1.0, (BELIEVED - _belief(lanes, scale)) / (BELIEVED - DOUBTED))
    own = next((one for one in ranked if one.passage not in lanes.foreign), None)
    others = [one for one in ranked if one.passage in lanes.foreign][:RAISED]
    if own is None or not others:
        return list(ranked)
    up = doubt * min(own.by_words, own.score - others[0].score - LEAST)
    if up <= 0:
        return list(ranked)
    raised = [one._replace(score=one.score + up) for one in others]
    rest = (one for one in ranked if one not in others)
    return sorted([*raised, *rest], key=lambda one: (-one.score, one.passage))


def shown_score(score: float) -> float:
    """Return a fused score as a number in [0, 1] for people and programs."""
    return round(min(1.0, max(0.0, score / (1.0 + WORDS_WEIGHT))), 4)


def scale_for(cosines: Iterable[float]) -> float:
    """Return the factor that gives an embedder's cosines the spread the weights are made for.

    For an embedder whose cosines lie closer together than the built-in one's.
    """
    ordered = sorted(cosines, reverse=True)[:SPREAD_DEPTH]
    if len(ordered) < SPREAD_DEPTH:
        return 1.0
    spread = ordered[0] - ordered[-1]
    return min(10.0, TYPICAL_SPREAD / spread) if spread > 0 else 1.0


def spread(
    ranked: Iterable[Ranked], place_of: Mapping[int, Place], ordinals: Mapping[int, int]
) -> list[Ranked]:
    """Return the passages in the order in which they are to be shown while there is room.

    What stands close together in a section or page comes once, and a file at most `A_FILE`
    times, before anything comes again: so one long file neither hides the others nor is left
    out when it is all there is. `ordinals` are the passages' places in their files.
    """
    first: list[Ranked] = []
    rest: list[Ranked] = []
    shown: dict[Place, list[int]] = {}
    of_file: Counter[int] = Counter()
    for one in ranked:
        place, ordinal = place_of[one.passage], ordinals[one.passage]
        there = shown.setdefault(place, [])
        if of_file[place[0]] == A_FILE or any(abs(ordinal - n) <= BESIDE for n in there):
            rest.append(one)
            continue
        first.append(one)
        there.append(ordinal)
        of_file[place[0]] += 1
    return [*first, *rest]


def _via(lanes: Lanes, passage: int, route: str) -> tuple[str, ...]:
    via = []
    if passage in (lanes.words or {}) or passage in lanes.translated:
        via.append("words")
    if passage in lanes.near:
        via.append("vectors")
    if route:
        via.append(f"summary:{route}")
    return tuple(via)
