"""The words a text is found by, the same for indexing and for asking."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from vaultd.core.script import DENSE, DENSE_CHARACTER
from vaultd.core.variants import simplified

QUERY_CHARACTERS = 2_000  # of a question are looked at: more is a pasted document
QUERY_TERMS = 64  # distinct words of a question are looked for, the first ones

_TOKEN = re.compile(f"[{DENSE}]+|[^\\W_{DENSE}]+")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")

_ENGLISH = """
a about after all also am an and any are as at be been before being but by can could did do does
doing for from had has have having he her here hers him his how i if in into is it its just me
might more most my no nor not of on or our ours out over own s same she should so some such t than
that the their theirs them then there these they this those through to too under up us very was we
were what when where which while who whom whose why will with would you your yours
"""
_CHINESE = "什么 甚么 怎么 如何 哪些 哪个 为何 吗 呢 的 了"

STOP_WORDS = frozenset((_ENGLISH + _CHINESE).split())
"""Words that only ask or bind. Those of other languages show by how often the vault has them."""


def storable(text: str) -> str:
    """Return `text` without NUL and lone surrogates."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")


def normal(text: str) -> str:
    """Return `text` in compatibility form, without NUL and lone surrogates."""
    return unicodedata.normalize("NFKC", storable(text))


def indexed(text: str) -> str:
    """Return `text` as words separated by spaces, for the full-text index.

    A run of CJK gives its characters in their simplified form, each followed by the pair it
    begins; "fooBar" gives "foobar foo bar". What stands together in the text stands together
    here, so that a phrase of a text is a phrase of the result.
    """
    return " ".join(_tokens(simplified(normal(text))))


def phrase_of(text: str) -> str:
    """Return `text` as the words of one phrase, "" when it has none."""
    return indexed(text[:QUERY_CHARACTERS])


def terms_of(question: str) -> list[str]:
    """Return the distinct words to look for, in order, without stop words if others remain."""
    words = list(dict.fromkeys(_tokens(simplified(normal(question[:QUERY_CHARACTERS])))))
    telling = [word for word in words if word not in STOP_WORDS]
    return (telling or words)[:QUERY_TERMS]


def is_dense(terms: Sequence[str]) -> bool:
    """Tell whether most of a question's terms are in a script of `DENSE`."""
    return 2 * sum(DENSE_CHARACTER.match(term) is not None for term in terms) > len(terms)


def match_of(terms: Iterable[str], *, last_is_prefix: bool = False) -> str:
    """Return a full-text expression that finds any of `terms`, "" for none.

    With `last_is_prefix` the last term is the beginning of a word still being typed.
    """
    quoted = ['"' + term.replace('"', '""') + '"' for term in terms]
    if quoted and last_is_prefix:
        quoted[-1] += " *"
    return " OR ".join(quoted)


def _tokens(text: str) -> Iterator[str]:
    for found in _TOKEN.finditer(text):
        token = found[0]
        if DENSE_CHARACTER.match(token):
            for first, second in zip(token, token[1:], strict=False):
                yield first
                yield first + second
            yield token[-1]
            continue
        yield token.casefold()
        parts = _CAMEL.findall(token)
        if len(parts) > 1 and "".join(parts) == token:
            yield from (part.casefold() for part in parts)
