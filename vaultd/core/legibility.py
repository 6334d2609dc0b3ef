"""Whether a document says enough to be read at all."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

MINIMUM_LETTERS = 20  # fewer letters and digits in a whole document are no evidence of anything
MINIMUM_PAGE_SHARE = 0.1  # a document with text on fewer of its pages is a scan


def letter_count(text: str) -> int:
    """Return how many letters and digits `text` holds, in any script."""
    return sum(map(str.isalnum, text))


def too_little_text(pages: Sequence[str]) -> bool:
    """Tell whether a document of these page texts says too little to be worth reading."""
    counts = [_letters_up_to(MINIMUM_LETTERS, page) for page in pages]
    with_text = sum(count > 0 for count in counts)
    return sum(counts) < MINIMUM_LETTERS or with_text < MINIMUM_PAGE_SHARE * len(pages)


def _letters_up_to(most: int, text: str) -> int:
    """Count letters and digits, but no further than `most`: a text may hold 20 MB."""
    return sum(1 for _ in islice(filter(str.isalnum, text), most))
