"""The wiki's index and log, made from the pages on disk."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import PurePosixPath

from vaultd.core.link import link_to
from vaultd.core.markdown import cut_at_sentence
from vaultd.core.merge import three_way
from vaultd.core.properties import set_properties
from vaultd.core.region import RegionError, find_regions, put_region
from vaultd.model.paths import VaultPath
from vaultd.model.wiki import PageRef

INDEX, LOG, OVERVIEW = (VaultPath(f"wiki/{name}.md") for name in ("index", "log", "overview"))
REGION = "index"
WRITER = "vaultd_writer"  # property of the index: the machine that writes the vault
ABSTRACT_LENGTH = 120  # characters of an abstract in an index line
SECTIONS = (  # types with a section of their own, in order; others follow by name
    ("source", "Sources"),
    ("entity", "Entities"),
    ("concept", "Concepts"),
    ("query", "Queries"),
    ("comparison", "Comparisons"),
    ("synthesis", "Synthesis"),
)
UNTYPED = "Notes"


# What would be markup; and "[12]", a note's mark that would be a number without its brackets.
_NOT_IN_LINE = re.compile(r"(?<!\[)\[(?:\d{1,3}|[a-z])\](?!\])|[\[\]|`]|%{2,}")


def is_page(path: VaultPath) -> bool:
    """Tell whether a file is a page: not a listing, folder note, review or picture."""
    place = PurePosixPath(path)
    parts = [part.casefold() for part in place.parts]
    return (
        place.suffix.casefold() == ".md"
        and len(parts) > 1
        and parts[0] == "wiki"
        and parts[1] not in ("media", "reviews")
        and path.casefold() not in (INDEX, LOG, OVERVIEW)
        and place.stem.casefold() != parts[-2]
    )


def index_body(pages: Iterable[PageRef]) -> str:
    """Return one line for each page, by kind and title."""
    by_section: dict[str, list[PageRef]] = {}
    for page in pages:
        by_section.setdefault(_section(page.type), []).append(page)
    known = [heading for _, heading in SECTIONS]
    order = [*known, *sorted(set(by_section) - {*known, UNTYPED}), UNTYPED]
    return "\n\n".join(
        f"## {heading}\n\n" + "\n".join(_line(page) for page in _sorted(by_section[heading]))
        for heading in order
        if heading in by_section
    )


def index_text(
    there: str | None, base: str | None, pages: Sequence[PageRef], writer: str = ""
) -> tuple[str, str]:
    """Return the text of `wiki/index.md`, and what it would be without the person.

    `there` is the note on disk (None: there is none), `base` ours of last time. A person's text
    around the region, and lines they changed in it, stay; a region they took away stays away,
    and one they edited while we knew no base is left alone. `writer` names this machine among
    its properties ("" names none).

    Raises:
        RegionError: the markers do not pair up; the note has to be left as it is.
        PropertiesError: the property block cannot be spliced; likewise.
    """
    text, ours = _region_text(there, base, pages)
    if not writer:
        return text, ours
    return set_properties(text, {WRITER: writer}), set_properties(ours, {WRITER: writer})


def _region_text(there: str | None, base: str | None, pages: Sequence[PageRef]) -> tuple[str, str]:
    body = index_body(pages)
    ours = put_region("# Index\n" if base is None else base, REGION, body, inputs=body)
    if there is None:
        return ours, ours
    region = find_regions(there).get(REGION)
    if region is None and base is not None and REGION in find_regions(base):
        return there, ours
    if region is None or not region.edited:
        return put_region(there, REGION, body, inputs=body), ours
    return (three_way(base, there, ours).text if base is not None else there), ours


def is_listing_alone(text: str) -> bool:
    """Tell whether the lines of an index are as we wrote them: nothing is lost with them."""
    try:
        region = find_regions(text).get(REGION)
    except RegionError:
        return False
    return region is not None and not region.edited


def log_text(there: str | None, title: str, day: date, action: str = "ingest") -> str:
    """Return `wiki/log.md` with one entry more."""
    heading = f"## [{day.isoformat()}] {action} | {' '.join(title.split())}"
    text = there if there is not None else "# Log\n"
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    return f"{text}{gap}{heading}{newline}"


def _line(page: PageRef) -> str:
    abstract = " ".join(_NOT_IN_LINE.sub("", page.abstract).split())
    short = cut_at_sentence(abstract, ABSTRACT_LENGTH)
    return f"- {link_to(page.path, page.title)}" + (f": {short}" if short else "")


def _section(page_type: str) -> str:
    known = dict(SECTIONS)
    if page_type in known:
        return known[page_type]
    return page_type.replace("-", " ").capitalize() if page_type else UNTYPED


def _sorted(pages: Iterable[PageRef]) -> list[PageRef]:
    return sorted(pages, key=lambda page: (page.title.casefold(), page.path))
