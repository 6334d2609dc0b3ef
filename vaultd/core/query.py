"""What a person typed into the search box: words, exact phrases, exclusions, filters."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from vaultd.core.tags import TAG_SIGN, TAG_TEXT
from vaultd.core.words import QUERY_CHARACTERS, phrase_of
from vaultd.model.search import Filters

_PIECE = re.compile(
    r'(?:(?<=\s)|\A)(?P<minus>-)?(?:"(?P<straight>[^"]+)"|“(?P<curly>[^”]+)”)'
    r"|(?:(?<=\s)|\A)(?P<key>under|path|type|tag|after|before):(?P<value>\"[^\"]*\"|\S+)"
    rf"|(?:(?<=\s)|\A){TAG_SIGN}(?P<hash>{TAG_TEXT})(?!\S)"
    r"|(?:(?<=\s)|\A)-(?P<word>[^\W\d_][^\s\"]*)",
    re.IGNORECASE,
)
_DAY = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?\Z")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A question taken apart.

    `text` is what is looked for by words and meaning, phrases included. `phrases` have to stand
    in the passage, `excluded` must stand nowhere in the file; both are words as indexed.
    `tags` were written with "#" and count as filters where the vault has them.
    """

    text: str
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    filters: Filters = Filters()


def parse(typed: str, filters: Filters) -> Parsed:
    """Take `typed` apart; filters in it overrule `filters`. Nothing typed is an error."""
    phrases: list[str] = []
    excluded: list[str] = []
    tags: list[str] = []
    found_filters: dict[str, str] = {}

    def take(found: re.Match[str]) -> str:
        quoted = found["straight"] or found["curly"]
        if quoted or found["word"]:
            refused = found["word"] or (quoted if found["minus"] else "")
            (excluded if refused else phrases).append(phrase_of(refused or quoted))
            return " " if refused else f" {quoted} "
        if found["hash"]:
            tags.append(found["hash"])
            return " "
        key, value = found["key"].lower(), found["value"].strip('"')
        if key in ("after", "before") and not _DAY.match(value):
            return found[0]
        found_filters["under" if key == "path" else key] = value
        return " "

    text = _PIECE.sub(take, typed[:QUERY_CHARACTERS])
    return Parsed(
        text=" ".join(text.split()),
        phrases=tuple(phrase for phrase in phrases if phrase),
        excluded=tuple(phrase for phrase in excluded if phrase),
        tags=tuple(tags),
        filters=replace(filters, **found_filters),
    )
