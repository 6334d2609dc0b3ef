"""RTF documents: one pass over their words, with headings, lists, tables, notes and pictures."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vaultd.extract.content import Content, Gallery, PageText
from vaultd.extract.rtf_token import CODE_PAGES, Token, tokens
from vaultd.extract.word_style import HEADING, TITLES
from vaultd.extract.writer import PLAIN, Style, Writer, is_monospaced

SIGNS = {
    **{"emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "tab": "\t"},
    **{"ldblquote": "“", "rdblquote": "”", "emspace": " ", "enspace": " ", "nestcell": " "},
}
SYMBOLS = {"~": " ", "_": "-", "\\": "\\", "{": "{", "}": "}"}
TEXT, SKIPPED = "text", "skipped"
PARTS = {  # words that say what a group holds
    **dict.fromkeys(("footnote", "annotation"), "note"),
    **dict.fromkeys(("listtext", "pntext"), "sign"),
    **dict.fromkeys(("shppict", "shpinst", "shptxt", "fldrslt", "moMath", "picprop"), TEXT),
    **{"fonttbl": "fonts", "stylesheet": "styles", "fldinst": "field", "pict": "picture"},
    **{"sn": "name", "sv": "value"},
    **dict.fromkeys(("colortbl", "info", "header", "headerl", "headerr", "headerf"), SKIPPED),
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf", "nonshppict"), SKIPPED),
    **dict.fromkeys(("shprslt", "xe", "tc", "objdata", "mmathPict"), SKIPPED),
}
LINK = re.compile(r'HYPERLINK\s+"(https?:[^"]+)"')
BULLET = re.compile(r"\s*[•·▪■◦–o§\uf0b7\uf0a7-]\s*\Z")
NUMBER = re.compile(r"\s*\(?(?:(\d{1,4})|([a-z]))[.)]\s*\Z", re.I)
MOST_GROUPS = 5_000  # within each other; deeper ones are an attack


def read_rtf(path: Path) -> Content:
    """Read an RTF document as one page of text."""
    reader = Reader()
    for token in tokens(path.read_bytes().decode("latin-1")):
        reader.take(token)
    return Content([PageText(None, reader.markdown())], pictures=reader.gallery)


@dataclass(frozen=True, slots=True)
class State:
    """What the words before say of the text that follows; a group ends with its own state.

    `named` is the number of the paragraph's style, `level` that of its heading.
    """

    part: str = TEXT
    style: Style = PLAIN
    font: int = 0
    spare: int = 1  # characters that stand for one in Unicode
    is_hidden: bool = False
    in_table: bool = False
    named: int = 0
    level: int = 0
    left: int = 0
    first: int = 0
    depth: int | None = None


PARAGRAPH = {"in_table": False, "named": 0, "level": 0, "left": 0, "first": 0, "depth": None}


class Reader:
    """Takes the tokens of a document and writes what they say."""

    def __init__(self) -> None:
        self.gallery = Gallery()
        self._writer = Writer()
        self._state = State()
        self._groups: list[tuple[State, str]] = []
        self._opened = ""  # the part that the innermost group holds
        self._starred = False
        self._bytes = bytearray()
        self._characters: list[str] = []
        self._left_out = 0
        self._code_page = "cp1252"
        self._fonts: dict[int, str] = {}
        self._code_pages: dict[int, str] = {}
        self._levels: dict[int, int] = {}
        self._gathered: dict[str, list[str]] = {}
        self._runs: list[tuple[str, Style]] = []
        self._outer: list[list[tuple[str, Style]]] = []  # runs around the notes being read
        self._notes: list[str] = []
        self._sign = self._name = self._alt = ""
        self._is_picture = False
        self._lefts: list[int] = []  # how far the items around the last one are set in
        self._open: list[str] = []  # of a table: "table", "row", "cell"

    def markdown(self) -> str:
        """Return the whole document."""
        self._end_paragraph()
        self._close("table")
        for number, text in enumerate(self._notes, 1):
            self._writer.block(f"[^{number}]: {text}")
        return self._writer.markdown()

    def take(self, token: Token) -> None:
        """Take in the next token."""
        if token.word:
            self._word(token)
        elif token.brace:
            self._begin_group() if token.brace == "{" else self._end_group()
        elif token.sign == "*":
            self._starred = True
        elif token.sign and token.sign in "\r\n":
            self._end_paragraph()
        else:
            self._take_text(token.text or SYMBOLS.get(token.sign, ""))

    def _take_text(self, text: str) -> None:
        dropped = min(self._left_out, len(text))
        self._left_out -= dropped
        self._bytes += text[dropped:].encode("latin-1", "replace")

    def _begin_group(self) -> None:
        self._flush()
        if len(self._groups) < MOST_GROUPS:
            self._groups.append((self._state, self._opened))
            self._opened = ""

    def _end_group(self) -> None:
        self._flush()
        opened = self._opened
        if self._groups:
            self._state, self._opened = self._groups.pop()
        if closing := CLOSINGS.get(opened):
            closing(self, "".join(self._gathered.pop(opened, ())))

    def _word(self, token: Token) -> None:
        word, number = token.word, token.number
        if word == "u" and number is not None:
            self._decode()
            self._characters.append(chr(number % 0x10000))
            self._left_out = self._state.spare
            return
        self._flush()
        starred, self._starred = self._starred, False
        if self._state.part == SKIPPED:
            return
        if word in PARTS:
            self._enter(PARTS[word])
        elif starred:
            self._state = replace(self._state, part=SKIPPED)
        elif word == "bin":
            self._gathered.setdefault("picture", []).append(token.text.encode("latin-1").hex())
        elif word in SIGNS:
            self._characters.append(SIGNS[word])
        elif action := ACTIONS.get(word):
            action(self, number)

    def _enter(self, part: str) -> None:
        """Begin a part of the document other than its text."""
        self._state = replace(self._state, part=TEXT if part == "note" else part)
        if part == "note":
            self._outer.append(self._runs)
            self._runs = []
            self._state = replace(self._state, style=PLAIN)
        elif part == "picture":
            self._is_picture = False
        self._opened = part

    # --- text ------------------------------------------------------------------------------------

    def _decode(self) -> None:
        if self._bytes:
            page = self._code_pages.get(self._state.font, self._code_page)
            self._characters.append(self._bytes.decode(page, "replace"))
            self._bytes.clear()

    def _flush(self) -> None:
        """Put what was read into its place, before something changes."""
        self._decode()
        self._left_out = 0
        text = "".join(self._characters)
        self._characters.clear()
        if not text or self._state.part == SKIPPED:
            return
        if self._state.part != TEXT:
            self._gathered.setdefault(self._state.part, []).append(text)
            self._name_entry(text)
        elif not self._state.is_hidden:
            self._runs.append((text, self._state.style))

    def _name_entry(self, text: str) -> None:
        """Note the name of a font or style: it ends with a semicolon."""
        if not text.rstrip().endswith(";"):
            return
        name = text.strip(" ;")
        if self._state.part == "fonts":
            self._fonts[self._state.font] = name
        elif self._state.part == "styles":
            match = HEADING.match(name)
            level = int(match[1]) if match else TITLES.get(name.lower(), self._state.level)
            self._levels.setdefault(self._state.named, level)

    # --- paragraphs ------------------------------------------------------------------------------

    def _end_paragraph(self, _: int | None = None) -> None:
        self._flush()
        if self._outer:
            self._runs.append((" ", PLAIN))
            return
        if self._state.in_table:
            self._open_cell()
        else:
            self._close("table")
        runs, self._runs = self._runs, []
        sign, self._sign = self._sign, ""
        level = self._state.level or self._levels.get(self._state.named, 0)
        if level:
            self._writer.heading(level)
        else:
            self._begin_item(sign, runs)
        for text, style in runs:
            self._write(text, style)
        self._writer.end_paragraph()
        self._writer.drop_prefix()

    def _begin_item(self, sign: str, runs: list[tuple[str, Style]]) -> None:
        """Begin a list item, whose sign stands apart, or before a tab."""
        if not sign and runs:
            sign = self._sign_before_tab(runs)
        match = NUMBER.match(sign)
        if match:
            number = int(match[1]) if match[1] else ord(match[2].lower()) - 96
            self._writer.item(self._depth(), number)
        elif sign.strip():
            self._writer.item(self._depth())
        elif runs:
            self._lefts.clear()

    def _sign_before_tab(self, runs: list[tuple[str, Style]]) -> str:
        """Take the sign of a list item off the `runs` of its paragraph."""
        sign, tab, rest = "".join(text for text, _ in runs[:2]).partition("\t")
        is_number = NUMBER.match(sign) and self._state.first < 0
        if not tab or not (is_number or BULLET.match(sign)):
            return ""
        runs[:2] = [(rest, runs[min(1, len(runs) - 1)][1])]
        return sign

    def _depth(self) -> int:
        """Return how deep the item lies, if it does not say so by how far it is set in."""
        if self._state.depth is not None:
            return self._state.depth
        self._lefts = [left for left in self._lefts if left < self._state.left]
        self._lefts.append(self._state.left)
        return len(self._lefts) - 1

    def _write(self, text: str, style: Style) -> None:
        if style is PICTURE:
            self._writer.mark(text)
            return
        for index, line in enumerate(text.split("\n")):
            if index:
                self._writer.line_break()
            self._writer.text(line, style)

    # --- tables ----------------------------------------------------------------------------------

    def _open_cell(self) -> None:
        for part in ("table", "row", "cell")[len(self._open) :]:
            {
                "table": self._writer.begin_table,
                "row": self._writer.begin_row,
                "cell": self._writer.begin_cell,
            }[part]()
            self._open.append(part)

    def _close(self, part: str) -> None:
        """End a cell, row or table, and what is open in it."""
        while part in self._open:
            last = self._open.pop()
            if last == "cell":
                self._writer.end_cell()
            elif last == "table":
                self._writer.end_table()

    def _end_cell(self, _: int | None) -> None:
        self._state = replace(self._state, in_table=True)
        self._end_paragraph()
        self._close("cell")

    def _end_row(self, _: int | None) -> None:
        self._close("row")

    # --- parts -----------------------------------------------------------------------------------

    def _end_note(self, _: str) -> None:
        text = " ".join("".join(text for text, _ in self._runs).split())
        self._runs = self._outer.pop()
        if text:
            self._notes.append(text)
            self._runs.append((f"[^{len(self._notes)}]", PLAIN))

    def _end_field(self, text: str) -> None:
        if match := LINK.search(text):
            self._state = replace(self._state, style=replace(self._state.style, link=match[1]))

    def _end_sign(self, text: str) -> None:
        self._sign = text

    def _end_name(self, text: str) -> None:
        self._name = text.strip()

    def _end_value(self, text: str) -> None:
        if self._name == "wzDescription":
            self._alt = text.strip()

    def _end_picture(self, digits: str) -> None:
        alt, self._alt = self._alt, ""
        digits = "".join(digits.split())
        if not self._is_picture or not re.fullmatch(r"(?:[0-9a-f]{2})+", digits, re.I):
            return
        self._runs.append((self.gallery.place(bytes.fromhex(digits), alt=alt), PICTURE))

    # --- words -----------------------------------------------------------------------------------

    def _restyle(self, **changes: Any) -> None:
        self._state = replace(self._state, style=replace(self._state.style, **changes))

    def _set_font(self, number: int | None) -> None:
        self._state = replace(self._state, font=number or 0)
        self._restyle(code=is_monospaced(self._fonts.get(number or 0, "")))

    def _set_character_set(self, number: int | None) -> None:
        if self._state.part == "fonts" and number in CODE_PAGES:
            self._code_pages[self._state.font] = CODE_PAGES[number]

    def _set_code_page(self, number: int | None) -> None:
        name = f"cp{number}"
        try:
            b"".decode(name)
        except LookupError:
            return  # a code page that is none: the usual one
        self._code_page = name

    def _change(self, **changes: Any) -> None:
        self._state = replace(self._state, **changes)

    def _break_line(self, _: int | None) -> None:
        self._characters.append("\n")

    def _is_drawn(self, _: int | None) -> None:
        self._is_picture = True


PICTURE = Style(link="picture")  # marks a run that is a picture's place
CLOSINGS: dict[str, Callable[[Reader, str], None]] = {
    "note": Reader._end_note,
    "field": Reader._end_field,
    "sign": Reader._end_sign,
    "name": Reader._end_name,
    "value": Reader._end_value,
    "picture": Reader._end_picture,
}
ACTIONS: dict[str, Callable[[Reader, int | None], None]] = {
    "par": Reader._end_paragraph,
    "page": Reader._end_paragraph,
    "sect": Reader._end_paragraph,
    "line": Reader._break_line,
    "cell": Reader._end_cell,
    "row": Reader._end_row,
    "f": Reader._set_font,
    "fcharset": Reader._set_character_set,
    "ansicpg": Reader._set_code_page,
    "pngblip": Reader._is_drawn,
    "jpegblip": Reader._is_drawn,
    "b": lambda reader, number: reader._restyle(bold=number != 0),
    "i": lambda reader, number: reader._restyle(italic=number != 0),
    "super": lambda reader, number: reader._restyle(raised=number != 0),
    "sub": lambda reader, _: reader._restyle(raised=False),
    "nosupersub": lambda reader, _: reader._restyle(raised=False),
    "plain": lambda reader, _: reader._restyle(bold=False, italic=False, raised=False, code=False),
    "v": lambda reader, number: reader._change(is_hidden=number != 0),
    "deleted": lambda reader, number: reader._change(is_hidden=number != 0),
    "uc": lambda reader, number: reader._change(spare=max(0, number or 0)),
    "pard": lambda reader, _: reader._change(**PARAGRAPH),
    "intbl": lambda reader, _: reader._change(in_table=True),
    "s": lambda reader, number: reader._change(named=number or 0),
    "outlinelevel": lambda reader, number: reader._change(level=_heading(number)),
    "li": lambda reader, number: reader._change(left=number or 0),
    "fi": lambda reader, number: reader._change(first=number or 0),
    "ilvl": lambda reader, number: reader._change(depth=number or 0),
}


def _heading(outline: int | None) -> int:
    return outline + 1 if outline is not None and 0 <= outline < 9 else 0
