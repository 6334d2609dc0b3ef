"""Which claim of a page names which passage of a source."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vaultd.core.heading import headings
from vaultd.core.link import Link, find_links
from vaultd.core.markdown import cut_at_sentence
from vaultd.core.plain import plain
from vaultd.core.properties import split_note
from vaultd.model.paths import VaultPath

RAW = "raw/"
LONGEST_CLAIM = 300  # characters; enough to tell what a source is named for
_CALLOUT = re.compile(r"\s*>\s*\[!")
_PAGE = re.compile(r"#page=(\d{1,6})\b")


@dataclass(frozen=True, slots=True)
class Citation:
    """A claim and the passage it names.

    `line` counts from 1 in the whole note; `page` is the physical PDF page, None where the link
    names the whole file. `claim` is plain text, `heading` the one it stands under.
    """

    claim: str
    heading: str
    line: int
    source: VaultPath
    page: int | None


def citations_in(text: str) -> list[Citation]:
    """Return the links of a note to sources, each with what it stands behind, in order.

    The claim is the line's text since the citation before; two that follow each other without
    a word between them share it. Titles of callouts, which speak of the page itself, are no claims.
    """
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    first_of_body = text.count("\n", 0, len(split_note(text).head))
    titles = [(first_of_body + each.line, each.text) for each in headings(split_note(text).body)]
    found: list[Citation] = []
    number, begin = -1, 0
    for link in find_links(text):
        if not link.target.startswith(RAW):
            continue
        here = text.count("\n", 0, link.start)
        if _CALLOUT.match(lines[here]):
            continue
        if here != number:
            number, begin = here, starts[here]
        claim = _claim(text[begin : link.start])
        if not claim and found and found[-1].line == here + 1:
            claim = found[-1].claim
        begin = link.end
        heading = next((title for line, title in reversed(titles) if line <= here), "")
        found.append(Citation(claim, heading, here + 1, VaultPath(link.target), page_of(link)))
    return found


def page_of(link: Link) -> int | None:
    """Return the physical page that a link to a document names."""
    match = _PAGE.match(link.fragment)
    return int(match[1]) if match else None


def _claim(text: str) -> str:
    said = " ".join(plain(text).split()).strip("|(, ")
    return cut_at_sentence(said, LONGEST_CLAIM) if re.search(r"\w", said) else ""
