"""Drawings in SVG: the words in them, in the order of the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vaultd.extract.archive import Element, local, rooted, words_of
from vaultd.extract.content import Content, PageText, readable

PLACED = frozenset(("x", "y", "dx", "dy"))  # a piece of text that has one stands apart


def read_svg(path: Path) -> Content:
    """Read a drawing: its title and description, and every label once.

    Raises:
        UnreadableError: it is damaged.
    """
    root = rooted(path.read_bytes())
    said = list(dict.fromkeys(readable(each) for each in _words(root) if each))
    title = next((words_of(node) for node in root if local(node) == "title"), "")
    metadata = {"title": readable(title)} if title else {}
    return Content([PageText(None, "\n\n".join(said))], metadata=metadata)


def _words(root: Element) -> Iterator[str]:
    for node in root.iter():
        name = local(node)
        if name in ("title", "desc"):
            yield words_of(node)
        elif name == "text":
            yield " ".join("".join(_pieces(node)).split())
        elif name == "foreignObject":
            yield " ".join(" ".join(map(str, node.itertext())).split())


def _pieces(node: Element) -> Iterator[str]:
    """Give the text of a label and the pieces in it, which may be its lines."""
    yield node.text or ""
    for piece in node:
        if local(piece) not in ("title", "desc", ""):
            if not PLACED.isdisjoint(map(str, piece.attrib)):
                yield " "
            yield from _pieces(piece)
        yield piece.tail or ""
