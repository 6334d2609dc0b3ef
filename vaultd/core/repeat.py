"""Which passages say the same, and which places of sources a passage cites for what is shown."""

from __future__ import annotations

import re

from vaultd.core.citation import RAW, Citation, citations_in

PIECE, STEP = 16, 8  # characters without spaces: three words, or a clause of Chinese
REPEATED = 0.6  # of the pieces: what is cut off, and page numbers in between, make up the rest
CITED = 0.15  # of the pieces, for one of several claims that are shown together

_BETWEEN_WORDS = re.compile(r"[\W_]+")


def squeezed(spoken: str) -> str:
    """Return the letters and digits of a text without markup: what stays wherever it is quoted."""
    return _BETWEEN_WORDS.sub("", spoken).casefold()


def repeats(shown: str, text: str) -> bool:
    """Tell whether most of what is `shown` stands in `text`, both squeezed."""
    return _share(shown, text) >= REPEATED


def cited_for(shown: str, text: str) -> list[Citation]:
    """Return the citations in the passage `text` of the claims that are `shown`, squeezed."""
    if RAW not in text:
        return []
    return [one for one in citations_in(text) if _share(shown, squeezed(one.claim)) >= CITED]


def _share(shown: str, text: str) -> float:
    if not shown or not text:
        return 0.0
    starts = range(0, max(1, len(shown) - PIECE + 1), STEP)
    return sum(shown[start : start + PIECE] in text for start in starts) / len(starts)
