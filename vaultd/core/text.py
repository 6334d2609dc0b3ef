"""Text as people read it: cleaned, cut into sentences, and measured."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from vaultd.core.words import normal

# Unicode's stream-safe format (UAX 15) allows 30 marks on one letter; more is an attack, and
# sorting a long run takes time that grows with its square.
_MARKS = "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u1ab0-\u1aff"
_MARK_RUN = re.compile(f"([{_MARKS}\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{{30}})[{_MARKS}]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NEWLINES = re.compile("\r\n?|[\v\f\x85\u2028\u2029]")
_UNWANTED = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufeff\ufffe\uffff]")


def clean(text: str) -> str:
    """Return `text` fit for UTF-8, SQLite and a reader, in Unicode normal form C.

    Halves of a surrogate pair are joined, lone ones become U+FFFD; NUL and other controls
    go; every kind of line end becomes a newline. Cleaning twice changes nothing.
    """
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    text = _UNWANTED.sub("", _NEWLINES.sub("\n", text))
    return unicodedata.normalize("NFC", _MARK_RUN.sub(r"\1", text))


def fold(text: str) -> str:
    """Return a key under which two spellings of one text are equal: NFKC, case, spaces."""
    folded = unicodedata.normalize("NFKC", normal(text).casefold())
    return " ".join(folded.split())


# --- sentences ---------------------------------------------------------------------------------


class Kind(StrEnum):
    """What a piece of Markdown is to a reader."""

    PROSE = "prose"
    ITEM = "item"
    HEADING = "heading"
    ROW = "row"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence (or heading, table row, code block) and where it stands.

    `text` is what stands at `start:end` on one line, hard wraps undone and the signs of
    headings, quotes and lists left out; code keeps its lines. Everything that is not white
    space lies in exactly one sentence.
    """

    text: str
    start: int
    end: int
    kind: Kind


_FENCE = re.compile(r" {0,3}(?:[-*+] +|>+ ?)*(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_ITEM = re.compile(r"\s*(?:[-*+•◦▪–·●■]|\(?\d{1,3}[.)、]|\(?[a-zA-Zivx]{1,4}\))\s+")
_RULE = re.compile(r"\s*(?:[-*_=~][ \t]*){3,}$")
_MARK = re.compile(r"\s*(?:#{1,6}(?:\s+|$)|(?:>\s?)+)")

_CLOSERS = "\"'”’»)\\]）】」』》〉*_"
# Notes behind a full stop: .[3] .[^3] .[[3]](#cite_note-3) .³ and, in print, .3
_MARKS_BEHIND = (
    r"(?:\[[\[\\^]{0,2}[\w ]{1,12}[\]\\]{1,3}(?:\(#[^()\s]*\))?)*[⁰¹²³⁴-⁹]*"
    r"(?:(?<=[a-z]{3}[.”])\d{1,3}(?=\s+[A-Z“]))?"
)
# A terminator ends a sentence by itself in scripts without capitals or spaces; a full stop needs
# white space and something that begins a sentence, or words around it that leave no doubt.
_END = re.compile(
    rf"[。！？｡]+[{_CLOSERS}]*{_MARKS_BEHIND}"
    rf"|[!?؟۔।॥।…]+[{_CLOSERS}]*(?=\s|[^\W\d_]|[“‘「『《（(\[]|$)"
    rf"|\.+[{_CLOSERS}]*{_MARKS_BEHIND}(?=\s)"
    r"|\.(?<=[\u3040-\u9fff]\.)(?=[\u3040-\u9fff])|\.(?<=[a-z]{3}\.)(?=[A-Z][a-z]*[ ,])"
)
_NEXT = re.compile(r"\s*[\"'“‘«(\[¿¡*_「『《]*(\w|[^\w\s])")
_LONG = 220  # characters: beyond it a sentence is also cut at semicolons
_SEMICOLON = re.compile(r"；|;(?=\s)")
_LAST_WORD = re.compile(r"[\w.]*$")
_ABBREVIATED = """
    mr mrs ms dr prof st sr jr vs etc e.g i.e cf al fig figs eq eqs sec secs no nos vol vols pp p
    ed eds ch chap art inc ltd co corp dept approx est ca resp ref refs u.s u.k u.n a.m p.m z.b d.h
    u.a bzw usw nr abs hrsg bd ggf vgl sog evtl str tel mme mlle ex ej sra dra núm
"""
_ABBREVIATIONS = frozenset(_ABBREVIATED.split())
_GERMAN_MONTHS = """
    januar februar märz april mai juni juli august september oktober november dezember
"""
_MONTHS = frozenset(_GERMAN_MONTHS.split())


def sentences(text: str) -> list[Sentence]:
    """Cut Markdown or plain text into sentences, in order, with their offsets.

    Hard-wrapped paragraphs are unwrapped first, so a line end is no sentence end; code fences
    stay whole; a table row, a heading and a list item's sentences stand alone. Linear.
    """
    return [
        sentence for kind, start, end in _blocks(text) for sentence in _cut(text, kind, start, end)
    ]


def sentence_ends(text: str) -> list[int]:
    """Return the offsets in one paragraph where a sentence ends and the next begins."""
    return [
        match.end()
        for match in _END.finditer(text)
        if match.end() < len(text) and _is_end(text, match, 0, len(text))
    ]


def unwrapped(text: str) -> str:
    """Return a paragraph on one line: words cut at a line end are joined, spaces collapsed.

    No space is put between two characters of a script that writes without spaces.
    """
    text = _SOFT_HYPHEN.sub("", text)
    text = _CUT_WORD.sub("", text)
    text = _TIGHT_WRAP.sub("", text)
    return " ".join(text.split())


_SOFT_HYPHEN = re.compile("\u00ad\\s*")
_CUT_WORD = re.compile(r"(?<=[a-zà-ÿ]{2})[-‐]\s*\n\s*(?=[a-zà-ÿ]{2})")
_NO_SPACES = "\u3000-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\u0e00-\u0e7f"
_TIGHT_WRAP = re.compile(rf"(?<=[{_NO_SPACES}])[ \t]*\n\s*(?=[{_NO_SPACES}])")


def _blocks(text: str) -> Iterator[tuple[Kind, int, int]]:
    """Yield the blocks of `text` as (kind, start, end), blank lines and rules left between."""
    fence, begun, kind, at = "", -1, Kind.PROSE, 0
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        if fence:
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                yield Kind.CODE, begun, at
                fence, begun = "", -1
            continue
        opened = _FENCE.match(line)
        found = Kind.CODE if opened else _kind_of(line)
        joins = found is Kind.PROSE and kind in (Kind.PROSE, Kind.ITEM)
        if begun >= 0 and not joins:
            yield kind, begun, start
            begun = -1
        if opened:
            fence, kind, begun = opened.group(1), Kind.CODE, start
        elif found is not None and begun < 0:
            kind, begun = found, start
    if begun >= 0:
        yield kind, begun, at


def _kind_of(line: str) -> Kind | None:
    """Say what a line begins or goes on with; None for a blank line."""
    bare = line.strip()
    if not bare:
        return None
    if _HEADING.match(line):
        return Kind.HEADING
    if bare.startswith("|") or _RULE.match(line):
        return Kind.ROW
    return Kind.ITEM if _ITEM.match(line) else Kind.PROSE


def _cut(text: str, kind: Kind, start: int, end: int) -> Iterator[Sentence]:
    if kind is Kind.CODE:
        yield Sentence(text[start:end].strip("\n"), start, end, kind)
        return
    bounds = [start, end]
    if kind in (Kind.PROSE, Kind.ITEM):
        bounds = [start, *_ends(text, start, end), end]
    for left, right in zip(bounds, bounds[1:], strict=False):
        raw = text[left:right]
        begin = left + len(raw) - len(raw.lstrip())
        shown = _shown(raw.strip(), kind, first=left == start)
        if raw.strip():
            yield Sentence(shown, begin, left + len(raw.rstrip()), kind)


def _shown(raw: str, kind: Kind, *, first: bool) -> str:
    if first and kind is Kind.ITEM:
        raw = _ITEM.sub("", raw, count=1)
    if kind is Kind.HEADING or raw.startswith(">"):
        raw = _MARK.sub("", raw, count=1).rstrip("#").rstrip()
        raw = re.sub(r"\n\s*>+ ?", "\n", raw)
    return unwrapped(raw)


def _ends(text: str, start: int, end: int) -> list[int]:
    """Return the offsets inside a block where one sentence ends and the next begins."""
    head = _ITEM.match(text, start, end)
    first = head.end() if head else start
    found = [
        match.end()
        for match in _END.finditer(text, first, end)
        if match.end() < end and _is_end(text, match, first, end)
    ]
    return sorted({*found, *_semicolons(text, [start, *found, end])})


def _is_end(text: str, match: re.Match[str], first: int, end: int) -> bool:
    follows = _NEXT.match(text, match.end(), end)
    if follows is None:
        return False
    begins = follows.group(1)
    if not match.group().startswith("."):
        # 「…。」と言った: what was said is a part of the sentence around it
        quoted = match.group()[-1] in "」』”’" and follows.start(1) == match.end()
        goes_on = begins.islower() and match.group()[0] not in "。！？｡"
        return not goes_on and not (quoted and begins.isalnum())
    if begins.islower() or not (begins.isalnum() or begins in "-–—•#$€£"):
        return False
    before = _LAST_WORD.search(text, max(first, match.start() - 40), match.start())
    word = before.group() if before else ""
    if before and text[before.start() - 1 : before.start()] == "°":
        return True  # 32 °C. A warm dough
    if text[match.end() : match.end() + 1].isalpha() and "." in word:
        return False  # java.util.List of
    return not _is_abbreviation(word, text[follows.start(1) : follows.start(1) + 12])


def _is_abbreviation(word: str, following: str) -> bool:
    if len(word) == 1 and word.isalpha() and word.isupper() and word.isascii():
        return True  # an initial
    if word.isdigit() and len(word) <= 2 and following.split()[:1]:
        return following.split()[0].lower() in _MONTHS
    return word.lower() in _ABBREVIATIONS


def _semicolons(text: str, bounds: list[int]) -> Iterator[int]:
    for left, right in zip(bounds, bounds[1:], strict=False):
        if right - left > _LONG:
            for match in _SEMICOLON.finditer(text, left, right):
                if match.end() < right:
                    yield match.end()


# --- tokens ------------------------------------------------------------------------------------

# Tokens a character, on the high side: a prompt that is thought longer than it is costs a little
# room, one that is thought shorter is cut by the server. English prose has 4 to 4.5 characters a
# token in common vocabularies; one Han, kana or Hangul character is about one token, and up to
# two in vocabularies made from English.
_LETTER_TOKENS = 0.27
_MARK_TOKENS = 0.6  # punctuation and symbols rarely share a token
_DIGIT_TOKENS = 0.4  # at most three digits a token
_EAST_TOKENS = 1.1
_OTHER_TOKENS = 0.6  # Cyrillic, Greek, Arabic, Hebrew, Thai, Indic: about two characters
_EAST = re.compile(
    "[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff01-\uffee\U00020000-\U0003ffff]+"
)
_ACCENTED = re.compile("[\u00a1-\u024f\u1e00-\u1eff]+")
_DIGITS = re.compile("[0-9]+")
_ASCII_MARKS = re.compile(r"[!-/:-@\[-`{-~]+")


def tokens_of(text: str) -> int:
    """Estimate how many tokens `text` takes, by script, rather too many than too few."""
    ascii_text = text.encode("ascii", "ignore").decode("ascii")
    digits, marks = _length_of(_DIGITS, ascii_text), _length_of(_ASCII_MARKS, ascii_text)
    east, accented = _length_of(_EAST, text), _length_of(_ACCENTED, text)
    other = len(text) - len(ascii_text) - east - accented
    letters = len(ascii_text) - digits - marks
    return round(
        letters * _LETTER_TOKENS
        + marks * _MARK_TOKENS
        + digits * _DIGIT_TOKENS
        + (accented + other) * _OTHER_TOKENS
        + east * _EAST_TOKENS
        + 0.49
    )


def _length_of(pattern: re.Pattern[str], text: str) -> int:
    return sum(len(run) for run in pattern.findall(text))
