"""Web pages to Markdown: one pass over the tags, however deep they are nested."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lxml import etree

from vaultd.core.legibility import letter_count
from vaultd.extract.content import Content, Gallery, PageText, readable
from vaultd.extract.data_uri import picture_of
from vaultd.extract.encoding import decoded
from vaultd.extract.mathml import formula_of
from vaultd.extract.plain import local_picture
from vaultd.extract.web_dialect import (
    address_of,
    is_item_sign,
    item_depth,
    item_number,
    leads_elsewhere,
    list_depth,
    title_level,
)
from vaultd.extract.writer import PLAIN, Style, Writer

DECLARED = re.compile(
    rb"<(?:meta|\?xml)[^>]{0,300}?(?:charset|encoding)\s*=\s*[\"']?([\w-]{2,40})", re.I
)
UNSEEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0", re.I)
DROPPED = {"script", "style", "template", "iframe", "object", "svg", "select"}
BLOCKS = {
    *("p", "div", "section", "article", "main", "header", "footer", "aside", "nav", "address"),
    *("ul", "ol", "dl", "dt", "dd", "figure", "figcaption", "form", "fieldset", "details"),
    *("summary", "center", "caption", "body", "hr", "legend"),
}
BOLD = {"b", "strong", "th", "dt"}
ITALIC = {"i", "em", "cite", "dfn"}
MAIN_LETTERS = 200  # a main part with fewer is no main part
Fetch = Callable[[str], bytes]
"""Returns the picture a page refers to, b"" where it lies outside the document."""


def read_html(path: Path) -> Content:
    """Read a saved web page; its main part, without menus, if it names one. Nothing is fetched."""
    gallery = Gallery()
    page = Walker(gallery, lambda source: local_picture(path, unquote(source)), menus=False)
    page.feed(path.read_bytes())
    metadata = {"title": page.title} if page.title else {}
    text = page.markdown(main_only=True)
    return Content([PageText(None, text, page.hidden)], metadata=metadata, pictures=gallery)


class Walker:
    """The target of lxml's parser: called for every tag and text in order.

    Without `menus`, what leads elsewhere from within the page's main part is left out.
    """

    def __init__(self, gallery: Gallery, fetch: Fetch, *, menus: bool = True) -> None:
        self._gallery = gallery
        self._fetch = fetch
        self._menus = menus
        self._writer = Writer()
        self._lists: list[int | None] = []
        self._bold = self._italic = self._raised = self._tables = 0
        self._links: list[str] = []
        self._notes: list[bool] = []  # which of the links lead to a note
        self._dropped = self._unseen = self._pre = self._sign = 0
        self._signs: list[str] = []
        self._formula: Any = None  # a tree in the making
        self._item_depth = 0
        self._code: list[str] = []
        self._titles: list[str] = []
        self._hidden: list[str] = []
        self._in_title = False
        self._main: list[tuple[int, int]] = []
        self._main_start: int | None = None
        self._main_depth = 0

    def feed(self, content: bytes) -> None:
        """Walk through a whole page."""
        match = DECLARED.search(content[:4096])
        text = decoded(content, match[1].decode("ascii") if match else "")
        target: Any = self  # the stubs want wider argument types than lxml ever passes
        parser = etree.HTMLParser(target=target, encoding="utf-8", huge_tree=True, no_network=True)
        data = readable(text).encode("utf-8", "replace")
        if data.strip():
            etree.fromstring(data, parser)

    @property
    def title(self) -> str:
        """The page's title."""
        return " ".join("".join(self._titles).split())

    @property
    def hidden(self) -> str:
        """Text that the page itself hides."""
        return " ".join("".join(self._hidden).split())

    def markdown(self, *, main_only: bool) -> str:
        """Return what was read; with `main_only` the main part, where there is one."""
        whole = self._writer.markdown()
        if main_only and self._main:
            self._writer.keep_only(self._main)
            main = self._writer.markdown()
            return main if letter_count(main) >= MAIN_LETTERS else whole
        return whole

    def close(self) -> None:
        """End the walk; called by the parser."""

    def comment(self, _: str) -> None:
        """Leave comments out."""

    def pi(self, target: str, data: str | None = None) -> None:
        """Leave processing instructions out."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Meet an opening tag."""
        if tag == "title":
            self._in_title = True
        if self._dropped or self._is_dropped(tag, attributes):
            self._dropped += 1
            if tag == "image":  # in a drawing: how many books show their cover
                self._picture({"src": attributes.get("xlink:href", attributes.get("href", ""))})
            return
        style = attributes.get("style", "")
        if self._unseen or "hidden" in attributes or UNSEEN.search(style):
            self._unseen += 1
            return
        if self._formula is not None or tag == "math":
            self._formula = self._formula or etree.TreeBuilder()
            self._formula.start(tag, dict(attributes))
            return
        if self._sign or is_item_sign(attributes):
            self._sign += 1
            return
        if tag == "pre":
            self._pre += 1
        self._begin(tag, attributes)

    def _is_dropped(self, tag: str, attributes: Mapping[str, str]) -> bool:
        in_main = self._main_start is not None and not self._menus
        return (
            tag in DROPPED
            or attributes.get("role") == "doc-backlink"
            or (in_main and leads_elsewhere(tag, attributes))
        )

    def end(self, tag: str) -> None:
        """Meet a closing tag, written or implied."""
        if tag == "title":
            self._in_title = False
        if self._dropped:
            self._dropped -= 1
        elif self._unseen:
            self._unseen -= 1
            self._hidden.append(" ")
        elif self._formula is not None:
            self._end_in_formula(tag)
        elif self._sign:
            self._sign -= 1
            self._end_sign()
        else:
            self._finish(tag)

    def data(self, text: str) -> None:
        """Meet text."""
        if self._in_title:
            self._titles.append(text)
        elif self._dropped:
            return
        elif self._unseen:
            self._hidden.append(text)
        elif self._formula is not None:
            self._formula.data(text)
        elif self._sign:
            self._signs.append(text)
        elif self._pre:
            self._code.append(text)
        else:
            self._writer.text(text, self._style())

    def _style(self) -> Style:
        link = self._links[-1] if self._links else ""
        if not (self._bold or self._italic or self._raised or link):
            return PLAIN
        return Style(bool(self._bold), bool(self._italic), link, bool(self._raised))

    def _begin(self, tag: str, attributes: Mapping[str, str]) -> None:
        writer = self._writer
        self._count(tag, 1)
        if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            writer.heading(int(tag[1]))
        elif tag in ("ul", "ol"):
            writer.end_paragraph()
            self._lists.append(_number(attributes.get("start"), 1) if tag == "ol" else None)
            self._item_depth = list_depth(attributes) or 0
        elif tag == "li":
            self._begin_item()
        elif tag in ("table", "tr", "td", "th"):
            self._begin_part(tag, attributes)
        elif tag == "blockquote":
            writer.quote(1)
        elif tag in BLOCKS:
            writer.end_paragraph()
            if tag == "p":
                self._begin_named(attributes)
            self._begin_main(tag, attributes)
        else:
            self._begin_inline(tag, attributes)

    def _count(self, tag: str, change: int) -> None:
        """Note that a style begins (1) or ends (-1)."""
        self._bold += change * (tag in BOLD and not (tag == "th" and self._tables))
        self._italic += change * (tag in ITALIC)
        self._raised += change * (tag == "sup")

    def _begin_inline(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "a":
            self._links.append(address_of(attributes.get("href", "")))
            kinds = (attributes.get("role"), attributes.get("epub:type"))
            self._notes.append("doc-noteref" in kinds or "noteref" in kinds)
            self._raised += self._notes[-1]
        elif tag == "img":
            self._picture(attributes)
        elif tag == "input" and attributes.get("type") == "checkbox" and self._lists:
            self._writer.text("[x] " if "checked" in attributes else "[ ] ")
        elif tag == "br":
            self._code.append("\n") if self._pre else self._writer.line_break()

    def _begin_named(self, attributes: Mapping[str, str]) -> None:
        """Begin a paragraph that may be a title, or an item of a list that Word wrote out."""
        if level := title_level(attributes):
            self._writer.heading(level)
        elif (depth := item_depth(attributes)) is not None:
            self._item_depth = depth
            self._writer.item(depth)
        elif not self._lists:
            self._writer.drop_prefix()

    def _end_in_formula(self, tag: str) -> None:
        self._formula.end(tag)
        if tag == "math":
            self._writer.text(formula_of(self._formula.close()))
            self._formula = None

    def _end_sign(self) -> None:
        if not self._sign:
            self._writer.item(self._item_depth, item_number("".join(self._signs)))
            self._signs.clear()

    def _begin_item(self) -> None:
        number = self._lists[-1] if self._lists else None
        if number is not None:
            self._lists[-1] = number + 1
        self._writer.item(max(0, len(self._lists) - 1, self._item_depth), number)

    def _begin_part(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "table":
            self._tables += 1
            self._writer.begin_table()
        elif not self._tables:
            self._writer.end_paragraph()
        elif tag == "tr":
            self._writer.begin_row()
        else:
            columns = _number(attributes.get("colspan"), 1)
            self._writer.begin_cell(columns, _number(attributes.get("rowspan"), 1))

    def _begin_main(self, tag: str, attributes: Mapping[str, str]) -> None:
        is_main = tag == "main" or attributes.get("role") == "main" or tag == "article"
        if self._main_start is not None:
            self._main_depth += tag in ("main", "article", "div", "section")
        elif is_main and not self._tables:
            self._main_start, self._main_depth = self._writer.position, 1

    def _finish(self, tag: str) -> None:
        writer = self._writer
        self._count(tag, -1)
        if tag == "pre":
            self._pre -= 1
            writer.code("".join(self._code))
            self._code.clear()
        elif tag in ("ul", "ol"):
            writer.end_paragraph()
            self._lists.pop()
        elif tag in ("table", "td", "th"):
            self._finish_part(tag)
        elif tag == "blockquote":
            writer.quote(-1)
        elif tag == "a":
            self._links.pop()
            self._raised -= self._notes.pop()
        elif tag in BLOCKS or tag == "li" or re.fullmatch(r"h[1-6]", tag):
            writer.end_paragraph()
            if tag != "li" and tag not in ("p", "div"):
                writer.drop_prefix()
            self._finish_main(tag)

    def _finish_part(self, tag: str) -> None:
        if not self._tables:
            self._writer.end_paragraph()
        elif tag == "table":
            self._tables -= 1
            self._writer.end_table()
        else:
            self._writer.end_cell()

    def _finish_main(self, tag: str) -> None:
        if self._main_start is None or tag not in ("main", "article", "div", "section"):
            return
        self._main_depth -= 1
        if not self._main_depth:
            self._main.append((self._main_start, self._writer.position))
            self._main_start = None

    def _picture(self, attributes: Mapping[str, str]) -> None:
        source, alt = attributes.get("src", ""), attributes.get("alt", "")
        data = picture_of(source) if source.startswith("data:") else self._fetch(source)
        if data:
            self._writer.mark(self._gallery.place(data, alt=readable(alt)))
        elif alt.strip():
            self._writer.text(f" {alt} ")


def _number(text: str | None, default: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 6 else default
