"""Formulas of web pages, books and OpenDocument (MathML) as LaTeX between dollar signs."""

from __future__ import annotations

from collections.abc import Callable

from vaultd.extract.archive import Element, attribute, local, words_of

DEEPEST = 60  # levels; what lies deeper comes as its words
TEX = "application/x-tex"
SIGNS = {
    "∑": "\\sum",
    "∏": "\\prod",
    "∫": "\\int",
    "⋅": "\\cdot ",
    "×": "\\times ",
    "∞": "\\infty ",
}


def formula_of(root: Element) -> str:
    """Return the formula below a `math` element, "" if it is empty."""
    text = " ".join(_written(root, DEEPEST).split())
    return f"${text}$" if text else ""


def _written(node: Element, depth: int) -> str:
    name = local(node)
    if depth == 0 or name in ("mi", "mn", "mo", "mtext", "ms"):
        text = words_of(node)
        return SIGNS.get(text, text)
    if name == "semantics":
        return _semantics(node, depth)
    parts = [_written(child, depth - 1) for child in node if local(child)]
    write = _WRITERS.get(name)
    return "".join(parts) if write is None or not parts else write(parts)


def _semantics(node: Element, depth: int) -> str:
    """Return the formula as its author typed it, where the page says so."""
    for child in node:
        if local(child) == "annotation" and attribute(child, "encoding") == TEX:
            return words_of(child)
    return next((_written(child, depth - 1) for child in node if local(child)), "")


def _carrier(text: str) -> str:
    return text if len(text) < 2 or text.startswith("\\") else f"{{{text}}}"


def _fraction(parts: list[str]) -> str:
    above, below = (*parts, "")[:2]
    return f"\\frac{{{above}}}{{{below}}}"


def _root(parts: list[str]) -> str:
    inside, degree = (*parts, "")[:2]
    return f"\\sqrt[{degree}]{{{inside}}}" if degree else f"\\sqrt{{{inside}}}"


def _with(*signs: str) -> Callable[[list[str]], str]:
    """Return the writer of scripts: each part after the first behind its sign."""

    def write(parts: list[str]) -> str:
        scripts = zip(signs, parts[1:], strict=False)
        return _carrier(parts[0]) + "".join(f"{sign}{{{part}}}" for sign, part in scripts)

    return write


_WRITERS: dict[str, Callable[[list[str]], str]] = {
    "mfrac": _fraction,
    "msqrt": lambda parts: f"\\sqrt{{{''.join(parts)}}}",
    "mroot": _root,
    "msup": _with("^"),
    "msub": _with("_"),
    "msubsup": _with("_", "^"),
    "mover": _with("^"),
    "munder": _with("_"),
    "munderover": _with("_", "^"),
    "mfenced": lambda parts: f"({', '.join(parts)})",
    "mtr": " & ".join,
    "mtable": lambda parts: "\\begin{matrix}" + " \\\\ ".join(parts) + "\\end{matrix}",
}
