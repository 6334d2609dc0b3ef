"""A folder or a file in short, from its children's own words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby, zip_longest

from vaultd.author.offline.labels import Labels, labels_for, listed, names_in, without_names
from vaultd.author.offline.quote import label_of, quoted
from vaultd.author.seam import FileRequest, FolderRequest, FolderText
from vaultd.core.content import content_of
from vaultd.core.extractive import (
    ABSTRACT_CHARS,
    abstract_from,
    chosen,
    ranked_statements,
    terms_of_sentence,
)
from vaultd.core.fallback import name_key
from vaultd.core.language import language_of, same_family
from vaultd.core.leaning import leans
from vaultd.core.markdown import cut_at_sentence
from vaultd.core.text import sentences
from vaultd.model.document import ExtractedPage
from vaultd.model.summary import ChildSummary

LINE_CHARS = 160  # of a child's abstract in the overview: a line or two
NAMED = 4  # children named in the abstract
NAMES_CHARS = 110  # of the sentence that names them: the other half says what they say
NAME_CHARS = 60  # of one of them
SOURCES = "sources"  # the folder of the pages that stand for documents
LEAST_SAID = 60  # characters of room that a sentence needs
FILE_SENTENCES = 6  # of one window of a file


def folder_text(request: FolderRequest) -> FolderText:
    """Return a folder's abstract and overview; the same children in any order give the same."""
    labels = labels_for(request.language)
    if request.partials:
        return _united(request, labels)
    children = sorted(request.children, key=lambda one: (one.category, name_key(one.shown)))
    total = request.total or len(children)
    sections = []
    for category, group in groupby(children, key=lambda one: one.category):
        lines = [_line(child, labels) for child in group]
        sections.append("\n".join([f"## {quoted(category)} ({len(lines)})", "", *lines]))
    return FolderText(_abstract(children, total, request.language), "\n\n".join(sections) + "\n")


def _abstract(children: Sequence[ChildSummary], total: int, language: str) -> str:
    """Return two sentences: what lies here, and what the most typical child says."""
    labels = labels_for(language)
    central = _spread(children, language)
    below = _names_below(central)
    names = _told_apart(below or [child.shown for child in central])
    first = _naming(names, total, labels, are_all=bool(below))
    while len(first) > NAMES_CHARS and len(names) > 1:
        names.pop()
        first = _naming(names, total, labels, are_all=bool(below))
    if len(first) > ABSTRACT_CHARS:
        return cut_at_sentence(first, ABSTRACT_CHARS)
    room = ABSTRACT_CHARS - len(first) - 1
    second = _typical(central, room) if room >= LEAST_SAID else ""
    gap = "" if first.endswith("。") else " "
    return f"{first}{gap}{quoted(second)}".strip()[:ABSTRACT_CHARS]


def _naming(names: Sequence[str], total: int, labels: Labels, *, are_all: bool) -> str:
    pattern = labels.few if are_all or len(names) >= total else labels.inside
    return pattern.format(count=total, names=listed(map(quoted, names), labels))


def _told_apart(names: Sequence[str]) -> list[str]:
    """Return the first names that tell different things; several without number and subtitle."""
    if len(names) > 1:
        names = [_SUBTITLE.split(_CHAPTER.sub("", name, count=1))[0] for name in names]
    told: dict[str, AbstractSet[str]] = {}
    for name in names:
        words = terms_of_sentence(name)
        if not any(words and (words <= other or other <= words) for other in told.values()):
            told[label_of(name, NAME_CHARS)] = words
    return list(told)[:NAMED]


def _typical(central: Sequence[ChildSummary], room: int) -> str:
    """Return what a child says that can be read by itself, within `room` characters.

    That of the first child that says what it is itself goes first, then that of the first whose
    sentence need not be cut.
    """
    said = [
        (child, cut_at_sentence(words, room))
        for child in central
        if (words := " ".join(_own_words(child).split())) and not leans(words)
    ]
    whole = [(child, words) for child, words in said if _SENTENCE.search(words)]
    telling = (
        words for child, words in whole if _begins_with(words, child.shown) or child.is_directory
    )
    rest = whole or said
    return next(telling, rest[0][1] if rest else "")


def _begins_with(words: str, name: str) -> bool:
    return words.casefold().removeprefix("the ").startswith(name.casefold())


_SUBTITLE = re.compile(r"(?<=\w{4}): |(?<=\w) [-–—|] |(?<=[\u3040-\u9fff]{2})[：:] ?")
_CHAPTER = re.compile(
    r"(?:(?:chapter|part|section|kapitel|teil|chapitre|capítulo) )?(?:\d{1,3}|[IVXLC]+)[.:] (?=\w)"
    r"|第 ?\S{1,4} ?[章节節篇部] ?(?=\w)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?。！？][\"”’」』)）]*$")
_FILE_NAME = re.compile(r"[\w.]+(?:[-_][\w.]+)+|\w*\d\w*")


def _names_below(children: Sequence[ChildSummary]) -> list[str]:
    """Return what lies in folders, in turn from each; empty where there is anything else.

    What a wiki is about goes before what it was made from.
    """
    if not all(child.is_directory for child in children):
        return []
    about = [child for child in children if child.name != SOURCES] or children
    names = [names_in(child.abstract) or [child.shown] for child in about]
    return list(dict.fromkeys(name for turn in zip_longest(*names) for name in turn if name))


def _own_words(child: ChildSummary) -> str:
    """Return what a child says; of a folder not the sentence that lists what is in it."""
    if not child.has_abstract:
        return ""
    if not child.is_directory:
        return child.abstract
    if names_in(child.abstract):
        return without_names(child.abstract)
    said = sentences(child.abstract)
    return child.abstract[said[1].start :] if len(said) > 1 else ""


def _spread(children: Sequence[ChildSummary], language: str) -> list[ChildSummary]:
    """Return the children whose words the others share most, first; the first few are unlike.

    As with sentences: what is said already counts against a child (maximal marginal relevance).
    Those in the folder's language come before the others, those with a title before file names.
    """
    spoken = {child.uri: _spoken(child) for child in children}
    words = {uri: terms_of_sentence(text) for uri, text in spoken.items()}
    is_own = {uri: same_family(language_of(text), language) for uri, text in spoken.items()}
    counts = Counter(word for own in words.values() for word in own)

    def worth(
        child: ChildSummary, told: AbstractSet[str] = frozenset()
    ) -> tuple[bool, bool, float]:
        own = words[child.uri]
        has_title = not _FILE_NAME.fullmatch(child.shown)
        return (
            is_own[child.uri],
            has_title,
            _shared(own, counts) * len(own - told) / max(1, len(own)),
        )

    rest = sorted(children, key=lambda one: name_key(one.shown))
    rest.sort(key=worth, reverse=True)
    told = set[str]()
    first = list[ChildSummary]()
    while rest and len(first) < NAMED:
        first.append(max(rest, key=lambda child: worth(child, told)))
        rest.remove(first[-1])
        told |= words[first[-1].uri]
    return first + rest


def _spoken(child: ChildSummary) -> str:
    """Return what tells what a child is about, without our own words around a list of names."""
    listed_names = ". ".join(names_in(child.abstract)) if child.is_directory else ""
    return f"{child.shown}. {listed_names}. {_own_words(child)}"


def _shared(own: AbstractSet[str], counts: Mapping[str, int]) -> float:
    return sum(counts[word] - 1 for word in own) / (len(own) + 4)


def _line(child: ChildSummary, labels: Labels) -> str:
    shown = cut_at_sentence(" ".join(child.abstract.split()), LINE_CHARS) if child.abstract else ""
    return f"- **{quoted(child.shown)}**" + (f"{labels.colon}{quoted(shown)}" if shown else "")


def _united(request: FolderRequest, labels: Labels) -> FolderText:
    """Unite the overviews of buckets: one section a category, the lines in their order."""
    sections: dict[str, list[str]] = {}
    category = ""
    for _, overview in request.partials:
        for line in overview.splitlines():
            if line.startswith("## "):
                category = line[3:].rpartition(" (")[0] or line[3:]
            elif line.strip():
                sections.setdefault(category, []).append(line)
    overview = "\n\n".join(
        "\n".join([f"## {name} ({len(lines)})", "", *lines] if name else lines)
        for name, lines in sorted(sections.items())
    )
    lines = [line for section in sections.values() for line in section]
    names = [line.split("**")[1] for line in lines if line.count("**") >= 2]
    step = max(1, len(names) // NAMED)
    chosen_names = listed(names[::step][:NAMED], labels) or request.name
    first = labels.inside.format(count=request.total or len(lines), names=chosen_names)
    return FolderText(cut_at_sentence(first, ABSTRACT_CHARS), overview + "\n")


def file_summary(request: FileRequest) -> str:
    """Return the sentences that tell most of a window of passages, or of partial summaries."""
    texts = request.partials or request.passages
    pages = tuple(ExtractedPage(None, text) for text in texts)
    content = content_of(pages)
    ranked = ranked_statements(content, request.path.rpartition("/")[2])
    lead = abstract_from(ranked)
    rest = chosen(
        [one for one in ranked if one is not lead], FILE_SENTENCES - 1, [lead] if lead else []
    )
    sentences = [one.statement.text for one in ([lead] if lead else []) + rest]
    if not sentences:
        sentences = [cut_at_sentence(" ".join(" ".join(texts).split()), 2 * ABSTRACT_CHARS)]
    east = sum("\u3040" <= sign <= "\u9fff" for sign in sentences[0]) * 2 > len(sentences[0])
    return ("" if east else " ").join(quoted(sentence) for sentence in sentences)
