"""What the offline author knows of one source: read once, used for every page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from vaultd.core.content import Content, Heading, Statement, content_of
from vaultd.core.extractive import (
    ABSTRACT_CHARS,
    Ranked,
    abstract_from,
    chosen,
    is_story,
    ranked_statements,
)
from vaultd.core.keyphrase import Term, terms_of
from vaultd.core.language import language_of
from vaultd.core.markdown import cut_at_sentence
from vaultd.core.quotable import LABELLED, width_of
from vaultd.model.wiki import SourceText

TERMS = 30  # terms looked at; twelve are shown, a few get pages
KEY_SENTENCES = (4, 10)  # from a short note to a book
STATEMENTS_PER_SENTENCE = 60  # one more key sentence for every so many
FEWEST = 3  # headings: fewer are no outline
MIN_LINE = 20  # width of a line that says anything


@dataclass(frozen=True, slots=True)
class Study:
    """A source with its content, its quotable sentences by worth, and its terms by weight.

    `lead` is the sentence the abstract quotes (None when the document has none); `abstract` is
    never empty unless the source is.
    """

    source: SourceText
    content: Content
    ranked: tuple[Ranked, ...]
    terms: tuple[Term, ...]
    lead: Ranked | None
    abstract: str

    @property
    def most_named(self) -> int:
        """How often the commonest term is named."""
        return max((term.count for term in self.terms), default=0)

    @property
    def key_sentences(self) -> list[Statement]:
        """The sentences that tell most, in the document's order, without the abstract's."""
        least, most = KEY_SENTENCES
        count = min(most, least + len(self.content.statements) // STATEMENTS_PER_SENTENCE)
        seen = [self.lead] if self.lead else []
        rest = [one for one in self.ranked if one is not self.lead]
        return [one.statement for one in chosen(rest, count, seen)]


def study_of(source: SourceText, focus: str = "") -> Study:
    """Read `source`. `focus` is what a person asked about: it draws the choice towards it."""
    content = content_of(source.pages)
    language = language_of(source.text) or source.language
    ranked = ranked_statements(content, source.title, focus, language)
    lead = abstract_from(ranked, source.title, story=is_story(content))
    abstract = lead.statement.text if lead else _makeshift(source, content)
    terms = terms_of(content, language, TERMS, source.title)
    return Study(source, content, tuple(ranked), tuple(terms), lead, abstract)


def _makeshift(source: SourceText, content: Content) -> str:
    """Return an abstract for a document without sentences: a list, a table, a form."""
    for statement in content.statements[:40]:
        letters = sum(map(str.isalpha, statement.text))
        if LABELLED.match(statement.text):
            continue
        if width_of(statement.text) >= MIN_LINE and letters > 8:
            return cut_at_sentence(statement.text, ABSTRACT_CHARS)
    parts = [heading.title for heading in content.headings] or _cells(source)
    listed = ", ".join(part for part in dict.fromkeys(parts) if part != source.title)
    return cut_at_sentence(f"{source.title}: {listed}" if listed else source.title, ABSTRACT_CHARS)


def _cells(source: SourceText) -> list[str]:
    """Return the cells of the first table row, else the first words."""
    lines = [line.strip() for line in source.text.splitlines() if line.strip()]
    row = next((line for line in lines if line.startswith("|")), "")
    cells = [cell.strip() for cell in row.strip("|").split("|") if cell.strip(" -:")]
    return cells or [" ".join(" ".join(lines[:6]).split())]


_BARE_NUMBER = re.compile(
    r"(?:(?:chapter|part|book|section|volume|kapitel|teil|buch|chapitre|capítulo)\s+)?"
    r"(?:\d{1,3}|[IVXLC]{1,7})[.:]?|第.{1,5}[章节節回卷部編篇]",
    re.IGNORECASE,
)
_DAY = re.compile(r"\d{4}(?:[-/.]\d{1,2}){0,2}")
_ADDRESS = re.compile(
    r"https?:|www\.|\S@\S|©|[=\\]|(?:^|\s)/\w+/|project gutenberg ebook", re.IGNORECASE
)
_AXIS = re.compile(r"\d[\d.,%]*(?:\s+\d[\d.,%]*){2,}")  # the numbers along a chart
_NUMBERED = re.compile(
    r"(?:(?:chapter|part|section|appendix|kapitel|teil|anhang)\s+)?(?:\d{1,2}|[IVX]{1,5}"
    r"|[A-Z])[.\d]*\s"
    r"|第.{1,4}[章节節篇部編]|[一二三四五六七八九十]+、|(?:Step|步骤)\s*\d",
    re.IGNORECASE,
)
_USUAL = re.compile(
    r"abstract|summary|executive|preface|foreword|introduction|conclusion|appendix|glossary"
    r"|epilogue|"
    r"摘要|序言|前言|附录|附錄|结论|結論|总结|概要|まとめ|はじめに|요약|vorwort|zusammenfassung"
    r"|résumé|resumen",
    re.IGNORECASE,
)


def _tells(title: str) -> bool:
    """Tell whether a heading says what stands below it, and is one at all."""
    if _DAY.fullmatch(title):
        return True
    if _BARE_NUMBER.fullmatch(title) or _ADDRESS.search(title) or _AXIS.match(title):
        return False
    visible = [sign for sign in title if not sign.isspace()]
    return 3 * sum(map(str.isalpha, visible)) >= len(visible)


def outline(content: Content, title: str, most: int) -> Sequence[Heading]:
    """Return at most about `most` headings: the deepest levels go first, repeats never come."""
    first = {heading.title.casefold(): heading for heading in reversed(content.headings)}
    kept = [
        heading
        for heading in content.headings
        if first[heading.title.casefold()] is heading
        and heading.title.casefold() != title.casefold()
        and _tells(heading.title)
    ]
    kept = _without_figures(kept)
    for deepest in range(6, 1, -1):
        fewer = [heading for heading in kept if heading.level < deepest]
        if len(kept) <= most or len(fewer) < FEWEST:
            break
        kept = fewer
    return kept[:most]


def _without_figures(headings: list[Heading]) -> list[Heading]:
    """Leave out the words of figures, where most headings are numbered and those are not."""
    numbered = [heading for heading in headings if _NUMBERED.match(heading.title)]
    if len(numbered) < 5 or len(numbered) < len(headings) // 2:
        return headings
    levels = Counter(heading.level for heading in numbered)
    top = min((level for level, count in levels.items() if count >= FEWEST), default=1)
    return [
        one for one in headings if one in numbered or one.level < top or _USUAL.match(one.title)
    ]
