"""Word documents: body, tables, boxes, notes and comments; insertions, not deletions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vaultd.extract.archive import Element, Package, Relation, attribute, local
from vaultd.extract.content import Content, Gallery, PageText, broken
from vaultd.extract.drawing import chart_text, diagram_text
from vaultd.extract.office_metadata import metadata_of
from vaultd.extract.word_style import Numbering, Styles, numbering_of, outline_level, styles_of
from vaultd.extract.word_text import Paragraphs
from vaultd.extract.writer import Writer

BYTES_A_PAGE = 8_000  # of document.xml, to know how much time to allow

WRAPPERS = {"sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag", "txbxContent", "body"}
SKIPPED = {"del", "moveFrom", "sectPr", "bookmarkStart", "bookmarkEnd", "sdtPr", "sdtEndPr", "pPr"}
NOTES = {"footnotes": "footnote", "endnotes": "endnote", "comments": "comment"}


def read_docx(path: Path) -> Content:
    """Read a Word document as one page: it has no pages until it is printed.

    Raises:
        UnreadableError: it is damaged or has no body.
    """
    package = Package(path)
    main = next(
        (r.target for r in package.relations("").values() if r.type == "officeDocument"),
        "word/document.xml",
    )
    root = package.xml(main)
    if root is None:
        raise broken("The file is damaged: it has no document in it.")
    document = Document(package, main)
    pages = len(package.read(main)) // BYTES_A_PAGE + 1
    return Content(
        document.pages(root),
        expected=pages,
        metadata=metadata_of(package),
        pictures=document.gallery,
        warnings=document.warnings,
    )


class Document:
    """Walks through a document's parts and writes them."""

    def __init__(self, package: Package, main: str) -> None:
        self.gallery = Gallery()
        self.warnings: list[str] = []
        self._package = package
        self._main = main
        self._relations = package.relations(main)
        self._styles: Styles = styles_of(package.xml(self._part("styles")))
        self._numbering = Numbering(package, self._part("numbering"))
        self._writer = Writer()
        self._part_relations: dict[str, Relation] = self._relations
        self._paragraphs = Paragraphs(self._writer, self)
        self._note_names: dict[tuple[str, str], str] = {}

    def _part(self, kind: str) -> str:
        return next((r.target for r in self._relations.values() if r.type == kind), "")

    def pages(self, root: Element) -> Iterator[PageText]:
        """Give the whole document as one page."""
        self._walk(root)
        self._write_margins()
        self._write_notes()
        yield PageText(None, self._writer.markdown(), " ".join(self._paragraphs.hidden))

    def _walk(self, node: Element) -> None:
        """Write the blocks below `node`."""
        for child in node:
            name = local(child)
            if name == "p":
                self._paragraph(child)
            elif name == "tbl":
                self._table(child)
            elif name == "AlternateContent":
                self._walk(next(iter(child), child))
            elif name in WRAPPERS:
                self._walk(child)

    def _paragraph(self, node: Element) -> None:
        properties = next((child for child in node if local(child) == "pPr"), None)
        style = ""
        if properties is not None:
            found = next((child for child in properties if local(child) == "pStyle"), None)
            style = "" if found is None else attribute(found, "val")
        level = outline_level(properties) or self._styles.levels.get(style, 0)
        number = numbering_of(properties) or self._styles.numbers.get(style)
        if level:
            self._writer.heading(level)
        elif number is not None and self._numbering.is_item(*number):
            self._writer.item(number[1], self._numbering.next(*number))
        self._paragraphs.is_code = style in self._styles.code
        self._paragraphs.write(node)
        self._writer.end_paragraph()
        self._writer.drop_prefix()
        for box in self._paragraphs.take_boxes():
            self._walk(box)

    def _table(self, node: Element) -> None:
        self._writer.begin_table()
        for row in _descend(node, "tr"):
            self._writer.begin_row()
            for cell in _descend(row, "tc"):
                self._cell(cell)
        self._writer.end_table()

    def _cell(self, node: Element) -> None:
        columns, continued = 1, False
        properties = next((child for child in node if local(child) == "tcPr"), None)
        for entry in properties if properties is not None else ():
            if local(entry) == "gridSpan" and attribute(entry, "val").isdigit():
                columns = int(attribute(entry, "val"))
            elif local(entry) == "vMerge":
                continued = attribute(entry, "val") in ("", "continue")
        self._writer.begin_cell(columns)
        if not continued:
            self._walk(node)
        self._writer.end_cell()

    def _write_margins(self) -> None:
        """Write each header and footer once: their text is said nowhere else."""
        seen: set[str] = set()
        for kind in ("header", "footer"):
            for relation in self._relations.values():
                if relation.type == kind:
                    text = self._aside(relation.target)
                    if text not in seen and any(map(str.isalpha, text)):  # not a page's number
                        seen.add(text)
                        self._writer.block(f"{kind.capitalize()}: {text}")

    def _aside(self, part: str) -> str:
        root = self._package.xml(part)
        return "" if root is None else self._text_of(root, part)

    def _text_of(self, node: Element, part: str) -> str:
        """Return the text of a note, header or footer on one line."""
        aside = Document(self._package, part)
        aside.gallery, aside._styles = self.gallery, self._styles
        aside._walk(node)
        return " ".join(aside._writer.markdown().split())

    def _write_notes(self) -> None:
        for kind, name in NOTES.items():
            part = self._part(kind)
            root = self._package.xml(part) if part else None
            for note in root if root is not None else ():
                if local(note) == name and attribute(note, "type") in ("", "normal"):
                    self._write_note(name, note, part)

    def _write_note(self, kind: str, note: Element, part: str) -> None:
        text = self._text_of(note, part)
        if text and kind == "comment":
            author = attribute(note, "author")
            self._writer.block(f"> Comment{f' by {author}' if author else ''}: {text}")
        elif text:
            self._writer.block(f"[^{self.note(kind, attribute(note, 'id'))}]: {text}")

    def note(self, kind: str, identity: str) -> str:
        """Return the name of a foot- or endnote: they count from 1, as a reader sees them."""
        number = sum(other == kind for other, _ in self._note_names) + 1
        name = f"{'e' if kind == 'endnote' else ''}{number}"
        return self._note_names.setdefault((kind, identity), name)

    def is_code(self, style: str) -> bool:
        """Tell whether a style is for code."""
        return style in self._styles.code

    def picture(self, relation: str, alt: str) -> str:
        """Return the mark for an embedded picture, its alt text if it lies elsewhere."""
        target = self._relations.get(relation)
        data = self._package.picture(target.target) if target and target.target else b""
        return self.gallery.place(data, alt=alt) if data else alt

    def address(self, relation: str) -> str:
        """Return where a hyperlink leads, "" if within the document."""
        target = self._relations.get(relation)
        return target.address if target and target.address.startswith("http") else ""

    def figure(self, kind: str, relation: str) -> str:
        """Return the text of a chart or diagram."""
        target = self._relations.get(relation)
        root = self._package.xml(target.target) if target and target.target else None
        if root is None:
            return ""
        return chart_text(root) if kind == "chart" else diagram_text(root)


def _descend(node: Element, name: str) -> Iterator[Element]:
    """Give the children called `name`, through content controls and tracked insertions."""
    for child in node:
        if local(child) == name:
            yield child
        elif local(child) in WRAPPERS:
            yield from _descend(child, name)
