"""Two bodies of one page become one: nothing lost, no sentence twice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from vaultd.author.offline.labels import NOTES, RELATED
from vaultd.core.text import fold

_HEADING = re.compile(r"#{1,6}\s")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_LINK = r"\[\[[^\]\n]*\]\]|\[[^\[\]\n]*\]\(raw/[^()\s]*\)"  # the latter for names no wikilink holds
_PLACE = re.compile(rf"\s*(?:{_LINK})")
_PLACES_BEHIND = re.compile(rf"(?:[ \t]*(?:{_LINK}))+[ \t]*\Z")
_NO_ABSTRACT = re.compile(r"\s*(?:[-*+>|]\s|>|`{3}|~{3}|\d+[.)]\s|!\[)")
_CALLOUT = re.compile(r">\s*\[!")


@dataclass(slots=True)
class _Section:
    """A heading line ("" before the first) and the blocks below it."""

    heading: str
    blocks: list[str] = field(default_factory=list)


def united(existing: str, incoming: str) -> str:
    """Return `existing` with what `incoming` adds.

    What stands in `existing` stays in its place, word for word. Sections are matched by heading,
    and that of related pages, which stays last, in any language; an added sentence that stands
    there already adds only its link. The incoming abstract becomes an item of its first section,
    and our note on how a page is made stands once. Uniting twice changes nothing.
    """
    if not existing.strip():
        return _written(_sections(incoming))
    sections, added = _sections(existing), _sections(incoming)
    seen = {
        _key(line) for section in sections for block in section.blocks for line in _lines(block)
    }
    if len(added) > 1:
        _move_lead(added)
    if any(_is_note(block) for section in sections for block in section.blocks):
        for section in added:
            section.blocks = [block for block in section.blocks if not _is_note(block)]
    for section in added:
        for line in (line for block in section.blocks for line in _lines(block)):
            if _key(line) in seen:
                for place in _PLACE.findall(line):
                    _add_place(_key(line), place.strip(), sections)
            else:
                seen.add(_key(line))
                _append(_own(section.heading, sections), line)
    return _written(sections)


def _sections(body: str) -> list[_Section]:
    sections = [_Section("")]
    block: list[str] = []
    fence = ""
    for line in [*body.strip("\n").splitlines(), ""]:
        mark = _FENCE.match(line)
        if mark:
            fence = "" if fence and line.strip().startswith(fence) else fence or mark[1]
        if fence or (line.strip() and not _HEADING.match(line)):
            block.append(line)
            continue
        if block:
            sections[-1].blocks.append("\n".join(block))
            block = []
        if line.strip():
            sections.append(_Section(line.rstrip()))
    if block:
        sections[-1].blocks.append("\n".join(block))
    return sections


def _lines(block: str) -> list[str]:
    return block.splitlines() if _is_list(block) else [block]


def _is_list(block: str) -> bool:
    """Tell whether every line is an item by itself; other blocks are taken whole."""
    return all(line.lstrip().startswith("- ") for line in block.splitlines())


def _key(line: str) -> str:
    """Return what makes two lines the same: the words, without sign, closing links and case.

    A line of nothing but a link is its link.
    """
    line = line.strip().removeprefix("- ")
    return fold(_PLACES_BEHIND.sub("", line)) or fold(line)


def _move_lead(added: Sequence[_Section]) -> None:
    """Make the incoming abstract, with the link behind it, an item of the section below it."""
    blocks = added[0].blocks
    if not blocks or _NO_ABSTRACT.match(blocks[0]):
        return
    note = next((block for block in blocks if _CALLOUT.match(block)), "")
    lead = " ".join(blocks.pop(0).split())
    places = [place for place in _PLACE.findall(note) if place.strip() not in lead]
    added[1].blocks.insert(0, f"- {lead}{''.join(places)}")


def _own(heading: str, sections: list[_Section]) -> _Section:
    """Return the section with this heading, made at the end if there is none."""
    related = _is_related(heading)
    for section in sections:
        if fold(section.heading) == fold(heading) or (related and _is_related(section.heading)):
            return section
    new = _Section(heading)
    sections.insert(len(sections) - _is_related(sections[-1].heading), new)
    return new


def _is_related(heading: str) -> bool:
    return heading.lstrip("# ") in RELATED


def _is_note(block: str) -> bool:
    return block.startswith("> [!info]") and any(note in block for note in NOTES)


def _add_place(key: str, place: str, sections: Sequence[_Section]) -> None:
    """Add a link to the first item with this text, unless one of them has it already."""
    lists = [
        (one, at) for one in sections for at, block in enumerate(one.blocks) if _is_list(block)
    ]
    same = [
        (section, at, number)
        for section, at in lists
        for number, line in enumerate(_lines(section.blocks[at]))
        if _key(line) == key
    ]
    if not same or any(place in _lines(one.blocks[at])[number] for one, at, number in same):
        return
    section, at, number = same[0]
    lines = _lines(section.blocks[at])
    lines[number] += f" {place}"
    section.blocks[at] = "\n".join(lines)


def _append(section: _Section, block: str) -> None:
    if section.blocks and _is_list(block) and _is_list(section.blocks[-1]):
        section.blocks[-1] += f"\n{block}"
    else:
        section.blocks.append(block)


def _written(sections: Sequence[_Section]) -> str:
    parts = [part for one in sections for part in (one.heading, *one.blocks) if part]
    return "\n\n".join(parts) + "\n"
