"""The pages of one source: its own, and one for each term that matters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vaultd.author.offline.labels import Labels, labels_for
from vaultd.author.offline.lead import quotes_of
from vaultd.author.offline.quote import label_of, link_to, place_of, quoted
from vaultd.author.offline.study import Study, outline
from vaultd.core.content import Statement
from vaultd.core.extractive import ABSTRACT_CHARS, Ranked
from vaultd.core.keyphrase import Term, TermKind
from vaultd.core.markdown import cut_at_sentence
from vaultd.core.names import file_stem
from vaultd.core.phrase import key_of
from vaultd.core.text import fold
from vaultd.model.paths import VaultPath
from vaultd.model.wiki import PageDraft, PageRef, WikiContext

TERM_PAGES = (3, 6)  # of a short note and of a book; more would be a word list
STATEMENTS_PER_PAGE = 60
SHOWN_TERMS = 12
OUTLINE_LINES = 40
RELATED = 6
MENTIONS = 4  # of a page in a long text, from which on that has to do with it
MENTION_EVERY = 5_000  # characters of text for each mention that takes
TAGS = 5
RARE = 18  # times rarer than the commonest term: named in passing
MIN_SHARE = 0.4  # of the best term's score: below it, a term is one among many

_FOLDERS = {TermKind.ENTITY: "wiki/entities", TermKind.CONCEPT: "wiki/concepts"}


@dataclass(frozen=True, slots=True)
class TermPage:
    """A term that gets a page: where, under which title, and what the source says of it."""

    term: Term
    path: VaultPath
    title: str
    type: str
    lead: Ranked
    others: tuple[Ranked, ...]


def term_pages(study: Study, wiki: WikiContext) -> list[TermPage]:
    """Choose the terms that get a page, and what to quote of each.

    A page that the wiki has already comes first: another source on it is worth more than
    another page.
    """
    least, most = TERM_PAGES
    wanted = min(most, least + len(study.content.statements) // STATEMENTS_PER_PAGE)
    wanted = max(0, min(wanted, wiki.pages_limit - 1))
    known = _known_titles(wiki.pages)
    best = max((term.score for term in study.terms), default=0.0)
    ordered = sorted(study.terms, key=lambda term: not _known(term, known))
    pages: list[TermPage] = []
    for term in ordered:
        page = _known(term, known)
        if len(pages) == wanted or not (page or _is_central(term, best, study)):
            continue
        told = {one.lead.statement.text for one in pages}
        quotes = quotes_of(term, study, told, is_new=page is None)
        if quotes and not _same_subject(term, study.source.title, pages):
            pages.append(_term_page(term, page, quotes))
    return pages


def _same_subject(term: Term, title: str, pages: Iterable[TermPage]) -> bool:
    return any(fold(term.title) == fold(page.title) for page in pages) or (
        key_of(term.title) == key_of(title) and term.kind is TermKind.CONCEPT and not term.defined
    )


def _is_central(term: Term, best: float, study: Study) -> bool:
    if term.score < MIN_SHARE * best or term.count < 3:
        return False
    if not (term.defined or term.in_heading) and term.count * RARE < study.most_named:
        return False
    if len(term.key) == 2 and "\u3040" <= term.key[0] <= "\u9fff":  # two characters: often a verb
        return term.defined and (term.in_heading or term.count >= 8)
    long = len(study.content.statements) > 40
    return term.spread >= 2 or term.defined or term.in_heading or not long


def _term_page(term: Term, known: PageRef | None, quotes: Sequence[Ranked]) -> TermPage:
    title = known.title if known else term.title
    path = known.path if known else VaultPath(f"{_FOLDERS[term.kind]}/{file_stem(title)}.md")
    return TermPage(
        term, path, title, known.type if known else term.kind.value, quotes[0], tuple(quotes[1:])
    )


def _known_titles(pages: Sequence[PageRef]) -> dict[str, PageRef]:
    """Return the pages a source may add to, by the key of their titles and aliases."""
    titles: dict[str, PageRef] = {}
    for page in pages:
        if page.type not in ("source", "query", "overview", "index", "log"):
            for name in (page.title, *page.aliases):
                titles.setdefault(key_of(name), page)
    return titles


def _known(term: Term, known: dict[str, PageRef]) -> PageRef | None:
    names = (term.key, *(key_of(alias) for alias in term.aliases))
    return next((known[name] for name in names if name in known), None)


# --- drafts --------------------------------------------------------------------------------------


def source_draft(study: Study, wiki: WikiContext, pages: Sequence[TermPage]) -> PageDraft:
    """Draft the page of the source itself."""
    labels = labels_for(wiki.language or study.source.language)
    related = related_pages(study, wiki, pages)
    blocks = [
        quoted(study.abstract),
        _note(study, study.lead.statement if study.lead else None, labels),
        _section(labels.sentences, [_bullet(study, one, labels) for one in study.key_sentences]),
        _section(labels.outline, _outline_lines(study, labels)),
        _section(labels.terms, _term_line(study, pages)),
        _section(labels.related, [_related_line(page, labels) for page in related]),
    ]
    return PageDraft(
        path=wiki.summary_path,
        type="source",
        title=study.source.title,
        body="\n\n".join(block for block in blocks if block) + "\n",
        tags=tags_of(study.terms),
        related=(*(page.path for page in pages), *(page.path for page in related)),
        sources=(study.source.id,),
    )


def term_draft(
    page: TermPage, study: Study, wiki: WikiContext, all_pages: Sequence[TermPage]
) -> PageDraft:
    """Draft the page of a term: what the source says of it, word for word."""
    labels = labels_for(wiki.language or study.source.language)
    near = _near(page, all_pages)
    source_link = link_to(wiki.summary_path, study.source.title)
    links = [f"- {link_to(other.path, other.title)}" for other in near]
    says = labels.says.format(title=label_of(study.source.title, 120))
    blocks = [
        quoted(cut_at_sentence(page.lead.statement.text, ABSTRACT_CHARS)),
        _note(study, page.lead.statement, labels),
        _section(says, [_bullet(study, one.statement, labels) for one in page.others]),
        _section(labels.related, [f"- {source_link}", *links]),
    ]
    return PageDraft(
        path=page.path,
        type=page.type,
        title=page.title,
        body="\n\n".join(block for block in blocks if block) + "\n",
        tags=tags_of([one for one in study.terms if one is not page.term])[:3],
        aliases=page.term.aliases,
        related=(wiki.summary_path, *(other.path for other in near)),
        sources=(study.source.id,),
    )


def _note(study: Study, lead: Statement | None, labels: Labels) -> str:
    place = f" {place_of(study.source, lead, labels)}" if lead else ""
    return f"> [!info] {labels.note}{place}"


def _section(title: str, lines: Sequence[str]) -> str:
    return f"## {title}\n\n" + "\n".join(lines) if lines else ""


def _bullet(study: Study, one: Statement, labels: Labels) -> str:
    return f"- {quoted(one.text)} {place_of(study.source, one, labels)}"


def _outline_lines(study: Study, labels: Labels) -> list[str]:
    headings = outline(study.content, study.source.title, OUTLINE_LINES)
    if len(headings) < 2:
        return []
    top = min(heading.level for heading in headings)
    lines, depth = list[str](), 0
    for heading in headings:
        depth = min(heading.level - top, depth + 1) if lines else 0
        where = f" {place_of(study.source, heading, labels)}" if heading.page is not None else ""
        lines.append(f"{'  ' * depth}- {quoted(heading.title)}{where}")
    return lines


def _term_line(study: Study, pages: Sequence[TermPage]) -> list[str]:
    linked = {page.term.key: link_to(page.path, page.title) for page in pages}
    names = [linked.get(term.key) or quoted(term.title) for term in study.terms[:SHOWN_TERMS]]
    missing = [link for key, link in linked.items() if link not in names]
    return [" · ".join((*missing, *names))] if names else []


def _related_line(page: PageRef, labels: Labels) -> str:
    shown = cut_at_sentence(page.abstract, 120) if page.abstract else ""
    return f"- {link_to(page.path, page.title)}" + (
        f"{labels.colon}{quoted(shown)}" if shown else ""
    )


def related_pages(study: Study, wiki: WikiContext, pages: Sequence[TermPage]) -> list[PageRef]:
    """Return the wiki's pages that the source deals with, then those that share two of its terms.

    Pages come ordered by nearness; nearness alone says nothing in a small wiki. A note names a
    page once, a book several times: what it names once is what it does not treat.
    """
    own = {wiki.summary_path, *(page.path for page in pages)}
    text = fold(study.source.text[:200_000])
    enough = min(MENTIONS, 1 + len(text) // MENTION_EVERY)
    titled = fold(" ".join([study.source.title, *(one.title for one in study.content.headings)]))
    keys = [fold(term.title) for term in study.terms]
    named: list[PageRef] = []
    near: list[PageRef] = []
    for page in wiki.pages:
        if page.path in own:
            continue
        names = [fold(name) for name in (page.title, *page.aliases)]
        names = [name for name in names if len(name) > 3]
        about = fold(f"{page.title} {page.abstract}")
        if any(_times(text, name) >= enough or _times(titled, name) for name in names):
            named.append(page)
        elif sum(bool(_times(about, key)) for key in keys) >= 2:
            near.append(page)
    return [*named, *near][:RELATED]


def _times(text: str, name: str) -> int:
    """Return how often a name stands in a text, as a word of its own where words have blanks."""
    count = text.count(name)
    if not count or not name[0].isascii():
        return count
    return len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", text))


def _near(page: TermPage, all_pages: Sequence[TermPage]) -> list[TermPage]:
    """Return the other terms that stand in one sentence with this one, most often first."""
    own = set(page.term.statements)
    shared = [
        (len(own & set(other.term.statements)), other) for other in all_pages if other is not page
    ]
    return [other for count, other in sorted(shared, key=lambda pair: -pair[0]) if count][:4]


def tags_of(terms: Iterable[Term]) -> tuple[str, ...]:
    """Return the first terms as tags: lower case, hyphens for blanks."""
    tags = (re.sub(r"[\s/]+", "-", term.title.lower()) for term in terms)
    return tuple(tag for tag in tags if re.fullmatch(r"[\w-]*[^\W\d][\w-]*", tag))[:TAGS]
