"""The inside of a Word paragraph: runs, links, fields, formulas, notes, pictures."""

from __future__ import annotations

from typing import Protocol

from vaultd.extract.archive import Element, attribute, local
from vaultd.extract.formula import latex
from vaultd.extract.word_style import font_of
from vaultd.extract.writer import Style, Writer, is_monospaced

INSIDE = {"ins", "moveTo", "smartTag", "sdt", "sdtContent", "fldSimple", "customXml", "dir", "bdo"}
OFF = ("0", "false", "off", "none")


class Parts(Protocol):
    """The document around the paragraph, as far as it is asked."""

    def picture(self, relation: str, alt: str) -> str:
        """Return what stands for a picture."""
        ...

    def address(self, relation: str) -> str:
        """Return where a link leads."""
        ...

    def note(self, kind: str, identity: str) -> str:
        """Return the name of a foot- or endnote."""
        ...

    def is_code(self, style: str) -> bool:
        """Tell whether a style is for code."""
        ...

    def figure(self, kind: str, relation: str) -> str:
        """Return the text of a chart or diagram."""
        ...


class Paragraphs:
    """Writes paragraphs; text boxes met on the way are kept for after the paragraph."""

    def __init__(self, writer: Writer, parts: Parts) -> None:
        self._writer = writer
        self._parts = parts
        self._boxes: list[Element] = []
        self.hidden: list[str] = []
        self.is_code = False  # the paragraph, unless a run of it says otherwise

    def take_boxes(self) -> list[Element]:
        """Return the text boxes since the last call."""
        boxes, self._boxes = self._boxes, []
        return boxes

    def write(self, node: Element, link: str = "") -> None:
        """Write everything inline below `node`."""
        for child in node:
            name = local(child)
            if name == "r":
                self._run(child, link)
            elif name == "hyperlink":
                self.write(child, self._parts.address(attribute(child, "id")))
            elif name in ("oMath", "oMathPara"):
                self._writer.text(f" {latex(child)} ")
            elif name in INSIDE:
                self.write(child, link)
            elif name == "AlternateContent":
                self.write(next(iter(child), child), link)
            elif name == "ruby":
                self._ruby(child, link)

    def _ruby(self, node: Element, link: str) -> None:
        for part in node:
            if local(part) == "rubyBase":
                self.write(part, link)

    def _run(self, node: Element, link: str) -> None:
        style, unseen = self._style(node, link)
        for child in node:
            name = local(child)
            if name == "t":
                if unseen:
                    self.hidden.append(child.text or "")
                else:
                    self._writer.text(child.text or "", style)
            elif name in ("tab", "ptab"):
                self._writer.text("\t", style)
            elif name in ("br", "cr"):
                self._writer.line_break()
            elif name == "noBreakHyphen":
                self._writer.text("-", style)
            else:
                self._special(name, child, link)

    def _style(self, run: Element, link: str) -> tuple[Style, bool]:
        """Return a run's style, and whether it is hidden."""
        properties = next((child for child in run if local(child) == "rPr"), None)
        if properties is None:
            return Style(link=link, code=self.is_code), False
        on = {local(each) for each in properties if attribute(each, "val") not in OFF}
        is_raised = any(attribute(each, "val") == "superscript" for each in properties)
        named = (attribute(each, "val") for each in properties if local(each) == "rStyle")
        font = font_of(properties)
        code = is_monospaced(font) if font else self.is_code or any(map(self._parts.is_code, named))
        return Style("b" in on, "i" in on, link, is_raised, code), "vanish" in on

    def _special(self, name: str, node: Element, link: str) -> None:
        if name in ("footnoteReference", "endnoteReference"):
            kind = name.removesuffix("Reference")
            self._writer.text(f"[^{self._parts.note(kind, attribute(node, 'id'))}]")
        elif name == "sym":
            code = attribute(node, "char")
            if len(code) == 4 and not code.upper().startswith("F"):
                self._writer.text(chr(int(code, 16)))
        elif name in ("drawing", "pict", "object"):
            self._drawing(node)
        elif name in ("ruby", "rubyBase"):
            self._ruby(node, link)
        elif name == "AlternateContent":
            self._run(next(iter(node), node), link)

    def _drawing(self, node: Element) -> None:
        """Write the pictures in a drawing, and keep its text boxes; they may lie in groups."""
        alt = ""
        stack = [node]
        while stack:
            each = stack.pop()
            name = local(each)
            if name in ("docPr", "cNvPr") and attribute(each, "descr"):
                alt = attribute(each, "descr")
            elif name in ("blip", "imagedata"):
                relation = attribute(each, "embed") or attribute(each, "id")
                words = alt or attribute(each, "title")
                self._writer.mark(self._parts.picture(relation, words) or words)
                alt = ""
            elif name in ("chart", "relIds"):
                identity = attribute(each, "id") if name == "chart" else attribute(each, "dm")
                self._writer.text(f" {self._parts.figure(name, identity)} ")
            elif name == "txbxContent":
                self._boxes.append(each)
                continue
            if name == "AlternateContent":
                stack += list(each)[:1]
            else:
                stack += reversed(each)
