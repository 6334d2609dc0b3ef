"""What RTF is made of: control words, groups, and bytes in some code page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

TOKEN = re.compile(
    r"\\([a-z]+)(-?\d{1,10})?[ ]?|\\'([0-9a-f]{2})|\\(.)|([{}])|([^\\{}\r\n]+)", re.I | re.S
)
CODE_PAGES = {  # of the character sets that fonts name; others are the document's
    **{77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk", 136: "big5"},
    **{161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256"},
    **{186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250"},
}


@dataclass(frozen=True, slots=True)
class Token:
    """One of: a control word with its number, a sign after a backslash, a brace, or text.

    Text is bytes, read as Latin-1; `word` "bin" carries those that follow it.
    """

    word: str = ""
    number: int | None = None
    sign: str = ""
    brace: str = ""
    text: str = ""


def tokens(source: str) -> Iterator[Token]:
    """Give the tokens of `source`; what is none is passed over."""
    position = 0
    while match := TOKEN.search(source, position):
        position = match.end()
        word, number, byte, sign, brace, text = match.groups()
        if word == "bin":
            start, position = position, position + max(0, int(number or 0))
            yield Token(word, text=source[start:position])
        elif word:
            yield Token(word, int(number) if number else None)
        elif byte:
            yield Token(text=chr(int(byte, 16)))
        else:
            yield Token(sign=sign or "", brace=brace or "", text=text or "")
