"""What a document says: its sentences and headings by place, without what is not its text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from vaultd.core.plain import plain
from vaultd.core.text import Kind, Sentence, sentences, unwrapped
from vaultd.model.document import ExtractedPage

MAX_STATEMENTS = 40_000  # three thousand pages; beyond it a longer text adds no better sentence


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of the document as plain text, and where it stands.

    `page` is the physical page (None without pages), `section` the headings above it, outermost
    first, `order` its rank among all statements, `paragraph` the rank within its section.
    """

    text: str
    page: int | None
    section: tuple[str, ...]
    order: int
    paragraph: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the document; `level` counts from 1."""

    title: str
    level: int
    page: int | None


@dataclass(frozen=True, slots=True)
class Content:
    """A document without running lines, tables of contents, references, code and tables."""

    statements: tuple[Statement, ...]
    headings: tuple[Heading, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    kind: Kind
    level: int
    page: int | None


def content_of(pages: Sequence[ExtractedPage]) -> Content:
    """Return what `pages` say. Sentences cut by a page end are joined on the earlier page."""
    running = _running_lines(pages)
    pieces: list[_Piece] = []
    for page in pages:
        for piece in _pieces_of(page, running):
            if pieces and _goes_on(pieces[-1], piece):
                whole = unwrapped(f"{pieces[-1].text}\n{piece.text}")
                pieces[-1] = replace(pieces[-1], text=whole)
            else:
                pieces.append(piece)
            if len(pieces) >= MAX_STATEMENTS:
                return _arranged(pieces)
    return _arranged(pieces)


def spread_out(statements: Sequence[Statement], most: int) -> Sequence[Statement]:
    """Return about `most` of the statements, taken in groups of eight from all parts."""
    step = -(-len(statements) // most) or 1
    return [one for one in statements if (one.order // 8) % step == 0] if step > 1 else statements


# --- lines that are not the document's text ------------------------------------------------------

_EDGE_LINES = 3  # lines at the top and bottom of a page that may be running titles
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)
_LEADER = re.compile(r"(?:\.\s?|·\s?|…\s?|_\s?){4,}")
_PAGE_NUMBER = re.compile(
    r"\s*(?:(?:page|seite|p\.|第)\s*)?[-–—\[(]?\s*(?:\d{1,5}|[ivxlc]{1,7})\s*[-–—\])]?"
    r"\s*(?:页|頁|ページ|(?:of|/|von)\s*\d{1,5})?\s*",
    re.IGNORECASE,
)


def _running_lines(pages: Sequence[ExtractedPage]) -> frozenset[str]:
    """Return the masked lines that stand at the edge of at least three pages and a fifth."""
    counts: Counter[str] = Counter()
    for page in pages:
        lines = [line for line in page.text.splitlines() if line.strip()]
        edges = {_masked(line) for line in (*lines[:_EDGE_LINES], *lines[-_EDGE_LINES:])}
        counts.update(edges)
    least = max(3, len(pages) // 5)
    return frozenset(line for line, count in counts.items() if count >= least)


def _masked(line: str) -> str:
    return _DIGITS.sub("0", line.strip(" #*_\t").casefold())


def _without_running_lines(text: str, running: frozenset[str]) -> str:
    lines = text.splitlines()
    filled = [number for number, line in enumerate(lines) if line.strip()]
    edges = {*filled[:_EDGE_LINES], *filled[-_EDGE_LINES:]}
    return "\n".join(
        ""
        if number in edges and (_masked(line) in running or _PAGE_NUMBER.fullmatch(line))
        else line
        for number, line in enumerate(lines)
    )


_NUMBERED_END = re.compile(r"\s[\divxlc]{1,5}$|(?<=[^\W\d_])\d{1,2}-\d{1,3}$")
_LISTED_AT_LEAST = 4  # lines that end in a page number, one after another, are a list of pages


# --- pieces --------------------------------------------------------------------------------------

_LEVEL = re.compile(r"\s*(#{1,6})")
_CODE_LINE = re.compile(r"^(?: {4,}|\t)\S")
_NUMBERED = re.compile(
    r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,3}\.?|[IVX]{1,5}\.|[A-Z]\.\d{1,2}|[A-Z]\.)\s+\S"
    r"|第\s*[\d一二三四五六七八九十百]{1,4}\s*[章节節篇部编編]|[一二三四五六七八九十]{1,3}、"
    r"|(?:chapter|part|appendix|annex|section|kapitel|anhang|teil|chapitre|capítulo)\s+\S",
    re.IGNORECASE,
)
_HEADING_CHARS = 70
_OPEN_END = re.compile(r"[^.!?。！？…:：;；,，、\"”」）)\]]$")


def _pieces_of(page: ExtractedPage, running: frozenset[str]) -> Iterator[_Piece]:
    text = _without_running_lines(page.text, running)
    cut = sentences(text)
    leaders = sum(bool(_LEADER.search(sentence.text)) for sentence in cut)
    lists_pages = leaders >= _LISTED_AT_LEAST and leaders * 3 >= len(cut)
    for sentence, following in zip(cut, [*cut[1:], None], strict=False):
        if sentence.kind is Kind.CODE or sentence.kind is Kind.ROW:
            continue
        raw = text[sentence.start : sentence.end]
        if sentence.kind is Kind.PROSE and _CODE_LINE.match(_line_at(text, sentence.start)):
            continue
        shown = _line_of(sentence.text)
        if not shown or _LEADER.search(sentence.text) or _DRAWING.search(shown):
            continue
        if lists_pages and _NUMBERED_END.search(shown):
            continue
        mark = _LEVEL.match(raw) if sentence.kind is Kind.HEADING else None
        listed = sentence.kind is Kind.ITEM and not _stands_alone(text, sentence, following)
        runs_on = following is not None and following.text[:1].islower()
        level = len(mark.group(1)) if mark else 0
        if not (mark or listed or runs_on):
            level = _plain_heading_level(raw, shown)
        if not level and sentence.kind is Kind.PROSE:
            shown = shown[begin.end() :] or shown if (begin := _RUN_IN.match(shown)) else shown
        yield _Piece(shown, Kind.HEADING if level else sentence.kind, level, page.number)


def _line_at(text: str, offset: int) -> str:
    start = text.rfind("\n", 0, offset) + 1
    return text[start : offset + 1]


def _stands_alone(text: str, item: Sentence, following: Sentence | None) -> bool:
    """Tell whether a numbered line is a heading, not an item: prose follows after a blank line."""
    if following is None or following.kind is not Kind.PROSE:
        return False
    return text[item.end : following.start].count("\n") > 1 and _is_title(
        text[item.start : item.end]
    )


def _is_title(raw: str) -> bool:
    """Tell whether a numbered line has a title's beginning."""
    return bool(re.match(r"\d[\d.]*\s+[^\W\d_a-z]", raw))


def _plain_heading_level(raw: str, shown: str) -> int:
    """Return the level of a heading that no markup tells, 0 for ordinary text."""
    if "\n" in raw or len(shown) > _HEADING_CHARS or not _OPEN_END.search(shown):
        return 0
    bold = raw.startswith("**") and raw.endswith("**") and raw.count("**") == 2
    numbered = _NUMBERED.match(shown) or _NUMBERED.match(raw)
    if not (bold or (numbered and len(shown) > 3 and re.search(r"[^\W\d_]{2}", shown))):
        return 0
    number = numbered.group("number") if numbered else None
    return 1 + number.rstrip(".").count(".") if number else 1 if numbered else 2


_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)|!\[\[[^\]]*\]\]")
_NOTE = re.compile(
    r"\[\\?\[?[\w ]{1,12}\\?\]?\]\(#[^)]*\)|\[\^[^\]]+\]|\{#[^}]*\}|<sup>[^<]*</sup>"
)
_DRAWING = re.compile("[\u2500-\u259f]")  # boxes and bars: a picture made of characters
_MARKUP = re.compile(r"[\[\]`*_<>|%#=~!\\{}]")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def _line_of(text: str) -> str:
    """Return Markdown on one line without markup, pictures and note marks."""
    if _MARKUP.search(text):
        text = plain(_NOTE.sub("", _PICTURE.sub("", text)))
        text = " ".join(_ESCAPE.sub(r"\1", text).split())
    return _NOTE_MARK.sub("", text) if _HAS_NOTE.search(text) else text


_NOTE_MARK = re.compile(
    # "revenue;[3]", "BASIC.[14]: 108", "models [8, 34]", and raised or, in print, plain digits
    r"(?:(?<=[.,;:!?)”\"\]。，；])|(?<=[^\W\d_]{4})| )\[\d{1,3}(?:[,–-] ?\d{1,3})*\]"
    r"(?:: ?\d[\d–, -]*\d)?"
    r"|(?<=[.,;:!?”\"])[⁰¹²³⁴-⁹]+|(?<=[a-z]{3}[.,;!?”])\d{1,3}$"
)
_HAS_NOTE = re.compile(r"[\[⁰¹²³⁴-⁹]|\d$")
_RUN_IN = re.compile(
    # "Abstract—We …", "BACKGROUND Genlisea is …", "Selection of passages Because only …"
    r"(?:Abstract|ABSTRACT|Summary|Zusammenfassung|Résumé|Resumen|【?\[?摘 ?要\]?】?|要旨|要約|概要"
    r"|초록)"
    r"\s*(?:[—–:：]\s*|[.-]\s+|(?=[本こ]))"
    r"|(?:BACKGROUND|OBJECTIVES?|AIMS?|PURPOSE|SUMMARY|INTRODUCTION|METHODS?|RESULTS|FINDINGS"
    r"|CONCLUSIONS?|SIGNIFICANCE|IMPORTANCE|CONTEXT|DESIGN|RATIONALE)(?:[ /][A-Z]{2,}){0,3}:?\s+"
    r"(?=[A-Z])"
    r"|(?!(?:The|This|These|In|It|He|She|They|We|I|And|But|So|As|Then|Now|Or|For|However|Thus) )"
    r"[A-Z][\w-]*(?: [\w-]+){0,6} "
    r"(?=(?:Because|We|If|When|While|Since|Given|Although|Our|For|There"
    r"|These|In (?:this|order|our)) [a-z])"
)
"""A heading or label that runs into the first sentence below it."""


def _goes_on(before: _Piece, after: _Piece) -> bool:
    """Tell whether a page end cut one sentence into these two."""
    if before.page == after.page or before.kind is not Kind.PROSE or after.kind is not Kind.PROSE:
        return False
    if len(before.text) < 20 or not re.search(r"[\w,，、-]$", before.text):
        return False
    first = after.text[0]
    return first.islower() or (is_east(first) and is_east(before.text[-1]))


def is_east(character: str) -> bool:
    """Tell whether `character` is kana or Han, which have no capitals and no spaces."""
    return "\u3040" <= character <= "\u9fff"


# --- sections ------------------------------------------------------------------------------------

_DROPPED = re.compile(
    r"(?:[\dA-ZIVX.]+\s+)?(?:table of contents|contents|references|bibliography|works cited|"
    r"literature cited|index|acknowledge?ments?|list of (?:figures|tables)|notes|footnotes|"
    r"see also|external links|further reading|about the authors?|copyright(?: notice)?|notices|"
    r"(?:the full project gutenberg )?licen[cs]e|lizenz|licencia|许可证|授權條款|ライセンス|"
    r"目录|目錄|参考文献|參考文獻|参考资料|致谢|索引|版权(?:声明)?|目次|謝辞|차례|목차|참고문헌|"
    r"inhalt(?:sverzeichnis)?|literatur(?:verzeichnis)?|quellen|danksagung|"
    r"table des matières|bibliographie|références|remerciements|índice|bibliografía|referencias)"
    r"\s*[:：]?",
    re.IGNORECASE,
)


def _without_page_lists(pieces: Sequence[_Piece]) -> list[_Piece]:
    """Leave out tables of contents: runs of lines, and most of a page, that end in numbers."""
    listed = Counter(piece.page for piece in pieces if _is_listed(piece))
    lengths = Counter(piece.page for piece in pieces)
    full = {
        page
        for page, count in listed.items()
        if page is not None and count > _LISTED_AT_LEAST and count * 3 > lengths[page]
    }
    kept: list[_Piece] = []
    run: list[_Piece] = []
    for piece in pieces:
        if _is_listed(piece):
            run += [] if piece.page in full else [piece]
            continue
        kept += run if len(run) < _LISTED_AT_LEAST else []
        run = []
        kept.append(piece)
    return kept + (run if len(run) < _LISTED_AT_LEAST else [])


def _is_listed(piece: _Piece) -> bool:
    return len(piece.text) <= 2 * _HEADING_CHARS and bool(_NUMBERED_END.search(piece.text))


def _arranged(all_pieces: Sequence[_Piece]) -> Content:
    statements: list[Statement] = []
    headings: list[tuple[Heading, int]] = []  # each with the number of statements before it
    path: list[tuple[int, str]] = []
    dropped = 0  # the level of the heading whose section is left out, 0 when none is
    paragraph = 0
    for piece in _without_page_lists(all_pieces):
        if piece.kind is Kind.HEADING and _is_something(piece):
            if dropped and piece.level > dropped:
                continue
            path = [above for above in path if above[0] < piece.level]
            path.append((piece.level, piece.text))
            dropped = piece.level if _DROPPED.fullmatch(piece.text) else 0
            paragraph = 0
            if not dropped:
                headings.append((Heading(piece.text, piece.level, piece.page), len(statements)))
        elif not dropped and piece.kind is not Kind.HEADING:
            section = tuple(title for _, title in path)
            statements.append(
                Statement(piece.text, piece.page, section, len(statements), paragraph, piece.kind)
            )
            paragraph += 1
    return Content(tuple(statements), _with_text(headings, len(statements)))


def _with_text(headings: Sequence[tuple[Heading, int]], total: int) -> tuple[Heading, ...]:
    """Return the headings that have text or deeper headings below them."""
    following = [*headings[1:], (Heading("", 0, None), total)]
    return tuple(
        heading
        for (heading, before), (after, until) in zip(headings, following, strict=False)
        if until > before or after.level > heading.level
    )


def _is_something(piece: _Piece) -> bool:
    """Tell whether a heading is one: words, no address, no lone sign of a figure."""
    letters = sum(sign.isalpha() for sign in piece.text)
    return (
        letters >= 2
        and letters * 2 >= len(piece.text.replace(" ", ""))
        and piece.text[-1] not in "-‐"
        and "@" not in piece.text
    )
