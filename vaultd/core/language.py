"""Which language a text is written in, from its scripts, letters and function words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from vaultd.core.latin import latin_language

SAMPLE_CHARS = 24_000  # enough for a thousand function words; keeps a 20 MB text cheap
SAMPLE_SLICES = 12  # a licence or an abstract in another language stays a minority

CJK = frozenset({"zh", "ja", "ko"})
GUARD_CHARS = 1_500  # the language guard judges the beginning: requirements of the ingest, A9
GUARD_MIN_CHARS = 20  # shorter text does not tell
STRICT = frozenset({"ar", "fa", "ur", "hi", "th", "he"})  # languages that own their script

_KANA = re.compile("[\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9f]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_HANGUL = re.compile("[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]")
_LATIN_WORD = re.compile("[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff]{2,}")

# Alphabets whose words are counted against Latin words, and the language each stands for when
# nothing finer tells.
_ALPHABETS: Mapping[str, tuple[str, re.Pattern[str]]] = {
    script: (language, re.compile(f"[{letters}]+"))
    for script, language, letters in (
        ("cyrillic", "ru", "\u0400-\u052f"),
        ("arabic", "ar", "\u0620-\u06d3\u06fa-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc"),
        ("hebrew", "he", "\u05d0-\u05f2"),
        ("greek", "el", "\u0370-\u03ff\u1f00-\u1fff"),
        ("devanagari", "hi", "\u0900-\u097f"),
        ("thai", "th", "\u0e01-\u0e4e"),
        ("bengali", "bn", "\u0980-\u09ff"),
        ("gurmukhi", "pa", "\u0a00-\u0a7f"),
        ("gujarati", "gu", "\u0a80-\u0aff"),
        ("tamil", "ta", "\u0b80-\u0bff"),
        ("telugu", "te", "\u0c00-\u0c7f"),
        ("kannada", "kn", "\u0c80-\u0cff"),
        ("malayalam", "ml", "\u0d00-\u0d7f"),
        ("sinhala", "si", "\u0d80-\u0dff"),
        ("lao", "lo", "\u0e80-\u0eff"),
        ("tibetan", "bo", "\u0f00-\u0fff"),
        ("burmese", "my", "\u1000-\u109f"),
        ("georgian", "ka", "\u10a0-\u10ff"),
        ("ethiopic", "am", "\u1200-\u137f"),
        ("khmer", "km", "\u1780-\u17ff"),
        ("armenian", "hy", "\u0530-\u058f"),
    )
}
# Written without spaces: five characters are counted as a word.
_UNSPACED = frozenset({"thai", "lao", "tibetan", "burmese", "khmer"})
# Letters that only the named language of the alphabet uses often; the first that fits wins.
_LETTERS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "cyrillic": (
        ("be", "ўЎ"),
        ("uk", "їЇєЄґҐ"),
        ("sr", "ђћџјљњЂЋЏЈЉЊ"),
        ("ru", "ыэёЫЭЁ"),
        ("bg", "ъЪ"),
    ),
    "arabic": (("ur", "ٹڈڑںے"), ("fa", "پچژگ")),
    "greek": (),
}

_PROPERTIES = re.compile(r"\A---\n.*?\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_FENCE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?(?:^\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_NOT_PROSE = re.compile(
    r"\$\$.*?\$\$|\$[^$\n]{1,300}\$|`[^`\n]{1,300}`|%%.{0,2000}?%%"  # maths, code, comments
    r"|\[\[[^\]\n]{1,300}\]\]|\]\([^)\n]{1,2000}\)|<[^>\n]{1,300}>|https?://\S+",
    re.DOTALL,
)


def language_of(text: str) -> str:
    """Return the ISO 639-1 code of the language most of `text` is in, "" when nothing tells.

    Looks at no more than `SAMPLE_CHARS` characters, taken from all parts of the text. Kana
    makes Japanese, Hangul Korean, Han Chinese, if the characters outnumber the Latin words.
    """
    sample = unicodedata.normalize("NFC", _sample(text))
    scripts = {
        script: _words_in(script, found.findall(sample))
        for script, (_, found) in _ALPHABETS.items()
    }
    kana, han, hangul = (len(found.findall(sample)) for found in (_KANA, _HAN, _HANGUL))
    latin = _LATIN_WORD.findall(sample)

    east = kana + han + hangul
    script = max(scripts, key=lambda name: scripts[name])
    if east and east >= len(latin) and east >= scripts[script]:
        return _east_asian(kana, han, hangul)
    if scripts[script] >= max(1, len(latin)):
        return _within_alphabet(script, sample)
    return latin_language([word.lower() for word in latin], sample.lower())


def prose_of(text: str) -> str:
    """Return `text` without its property block, code, maths, link targets and comments."""
    return _NOT_PROSE.sub(" ", _FENCE.sub(" ", _PROPERTIES.sub("", text)))


def language_of_note(text: str) -> str:
    """Return the language of a note's prose: code, maths and properties do not count."""
    return language_of(prose_of(text))


def is_cjk(language: str) -> bool:
    """Tell whether `language` is Chinese, Japanese or Korean."""
    return language in CJK


def same_family(a: str, b: str) -> bool:
    """Tell whether two languages pass for each other in the language guard.

    Chinese, Japanese and Korean do, Latin languages do, and so do two languages of one
    alphabet; what is not known passes for anything.
    """
    return not a or not b or family_of(a) == family_of(b)


def family_of(language: str) -> str:
    """Return the name of the group of scripts that `language` is written in."""
    if language in CJK:
        return "cjk"
    for script, (first, _) in _ALPHABETS.items():
        if language == first or any(language == name for name, _ in _LETTERS.get(script, ())):
            return script
    return "latin"


def matches_target(content: str, target: str) -> bool:
    """Tell whether the beginning of a page's prose is in the language asked for.

    Chinese, Japanese and Korean pass for each other, as do Latin languages; languages that own
    their script must be met exactly. No target, and text too short to tell, pass.
    Source: the guard of the ingest (requirements A9, 9).
    """
    prose = prose_of(content[: GUARD_CHARS * 8])[:GUARD_CHARS]
    if not target or len(prose.strip()) < GUARD_MIN_CHARS:
        return True
    found = language_of(prose)
    target = target.split("-")[0].lower()
    if target in CJK:
        return found in CJK or not (found or _LATIN_WORD.search(prose))
    if not found:
        return target not in STRICT or not _LATIN_WORD.search(prose)
    if target in STRICT or found in STRICT:
        return found == target
    return (found in CJK) == (target in CJK)


def _words_in(script: str, runs: list[str]) -> int:
    """Count the words among `runs`; a single letter (µ, Ω) is a sign, not a word."""
    words = [run for run in runs if len(run) >= 2]
    return sum(map(len, words)) // 5 + bool(words) if script in _UNSPACED else len(words)


def _sample(text: str) -> str:
    if len(text) <= SAMPLE_CHARS:
        return text
    width = SAMPLE_CHARS // SAMPLE_SLICES
    step = (len(text) - width) // (SAMPLE_SLICES - 1)
    return "\n".join(text[at * step : at * step + width] for at in range(SAMPLE_SLICES))


def _east_asian(kana: int, han: int, hangul: int) -> str:
    if hangul > kana + han:
        return "ko"
    # One の on a Chinese poster is decoration; running Japanese is a third kana at the least.
    return "ja" if kana * 20 >= han and kana else "ko" if hangul * 3 > han else "zh"


def _within_alphabet(script: str, sample: str) -> str:
    found = {
        language: sum(sample.count(letter) for letter in letters)
        for language, letters in _LETTERS.get(script, ())
    }
    if found.get("ru", 0) > found.get("uk", 0) and found.get("ru", 0) > found.get("be", 0):
        return "ru"
    return next((name for name, count in found.items() if count >= 2), _ALPHABETS[script][0])
