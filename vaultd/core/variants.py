"""Chinese characters written differently in different places, taken for one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from opencc import OpenCC

_FIRST, _LAST = 0x3400, 0x9FFF  # the characters in use; the rarer ones beyond have one form
_HAN = re.compile(f"[{chr(_FIRST)}-{chr(_LAST)}]")


def simplified(text: str) -> str:
    """Return `text` with each character in its simplified form, as many characters as before.

    Traditional (發), Japanese (発) and simplified (发) forms of one character become the same,
    so that one is found by the others. By characters, not by words: 髮 becomes 发, too.
    """
    return text.translate(_forms()) if _HAN.search(text) else text


@cache
def _forms() -> Mapping[int, str]:
    """Return each character that has a simpler form, with it. The tables are OpenCC's."""
    every = [chr(code) for code in range(_FIRST, _LAST + 1)]
    lines = "\n".join(every)  # on lines of their own, so that none is read as part of a word
    simpler = OpenCC("t2s").convert(OpenCC("jp2t").convert(lines)).split("\n")
    return {
        ord(one): other
        for one, other in zip(every, simpler, strict=True)
        if other != one and len(other) == 1
    }
