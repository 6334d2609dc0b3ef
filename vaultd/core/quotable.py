"""What may be quoted: one readable sentence of running text, in the language of its document."""

from __future__ import annotations

import re

from vaultd.core.stopwords import FUNCTION_WORDS
from vaultd.core.text import Kind

# A line of reading: shorter says nothing, longer is not read. Chinese and Japanese characters
# count as two, so the limits are 20 to 140 of them, 45 to 320 Latin letters.
MIN_WIDTH = 42
MAX_WIDTH = 320
MIN_WORDS = 6
FOREIGN = 3  # words more of another language than of its own

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
    r"(?:\b[A-Z]\.\s?){2,}.*(?:\b[A-Z]\.\s?)|\.{4,}|_{3,}|…{2,}|[—–-]{3,}|[⁽⁾˜∑∫]|\(·\)",
    re.IGNORECASE,
)
_NUMBERED_REFERENCE = re.compile(r"^[A-Z][\w-]+, [A-Z]\.")
LABELLED = re.compile(
    # by the converter, or by who wrote a letter or a list of keywords: no running text
    r"(?:Chart|Comment|Notes):|(?:Key ?words|Index Terms|Schlüsselwörter|Schlagwörter|Mots[- ]clés"
    r"|Palabras clave|关键词|關鍵詞|キーワード|주제어)\s*[:：—]|(?:Dear|DEAR) (?:Sir|SIR|M)"
    r"|[A-Z]: ",
)
_CAPTION = re.compile(
    # "Table 2: …", "Figure 3 shows …", "1 Arrays are …": it belongs to what is not there
    r"(?:Fig(?:ure|\.)?|Table|Tab\.|Abb(?:ildung|\.)|Tabelle|Listing|Example|Beispiel|Algorithm"
    r"|Box|Chart|Plate|Scheme|Exhibit|Tableau|Figura|Tabla|그림|표)\s*[\dIVX]+(?:[.-]\d+)*\b"
    r"|[图圖表図](?:\s*\d|[一二三四五六七八九十])|[⁰¹²³⁴-⁹\d]{1,3}\s*[A-Z][a-z]"
    r"|\d+(?:\.\d+)+\.?\s+[A-Z][a-z]",
)
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
    if any(marks.match(text) for marks in (_NUMBERED_REFERENCE, LABELLED, _CAPTION)):
        return False
    if _REFERENCE.search(text) or text.count('"') % 2:
        return False
    return _is_prose(text) and all(text.count(left) == text.count(right) for left, right in _PAIRS)


def is_foreign(text: str, language: str) -> bool:
    """Tell whether a sentence is written in another language than its document."""
    if language in ("zh", "ja", "ko"):
        return not _EAST.search(text)
    own = FUNCTION_WORDS.get(language)
    if own is None:
        return False
    words = text.lower().split()
    counts = [sum(word in some for word in words) for some in FUNCTION_WORDS.values()]
    return max(counts) >= sum(word in own for word in words) + FOREIGN


def width_of(text: str) -> int:
    """Return how wide `text` is, East Asian characters counted twice."""
    return len(text) if text.isascii() else len(text) + len(_EAST.findall(text))


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
