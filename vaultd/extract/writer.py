"""Writes Markdown from what the walkers of office and web documents come across."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from vaultd.core.table import markdown_table
from vaultd.extract.content import PLACE, raised, readable

DEEPEST = 8  # list and quote levels; deeper ones stay at this depth
WIDEST = 200  # cells one cell may stretch over
MARKUP = re.compile(r"^(#{1,6}\s|>|```|~~~|[-+=]{3,}\s*$)", re.M)
SPACES = re.compile(r"[ \t\r\n\f\v]+")
BREAK = "\x04"  # a line break; taken out of every document's own text
TAB = "    "  # in code
MONOSPACED = re.compile(r"mono|courier|consol|menlo|monaco|lucida cons|source code", re.I)
TYPED = 0.5  # of a document in a monospaced font: it was typed so, and is no code


@dataclass(frozen=True, slots=True)
class Style:
    """How a piece of text looks; `raised` is a superscript, `code` is in a monospaced font."""

    bold: bool = False
    italic: bool = False
    link: str = ""
    raised: bool = False
    code: bool = False


PLAIN = Style()


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, item or table; `flat` is how a table stands in a cell of another.

    `code` is the paragraph with its spaces where all of it is in a monospaced font.
    """

    text: str
    is_item: bool = False
    flat: str = ""
    code: str = ""


Cell = Sequence[Block]


@dataclass(slots=True)
class Table:
    """A table being written: its rows of cells, and how many rows a column is still taken."""

    rows: list[list[Cell]] = field(default_factory=list)
    taken: dict[int, int] = field(default_factory=dict)

    def begin_row(self) -> None:
        """Start a row with the cells that reach down into it."""
        self.rows.append([])
        self._fill()

    def add(self, cell: Cell, columns: int, rows: int) -> None:
        """Add a cell that stretches over `columns` and `rows`."""
        if not self.rows:
            self.begin_row()
        row = self.rows[-1]
        for offset in range(max(1, min(columns, WIDEST))):
            if rows > 1:
                self.taken[len(row)] = rows
            row.append(() if offset else cell)
        self._fill()

    def _fill(self) -> None:
        row = self.rows[-1]
        while self.taken.get(len(row), 0) > 1:
            self.taken[len(row)] -= 1
            row.append(())

    def layout(self) -> list[Block] | None:
        """Return all blocks if the table only sets the page: in one column, or side by side."""
        filled = [row for row in self.rows if any(row)]
        used = {column for row in filled for column, cell in enumerate(row) if cell}
        parts = len(filled) == 1 and any(len(cell) > 1 for cell in filled[0])
        if len(used) > 1 and not parts:
            return None
        return [block for row in filled for cell in row for block in cell]


@dataclass(slots=True)
class Container:
    """Where blocks go: the document, or a cell."""

    blocks: list[Block] = field(default_factory=list)
    table: Table | None = None
    columns: int = 1
    rows: int = 1


class Writer:
    """Collects text into blocks of Markdown; calls come in the order of reading."""

    def __init__(self) -> None:
        self._stack = [Container()]
        self._runs: list[tuple[str, Style]] = []
        self._prefix = ""
        self._is_item = False
        self._quotes = 0

    def text(self, text: str, style: Style = PLAIN) -> None:
        """Add text to the paragraph; white space counts as one space, but in code."""
        text = readable(text)
        kept = text.replace("\t", TAB) if style.code else SPACES.sub(" ", text)
        self._runs.append((kept, style))

    def mark(self, mark: str) -> None:
        """Add the place of a picture."""
        self._runs.append((mark, PLAIN))

    def line_break(self) -> None:
        """Go to the next line within the paragraph."""
        self._runs.append((BREAK, PLAIN))

    def heading(self, level: int) -> None:
        """Make the paragraph that begins a heading."""
        self.end_paragraph()
        self._prefix = "#" * max(1, min(level, 6)) + " "

    def item(self, depth: int, number: int | None = None) -> None:
        """Make the paragraph that begins a list item, `depth` counting from 0."""
        self.end_paragraph()
        sign = "- " if number is None else f"{number}. "
        self._prefix = "  " * min(depth, DEEPEST) + sign
        self._is_item = True

    def quote(self, change: int) -> None:
        """Go one quotation deeper (1) or out again (-1)."""
        self.end_paragraph()
        self._quotes = max(0, self._quotes + change)

    def end_paragraph(self) -> None:
        """End the paragraph; one without text leaves nothing behind."""
        text = rendered(self._runs)
        code = "" if self._prefix or self._quotes else code_of(self._runs)
        self._runs.clear()
        if text:
            if self._prefix.startswith("#"):
                text = self._prefix + bare(text).replace("\n", " ")
            elif self._prefix:
                text = self._prefix + text.replace("\n", "\n" + " " * len(self._prefix))
            else:
                text = MARKUP.sub(lambda match: "\\" + match[0], text)
            self._add(text, is_item=self._is_item, code=code)
            self._prefix, self._is_item = "", False

    def drop_prefix(self) -> None:
        """Forget a heading or item that had no text."""
        self._prefix, self._is_item = "", False

    def block(self, text: str) -> None:
        """Add a block that is Markdown already."""
        self.end_paragraph()
        if text.strip():
            self._add(text)

    def code(self, text: str) -> None:
        """Add preformatted text."""
        text = readable(text).strip("\n")
        if text.strip():
            self.block(fenced(text))

    def begin_table(self) -> None:
        """Begin a table, within the cell of another if need be."""
        self.end_paragraph()
        self._stack.append(Container(table=Table()))

    def begin_row(self) -> None:
        """Begin a row."""
        if (table := self._table()) is not None:
            table.begin_row()

    def begin_cell(self, columns: int = 1, rows: int = 1) -> None:
        """Begin a cell that stretches over so many columns and rows."""
        self.end_paragraph()
        self._stack.append(Container(columns=columns, rows=rows))

    def end_cell(self) -> None:
        """End the cell."""
        self.end_paragraph()
        cell = self._stack.pop()
        table = self._table()
        if table is not None:
            table.add(cell.blocks, cell.columns, cell.rows)

    def end_table(self) -> None:
        """End the table; inside a cell of another it becomes lines of text."""
        self.end_paragraph()
        table = self._stack.pop().table or Table()
        blocks = table.layout()
        if blocks is not None:
            self._open().blocks += blocks
            return
        rows = [[_in_cell(cell) for cell in row] for row in table.rows]
        self._add(markdown_table(rows), flat=_as_lines(rows))

    def markdown(self) -> str:
        """Return all that was written."""
        self.end_paragraph()
        blocks = with_listings(self._stack[0].blocks)
        parts: list[str] = []
        for index, block in enumerate(blocks):
            tight = index and block.is_item and blocks[index - 1].is_item
            parts += [("\n" if tight else "\n\n") if index else "", block.text]
        return "".join(parts)

    @property
    def position(self) -> int:
        """How many blocks of the document are complete."""
        return len(self._stack[0].blocks)

    def keep_only(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Drop the document's blocks outside `ranges`."""
        root = self._stack[0]
        kept = sorted(
            {i for start, end in ranges for i in range(start, min(end, len(root.blocks)))}
        )
        root.blocks = [root.blocks[i] for i in kept]

    def _table(self) -> Table | None:
        return self._stack[-1].table

    def _open(self) -> Container:
        """Return where blocks go: text between the cells of a table belongs before it."""
        return next(each for each in reversed(self._stack) if each.table is None)

    def _add(self, text: str, *, is_item: bool = False, flat: str = "", code: str = "") -> None:
        if self._quotes:
            sign = "> " * min(self._quotes, DEEPEST)
            text = "\n".join(sign + line for line in text.split("\n"))
        self._open().blocks.append(Block(text, is_item, flat, code))


def _in_cell(cell: Cell) -> str:
    """Return a cell's Markdown fit for a table."""
    return re.sub(r"\n+", "\n", "\n".join(block.flat or block.text for block in cell))


def _as_lines(rows: list[list[str]]) -> str:
    return "\n".join("; ".join(cell for cell in row if cell) for row in rows if any(row))


def is_monospaced(font: str) -> bool:
    """Tell whether a font of this name is one for code."""
    return MONOSPACED.search(font) is not None


def code_of(runs: Sequence[tuple[str, Style]]) -> str:
    """Return runs as code, "" if some of them are not."""
    for text, style in runs:
        if PLACE.search(text) or (text.strip(" " + BREAK) and not style.code):
            return ""
    lines = "".join(text for text, _ in runs).split(BREAK)
    return "\n".join(line.rstrip() for line in lines)


def with_listings(blocks: Sequence[Block]) -> list[Block]:
    """Return `blocks`, paragraphs of code that follow each other as one listing."""
    if sum(len(block.code) for block in blocks) > TYPED * sum(len(block.text) for block in blocks):
        return list(blocks)
    found: list[Block] = []
    for is_code, run in groupby(blocks, key=lambda block: bool(block.code)):
        if is_code:
            found.append(Block(fenced("\n".join(block.code for block in run))))
        else:
            found += run
    return found


def fenced(text: str, language: str = "") -> str:
    """Return code as Markdown."""
    fence = "```" if "```" not in text else "~~~~~"
    return f"{fence}{language}\n{text}\n{fence}"


def bare(text: str) -> str:
    """Return `text` without bold marks around all of it: a heading is bold anyway."""
    match = re.fullmatch(r"\*\*([^*]+)\*\*", text)
    return match[1] if match else text


def rendered(runs: Iterable[tuple[str, Style]]) -> str:
    """Return runs as one paragraph; marks stand close to the words they mark."""
    text = "".join(
        _styled("".join(piece for piece, _ in group), style)
        for style, group in groupby(_lowered(runs), key=lambda run: run[1])
    )
    lines = (SPACES.sub(" ", line).strip() for line in text.split(BREAK))
    return "\n".join(line for line in lines if line)


def _lowered(runs: Iterable[tuple[str, Style]]) -> Iterator[tuple[str, Style]]:
    """Give the runs with superscripts written as such; a mark like [1] stays what it is."""
    for is_raised, group in groupby(runs, key=lambda run: run[1].raised):
        if not is_raised:
            yield from group
            continue
        pieces = list(group)
        whole = "".join(text for text, _ in pieces)
        is_number = raised(whole) != whole
        for text, style in pieces:
            yield (raised(text) if is_number else text), replace(style, raised=False)


def _styled(text: str, style: Style) -> str:
    core = text.strip(" " + BREAK)
    if not core or style == PLAIN or BREAK in core or PLACE.search(core):
        return text
    start = text.index(core)
    shown = core
    if "*" not in core and any(map(str.isalnum, core)):
        sign = "**" * style.bold + "*" * style.italic
        shown = f"{sign}{core}{sign}"
    if style.link and "]" not in core:
        shown = f"[{shown}]({style.link})"
    return text[:start] + shown + text[start + len(core) :]
