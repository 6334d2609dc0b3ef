"""Charts and diagrams of office documents: the words in them."""

from __future__ import annotations

from vaultd.extract.archive import Element, local
from vaultd.extract.content import readable

MOST_CATEGORIES = 200  # names on an axis that are kept


def chart_text(root: Element) -> str:
    """Return a chart's titles, series and categories as one line."""
    titles = [_words(node) for node in root.iter() if local(node) == "title"]
    series = [_cached(node) for node in root.iter() if local(node) == "tx" and _is_series(node)]
    names = [_cached(node) for node in root.iter() if local(node) == "cat"]
    parts = [*titles, *series, *names[:1]]
    return readable("; ".join(part for part in dict.fromkeys(parts) if part))


def _is_series(node: Element) -> bool:
    parent = node.getparent()
    return parent is not None and local(parent) == "ser"


def _words(node: Element) -> str:
    """Return the text in a title: typed, or cached from a cell."""
    return " ".join("".join(t.text or "" for t in node.iter() if local(t) in ("t", "v")).split())


def _cached(node: Element) -> str:
    values = [t.text or "" for t in node.iter() if local(t) == "v"][:MOST_CATEGORIES]
    return ", ".join(value for value in values if value.strip())


def diagram_text(root: Element) -> str:
    """Return the words of a diagram (SmartArt), one point after the other."""
    points = [_words(node) for node in root.iter() if local(node) == "pt"]
    return readable("; ".join(point for point in points if point))
