"""Wikilinks: found in prose only, resolved as Obsidian does, written so that they resolve."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePosixPath
from posixpath import normpath
from urllib.parse import quote, unquote

from vaultd.core.block_path import same_path
from vaultd.core.properties import split_note
from vaultd.core.quiet import Loud
from vaultd.model.paths import VaultPath
from vaultd.model.wiki import PageRef

_WIKILINK = re.compile(
    r"(?P<embed>!?)\[\[(?P<target>[^\[\]|#\n]*?)(?P<fragment>#[^\[\]|\n]*?)?"
    r"(?P<pipe>\\?\|)?(?(pipe)(?P<text>[^\[\]\n]*))\]\]"
)
_MARKDOWN_LINK = re.compile(
    r"(?P<embed>!?)\[(?P<text>(?:[^\[\]\n]|\[[^\[\]\n]*\])*)\]"
    r"\((?P<angle><?)(?P<target>(?![A-Za-z][\w+.-]*:|//)[^()<>#\n]+?)(?P<fragment>#[^()<>\s]*)?>?"
    r"(?P<title>\s+\"[^\"\n]*\")?\)"
)
_TABLE_RULE = re.compile(
    r"^[ \t>]*+\|?[ \t]*+:?-+:?[ \t]*+(?:\|[ \t]*+:?-+:?[ \t]*+)+\|?[ \t]*+$", re.MULTILINE
)
_UNLINKABLE = re.compile(r"[#^\[\]|`<\\]|%%")  # a wikilink would end, or begin something else
_UNESCAPED = "/;,?:@&=+$!~*'"  # besides letters and digits, as JavaScript's encodeURI has it
_TEXT_BREAKERS = re.compile(r"[\[\]|\n\r]+")
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")

NAMES_KEPT = 16_384  # pages whose names are folded once: every source looks at all of them


@dataclass(frozen=True, slots=True)
class Link:
    """A link as it stands in a text, from `start` to `end`.

    `fragment` begins with "#" or is empty; `text` is what is shown, None where none is given.
    `escaped` says that its pipe stands in a table. `markdown` is the `[text](path)` form.
    """

    start: int
    end: int
    target: str
    fragment: str = ""
    text: str | None = None
    embed: bool = False
    escaped: bool = False
    markdown: bool = False

    @property
    def shown(self) -> str:
        """What a reader sees; a bare slug is read with blanks for its hyphens."""
        if self.text:
            return self.text
        name = self.target.rsplit("/", 1)[-1].removesuffix(".md")
        return name.replace("-", " ") if _SLUG.fullmatch(name) else name or self.fragment[1:]


def find_links(text: str) -> list[Link]:
    """Return the links of a note or body to its vault, in order.

    Those in properties, code, math and comments are text. Links to the web are left out.
    """
    offset = len(split_note(text).head)
    body = text[offset:]
    loud = Loud(body)
    found = [
        Link(
            start=match.start() + offset,
            end=match.end() + offset,
            target=match["target"].strip(),
            fragment=match["fragment"] or "",
            text=match["text"],
            embed=bool(match["embed"]),
            escaped=(match["pipe"] or "").startswith("\\"),
        )
        for match in _WIKILINK.finditer(body)
        if loud.at(match.start())
    ]
    found += [
        Link(
            start=match.start() + offset,
            end=match.end() + offset,
            target=unquote(match["target"].strip()),
            fragment=unquote(match["fragment"] or ""),
            text=match["text"],
            embed=bool(match["embed"]),
            markdown=True,
        )
        for match in _MARKDOWN_LINK.finditer(body)
        if loud.at(match.start())
    ]
    return sorted(found, key=lambda link: link.start)


def rewrite_links(text: str, change: Callable[[Link], str | None]) -> str:
    """Return `text` with each link replaced by what `change` gives; None keeps it as it is."""
    pieces: list[str] = []
    position = 0
    for link in find_links(text):
        replacement = change(link) if link.start >= position else None
        if replacement is not None:
            pieces += text[position : link.start], replacement
            position = link.end
    return "".join((*pieces, text[position:]))


@dataclass(frozen=True, slots=True)
class Resolver:
    """Obsidian's way from a link's target to a file: exact path, own folder, shortest path."""

    exact: Mapping[str, VaultPath]
    by_name: Mapping[str, tuple[VaultPath, ...]]

    @classmethod
    def over(cls, paths: Iterable[VaultPath]) -> Resolver:
        """Build a resolver over every file of the vault."""
        exact: dict[str, VaultPath] = {}
        names: dict[str, list[VaultPath]] = {}
        for path in paths:
            key = same_path(path)
            exact.setdefault(key, path)
            names.setdefault(key.rsplit("/", 1)[-1], []).append(path)
        ranked = {
            name: tuple(sorted(found, key=lambda path: (len(path), path)))
            for name, found in names.items()
        }
        return cls(exact, ranked)

    def resolve(self, target: str, near: VaultPath) -> VaultPath | None:
        """Return the file that `[[target]]` in the note at `near` leads to; None: nowhere.

        Case does not matter, and a final `.md` only where there is a file without it. Aliases
        and titles are no targets.
        """
        key = same_path(target.strip())
        folder = same_path(str(PurePosixPath(near).parent))
        return self._find(key, folder) or self._find(f"{key}.md", folder)

    def _find(self, key: str, folder: str) -> VaultPath | None:
        if key.startswith(("./", "../")):
            return self.exact.get(normpath(f"{folder}/{key}"))
        named = key.lstrip("/")
        there = self.exact.get(named) or self.exact.get(f"{folder}/{named}")
        if there is not None:
            return there
        same_name = self.by_name.get(named.rsplit("/", 1)[-1], ())
        ending = f"/{named}"
        return next((path for path in same_name if f"/{same_path(path)}".endswith(ending)), None)


def link_to(path: VaultPath, text: str = "", *, fragment: str = "", in_table: bool = False) -> str:
    """Return a link that leads to `path` whatever else the vault holds, now or later.

    It names the whole path: a bare name would lead elsewhere once a note of that name appears
    nearer or with a shorter path. `text` is shown instead of the path. A name that no wikilink
    can hold (a source named by a person) gets a Markdown link.
    """
    target = link_target(path)
    shown = " ".join(_TEXT_BREAKERS.sub(" ", text).split())
    if not is_linkable(path):
        name = shown or " ".join(_TEXT_BREAKERS.sub(" ", PurePosixPath(path).name).split())
        return f"[{name}]({markdown_target(path, fragment)})"
    if not shown:
        shown = "" if fragment else PurePosixPath(target).name
    if not shown:
        return f"[[{target}{fragment}]]"
    return f"[[{target}{fragment}{chr(92) if in_table else ''}|{shown}]]"


def link_target(path: VaultPath) -> str:
    """Return what a wikilink to `path` names: a page without its ending, a source with it.

    `x.md.md`, the note of a folder `x.md`, keeps its own: without it, it reads as `x.md`.
    """
    is_note = path.lower().endswith(".md") and not path.startswith("raw/")
    stem = path[: -len(".md")]
    return stem if is_note and not stem.lower().endswith(".md") else path


def is_linkable(path: str) -> bool:
    """Tell whether a wikilink can hold `path`."""
    return _UNLINKABLE.search(path) is None


def markdown_target(path: str, fragment: str = "") -> str:
    """Return `path` and "#fragment" as they stand in a Markdown link."""
    return quote(path, safe=_UNESCAPED) + quote(fragment, safe=f"{_UNESCAPED}#^")


def passage_link(source_path: VaultPath, page: int | None, text: str = "") -> str:
    """Return the link to a passage's source; `page` is the physical PDF page, from 1."""
    fragment = f"#page={page}" if page else ""
    return link_to(source_path, text or (f"p. {page}" if page else ""), fragment=fragment)


def relinked(
    text: str, near: VaultPath, moved: Mapping[VaultPath, VaultPath], resolver: Resolver
) -> str:
    """Return `text` with its links to moved files leading to where these are now.

    `resolver` knows the vault before the move, `near` is the note's path at that time.
    """

    def change(link: Link) -> str | None:
        there = resolver.resolve(link.target, near) if link.target else None
        if there is None or there not in moved:
            return None
        new = moved[there]
        if link.markdown:
            target = markdown_target(new, link.fragment)
            return f"{'!' if link.embed else ''}[{link.text or ''}]({target})"
        if not link.embed and not is_linkable(new):
            return link_to(new, link.shown, fragment=link.fragment)
        text_shown = link.text if link.text is not None else (None if link.embed else link.shown)
        target = link_target(new)
        pipe = ("\\|" if link.escaped else "|") + text_shown if text_shown is not None else ""
        return f"{'!' if link.embed else ''}[[{target}{link.fragment}{pipe}]]"

    return rewrite_links(text, change)


def unlinked(text: str, near: VaultPath, gone: AbstractSet[VaultPath], resolver: Resolver) -> str:
    """Return `text` with its links to files that are gone turned into their text."""

    def change(link: Link) -> str | None:
        there = resolver.resolve(link.target, near) if link.target else None
        return ("" if link.embed else link.shown) if there in gone and there else None

    return rewrite_links(text, change)


@dataclass(frozen=True, slots=True)
class Targets:
    """The pages a model may link to, under every name it may use for them."""

    names: tuple[Mapping[str, tuple[PageRef, ...]], ...]  # by falling trust
    asked: Mapping[str, PageRef] = field(default_factory=dict)

    @classmethod
    def over(
        cls, pages: Sequence[PageRef], asked: Mapping[VaultPath, PageRef] | None = None
    ) -> Targets:
        """Build the targets; `asked` maps the paths a model asked for to what they became."""
        names = tuple(dict[str, tuple[PageRef, ...]]() for _ in range(4))
        for page in pages:
            keyed = _keys_of(page.path, page.title, page.aliases)
            for kind, keys in zip(names, keyed, strict=True):
                for key in keys:
                    _note(kind, key, page)
        known: dict[str, PageRef] = {}
        by_trust = sorted((asked or {}).items(), key=lambda each: _is_about_source(each[1]))
        for path, page in by_trust:
            known.setdefault(_key(path), page)
            known.setdefault(_key(path.removeprefix("wiki/")), page)
            known.setdefault(_key(PurePosixPath(path).stem), page)
        return cls(names, known)

    def find(self, target: str, folder: str) -> PageRef | None:
        """Return the page meant by `target` in a page that stands in `folder`; None: no page.

        Among several the one of the folder named or of the own folder goes first, then pages
        that are not about sources.
        """
        key = _key(target.strip().lstrip("/"))
        if key in self.asked:
            return self.asked[key]
        leaf = key.rsplit("/", 1)[-1]
        for number, names in enumerate(self.names):
            found = names.get(_folded(leaf) if number == len(self.names) - 1 else key)
            if found is None and 0 < number < len(self.names) - 1:
                found = names.get(leaf)
            if found:
                return min(found, key=lambda page: _distance(page, key, folder))
        return None


def _distance(page: PageRef, key: str, folder: str) -> tuple[bool, bool, bool, int, str]:
    parent = str(PurePosixPath(page.path).parent)
    named = key.rsplit("/", 1)[0] if "/" in key else ""
    return (
        bool(named) and not same_path(parent).endswith(named),
        parent != folder,
        _is_about_source(page),
        len(page.path),
        page.path,
    )


def _is_about_source(page: PageRef) -> bool:
    """A bare name means the thing, not the source that is named after it."""
    return page.path.startswith("wiki/sources/")


def in_table(text: str, place: int) -> bool:
    """Tell whether the line at `place` belongs to a table, where a pipe has to be escaped."""
    start = text.rfind("\n\n", 0, place) + 1
    end = text.find("\n\n", place)
    block = text[start : end if end >= 0 else len(text)]
    if "|" not in block:
        return False
    rule = _TABLE_RULE.search(block)
    line_end = text.find("\n", place)
    header_start = block.rfind("\n", 0, max(rule.start() - 1, 0)) if rule else 0
    return rule is not None and (line_end if line_end >= 0 else len(text)) - start > header_start


@lru_cache(NAMES_KEPT)
def _keys_of(path: str, title: str, aliases: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return what a page is found under: by path, by title, by alias, and by any loosely."""
    called = (PurePosixPath(path).stem, title)
    return (
        (_key(path), _key(path.removeprefix("wiki/"))),
        tuple(map(_key, called)),
        tuple(map(_key, aliases)),
        tuple(map(_folded, (*called, *aliases))),
    )


def _note(names: dict[str, tuple[PageRef, ...]], key: str, page: PageRef) -> None:
    found = names.get(key, ())
    if key and page not in found:
        names[key] = (*found, page)


def _key(path: str) -> str:
    return same_path(path.strip()).removesuffix(".md")


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]+", "", _key(name))
