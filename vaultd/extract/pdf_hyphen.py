"""Hyphens at line ends: which were put there to break a word, and which are the word's own."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from vaultd.core.language import language_of

BREAK = "\xad"  # stands before a hyphen that stood at a line's end and is not judged yet

HYPHENS = ("-", "\u2010")
_LINE_END = re.compile(r"([-\u2010])(?<=[\w/%)].)[ \t]*\n[ \t]*(?=[\w/])")
_BROKEN = re.compile(r"[\w/%)][\w/]")  # what stands around one
_LETTER = r"[^\W\d_\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]"  # none of East Asia
_WORD = re.compile(f"{_LETTER}+")
_COMPOUND = re.compile(rf"(?<!{_LETTER})({_LETTER}+)([-\u2010])(?=({_LETTER}+))")
_HEAD = re.compile(f"{_LETTER}*$")
_TAIL = re.compile(f"(?:{_LETTER}|['’](?={_LETTER}))*")
_GAP = re.compile(r"(.)(\**)([-\u2010])(\**) (\**)(?=(.))")  # marks may stand in it
_CHAINED = re.compile(rf"[-\u2010]{_LETTER}+$")
_SMALL = re.compile("[a-zà-öø-ÿ]")
SAMPLE = 6_000  # letters that tell the language
_AROUND = 12  # letters that show how a line is set
_LONGEST = 200  # letters on either side that are looked at
_AROUND_WORDS = ".,;:!?()[]'\"’“”"  # what most often stands there
_WEB = ("://", "www.")

# What stands behind the first part of two compounds that share their end, "pre- and postwar",
# and in which languages.
_SHARED: Mapping[str, Sequence[str]] = {
    "and": ("en",),
    **dict.fromkeys(("und", "oder", "bzw", "sowie", "als", "bis"), ("de",)),
    **dict.fromkeys(("eller", "samt"), ("sv", "da", "no")),
    **{"och": ("sv",), "og": ("da", "no")},
}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Small words inside of chains such as up-to-date.
_LINKS = _words("a and as at by de du en for in la le les of off on out the to up")
_TAILS = _words("aware based centric driven même mêmes oriented related specific vous")
# Parts that also make words without a hyphen; what they begin or end is told by other evidence.
_JOINING_HEADS = _words("""
    after back counter down extra fore further hand head here hyper infra inter intra macro mean
    mega meta micro mini more multi other over para post semi some sub super tele them there
    through trans ultra under upon what where when with
""")
_CUSTOMARY_HEADS = _words("anti cross multi non post semi")
_JOINING_TAILS = _words("""
    able ably ages ally ance ants ated ates ation edly ence ency ends ents ered ering ever fold
    holder holders hood ible ical ings ious ised ists ized less like line lines making ment ments
    ness over self selves ship ships sion some telling ties times tion tions tive wards ware where
    wise work worker workers works
""")
_LONG_PART, _LONG_WHOLE = 4, 11  # letters of two words that are no word without their hyphen
_CERTAIN = 2  # compounds known for sure that make a document one whose words are never broken
_OUTWEIGHED = 3  # times as many as words that were broken


def marked(text: str) -> str:
    """Return `text` with the lines joined that end in a hyphen, and a `BREAK` before that."""
    may_be = "-\n" in text or "\u2010\n" in text
    return _LINE_END.sub(rf"{BREAK}\1", text) if may_be else text


def marked_anew(text: str, lines: Sequence[str]) -> str:
    """Return `text`, in which blanks stand between `lines`, as `marked` would."""
    if "- " not in text and "\u2010 " not in text and "-*" not in text:
        return text
    position = 0
    for above, below in pairwise(map(str.strip, lines)):
        if not above.endswith(HYPHENS) or not _BROKEN.fullmatch(above[-2:-1] + below[:1]):
            continue
        gaps = _GAP.finditer(text, position)
        if match := next((gap for gap in gaps if gap[1] + gap[6] == above[-2] + below[0]), None):
            position = match.start()
            cut = f"{match[1]}{match[2]}{match[4]}{BREAK}{match[3]}{match[5]}"
            text = text[:position] + cut + text[match.end() :]
    return text


@dataclass(slots=True)
class Cut:
    """A hyphen at a line's end: what stands before and behind it without a space, and around."""

    before: str
    sign: str
    after: str
    around: str

    @property
    def is_shouted(self) -> bool:
        """Tell whether the text around is in capitals: then its words are broken as any."""
        return not _SMALL.search(self.around)


def _cut(above: str, sign: str, below: str) -> Cut:
    before = above[-_LONGEST:].rpartition(" ")[2]
    after = below[:_LONGEST].partition(" ")[0]
    around = above[-_AROUND:] + below[:_AROUND]
    return Cut(before.rstrip("*"), sign, after.lstrip("*"), around)


@lru_cache(10_000)
def _parts(before: str, after: str) -> tuple[str, str]:
    """Return the letters next to a hyphen, "" where there are none."""
    head, tail = _HEAD.search(before), _TAIL.match(after)
    return (head[0] if head else "", tail[0] if tail else "")


def _cuts(text: str) -> list[Cut]:
    pieces = text.split(BREAK)
    bare = [pieces[0], *(piece[1:] for piece in pieces[1:])]
    return [_cut(bare[i], pieces[i + 1][:1], bare[i + 1]) for i in range(len(bare) - 1)]


class Hyphens:
    """Judges each `BREAK` by what the same document has inside of its lines.

    The word with its hyphen or without it decides, whichever there is more of. Without either
    the hyphen goes, as in ordinary text, but for shapes that a broken word does not have, and
    but for a document whose words are never broken. Browsers break words with a sign of its own.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._text = "\n".join(texts)
        self._words: set[str] = set()
        self._compounds: set[tuple[str, str]] = set()
        self._signs: set[str] = set()  # that stand in compounds
        self._counted: dict[tuple[str, str], bool] = {}
        self._learn()
        self._heads = {head for head, _ in self._compounds}
        self._cuts = {text: _cuts(text) for text in texts if BREAK in text}
        self._breaks, self._never_breaks = self._habits(texts)

    @cached_property
    def _language(self) -> str:
        """The document's language; few words depend on it, and telling it takes long."""
        return language_of(self._text[len(self._text) // 2 :][:SAMPLE])

    def _learn(self) -> None:
        """Note words and compounds; only distinct tokens are looked at, a book has few."""
        tokens = set(self._text.split())
        simple = set(filter(str.isascii, filter(str.isalpha, tokens)))
        others = [token for token in tokens - simple if BREAK not in token]
        bare = {token.strip(_AROUND_WORDS) for token in others}
        plain = set(filter(str.isascii, filter(str.isalpha, bare)))
        rest = " ".join(bare - plain).lower()
        self._words.update(" ".join(simple | plain).lower().split(), _WORD.findall(rest))
        hyphened = " ".join(token for token in others if "-" in token or "\u2010" in token)
        for head, sign, tail in _COMPOUND.findall(hyphened):
            self._compounds.add((head.lower(), tail))
            self._signs.add(sign)

    def _habits(self, texts: Iterable[str]) -> tuple[set[str], set[str]]:
        """Return the signs that only break words, and those that never do."""
        known: dict[str, Counter[str | None]] = defaultdict(Counter)
        for cut in (cut for text in texts if BREAK in text for cut in self._cuts[text]):
            known[cut.sign][self._by_occurrence(*_parts(cut.before, cut.after))] += 1
        breaks = known.keys() - self._signs if self._signs else set()
        never = {
            sign
            for sign, count in known.items()
            if (count["-"] >= _CERTAIN and count["-"] > _OUTWEIGHED * count[""])
            or (breaks and sign not in breaks and not count[""])
        }
        return breaks, never

    def settled(self, text: str) -> str:
        """Return `text` with every `BREAK` judged."""
        pieces = text.split(BREAK)
        judged = map(self._judged, self._cuts.get(text) or _cuts(text))
        rest = [sign + piece[1:] for sign, piece in zip(judged, pieces[1:], strict=True)]
        return "".join([pieces[0], *rest])

    def knows(self, above: str, below: str) -> bool:
        """Tell whether the words at the end and the beginning of two texts are one elsewhere."""
        cut = _cut(above, "-", below)
        return self._by_occurrence(*_parts(cut.before, cut.after)) is not None

    def _judged(self, cut: Cut) -> str:
        """Return what stands between two parts at a line's end: nothing, or the hyphen."""
        head, tail = _parts(cut.before, cut.after)
        certain = self._by_occurrence(head, tail)
        if certain is not None:
            return certain and cut.sign
        if cut.after in _SHARED and self._language in _SHARED[cut.after]:
            return f"{cut.sign} "
        is_broken = (
            cut.before.endswith(("/", "_"))
            or cut.sign in self._breaks
            or (head.isupper() and tail.isupper() and cut.is_shouted)
        )
        if is_broken:
            return ""
        is_compound = cut.sign in self._never_breaks or self._is_compound(cut, head, tail)
        return cut.sign if is_compound else ""

    def _by_occurrence(self, head: str, tail: str) -> str | None:
        """Return "-" if the document has the parts with a hyphen, "" if as one word."""
        if not head or not tail:
            return None
        is_word = (head + tail).lower() in self._words
        is_compound = (head.lower(), tail) in self._compounds
        if is_word and is_compound:
            is_word = self._is_word_more_often(head, tail)
        return "" if is_word else "-" if is_compound else None

    def _is_word_more_often(self, head: str, tail: str) -> bool:
        if (head, tail) not in self._counted:  # it takes as long as a look through the document
            compounds = sum(self._text.count(f"{head}{sign}{tail}") for sign in HYPHENS)
            self._counted[head, tail] = self._text.count(head + tail) > compounds
        return self._counted[head, tail]

    def _is_compound(self, cut: Cut, head: str, tail: str) -> bool:
        if min(len(head), len(tail)) < 2 or any(sign in cut.before for sign in _WEB):
            return True
        if head.isupper() or tail[0].isupper():
            return head != "Mc"
        return (
            _is_chained(cut.before, head, cut.after, tail)
            or (tail in _TAILS and len(head) > 2 and head.lower() not in _JOINING_HEADS)
            or (head.lower() == "self" and tail not in _JOINING_TAILS)
            or self._are_words(head.lower(), tail)
        )

    def _are_words(self, head: str, tail: str) -> bool:
        """Tell whether the document uses both parts by themselves, and they make no third word.

        Only English writes compounds apart, so that this tells something.
        """
        if head not in self._words or tail not in self._words:
            return False
        if head in _CUSTOMARY_HEADS and head in self._heads:
            return self._language == "en" and not any(
                word.startswith(head) and word[len(head) :] in self._words for word in self._words
            )
        return (
            min(len(head), len(tail)) >= _LONG_PART
            and len(head) + len(tail) >= _LONG_WHOLE
            and head not in _JOINING_HEADS
            and tail not in _JOINING_TAILS
            and self._language == "en"
        )


def _is_chained(before: str, head: str, after: str, tail: str) -> bool:
    """Tell whether a small word next to the line's end hangs on one more hyphen."""
    is_linked = head.lower() in _LINKS and _CHAINED.search(before) is not None
    return is_linked or (tail in _LINKS and after[len(tail) :][:1] in ("-", "\u2010"))
