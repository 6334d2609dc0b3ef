"""Office formulas (OMML) as LaTeX between dollar signs."""

from __future__ import annotations

from vaultd.extract.archive import Element, attribute, local

ACCENTS = {
    "\u0302": "hat",
    "\u0303": "tilde",
    "\u0304": "bar",
    "\u0305": "overline",
    "\u20d7": "vec",
}
SIGNS = {"∑": "\\sum", "∏": "\\prod", "∫": "\\int", "∬": "\\iint", "∮": "\\oint", "⋃": "\\bigcup"}


def latex(node: Element) -> str:
    """Return the formula below `node`, "" if it is empty."""
    text = _inside(node).strip()
    return f"${text}$" if text else ""


def _inside(node: Element | None) -> str:
    return "" if node is None else "".join(_written(child) for child in node)


def _part(node: Element, name: str) -> str:
    return _inside(next((child for child in node if local(child) == name), None))


def _property(node: Element, name: str, default: str) -> str:
    found = next((each for each in node.iter() if local(each) == name), None)
    return default if found is None else attribute(found, "val")


def _written(node: Element) -> str:
    name = local(node)
    if name == "t":
        return node.text or ""
    if name in (
        "rPr",
        "ctrlPr",
        "fPr",
        "sSupPr",
        "sSubPr",
        "radPr",
        "naryPr",
        "dPr",
        "argPr",
        "del",
    ):
        return ""
    writer = _WRITERS.get(name)
    return _inside(node) if writer is None else writer(node)


def _fraction(node: Element) -> str:
    over, under = _part(node, "num"), _part(node, "den")
    properties = (each for child in node if local(child) == "fPr" for each in child)
    kinds = [attribute(each, "val") for each in properties if local(each) == "type"]
    if "noBar" in kinds:  # a binomial coefficient, mostly
        return f"{{{over} \\atop {under}}}"
    return f"\\frac{{{over}}}{{{under}}}"


def _raised(node: Element) -> str:
    return f"{_carrier(node)}^{{{_part(node, 'sup')}}}"


def _lowered(node: Element) -> str:
    return f"{_carrier(node)}_{{{_part(node, 'sub')}}}"


def _both(node: Element) -> str:
    return f"{_carrier(node)}_{{{_part(node, 'sub')}}}^{{{_part(node, 'sup')}}}"


def _carrier(node: Element) -> str:
    base = _part(node, "e")
    return base if len(base) < 2 else f"{{{base}}}"


def _root(node: Element) -> str:
    degree = _part(node, "deg")
    return f"\\sqrt{f'[{degree}]' if degree else ''}{{{_part(node, 'e')}}}"


def _sum(node: Element) -> str:
    sign = _property(node, "chr", "∫")
    low, high = _part(node, "sub"), _part(node, "sup")
    limits = (f"_{{{low}}}" if low else "") + (f"^{{{high}}}" if high else "")
    return f"{SIGNS.get(sign, sign)}{limits} {_part(node, 'e')}"


def _brackets(node: Element) -> str:
    parts = [_inside(child) for child in node if local(child) == "e"]
    return _property(node, "begChr", "(") + ", ".join(parts) + _property(node, "endChr", ")")


def _accent(node: Element) -> str:
    name = ACCENTS.get(_property(node, "chr", "\u0302"), "hat")
    return f"\\{name}{{{_part(node, 'e')}}}"


def _limit_below(node: Element) -> str:
    return f"{_carrier(node)}_{{{_part(node, 'lim')}}}"


def _limit_above(node: Element) -> str:
    return f"{_carrier(node)}^{{{_part(node, 'lim')}}}"


def _matrix(node: Element) -> str:
    rows = [
        " & ".join(_inside(cell) for cell in row if local(cell) == "e")
        for row in node
        if local(row) == "mr"
    ]
    return "\\begin{matrix}" + " \\\\ ".join(rows) + "\\end{matrix}"


_WRITERS = {
    "f": _fraction,
    "sSup": _raised,
    "sSub": _lowered,
    "sSubSup": _both,
    "rad": _root,
    "nary": _sum,
    "d": _brackets,
    "acc": _accent,
    "limLow": _limit_below,
    "limUpp": _limit_above,
    "m": _matrix,
}
