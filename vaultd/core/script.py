"""Which writing system a character belongs to, as far as splitting text needs to know."""

from __future__ import annotations

import re

HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3041-\u309f\u30a0-\u30ff\u31f0-\u31ff"
HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3"
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer

DENSE = HAN + KANA + HANGUL + UNSPACED
"""Scripts that put a word into one to four characters, mostly without spaces between words."""

DENSE_CHARACTER = re.compile(f"[{DENSE}]")

SENTENCE_END = re.compile(
    r"[.!?…]+(?:[\"'”’)\]]|\[\d{1,3}\])*(?=\s)"  # Latin: a stop, closing marks, then a space
    r"|[。！？；｡]+(?:[”’」』）】]|\[\d{1,3}\])*"  # CJK: a stop needs no space behind it
    r"|\n+"
)
"""Where a sentence may end; the match belongs to the sentence before it."""
