"""Found passages as results: snippet, place and link, each text once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from urllib.parse import quote

from vaultd.core.link import link_target
from vaultd.core.passage import windows_of
from vaultd.core.plain import plain
from vaultd.core.rank import Ranked, shown_score
from vaultd.core.repeat import cited_for, repeats, squeezed
from vaultd.core.searchable import stem_of
from vaultd.core.snippet import MARK, Finder, snippet
from vaultd.model.paths import VaultPath
from vaultd.model.search import Hit, Standing
from vaultd.store.finding import Found

NOTHING = Finder(())  # for texts that are shown from a place on, whatever was asked
ALSO = 3  # other places named with a result
TITLE = "title"  # the lane of files named like the question
PAGES, SOURCES = "wiki/", "raw/"


@dataclass
class _Shown:
    """A result with what it takes to know its words again, squeezed, and where else they are."""

    hit: Hit
    found: Found
    spoken: str  # its passage without markup
    also: list[Standing]

    @cached_property
    def snippet(self) -> str:
        """The words shown, squeezed."""
        return squeezed(self.hit.snippet)

    @cached_property
    def text(self) -> str:
        """The passage, squeezed."""
        return squeezed(self.spoken)


class Results:
    """Takes found passages, best first, until there are `k` results.

    A text that stands in two files comes once, and so does a page's passage that shows what
    another result says: it is named with that one. Where a page comes before the source it
    quotes, the source takes its place, since that leads to the page of the PDF. Files that are
    `gone` are left out, though the index still has them.
    """

    def __init__(self, vault_name: str, k: int, gone: Set[VaultPath]) -> None:
        self._vault_name = vault_name
        self._k = k
        self._gone = gone
        self._shown: list[_Shown] = []

    @property
    def full(self) -> bool:
        """Whether there are `k` results."""
        return len(self._shown) >= self._k

    def take(self, ranked: Ranked, found: Found, ordinal: int | None, finder: Finder) -> None:
        """Show a passage, or name it with a result; `ordinal` is its nearest window, if known."""
        for other in self._shown:
            if other.found.text_hash == found.text_hash:
                other.also.append(self._standing(found))
                return
        if found.path in self._gone:
            return
        made = self._made(ranked, found, ordinal, finder)
        for place, other in enumerate(self._shown):
            if _quotes(other, made):
                made.hit = replace(made.hit, score=other.hit.score)
                made.also = [self._standing(other.found), *other.also]
                self._shown[place] = made
                return
            if found.path.startswith(PAGES) and repeats(made.snippet, other.text):
                other.also.append(self._standing(found))
                return
        self._shown.append(made)

    def hits(self) -> list[Hit]:
        """Return the results, best first."""
        made = [replace(one.hit, also=self._also(one)) for one in self._shown]
        return sorted(made, key=lambda hit: -hit.score)

    def _made(self, ranked: Ranked, found: Found, ordinal: int | None, finder: Finder) -> _Shown:
        spoken = plain(found.text)
        shown = snippet(spoken, finder)
        if MARK not in shown and ordinal is not None:
            pieces = windows_of(spoken)
            shown = snippet(spoken, NOTHING, pieces[ordinal] if ordinal < len(pieces) else "")
        hit = Hit(
            id=f"p{found.passage}",
            path=found.path,
            title=found.title,
            heading=found.heading,
            line=found.line,
            start=found.start,
            end=found.end,
            page=found.page,
            score=shown_score(ranked.score),
            snippet=shown,
            via=ranked.via,
            link=link_to(self._vault_name, found.path, heading=found.heading, page=found.page),
        )
        return _Shown(hit, found, spoken, [])

    def _standing(self, found: Found) -> Standing:
        link = link_to(self._vault_name, found.path, heading=found.heading, page=found.page)
        return Standing(found.path, found.title, found.page, link)

    def _also(self, shown: _Shown) -> tuple[Standing, ...]:
        """Return where else it stands: what a page cites for it, then what repeats it."""
        own = (shown.found.path, shown.found.page)
        places = {(one.path, one.page): one for one in (*self._cited(shown), *shown.also)}
        others = (one for place, one in places.items() if place != own)
        return tuple(islice((one for one in others if one.path not in self._gone), ALSO))

    def _cited(self, shown: _Shown) -> Iterator[Standing]:
        for cited in cited_for(shown.snippet, shown.found.text):
            link = link_to(self._vault_name, cited.source, page=cited.page)
            yield Standing(cited.source, stem_of(cited.source), cited.page, link)


def _quotes(page: _Shown, source: _Shown) -> bool:
    """Tell whether a result is a page that shows what `source` says, and not there by its name."""
    if not source.found.path.startswith(SOURCES) or not page.found.path.startswith(PAGES):
        return False
    return TITLE not in page.hit.via and repeats(page.snippet, source.text)


def link_to(vault_name: str, path: VaultPath, *, heading: str = "", page: int | None = None) -> str:
    """Return the address that opens a file in Obsidian, at the page or the nearest heading."""
    place: str = link_target(path)
    if page is not None and path.lower().endswith(".pdf"):
        place += f"#page={page}"
    elif heading and path.endswith(".md"):
        place += "#" + _as_anchor(heading.rpartition(" > ")[2])
    return f"obsidian://open?vault={quote(vault_name, safe='')}&file={quote(place, safe='')}"


def _as_anchor(heading: str) -> str:
    """Return a heading as Obsidian's links spell it: without marks of their own."""
    return " ".join(heading.translate(_NOT_IN_ANCHOR).split())


_NOT_IN_ANCHOR: Mapping[int, str] = {ord(mark): " " for mark in "#^|[]:%\\"}
