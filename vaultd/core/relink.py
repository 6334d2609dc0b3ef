"""Changing a whole note's links: its prose and its related pages, never a managed region."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath
from posixpath import normpath, relpath

from vaultd.core.block_path import same_path
from vaultd.core.link import Link, markdown_target, rewrite_links
from vaultd.core.merge import claims_of
from vaultd.core.page import parse_page
from vaultd.core.properties import Settable, set_properties, split_note
from vaultd.core.quiet import Quiet, quiet_spans
from vaultd.core.region import RegionError, find_regions, put_region
from vaultd.core.text import fold
from vaultd.errors import PropertiesError
from vaultd.model.paths import SourceId, VaultPath

Change = Callable[[str], str]
PICTURES = "images"  # region that shows a source's pictures
ADDED = "from-"  # regions below a locked page: what its sources add

_HEADING = re.compile(r"(#{1,6})[ \t]")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")


def with_links_changed(text: str, change: Change) -> str:
    """Return the note with `change` made to its prose and to its `related` entries.

    Managed regions follow by themselves when they are made anew; those below a locked page,
    which nobody makes anew, are changed with the rest. A note whose markers or properties
    cannot be read safely keeps that part.
    """
    try:
        changed = _body_changed(text, change)
    except RegionError:
        return text
    related = parse_page(changed).listed("related")
    wanted = tuple(dict.fromkeys(entry for entry in map(change, related) if entry.startswith("[[")))
    kept = tuple(entry for entry in related if not entry.startswith("[["))
    if (*kept, *wanted) == related:
        return changed
    value: Settable = (*kept, *wanted) or None
    try:
        return set_properties(changed, {"related": value})
    except PropertiesError:
        return changed


def _body_changed(text: str, change: Change) -> str:
    note = split_note(text)
    pieces, position = [note.head], len(note.head)
    regions = sorted(find_regions(text).values(), key=lambda region: region.start)
    for region in regions:
        pieces += change(text[position : region.start]), text[region.start : region.end]
        position = region.end
    changed = "".join((*pieces, change(text[position:])))
    for region in regions:
        if region.id.startswith(ADDED) and not region.edited:
            body = change(region.body)
            if body != region.body:
                changed = put_region(changed, region.id, body, inputs=body)
    return changed


def rebased(text: str, old: VaultPath, new: VaultPath) -> str:
    """Return a note that moves from `old` to `new` with its relative links leading on.

    Those of the region that shows pictures are ours and follow, unless a person edited it.
    """
    above, below = (str(PurePosixPath(path).parent) for path in (old, new))
    if above == below:
        return text

    def change(link: Link) -> str | None:
        if not (link.markdown and link.target.startswith(("../", "./"))):
            return None
        moved = relpath(normpath(f"{above}/{link.target}"), below)
        target = markdown_target(moved, link.fragment)
        return f"{'!' if link.embed else ''}[{link.text or ''}]({target})"

    changed = with_links_changed(text, lambda part: rewrite_links(part, change))
    try:
        region = find_regions(changed).get(PICTURES)
    except RegionError:
        return changed
    if region is None or region.edited:
        return changed
    body = rewrite_links(region.body, change)
    return put_region(changed, PICTURES, body, inputs=body)


def with_source_renamed(text: str, old: SourceId, new: SourceId) -> str:
    """Return the note with `new` in the place of `old` among its sources.

    Raises:
        PropertiesError: the property block cannot be spliced.
    """
    page = parse_page(text)
    listed = page.listed("sources")
    renamed = [
        new if same_path(name) == same_path(old) else spelt
        for spelt, name in zip(listed, page.sources, strict=True)
    ]
    return text if renamed == list(listed) else set_properties(text, {"sources": renamed})


def without_claims_of(body: str, source: SourceId) -> str:
    """Return `body` without the paragraphs and list items whose only claims are of `source`.

    What claims nothing stays: nobody can tell whose it is. A heading under which nothing is
    left goes too.
    """
    own = fold(f"raw/{source}")

    def goes(text: str) -> bool:
        claims = claims_of(text)
        return bool(claims) and all(f"{claim}#".startswith(f"{own}#") for claim in claims)

    kept: list[str] = []
    emptied = False
    for block in _blocks(body):
        if _HEADING.match(block):
            _drop_bare_heading(kept, block, emptied=emptied)
            kept.append(block)
            emptied = False
            continue
        left = _without_items(block, goes)
        emptied = emptied or left != block
        if left:
            kept.append(left)
    _drop_bare_heading(kept, "# ", emptied=emptied)
    text = "\n\n".join(kept)
    return f"{text}\n" if text else ""


def _drop_bare_heading(kept: list[str], following: str, *, emptied: bool) -> None:
    """Take the last heading away if all that stood below it went."""
    if not (emptied and kept and (last := _HEADING.match(kept[-1]))):
        return
    found = _HEADING.match(following)
    if found is not None and len(found[1]) <= len(last[1]):
        kept.pop()


def _without_items(block: str, goes: Callable[[str], bool]) -> str:
    if not _ITEM.match(block):
        return "" if goes(block) else block
    items: list[list[str]] = []
    for line in block.split("\n"):
        if _ITEM.match(line) or not items:
            items.append([line])
        else:
            items[-1].append(line)
    return "\n".join(text for item in items if not goes(text := "\n".join(item)))


def _blocks(body: str) -> list[str]:
    """Cut at blank lines outside fences; headings are blocks of their own."""
    text = body.replace("\r\n", "\n").strip("\n")
    fences = [span for span in quiet_spans(text) if span.kind is Quiet.FENCE]
    pieces, position = list[str](), 0
    for gap in _BLANK_LINES.finditer(text):
        if any(span.start <= gap.start() < span.end for span in fences):
            continue
        pieces.append(text[position : gap.start()])
        position = gap.end()
    pieces.append(text[position:])
    blocks: list[str] = []
    for piece in pieces:
        head, line_end, rest = piece.partition("\n")
        if _HEADING.match(head) and line_end:
            blocks += head, rest
        else:
            blocks.append(piece)
    return [block for block in blocks if block.strip()]
