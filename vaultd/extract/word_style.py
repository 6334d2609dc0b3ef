"""What a Word document's styles and numberings mean: headings and list items."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

from vaultd.extract.archive import Element, Package, attribute, local
from vaultd.extract.writer import is_monospaced

HEADING = re.compile(r"(?:heading|überschrift|titre|título|titolo|标题|見出し)\s*([1-9])", re.I)
TITLES = {"title": 1, "subtitle": 2, "titel": 1, "标题": 1}
BLANK = "blank"  # the format of a level that shows nothing
MOST_PARENTS = 20  # of a style; a longer chain is a ring


@dataclass(slots=True)
class Styles:
    """Heading level (0: none) and numbering of each style by its id, and which are for code."""

    levels: dict[str, int] = field(default_factory=dict)
    code: set[str] = field(default_factory=set)
    numbers: dict[str, tuple[str, int]] = field(default_factory=dict)


def styles_of(root: Element | None) -> Styles:
    """Read `styles.xml`; styles inherit from the ones they are based on."""
    styles = Styles()
    nodes = {
        attribute(n, "styleId"): n
        for n in (root if root is not None else ())
        if local(n) == "style"
    }
    for name, node in nodes.items():
        chain = _parents(node, nodes)
        styles.levels[name] = next((level for each in chain if (level := _level(each))), 0)
        number = next(
            (found for each in chain if (found := numbering_of(_child(each, "pPr")))), None
        )
        if number is not None:
            styles.numbers[name] = number
        if is_monospaced(
            next((font for each in chain if (font := font_of(_child(each, "rPr")))), "")
        ):
            styles.code.add(name)
    return styles


def _parents(node: Element, nodes: dict[str, Element]) -> list[Element]:
    chain = [node]
    while len(chain) < MOST_PARENTS:
        based = _child(chain[-1], "basedOn")
        parent = nodes.get(attribute(based, "val")) if based is not None else None
        if parent is None:
            break
        chain.append(parent)
    return chain


def _level(style: Element) -> int:
    name = _child(style, "name")
    words = attribute(name, "val") if name is not None else ""
    match = HEADING.match(words)
    if match:
        return int(match[1])
    return TITLES.get(words.lower(), 0) or outline_level(_child(style, "pPr"))


def font_of(properties: Element | None) -> str:
    """Return the font that run properties ask for, "" if none."""
    fonts = None if properties is None else _child(properties, "rFonts")
    return "" if fonts is None else attribute(fonts, "ascii")


def outline_level(properties: Element | None) -> int:
    """Return the heading level that paragraph properties ask for, 0 if none."""
    found = None if properties is None else _child(properties, "outlineLvl")
    text = "" if found is None else attribute(found, "val")
    return int(text) + 1 if text.isdigit() and int(text) < 9 else 0


def numbering_of(properties: Element | None) -> tuple[str, int] | None:
    """Return numbering id and level (from 0) of paragraph properties; id "0" means none."""
    number = None if properties is None else _child(properties, "numPr")
    if number is None:
        return None
    identity, level = _child(number, "numId"), _child(number, "ilvl")
    depth = "" if level is None else attribute(level, "val")
    name = "" if identity is None else attribute(identity, "val")
    return (name, int(depth) if depth.isdigit() else 0) if name else None


def _child(node: Element, name: str) -> Element | None:
    return next((child for child in node if local(child) == name), None)


class Numbering:
    """Counts list items; a numbering that the file does not describe counts as bullets."""

    def __init__(self, package: Package, part: str) -> None:
        self._formats: dict[tuple[str, int], str] = {}
        self._counts: dict[tuple[str, int], int] = defaultdict(int)
        root = package.xml(part) if part else None
        abstract: dict[str, Element] = {}
        for node in root if root is not None else ():
            if local(node) == "abstractNum":
                abstract[attribute(node, "abstractNumId")] = node
            elif local(node) == "num":
                base = _child(node, "abstractNumId")
                levels = abstract.get(attribute(base, "val")) if base is not None else None
                self._read(attribute(node, "numId"), levels)
                for override in node:
                    self._read(attribute(node, "numId"), override)

    def _read(self, identity: str, levels: Element | None) -> None:
        for level in levels if levels is not None else ():
            depth = attribute(level, "ilvl")
            kind, sign = _child(level, "numFmt"), _child(level, "lvlText")
            if local(level) == "lvl" and kind is not None and depth.isdigit():
                is_blank = sign is not None and not attribute(sign, "val").strip()
                self._formats[identity, int(depth)] = BLANK if is_blank else attribute(kind, "val")

    def is_item(self, identity: str, depth: int) -> bool:
        """Tell whether a paragraph shows a sign; without, it goes on with the item above."""
        return identity != "0" and self._formats.get((identity, depth)) != BLANK

    def next(self, identity: str, depth: int) -> int | None:
        """Return the number of the next item, None for a bullet."""
        if self._formats.get((identity, depth), "bullet") in ("bullet", "none"):
            return None
        for deeper in range(depth + 1, 9):
            self._counts.pop((identity, deeper), None)
        self._counts[identity, depth] += 1
        return self._counts[identity, depth]
