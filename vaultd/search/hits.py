"""Found passages as results: snippet, place and link."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from vaultd.core.passage import windows_of
from vaultd.core.plain import plain
from vaultd.core.rank import Ranked, shown_score
from vaultd.core.snippet import MARK, Finder, snippet
from vaultd.model.paths import VaultPath
from vaultd.model.search import Hit
from vaultd.store.finding import Found

NOTHING = Finder(())  # for texts that are shown from a place on, whatever was asked


def hit_of(
    ranked: Ranked, found: Found, finder: Finder, ordinal: int | None, vault_name: str
) -> Hit:
    """Return a result; `ordinal` is the passage's window nearest in meaning, if known."""
    shown = snippet(found.text, finder)
    if MARK not in shown and ordinal is not None:
        pieces = windows_of(plain(found.text))
        shown = snippet(found.text, NOTHING, pieces[ordinal] if ordinal < len(pieces) else "")
    return Hit(
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
        link=link_to(vault_name, found.path, heading=found.heading, page=found.page),
    )


def link_to(vault_name: str, path: VaultPath, *, heading: str = "", page: int | None = None) -> str:
    """Return the address that opens a file in Obsidian, at the page or the nearest heading."""
    place = path.removesuffix(".md")
    if page is not None and path.lower().endswith(".pdf"):
        place += f"#page={page}"
    elif heading and path.endswith(".md"):
        place += "#" + _as_anchor(heading.rpartition(" > ")[2])
    return f"obsidian://open?vault={quote(vault_name, safe='')}&file={quote(place, safe='')}"


def _as_anchor(heading: str) -> str:
    """Return a heading as Obsidian's links spell it: without marks of their own."""
    return " ".join(heading.translate(_NOT_IN_ANCHOR).split())


_NOT_IN_ANCHOR: Mapping[int, str] = {ord(mark): " " for mark in "#^|[]:%\\"}
