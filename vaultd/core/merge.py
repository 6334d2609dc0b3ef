"""Bringing texts of one page together without losing a person's words or a source's claims."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import dropwhile, pairwise

from vaultd.core.link import find_links
from vaultd.core.plain import plain
from vaultd.core.properties import split_note
from vaultd.core.text import fold, sentences

MERGE_FLOOR = 0.7  # a merged body below this share of the longer input has lost something
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def union(existing: Iterable[str], incoming: Iterable[str]) -> tuple[str, ...]:
    """Return both lists without repeats: existing first, case ignored, first casing wins."""
    kept: dict[str, str] = {}
    for text in (*existing, *incoming):
        if text.strip():
            kept.setdefault(fold(text), text)
    return tuple(kept.values())


# --- three ways --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Conflict:
    """A place that a person and we both changed: theirs was kept, ours was not written."""

    theirs: str
    ours: str


@dataclass(frozen=True, slots=True)
class Merged:
    """A text in which every word of the person's stands, and what of ours did not fit.

    `proposal` is the same text with ours at every conflict.
    """

    text: str
    conflicts: tuple[Conflict, ...] = ()
    proposal: str = ""


def taken_back(after: str, ours: str, before: str) -> str:
    """Return `ours`, what we alone would have, without what made `after` of the text `before`.

    What a person wrote stands in both texts and not in ours. Where that touches what is taken
    back, whole lines decide: ours come from `before`, and theirs from nowhere.
    """
    merged = three_way(after, ours, before)
    if not merged.conflicts:
        return merged.text
    was, now, own = (set(text.splitlines()) for text in (before, after, ours))
    if was - now - {""}:  # lines of ours were replaced, too
        theirs = now - own
        return _without_lines(before, theirs)
    return _without_lines(ours, now - was)


def _without_lines(text: str, lines: Set[str]) -> str:
    """Return `text` without `lines`, and without the blank ones that are left double."""
    kept: list[str] = []
    for line in text.splitlines():
        if line.strip() and line in lines:
            continue
        if line.strip() or (kept and kept[-1].strip()):
            kept.append(line)
    return "\n".join(kept).rstrip("\n") + "\n"


def three_way(base: str, theirs: str, ours: str) -> Merged:
    """Merge two descendants of `base`, line by line; what a person wrote always stays.

    `theirs` is the file as it is, `ours` what we would write over `base`. Where only one side
    changed, that change is taken. Where a person only added lines to a passage we rewrote,
    our passage and their lines both stand. Else theirs stays and the place is a conflict.
    Line endings are those of `theirs`.
    """
    newline = "\r\n" if "\r\n" in theirs else "\n"
    old, person, new = (_lines(text) for text in (base, theirs, ours))
    kept: list[str] = []
    proposed: list[str] = []
    conflicts: list[Conflict] = []
    for chunk in _chunks(old, person, new):
        lines, conflict = _merged_chunk(*chunk, kept[-1:])
        kept += lines
        proposed += chunk[-1] if conflict else lines
        conflicts += conflict
    text, proposal = (
        _with_end_of("".join(lines).replace("\n", newline), theirs) for lines in (kept, proposed)
    )
    return Merged(text, tuple(conflicts), proposal)


def _merged_chunk(
    old: Sequence[str], person: Sequence[str], new: Sequence[str], kept: Sequence[str]
) -> tuple[Sequence[str], list[Conflict]]:
    """Merge one passage; `kept` are the lines above it."""
    if person == old or list(person) == list(new):
        return new, []
    if new == old:
        return person, []
    added = _added_lines(old, person)
    if added is not None and not any(line.strip() for line in new):
        above = [*kept, *new][-1:]
        is_apart = not above or above[0].isspace()
        return [*new, *(dropwhile(str.isspace, added) if is_apart else added)], []
    if added is not None:
        wanted = [line for line in added if line.strip() and line not in new]
        return [*new, *_apart(new, wanted)], []
    if _is_within(new, person) and not _takes_away(new, person):
        return person, []
    return person, [Conflict("".join(person), "".join(new))]


def _added_lines(old: Sequence[str], person: Sequence[str]) -> list[str] | None:
    """Return the lines a person put between those of `old`; None if any of `old` is gone."""
    added: list[str] = []
    rest = list(old)
    for line in person:
        if rest and line == rest[0]:
            rest.pop(0)
        else:
            added.append(line)
    return None if rest else added


def _is_within(lines: Sequence[str], others: Sequence[str]) -> bool:
    there = {line.strip() for line in others}
    return all(line.strip() in there for line in lines)


def _takes_away(new: Sequence[str], person: Sequence[str]) -> bool:
    """Tell whether we would leave nothing of a passage that a person changed."""
    return not "".join(new).strip() and bool("".join(person).strip())


def _apart(above: Sequence[str], lines: Sequence[str]) -> list[str]:
    if not lines or not above or not above[-1].strip():
        return list(lines)
    return ["\n", *lines]


def _chunks(
    old: Sequence[str], person: Sequence[str], new: Sequence[str]
) -> Iterable[tuple[Sequence[str], Sequence[str], Sequence[str]]]:
    """Cut three texts at the lines that all of them share."""
    in_person, in_new = _matches(old, person), _matches(old, new)
    at = [(n, in_person[n], in_new[n]) for n in range(len(old)) if n in in_person and n in in_new]
    ends = [(-1, -1, -1), *at, (len(old), len(person), len(new))]
    for (a, b, c), (d, e, f) in pairwise(ends):
        yield old[a + 1 : d], person[b + 1 : e], new[c + 1 : f]
        if d < len(old):
            yield old[d : d + 1], person[e : e + 1], new[f : f + 1]


def _matches(old: Sequence[str], other: Sequence[str]) -> dict[int, int]:
    matcher = SequenceMatcher(None, old, other, autojunk=False)
    return {
        block.a + step: block.b + step
        for block in matcher.get_matching_blocks()
        for step in range(block.size)
    }


def _lines(text: str) -> list[str]:
    """Cut into lines that all end in a line feed, so that a last line is like any other."""
    lines = _LINE.findall(text.replace("\r\n", "\n"))
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    return lines


def _with_end_of(text: str, theirs: str) -> str:
    if theirs and not theirs.endswith("\n") and text.endswith("\n"):
        return text[:-2] if text.endswith("\r\n") else text[:-1]
    return text


# --- is there anything to merge, and is it whole --------------------------------------------------


def claims_of(body: str) -> frozenset[str]:
    """Return the passages of sources that `body` names, as `raw/path#page=N`, case folded."""
    return frozenset(
        fold(link.target + link.fragment)
        for link in find_links(body)
        if link.target.casefold().startswith("raw/")
    )


def adds_nothing(existing: str, incoming: str) -> bool:
    """Tell whether every sentence and every claim of `incoming` is in `existing` already.

    Sentences are compared without markup, case, and blanks; headings do not count.
    """
    if not claims_of(incoming) <= claims_of(existing):
        return False
    return _said(incoming) <= _said(existing)


def _said(body: str) -> frozenset[str]:
    without_claims = _without_claims(body)
    said = (
        re.sub(r"[\W_]+", " ", fold(plain(sentence.text))).strip()
        for sentence in sentences(without_claims)
        if sentence.kind != "heading"
    )
    return frozenset(text for text in said if text)


def _without_claims(body: str) -> str:
    pieces, position = list[str](), 0
    for link in find_links(body):
        if link.target.casefold().startswith("raw/") and link.start >= position:
            pieces.append(body[position : link.start])
            position = link.end
    return "".join((*pieces, body[position:]))


def merge_faults(existing: str, incoming: str, merged: str) -> tuple[str, ...]:
    """Say why a merged body may not be written; () when it may.

    It has to hold at least 70 % of the longer input, begin with text and not with properties,
    and name every passage of a source that either input names.
    """
    faults: list[str] = []
    longer, length = max(len(existing.strip()), len(incoming.strip())), len(merged.strip())
    if length < MERGE_FLOOR * longer:
        faults.append(f"the merged text has {length} characters, the longer of both {longer}")
    if split_note(merged.lstrip()).opener:
        faults.append("the merged text begins with properties")
    lost = (claims_of(existing) | claims_of(incoming)) - claims_of(merged)
    if lost:
        faults.append(f"the merged text no longer names {', '.join(sorted(lost)[:3])}")
    return tuple(faults)


def both_bodies(existing: str, incoming: str) -> str:
    """Return `existing` followed by what `incoming` says beyond it, paragraph by paragraph.

    The merge of last resort: nothing of either is lost, no model is asked. Doing it again
    changes nothing.
    """
    said, claims = _said(existing), claims_of(existing)
    paragraphs = re.split(r"\n[ \t]*\n", incoming.replace("\r\n", "\n").strip("\n"))
    new = [
        paragraph
        for paragraph in paragraphs
        if not (_said(paragraph) <= said and claims_of(paragraph) <= claims)
    ]
    if not new:
        return existing
    return "\n\n".join((existing.rstrip("\n"), *new)) + "\n"
