"""PowerPoint presentations: every slide with its groups, tables, charts, notes and pictures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vaultd.extract.archive import Element, Package, Relation, attribute, local, words_of
from vaultd.extract.content import Content, Gallery, PageText, UnreadableError, broken
from vaultd.extract.drawing import chart_text, diagram_text
from vaultd.extract.formula import latex
from vaultd.extract.office_metadata import metadata_of
from vaultd.extract.writer import PLAIN, Style, Writer, is_monospaced

TITLES = {"title", "ctrTitle"}
LEFT_OUT = {"dt", "sldNum", "ftr", "hdr", "sldImg"}  # placeholders that repeat on every slide


def read_pptx(path: Path) -> Content:
    """Read a presentation, one page a slide, in the order of the show.

    Raises:
        UnreadableError: it is damaged or holds no presentation.
    """
    package = Package(path)
    main = next(
        (r.target for r in package.relations("").values() if r.type == "officeDocument"),
        "ppt/presentation.xml",
    )
    root = package.xml(main)
    if root is None:
        raise broken("The file is damaged: it has no presentation in it.")
    relations = package.relations(main)
    wanted = [attribute_id(node) for node in root.iter() if local(node) == "sldId"]
    slides = [relations[name].target for name in wanted if name in relations]
    gallery = Gallery()
    content = Content([], len(slides) + 1, metadata=metadata_of(package), pictures=gallery)
    content.pages = _pages(package, slides, gallery, content)
    return content


def attribute_id(node: Element) -> str:
    """Return the relation id of `node`, which has another `id` beside it."""
    return next((str(v) for k, v in node.attrib.items() if str(k).endswith("}id")), "")


def _pages(
    package: Package, slides: list[str], gallery: Gallery, content: Content
) -> Iterator[PageText]:
    for number, part in enumerate(slides, 1):
        try:
            text = Slide(package, part, number, gallery).markdown()
        except UnreadableError as error:
            content.warnings.append(f"Slide {number}: {error.reason}")
            text = ""
        yield PageText(number, text)


class Slide:
    """One slide, written as Markdown."""

    def __init__(self, package: Package, part: str, number: int, gallery: Gallery) -> None:
        self._package = package
        self._part = part
        self._number = number
        self._gallery = gallery
        self._relations: dict[str, Relation] = package.relations(part)
        self._writer = Writer()

    def markdown(self) -> str:
        """Return the slide's text: its title, shapes in their order, notes and comments."""
        root = self._package.xml(self._part)
        if root is not None:
            _put_title_first(root)
            self._walk(root)
        self._write_notes()
        self._write_comments()
        return self._writer.markdown()

    def _walk(self, root: Element) -> None:
        """Write every shape below `root`, however deep the groups are."""
        stack = [root]
        while stack:
            node = stack.pop()
            name = local(node)
            if name == "sp" or name == "cxnSp":
                self._shape(node)
            elif name == "tbl":
                self._table(node)
            elif name in ("chart", "relIds"):
                self._figure(name, node)
            elif name == "blip":
                self._picture(node)
            elif name == "AlternateContent":
                stack += list(node)[:1]
            else:
                stack += reversed(node)

    def _shape(self, node: Element) -> None:
        kind = _placeholder(node)
        if kind in LEFT_OUT:
            return
        is_title = kind in TITLES
        for child in node:
            if local(child) == "txBody":
                self._body(child, is_title=is_title)
            elif local(child) in ("spPr", "style"):
                for blip in child.iter():
                    if local(blip) == "blip":
                        self._picture(blip)

    def _body(self, body: Element, *, is_title: bool = False) -> None:
        for paragraph in body:
            if local(paragraph) != "p":
                continue
            if is_title:
                self._writer.heading(2)
            else:
                self._item(paragraph)
            self._inline(paragraph)
            self._writer.end_paragraph()
            self._writer.drop_prefix()

    def _item(self, paragraph: Element) -> None:
        properties = next((child for child in paragraph if local(child) == "pPr"), None)
        if properties is None:
            return
        level = attribute(properties, "lvl")
        bullets = {local(child) for child in properties}
        if bullets & {"buChar", "buAutoNum"} or (
            level not in ("", "0") and "buNone" not in bullets
        ):
            self._writer.item(int(level) if level.isdigit() else 0)

    def _inline(self, paragraph: Element) -> None:
        for node in paragraph:
            name = local(node)
            if name in ("r", "fld"):
                self._writer.text(_text(node), _style(node))
            elif name == "br":
                self._writer.line_break()
            elif name == "AlternateContent":
                self._inline(next(iter(node), node))
            elif name == "m":
                self._writer.text(f" {latex(node)} ")

    def _table(self, table: Element) -> None:
        self._writer.begin_table()
        for row in table:
            if local(row) != "tr":
                continue
            self._writer.begin_row()
            for cell in row:
                if local(cell) != "tc" or attribute(cell, "hMerge") in ("1", "true"):
                    continue
                span = attribute(cell, "gridSpan")
                self._writer.begin_cell(int(span) if span.isdigit() else 1)
                for body in cell:
                    if local(body) == "txBody":
                        self._body(body)
                self._writer.end_cell()
        self._writer.end_table()

    def _figure(self, name: str, node: Element) -> None:
        identity = attribute_id(node) if name == "chart" else attribute(node, "dm")
        target = self._relations.get(identity)
        root = self._package.xml(target.target) if target and target.target else None
        if root is not None:
            text = chart_text(root) if name == "chart" else diagram_text(root)
            self._writer.block(f"Chart: {text}" if name == "chart" and text else text)

    def _picture(self, blip: Element) -> None:
        target = self._relations.get(attribute(blip, "embed"))
        alt = _description(blip)
        data = self._package.picture(target.target) if target and target.target else b""
        self._writer.end_paragraph()
        if data:
            self._writer.mark(self._gallery.place(data, page=self._number, alt=alt))
        elif alt:
            self._writer.text(alt)
        self._writer.end_paragraph()

    def _write_notes(self) -> None:
        for relation in self._relations.values():
            root = self._package.xml(relation.target) if relation.type == "notesSlide" else None
            if root is None:
                continue
            notes = Slide(self._package, relation.target, self._number, self._gallery)
            notes._walk(root)
            text = notes._writer.markdown()
            if text:
                self._writer.block("Notes: " + text)

    def _write_comments(self) -> None:
        for relation in self._relations.values():
            if "comment" not in relation.type or not relation.target:
                continue
            root = self._package.xml(relation.target)
            for node in root.iter() if root is not None else ():
                if local(node) in ("text", "txBody"):
                    text = words_of(node)
                    self._writer.block(f"> Comment: {text}" if text else "")


def _put_title_first(root: Element) -> None:
    """Move the title of a slide before all other shapes."""
    tree = next((node for node in root.iter() if local(node) == "spTree"), root)
    shapes = [node for node in tree if local(node) == "sp"]
    title = next((shape for shape in shapes if _placeholder(shape) in TITLES), None)
    if title is not None:
        tree.insert(tree.index(shapes[0]), title)


def _placeholder(shape: Element) -> str:
    return next((attribute(n, "type") for n in shape.iter() if local(n) == "ph"), "")


def _text(run: Element) -> str:
    return "".join(node.text or "" for node in run if local(node) == "t").replace("\v", " ")


def _style(run: Element) -> Style:
    properties = next((child for child in run if local(child) == "rPr"), None)
    if properties is None:
        return PLAIN
    return Style(
        bold=attribute(properties, "b") in ("1", "true"),
        italic=attribute(properties, "i") in ("1", "true"),
        raised=attribute(properties, "baseline").strip("0").isdigit(),
        code=any(
            is_monospaced(attribute(n, "typeface")) for n in properties if local(n) == "latin"
        ),
    )


def _description(blip: Element) -> str:
    """Return the alternative text of the shape around a picture."""
    node = blip.getparent()
    while node is not None and local(node) not in ("pic", "sp", "graphicFrame", "grpSp"):
        node = node.getparent()
    if node is None:
        return ""
    return next((attribute(n, "descr") for n in node.iter() if local(n) == "cNvPr"), "")
