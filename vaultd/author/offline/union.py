"""Two bodies of one page become one: nothing lost, no sentence twice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from vaultd.core.words import fold

_HEADING = re.compile(r"#{1,6}\s")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_PLACE = re.compile(r"\s*\[\[[^\]\n]*\]\]")
_CALLOUT = re.compile(r">\s*\[!")


@dataclass(slots=True)
class _Section:
    """A heading line ("" before the first) and the blocks below it."""

    heading: str
    blocks: list[str] = field(default_factory=list)


def united(existing: str, incoming: str) -> str:
    """Return `existing` with what `incoming` adds.

    What stands in `existing` stays in its place, word for word. Sections are matched by heading;
    an added sentence that stands there already adds only its link. The incoming abstract becomes
    an item of its first section. Uniting twice changes nothing.
    """
    if not existing.strip():
        return incoming
    sections, added = _sections(existing), _sections(incoming)
    seen = {
        _key(line) for section in sections for block in section.blocks for line in _lines(block)
    }
    lead = _lead_item(added, seen)
    for section in added[1:] or added:
        blocks = (
            [lead, *section.blocks]
            if lead and section is (added[1:] or added)[0]
            else section.blocks
        )
        own = next((one for one in sections if fold(one.heading) == fold(section.heading)), None)
        fresh = [kept for block in blocks if (kept := _fresh(block, seen, sections))]
        if own is not None:
            _append(own, fresh)
        elif fresh:
            sections.append(_Section(section.heading, []))
            _append(sections[-1], fresh)
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
    return block.lstrip().startswith("- ")


def _key(line: str) -> str:
    """Return what makes two lines the same: the words, without sign, links and case.

    A line of nothing but a link is its link.
    """
    bare = fold(_PLACE.sub("", line).strip().removeprefix("- "))
    return bare or fold(line.strip().removeprefix("- "))


def _lead_item(added: Sequence[_Section], seen: set[str]) -> str:
    """Return the incoming abstract as a list item with its link, "" if it is there already."""
    blocks = added[0].blocks
    if len(added) < 2 or not blocks or _CALLOUT.match(blocks[0]) or _key(blocks[0]) in seen:
        return ""
    note = next((block for block in blocks if _CALLOUT.match(block)), "")
    return f"- {' '.join(blocks[0].split())}{''.join(_PLACE.findall(note))}"


def _fresh(block: str, seen: set[str], sections: Sequence[_Section]) -> str:
    """Return the lines of `block` that are new; links of known ones go to where they stand."""
    kept: list[str] = []
    for line in _lines(block):
        key = _key(line)
        if key not in seen:
            seen.add(key)
            kept.append(line)
            continue
        for place in _PLACE.findall(line):
            _add_place(key, place.strip(), sections)
    return "\n".join(kept)


def _add_place(key: str, place: str, sections: Sequence[_Section]) -> None:
    for section in sections:
        for at, block in enumerate(section.blocks):
            lines = _lines(block)
            for number, line in enumerate(lines):
                if _is_list(block) and _key(line) == key and place not in line:
                    lines[number] = f"{line} {place}"
                    section.blocks[at] = "\n".join(lines)
                    return


def _append(section: _Section, fresh: Sequence[str]) -> None:
    for block in fresh:
        if section.blocks and _is_list(block) and _is_list(section.blocks[-1]):
            section.blocks[-1] += f"\n{block}"
        else:
            section.blocks.append(block)


def _written(sections: Sequence[_Section]) -> str:
    parts = [part for one in sections for part in (one.heading, *one.blocks) if part]
    return "\n\n".join(parts) + "\n"
