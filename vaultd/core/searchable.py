"""What of a file is searched: which files, which text, under which names."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vaultd.core.language import language_of
from vaultd.core.passage import (
    SPLITTER_VERSION,
    Passage,
    passages_of,
    passages_of_pages,
    weight_of,
    windows_of,
)
from vaultd.core.plain import plain
from vaultd.core.properties import properties_or_none, texts
from vaultd.core.properties import split_note as parts_of
from vaultd.core.tags import INLINE_TAG
from vaultd.core.title import document_title
from vaultd.core.yaml_tree import Value
from vaultd.model.document import Extraction
from vaultd.model.paths import VaultPath
from vaultd.model.search import IndexedFile, IndexedPassage
from vaultd.model.wiki import OFFLINE

Split = tuple[IndexedFile, list[IndexedPassage]]

HEADING_CHARACTERS = 80  # of the title and of the heading stand before a window's text

_UNSEARCHED = re.compile(r"wiki/(?:(?:index|overview|log)\.md|reviews/.*)\Z")
_REGION = re.compile(
    r"^%% vaultd:begin (?P<id>\S+)[^\n]*%%[ \t]*\r?$.*?^%% vaultd:end (?P=id) %%[ \t]*\r?$",
    re.MULTILINE | re.DOTALL,
)
_DESCRIBING = frozenset({"index", "overview", "folder", "summary"})
"""Regions that only repeat what stands elsewhere: folders are found by their summaries."""

_SECTION = re.compile(r"^#{2,6} [^\n]*(?:\n(?!#{1,6} )[^\n]*)*", re.MULTILINE)  # with its heading
_CALLOUT = re.compile(r"^> \[!info\][^\n]*", re.MULTILINE)
REPEATING = frozenset(
    {
        "Outline", "Key terms", "大纲", "关键词", "目次", "キーワード", "개요", "핵심어",
        "Gliederung", "Schlüsselbegriffe", "Plan", "Termes clés", "Esquema", "Términos clave",
    }
)  # fmt: skip
"""Headings of the offline author's sections that hold no sentence."""

_LINK = re.compile(r"!?\[\[[^\[\]\n]*\]\]")
_PICTURE = re.compile(r"!\[(?P<says>[^\[\]\n]*)\]\([^()\n]*\)|^%%[^\n]*%%", re.MULTILINE)
_LETTER = re.compile(r"\w")
_DESCRIBED = 15.0  # Latin characters: "Cover" and "Figure 12." say nothing of a picture
_NOT_LINE_END = re.compile(r"[^\r\n]")
_CODE = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1|\Z)|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATED = ("updated", "modified", "date", "created")  # the first that holds a day counts


@dataclass(frozen=True, slots=True)
class NoteWords:
    """What a note says of itself; "" and () where it says nothing."""

    title: str
    type: str
    changed: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]


def stem_of(path: VaultPath) -> str:
    """Return the name a file has in Obsidian: without folders, and without ".md"."""
    return path.rpartition("/")[2].removesuffix(".md")


def is_searched(path: VaultPath) -> bool:
    """Tell whether a file can have passages: index, overview, log and reviews have none."""
    return _UNSEARCHED.match(path) is None


def own_text(text: str) -> str:
    """Return a note with what only leads elsewhere blanked: offsets stay, spaces take its place.

    That is its properties, the regions that describe a folder, and in a page that was written
    for the person the sections of nothing but links, and the offline author's outlines and
    lists of terms: they repeat the source's headings without saying anything.
    """
    head = parts_of(text).head
    body = _REGION.sub(_blank_description, text[len(head) :])
    author = _first(properties_or_none(head) or {}, "author") if "author:" in head else ""
    if author:
        offline = author == OFFLINE
        body = _CALLOUT.sub(_blank, body) if offline else body
        while (
            left := _SECTION.sub(lambda found: _blank_signposts(found, offline=offline), body)
        ) != body:  # what stands above nothing but signposts is one
            body = left
    return _NOT_LINE_END.sub(" ", head) + body


def _blank(found: re.Match[str]) -> str:
    return _NOT_LINE_END.sub(" ", found[0])


def _blank_description(found: re.Match[str]) -> str:
    return _blank(found) if found["id"] in _DESCRIBING else found[0]


def _blank_signposts(found: re.Match[str], *, offline: bool) -> str:
    """Blank a section that says nothing of its own, its heading included."""
    heading, *lines = found[0].splitlines()
    repeats = offline and heading.lstrip("# ").rstrip() in REPEATING
    says = _LETTER.search(_LINK.sub("", _described("\n".join(lines)))) is not None
    return _blank(found) if repeats or (lines and not says) else found[0]


def _described(text: str) -> str:
    """Return `text` without its pictures, but for what describes them."""
    return _PICTURE.sub(
        lambda shown: says if weight_of(says := shown["says"] or "") >= _DESCRIBED else "", text
    )


def _says(passage: Passage, spoken: str) -> bool:
    """Tell whether there is anything to find, and not a picture alone."""
    text = plain(_described(passage.text)) if "![" in passage.text else spoken
    return _LETTER.search(text) is not None


def note_words(text: str) -> NoteWords:
    """Read title, type, day, aliases and tags; unreadable properties count as none."""
    properties = properties_or_none(text) or {}
    inline = _inline_tags(parts_of(text).body) if "#" in text else []
    tags = [*_listed(properties, "tags"), *_listed(properties, "tag"), *inline]
    aliases = [*_listed(properties, "aliases"), *_listed(properties, "alias")]
    return NoteWords(
        title=_first(properties, "title"),
        type=_first(properties, "type"),
        changed=_day(properties),
        aliases=tuple(dict.fromkeys(aliases)),
        tags=tuple(dict.fromkeys(tag.lstrip("#") for tag in tags)),
    )


def _inline_tags(body: str) -> list[str]:
    found = INLINE_TAG.findall(_LINK.sub("x", _CODE.sub(" ", body)))
    return [tag for each in found if (tag := each.strip("/"))]


def is_utf8(content: bytes) -> bool:
    """Tell whether `content` is what Obsidian writes; other encodings go to the converter."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def split_note(path: VaultPath, content: bytes, day: str) -> Split:
    """Split a Markdown file in UTF-8; `day` is the file's, for a note that names none."""
    text = content.decode()
    words = note_words(text)
    file = IndexedFile(
        path=path,
        content_hash=hashlib.sha256(content).hexdigest(),
        made_by=SPLITTER_VERSION,
        title=words.title or stem_of(path),
        type=words.type or ("source" if path.startswith("raw/") else "note"),
        changed=words.changed or day,
        aliases=words.aliases,
        tags=words.tags,
    )
    return file, _indexed(passages_of(own_text(text)))


def split_document(
    path: VaultPath, sha256: str, extraction: Extraction, made: tuple[str, str]
) -> Split:
    """Split a converted document, keeping its page numbers; its file's name is an alias.

    `made` is the converter's version and the file's day.
    """
    converter, day = made
    name = stem_of(path).rpartition(".")[0] or stem_of(path)
    title = document_title(extraction, stem_of(path))
    file = IndexedFile(
        path=path,
        content_hash=sha256,
        made_by=f"{SPLITTER_VERSION}/{converter}",
        title=title,
        type="source",
        changed=day,
        aliases=() if title == name else (name,),
    )
    pages = [(page.number, page.text) for page in extraction.pages]
    return file, _indexed(passages_of_pages(pages))


def _indexed(found: Sequence[Passage]) -> list[IndexedPassage]:
    spoken = [plain(passage.text) for passage in found]
    whole = language_of("\n".join(spoken))
    return [
        IndexedPassage(
            text=passage.text,
            heading=" > ".join(passage.headings),
            line=passage.line,
            start=passage.start,
            end=passage.end,
            page=passage.page,
            language=language_of(words) or whole,
            windows=tuple(windows_of(words)),
        )
        for passage, words in zip(found, spoken, strict=True)
        if _says(passage, words)
    ]


def hash_of(heading: str, window: str) -> bytes:
    """Return what tells two windows apart: their heading and text, not their note's title."""
    return hashlib.sha256(f"{heading}\n{window}".encode()).digest()[:16]


def context(title: str, heading: str, window: str) -> str:
    """Return the text to embed: the window behind its note's title and nearest heading."""
    last = heading.rpartition(" > ")[2]
    above = [title[:HEADING_CHARACTERS]]
    if last and last != title:
        above.append(last[:HEADING_CHARACTERS])
    return ". ".join([*above, window])


def _listed(properties: Mapping[str, Value], key: str) -> tuple[str, ...]:
    return texts(properties.get(key), {"tag": "tags", "alias": "aliases"}.get(key, key))


def _first(properties: Mapping[str, Value], key: str) -> str:
    return next(iter(texts(properties.get(key), key)), "").strip()


def _day(properties: Mapping[str, Value]) -> str:
    found = (_DAY.match(_first(properties, key)) for key in _DATED)
    return next((match[0] for match in found if match), "")
