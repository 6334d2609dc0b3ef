"""One tolerant reader of the FILE and REVIEW blocks in a model's reply."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from vaultd.core.block_path import LOG, clean_path, path_fault, same_path
from vaultd.core.thinking import FENCE, closes_fence, without_thinking
from vaultd.model.paths import VaultPath
from vaultd.model.wiki import Refused, ReviewDraft, ReviewKind

END_OF_REPLY = "---END OF REPLY---"  # asked for as the last line, so that a cut shows
FILE_OPENS = re.compile(
    r"\s{0,3}-{3,}\s*FILE\s*:(?:\s*(.*?)\s*-{3,}|\s*(\S.*?\.md))\s*$", re.IGNORECASE
)
REVIEW_OPENS = re.compile(r"\s{0,3}-{3,}\s*REVIEW\s*:\s*(.*?)\s*-{3,}\s*$", re.IGNORECASE)
BLOCK_ENDS = re.compile(
    r"\s{0,3}-{3,}\s*END[\s_-]*(?:FILE|REVIEW)\s*(?::.*?)?\s*-{3,}\s*$", re.IGNORECASE
)
REPLY_ENDS = re.compile(r"\s{0,3}-{3,}\s*END[\s_-]*OF[\s_-]*REPLY\s*-{3,}\s*$", re.IGNORECASE)
EXAMPLE_FENCES = 200  # bounds the look-ahead, so that a hostile reply costs linear time
FIELD = re.compile(r"\s{0,3}(?:\*\*)?(OPTIONS|PAGES|SEARCH)\s*:(?:\*\*)?\s*(.*)$", re.IGNORECASE)
KINDS = {
    "contradiction": ReviewKind.CONTRADICTION,
    "duplicate": ReviewKind.DUPLICATE,
    "missing-page": ReviewKind.MISSING_PAGE,
    "suggestion": ReviewKind.SUGGESTION,
}
UNKNOWN_KIND_OPTIONS = ("Approve", "Skip")
OPTIONS_LIMIT, PAGES_LIMIT, SEARCHES_LIMIT = 4, 20, 5
TITLE_LIMIT, REVIEW_TEXT_LIMIT, OPTION_LIMIT = 200, 4_000, 80  # characters; a note, not an essay


@dataclass(frozen=True, slots=True)
class FileBlock:
    """A whole FILE block whose path may be written; `text` as the model gave it, LF."""

    path: VaultPath
    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What a reply holds. `log` is the text of the block for the log, "" without one.

    `truncated` are safe paths whose block was cut and did not come whole elsewhere in the
    reply. Warnings name the path, or "no path".
    """

    files: tuple[FileBlock, ...] = ()
    log: str = ""
    reviews: tuple[ReviewDraft, ...] = ()
    truncated: tuple[VaultPath, ...] = ()
    refused: tuple[Refused, ...] = ()
    warnings: tuple[str, ...] = ()
    asked_review: bool = False
    ended: bool = False


@dataclass(slots=True)
class _Open:
    """A block being read; `review` tells its kind, `head` is the path or "kind | title"."""

    head: str
    review: bool
    lines: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Findings:
    files: dict[str, FileBlock] = field(default_factory=dict)
    log: str = ""
    reviews: list[ReviewDraft] = field(default_factory=list)
    cut: dict[str, VaultPath] = field(default_factory=dict)
    refused: list[Refused] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    asked_review: bool = False

    def refuse(self, path: str, text: str, reason: str, warning: str = "") -> None:
        self.refused.append(Refused(path, text, reason))
        self.warnings.append(warning or f"{reason}: {path or 'no path'}")


def parse_reply(text: str) -> Reply:
    """Read every block of `text`; nothing outside a whole block is ever used.

    Tolerated: CRLF, thinking, prose around blocks, a fence around everything, any case and
    spaces in markers. An opener outside a fence ends a block that was not closed; a fence that
    would swallow the closer of its own block hides nothing.
    """
    spoken = without_thinking(text)
    found = _Findings()
    if spoken.cut:
        found.warnings.append("the reply ended while thinking: no path")
    lines = spoken.text.split("\n")
    _read_blocks(lines, found)
    return _reply(found, ended=any(REPLY_ENDS.match(line) for line in lines))


def _read_blocks(lines: Sequence[str], found: _Findings) -> None:
    block: _Open | None = None
    fences = _Fences(lines)
    hidden_until = -1  # last line of a fence that shows markers as an example
    for number, line in enumerate(lines):
        if block is not None and number > hidden_until:
            hidden_until = max(hidden_until, fences.example_end(number))
        opened = _opened(line) if block is None or number > hidden_until else None
        if opened is not None:
            _cut(found, block)
            found.asked_review |= opened.review
            block = opened
        elif block is not None and number > hidden_until and BLOCK_ENDS.match(line):
            _close(found, block)
            block = None
        elif block is not None and number > hidden_until and REPLY_ENDS.match(line):
            _cut(found, block)
            block = None
        elif block is not None:
            block.lines.append(line)
    _cut(found, block)


def _opened(line: str) -> _Open | None:
    if match := FILE_OPENS.match(line):
        return _Open(clean_path(match[1] if match[1] is not None else match[2]), review=False)
    if match := REVIEW_OPENS.match(line):
        return _Open(match[1], review=True)
    return None


class _Fences:
    """Where a reply's fences could close and its markers stand, found once."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._bare = [n for n, line in enumerate(lines) if _is_bare_fence(line)]
        self._markers = [
            (number, -1 if BLOCK_ENDS.match(line) else 1)
            for number, line in enumerate(lines)
            if line.lstrip().startswith("---") and (BLOCK_ENDS.match(line) or _opened(line))
        ]

    def example_end(self, number: int) -> int:
        """Return the line that closes a fence opened at `number`, -1 if no fence hides markers.

        A fence hides markers only if it is closed and holds whole blocks or none: one whose
        first marker is a closer was left open by mistake and has met a later block's fence.
        """
        match = FENCE.match(self._lines[number])
        if not match or ("`" in match[2] and match[1][0] == "`"):
            return -1
        after = bisect_right(self._bare, number)
        for end in self._bare[after : after + EXAMPLE_FENCES]:
            if closes_fence(self._lines[end], match[1]):
                return end if self._whole_blocks(number, end) else -1
        return -1

    def _whole_blocks(self, start: int, end: int) -> bool:
        depth = 0
        for number, step in self._markers[bisect_right(self._markers, (start, 2)) :]:
            if number >= end:
                break
            depth += step
            if depth not in (0, 1):
                return False
        return depth == 0


def _is_bare_fence(line: str) -> bool:
    match = FENCE.match(line)
    return bool(match and not match[2].strip())


def _close(found: _Findings, block: _Open) -> None:
    text = "\n".join(block.lines).strip("\n")
    if block.review:
        _close_review(found, block.head, text)
        return
    path, key = VaultPath(block.head), same_path(block.head)
    reason = path_fault(path)
    if reason:
        found.refuse(path, text, reason)
    elif key == same_path(LOG):
        found.log = f"{found.log}\n\n{text}".strip("\n")
    elif not text.strip():
        found.cut.setdefault(key, path)
        found.refuse(path, text, "empty page")
    elif key in found.files:
        found.refuse(path, text, "second block for the path")
    else:
        found.files[key] = FileBlock(path, text)


def _cut(found: _Findings, block: _Open | None) -> None:
    """Record a block without a closer: its text is not used, a safe path is asked for again."""
    if block is None:
        return
    text = "\n".join(block.lines).strip("\n")
    if block.review:
        found.refuse("", text, "review without its end", "review without its end: no path")
        return
    reason = path_fault(block.head)
    if not reason and same_path(block.head) != same_path(LOG):
        found.cut.setdefault(same_path(block.head), VaultPath(block.head))
    found.refuse(block.head, text, reason or "truncated")


def _reply(found: _Findings, *, ended: bool) -> Reply:
    return Reply(
        files=tuple(found.files.values()),
        log=found.log,
        reviews=tuple(found.reviews),
        truncated=tuple(path for key, path in found.cut.items() if key not in found.files),
        refused=tuple(found.refused),
        warnings=tuple(found.warnings),
        asked_review=found.asked_review,
        ended=ended,
    )


def _close_review(found: _Findings, head: str, text: str) -> None:
    kind_word, _, title = (part.strip() for part in head.partition("|"))
    title = " ".join(title.split())[:TITLE_LIMIT]
    kind = KINDS.get(re.sub(r"[\s_-]+", "-", kind_word.lower()), ReviewKind.CONFIRM)
    fields: dict[str, str] = {}
    prose: list[str] = []
    for line in text.split("\n"):
        match = FIELD.match(line)
        if match and match[1].upper() not in fields:
            fields[match[1].upper()] = match[2]
        else:
            prose.append(line)
    said = "\n".join(prose).strip()[:REVIEW_TEXT_LIMIT]
    if not title or not (said or fields):
        found.refuse("", text, "review without a title or a text")
        return
    found.reviews.append(
        ReviewDraft(
            kind=kind,
            title=title,
            text=said,
            options=_options(kind, fields.get("OPTIONS", "")),
            pages=_listed(fields.get("PAGES", ""), r"[,;|]", PAGES_LIMIT),
            searches=_listed(fields.get("SEARCH", ""), r"\|", SEARCHES_LIMIT),
        )
    )


def _options(kind: ReviewKind, written: str) -> tuple[str, ...]:
    options = _listed(written, r"\|", OPTIONS_LIMIT)
    short = tuple(option for option in options if len(option) <= OPTION_LIMIT)
    if short:
        return short
    return UNKNOWN_KIND_OPTIONS if kind is ReviewKind.CONFIRM else ("Create Page", "Skip")


def _listed(written: str, separator: str, limit: int) -> tuple[str, ...]:
    """Return the distinct entries of a one-line list; wikilink brackets around one are dropped."""
    entries = (
        re.sub(r"^\[\[([^\]|]*)(?:\|[^\]]*)?\]\]$", r"\1", part.strip())
        for part in re.split(separator, re.sub(r"(\[\[[^\]|]*)\|[^\]]*\]\]", r"\1]]", written))
    )
    return tuple(dict.fromkeys(entry.strip().strip("`") for entry in entries if entry))[:limit]
