"""Fits a generated body into the wiki: links that lead somewhere, claims that name this source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from vaultd.core.block_path import same_path
from vaultd.core.link import (
    Link,
    Targets,
    find_links,
    in_table,
    is_linkable,
    link_to,
    rewrite_links,
)
from vaultd.core.sanitise import sanitise
from vaultd.core.text import fold
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import PageRef, SourceText

UNVERIFIED = "⚠ unverified"  # stands where a claim's passage could not be confirmed
_PAGE = re.compile(r"#page=(\d{1,6})\b")
_DOCUMENT = re.compile(  # and not "Node.js" or "v1.22", which are names of pages
    r"\.(?:pdf|docx?|docm|odt|rtf|pptx?|pptm|pp?sx?|odp|xls[xmb]?|ods|[ct]sv|epub|html?|xhtml|mht(?:ml)?"
    r"|eml|txt|text|org|rst|mdx|markdown|png|jpe?g|gif|webp|bmp|tiff?|jp2)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Woven:
    """A body fit for its page. `unproven` holds the claims that could not be confirmed."""

    body: str
    unproven: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Loom:
    """What a body may point to: pages, pictures, and passages of its source.

    `proven` are claims of other sources that stand on the page already, as `claims_of` gives
    them; `standing` are its links to other files than pages, as `links_on` gives them. `media`
    maps the file name of a picture to its path.
    """

    source: SourceId
    source_path: VaultPath
    source_pages: frozenset[int]
    targets: Targets
    media: Mapping[str, VaultPath] = field(default_factory=dict)
    proven: AbstractSet[str] = frozenset()
    standing: Mapping[str, VaultPath] = field(default_factory=dict)

    @classmethod
    def over(
        cls, source: SourceText, targets: Targets, media: Mapping[str, VaultPath] | None = None
    ) -> Loom:
        """Build it for the pages of one source."""
        numbers = frozenset(page.number for page in source.pages if page.number is not None)
        return cls(source.id, source.path, numbers, targets, media or {})

    def weave(self, body: str, path: VaultPath) -> Woven:
        """Return the body of the page at `path`: safe, every link resolved or made text."""
        safe = sanitise(self._readable(body))
        thread = _Thread(self, safe.body, path)
        woven = rewrite_links(safe.body, thread.link)
        return Woven(woven, tuple(thread.unproven), tuple(thread.unknown), safe.warnings)

    def _readable(self, body: str) -> str:
        """Return `body` with its wikilinks to a source that none can hold as Markdown links."""
        if is_linkable(self.source_path):
            return body
        wikilink = rf"\[\[{re.escape(self.source_path)}(#[^\[\]|\n]*)?(?:\\?\|([^\[\]\n]*))?\]\]"
        return re.sub(
            wikilink,
            lambda found: link_to(self.source_path, found[2] or "", fragment=found[1] or ""),
            body,
        )


@dataclass(slots=True)
class _Thread:
    """One body on its way through the loom."""

    loom: Loom
    body: str
    path: VaultPath
    unproven: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def link(self, link: Link) -> str | None:
        """Return what takes the place of `link`."""
        if not link.target:
            return None
        if link.embed:
            return self._picture(link)
        if _is_claim(link.target) and not self._names_page(link):
            return self._claim(link)
        return self._page(link)

    def _names_page(self, link: Link) -> bool:
        """Tell whether what ends like a document is the name of a page: of "talk.pptx.pdf"."""
        target = link.target.casefold()
        if target.startswith("raw/") or _PAGE.match(link.fragment):
            return False
        return target.startswith("wiki/") or (
            not self._is_this_source(link.target) and self._found(link) is not None
        )

    def _found(self, link: Link) -> PageRef | None:
        return self.loom.targets.find(link.target, str(PurePosixPath(self.path).parent))

    def _picture(self, link: Link) -> str:
        known = self.loom.media.get(same_path(PurePosixPath(link.target).name))
        if known is None or "/" in link.target:  # another source may have one of that name
            known = self.loom.standing.get(fold(link.target)) or known
        if known is None:
            self.unknown.append(link.target)
            return link.text or "" if link.markdown else ""
        pipe = "\\|" if in_table(self.body, link.start) else "|"
        return f"![[{known}{pipe + link.text if link.text else ''}]]"

    def _page(self, link: Link) -> str:
        page = self._found(link)
        standing = self.loom.standing.get(fold(link.target))
        if page is None and standing is not None:
            return self._written(standing, link, link.fragment)
        if page is None:
            self.unknown.append(link.target)
            return link.shown
        if page.path == self.path and not link.fragment:
            return link.text or page.title
        shown = link.text or (page.title if not link.fragment else "")
        return link_to(
            page.path, shown, fragment=link.fragment, in_table=in_table(self.body, link.start)
        )

    def _claim(self, link: Link) -> str:
        """A passage is named only where it can be: this source, a page it has."""
        name = f"{link.target}{link.fragment}"
        if fold(name) in self.loom.proven:
            return self._written(VaultPath(link.target), link, link.fragment)
        number = _PAGE.match(link.fragment)
        has_page = number is None or int(number[1]) in self.loom.source_pages
        if self._is_this_source(link.target) and (has_page or not self.loom.source_pages):
            fragment = link.fragment if number is None or self.loom.source_pages else ""
            return self._written(self.loom.source_path, link, fragment)
        self.unproven.append(name)
        where = link.text or PurePosixPath(link.target).name
        return f"({UNVERIFIED}: {where})"

    def _written(self, path: VaultPath, link: Link, fragment: str) -> str:
        number = _PAGE.match(fragment)
        shown = link.text or (f"p. {number[1]}" if number else PurePosixPath(path).name)
        return link_to(path, shown, fragment=fragment, in_table=in_table(self.body, link.start))

    def _is_this_source(self, target: str) -> bool:
        wanted = same_path(target.removeprefix("raw/"))
        own = same_path(self.loom.source)
        names = {own, own.rsplit("/", 1)[-1]}
        return wanted in names | {name.removesuffix(".md") for name in names}


def links_on(body: str) -> dict[str, VaultPath]:
    """Return where the links of a page lead that no source is named by, by path and by name."""
    found: dict[str, VaultPath] = {}
    for link in find_links(body):
        if link.target and not link.target.startswith("raw/"):
            path = VaultPath(link.target)
            found.setdefault(fold(path), path)
            found.setdefault(fold(PurePosixPath(path).name), path)
    return found


def _is_claim(target: str) -> bool:
    """Anything below `raw/`, and any document that is no note."""
    if target.casefold().startswith("raw/"):
        return True
    return bool(_DOCUMENT.search(target)) and not target.casefold().endswith(".md")
