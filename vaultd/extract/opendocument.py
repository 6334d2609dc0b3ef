"""OpenDocument texts: paragraphs, lists, nested tables, notes, frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from vaultd.extract.archive import Element, Package, attribute, joined, local, words_of
from vaultd.extract.content import Content, Gallery, PageText, broken
from vaultd.extract.mathml import formula_of
from vaultd.extract.office_metadata import metadata_of
from vaultd.extract.writer import Style, Writer, is_monospaced

TITLES = {"Title": 1, "Subtitle": 2}  # paragraph styles that are headings, though not called so
MOST_SPACES = 200  # between two words; more are an attack
MOST_PARENTS = 5  # of a style
DROPPED = {"tracked-changes", "sequence-decls", "variable-decls", "forms", "user-field-decls"}


def read_odt(path: Path) -> Content:
    """Read an OpenDocument text as one page.

    Raises:
        UnreadableError: it is damaged or wants a password.
    """
    package = Package(path)
    root = package.xml("content.xml")
    if root is None:
        raise broken("The file is damaged: it has no content in it.")
    document = Document(package)
    metadata = metadata_of(package, "meta.xml")
    return Content(document.pages(root), metadata=metadata, pictures=document.gallery)


class Document:
    """Walks through the content and writes it."""

    def __init__(self, package: Package) -> None:
        self.gallery = Gallery()
        self._package = package
        self._writer = Writer()
        self._lists: list[int | None] = []
        self._next: dict[str, int] = {}  # the number after the last of each list
        self._last_list = ""
        self._notes: list[tuple[str, str]] = []
        self._styles: dict[str, Style] = {}
        self._ordered: dict[str, bool] = {}
        self._parents: dict[str, str] = {}

    def pages(self, root: Element) -> Iterator[PageText]:
        """Give the whole document as one page."""
        styles = self._package.xml("styles.xml")
        for source in (root, styles):
            for node in source.iter() if source is not None else ():
                self._learn(node)
        for body in root.iter():
            if local(body) == "body":
                self._blocks(body)
        for name, text in self._notes:
            self._writer.block(f"[^{name}]: {text}")
        yield PageText(None, self._writer.markdown())

    def _learn(self, node: Element) -> None:
        name = local(node)
        if name == "style":
            self._parents[attribute(node, "name")] = attribute(node, "parent-style-name")
            properties = next((n for n in node if local(n) == "text-properties"), None)
            if properties is not None:
                bold = attribute(properties, "font-weight") == "bold"
                italic = attribute(properties, "font-style") == "italic"
                is_raised = attribute(properties, "text-position").startswith("super")
                is_code = is_monospaced(attribute(properties, "font-name"))
                style = Style(bold, italic, raised=is_raised, code=is_code)
                self._styles[attribute(node, "name")] = style
        elif name == "list-style":
            first = next((local(n) for n in node if local(n).startswith("list-level")), "")
            self._ordered[attribute(node, "name")] = first == "list-level-style-number"

    def _blocks(self, node: Element) -> None:
        for child in node:
            name = local(child)
            if name == "h":
                level = attribute(child, "outline-level")
                self._writer.heading(int(level) if level.isdigit() else 1)
                self._paragraph(child)
            elif name == "p":
                style = attribute(child, "style-name")
                if title := TITLES.get(style) or TITLES.get(self._parents.get(style, "")):
                    self._writer.heading(title)
                self._paragraph(child)
            elif name == "list":
                self._list(child)
            elif name == "table":
                self._table(child)
            elif name not in DROPPED:
                self._blocks(child)

    def _paragraph(self, node: Element) -> None:
        self._inline(node, Style(code=self._is_code(attribute(node, "style-name"))))
        self._writer.end_paragraph()
        self._writer.drop_prefix()

    def _is_code(self, style: str) -> bool:
        """Tell whether a style, or one that it is based on, is for code."""
        for _ in range(MOST_PARENTS):
            if style in self._styles and self._styles[style].code:
                return True
            style = self._parents.get(style, "")
        return False

    def _list(self, node: Element) -> None:
        style = attribute(node, "style-name")
        inherited = bool(self._lists) and self._lists[-1] is not None
        ordered = self._ordered.get(style, inherited if not style else False)
        self._lists.append(self._first_number(node) if ordered else None)
        for item in node:
            if local(item) in ("list-item", "list-header"):
                number = self._lists[-1]
                self._writer.item(len(self._lists) - 1, number)
                if number is not None:
                    self._lists[-1] = number + 1
                self._blocks(item)
        self._writer.end_paragraph()
        self._writer.drop_prefix()
        self._last_list = attribute(node, "id")
        self._next[self._last_list] = self._lists.pop() or 1

    def _first_number(self, node: Element) -> int:
        """Return the number of the first item: a list may go on where another ended."""
        if attribute(node, "continue-numbering") == "true":
            return self._next.get(self._last_list, 1)
        return self._next.get(attribute(node, "continue-list"), 1)

    def _table(self, node: Element) -> None:
        self._writer.begin_table()
        for row in _rows(node):
            self._writer.begin_row()
            for cell in row:
                if local(cell) in ("table-cell", "covered-table-cell"):
                    self._writer.begin_cell()
                    self._blocks(cell)
                    self._writer.end_cell()
        self._writer.end_table()

    def _inline(self, node: Element, style: Style) -> None:
        self._writer.text(node.text or "", style)
        for child in node:
            if local(child):
                self._piece(child, style)
            self._writer.text(child.tail or "", style)

    def _piece(self, node: Element, style: Style) -> None:
        name = local(node)
        if name == "span":
            own = self._styles.get(attribute(node, "style-name"))
            code = style.code or self._is_code(attribute(node, "style-name"))
            self._inline(node, replace(own or style, link=style.link, code=code))
        elif name == "a":
            address = attribute(node, "href")
            link = address if address.startswith("http") else ""
            self._inline(node, replace(style, link=link))
        elif name == "s":
            count = attribute(node, "c")
            self._writer.text(" " * min(int(count) if count.isdigit() else 1, MOST_SPACES), style)
        elif name == "tab":
            self._writer.text("\t", style)
        elif name == "line-break":
            self._writer.line_break()
        elif name == "p":  # a paragraph in a box within a paragraph
            self._writer.end_paragraph()
            self._paragraph(node)
        elif writer := {
            "note": self._note,
            "annotation": self._annotation,
            "frame": self._frame,
        }.get(name):
            writer(node)
        else:
            self._inline(node, style)

    def _note(self, node: Element) -> None:
        name = str(len(self._notes) + 1)
        body = next((n for n in node if local(n) == "note-body"), None)
        text = "" if body is None else words_of(body)
        self._notes.append((name, text))
        self._writer.text(f"[^{name}]")

    def _annotation(self, node: Element) -> None:
        text = " ".join(words_of(n) for n in node if local(n) in ("p", "list"))
        self._writer.text(f" (Comment: {text}) ")

    def _frame(self, node: Element) -> None:
        alt = " ".join(words_of(n) for n in node if local(n) in ("title", "desc"))
        for child in node:
            name = local(child)
            if name == "text-box":
                self._writer.end_paragraph()
                self._blocks(child)
            elif name == "image":
                data = self._package.picture(joined("", attribute(child, "href")))
                self._writer.mark(self.gallery.place(data, alt=alt)) if data else self._writer.text(
                    alt
                )
                return  # what follows are replacements of the same picture
            elif name == "object":
                self._object(attribute(child, "href"))

    def _object(self, address: str) -> None:
        """Write the words of an embedded chart or formula."""
        root = self._package.xml(joined("", f"{address}/content.xml"))
        if root is not None and local(root) == "math":
            self._writer.text(formula_of(root))
        elif root is not None:
            words = [words_of(n) for n in root.iter() if local(n) in ("p", "annotation")]
            self._writer.text(f" {'; '.join(filter(None, dict.fromkeys(words)))} ")


def _rows(node: Element) -> Iterator[Element]:
    for child in node:
        if local(child) == "table-row":
            yield child
        elif local(child) in ("table-header-rows", "table-rows", "table-row-group"):
            yield from _rows(child)
