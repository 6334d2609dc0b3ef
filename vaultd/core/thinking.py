"""Taking a model's thinking out of its reply."""

from __future__ import annotations

import re
from dataclasses import dataclass

TAG = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
OPENS = re.compile(r"\s*<(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
CLOSES = re.compile(r"\s*</(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a reply says. `cut` tells that it ended while thinking."""

    text: str
    cut: bool


def plain(text: str) -> str:
    """Return `text` with LF line ends, without byte order mark, control characters, surrogates."""
    unified = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    return CONTROL.sub("", unified)


@dataclass(slots=True)
class Fence:
    """The code fence that is open while lines are read in order; `mark` is "" outside."""

    mark: str = ""

    def reads(self, line: str) -> bool:
        """Take the next line; tell whether it stands inside a fence or opens or closes one."""
        match = FENCE.match(line)
        if not self.mark:
            if match and not ("`" in match[2] and match[1][0] == "`"):
                self.mark = match[1]
                return True
            return False
        if match and closes_fence(line, self.mark):
            self.mark = ""
        return True


def closes_fence(line: str, mark: str) -> bool:
    """Tell whether `line` closes the fence that was opened with `mark` (CommonMark's rule)."""
    match = FENCE.match(line)
    return bool(
        match and match[1][0] == mark[0] and len(match[1]) >= len(mark) and not match[2].strip()
    )


def without_thinking(text: str) -> Spoken:
    """Return the reply without thinking: closed, nested, cut, or lacking its opening tag.

    A tag counts where it begins a line outside a code fence, so that a page may speak about
    such tags; right below the reply's first line also inside, since some models wrap the whole
    reply in a fence. A closing tag without an opening one makes everything before it thinking.
    """
    kept: list[str] = []
    fence = Fence()
    depth = 0
    for line in plain(text).split("\n"):
        rest = line
        if depth == 0:
            thinks = not fence.mark or not any(said.strip() for said in kept[1:8])
            if thinks and CLOSES.match(line):
                kept, fence = [], Fence()
                rest = CLOSES.sub("", line, count=1)
            elif not (thinks and OPENS.match(line)):
                fence.reads(line)
                kept.append(line)
                continue
        depth, rest = _skip(rest, depth)
        if depth == 0 and rest.strip():
            fence.reads(rest)
            kept.append(rest)
    return Spoken("\n".join(kept), depth > 0)


def _skip(line: str, depth: int) -> tuple[int, str]:
    """Return the depth after `line` and what of it stands outside thinking."""
    spoken: list[str] = []
    position = 0
    for tag in TAG.finditer(line):
        if depth == 0:
            spoken.append(line[position : tag.start()])
        depth = max(0, depth - 1) if tag[1] else depth + 1
        position = tag.end()
    if depth == 0:
        spoken.append(line[position:])
    return depth, "".join(spoken)
