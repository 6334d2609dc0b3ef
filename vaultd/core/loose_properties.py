"""Reading the property block of a model's page, which is rarely quite YAML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

KEY_LINE = re.compile(r"([A-Za-z_][\w-]{0,40})[ \t]*:(?:[ \t]+(.*)|[ \t]*)$")
KNOWN_KEYS = frozenset(
    ["type", "title", "created", "updated", "tags", "aliases", "related", "sources"]
)
RULE = re.compile(r"---[ \t]*$")
PREFIX = re.compile(r"\s*(?:front[ _-]?matter|properties)\s*:\s*$", re.IGNORECASE)
FENCE_OPENS = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*(?:ya?ml|md|markdown|text|txt)?[ \t]*$", re.I)
MISSING_OPENER_LINES = 30  # a closing rule further down belongs to the body
TAG_LIMIT, LIST_LIMIT, VALUE_LIMIT = 20, 50, 500  # entries, entries, characters


@dataclass(frozen=True, slots=True)
class Split:
    """A page cut into its property lines and its body; `repaired` says what was mended."""

    properties: tuple[str, ...]
    body: str
    repaired: tuple[str, ...]


def split_properties(text: str) -> Split:
    """Cut `text` into property lines and body, whatever wraps or breaks the block.

    Mended: a fence around the file or around the properties, a `frontmatter:` line, a missing
    opening rule, a second property block. Property lines are the inner ones, without rules.
    """
    lines = text.strip("\n").split("\n")
    repaired: list[str] = []
    lines = _unwrapped(lines, repaired)
    properties, rest = _first_block(lines, repaired)
    if properties:
        again, after = _first_block(_without_blank(rest), [])
        if again and _keys(again) & KNOWN_KEYS:
            repaired.append("second property block")
            properties, rest = [*properties, *again], after
    return Split(tuple(properties), "\n".join(rest).strip("\n"), tuple(repaired))


def _unwrapped(lines: list[str], repaired: list[str]) -> list[str]:
    """Take off a fence around everything, if its content starts like a page."""
    lines = _without_blank(lines)
    match = FENCE_OPENS.match(lines[0]) if lines else None
    if not match:
        return lines
    inner = _without_blank(lines[1:])
    starts_like_page = bool(inner) and bool(
        RULE.match(inner[0]) or PREFIX.match(inner[0]) or _is_known(inner[0])
    )
    last = next((n for n in range(len(inner) - 1, -1, -1) if inner[n].strip()), -1)
    if starts_like_page and last > 0 and inner[last].strip() == match[1]:
        if _closes_properties(inner, last):
            return lines  # the fence holds the properties only, and nothing follows
        repaired.append("fence around the page")
        return inner[:last]
    return lines


def _closes_properties(inner: list[str], last: int) -> bool:
    return last < MISSING_OPENER_LINES and all(
        RULE.match(line) or not line.strip() or KEY_LINE.match(line) for line in inner[:last]
    )


def _first_block(lines: list[str], repaired: list[str]) -> tuple[list[str], list[str]]:
    """Return the property lines at the top of `lines` and what follows them."""
    at, fence = 0, ""
    match = FENCE_OPENS.match(lines[0]) if lines else None
    if match:
        following = next((line for line in lines[1:] if line.strip()), "")
        if RULE.match(following) or PREFIX.match(following) or _is_known(following):
            fence, at = match[1], _skip_blank(lines, 1)
    if at < len(lines) and PREFIX.match(lines[at]):
        repaired.append("line before the properties")
        at = _skip_blank(lines, at + 1)
    opened = at < len(lines) and bool(RULE.match(lines[at]))
    start = at + 1 if opened else at
    end = _block_end(lines, start, opened=opened)
    if end < 0:
        return [], lines
    if not opened:
        repaired.append("missing opening rule")
    after = end + 1
    if fence:
        repaired.append("fence around the properties")
        closer = _skip_blank(lines, after)
        if closer < len(lines) and lines[closer].strip() == fence:
            after = closer + 1
    return lines[start:end], lines[after:]


def _block_end(lines: list[str], start: int, *, opened: bool) -> int:
    """Return the number of the closing rule, -1 if `start` begins no property block."""
    if start >= len(lines) or (not opened and not _is_known(lines[start])):
        return -1
    reach = len(lines) if opened else min(len(lines), start + MISSING_OPENER_LINES)
    for number in range(start, reach):
        line = lines[number]
        if RULE.match(line):
            return number if _keys(lines[start:number]) else -1
        if line.startswith("#") and not opened:
            return -1
        if opened and not _belongs(line):
            return -1
    return -1


def _belongs(line: str) -> bool:
    """Tell whether a line can stand in a property block: key, entry, continuation, comment."""
    return not line.strip() or line[0] in " \t-#[]{}" or bool(KEY_LINE.match(line))


def _is_known(line: str) -> bool:
    match = KEY_LINE.match(line)
    return bool(match and match[1].lower() in KNOWN_KEYS)


def _keys(lines: list[str] | tuple[str, ...]) -> set[str]:
    return {match[1].lower() for line in lines if (match := KEY_LINE.match(line))}


def _skip_blank(lines: list[str], at: int) -> int:
    while at < len(lines) and not lines[at].strip():
        at += 1
    return at


def _without_blank(lines: list[str]) -> list[str]:
    return lines[_skip_blank(lines, 0) :]


def entries(lines: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    """Yield every property as (key in lower case, rest of its line, lines below it).

    A key that comes twice is yielded once, as it stood first.
    """
    seen: set[str] = set()
    key, rest, below = "", "", list[str]()
    for line in (*lines, "end: "):
        match = KEY_LINE.match(line)
        if not match:
            below.append(line)
            continue
        if key and key not in seen:
            seen.add(key)
            yield key, rest, "\n".join(below)
        key, rest, below = match[1].lower(), (match[2] or "").strip(), []


def as_text(rest: str, below: str) -> str:
    """Return a value as one line of text: to the end of its line, outer quotes removed.

    A colon or ` #` inside an unquoted value belongs to it; models do not comment their pages.
    """
    if rest in ("", "|", ">", "|-", ">-"):
        rest = " ".join(below.split())
    for quote in ('"', "'"):
        if len(rest) > 1 and rest[0] == quote and rest[-1] == quote:
            inner = rest[1:-1]
            if quote == '"':
                return " ".join(re.sub(r"\\(.)", r"\1", inner).split())
            return " ".join(inner.replace("''", "'").split())
    return " ".join(rest.split())


def as_list(rest: str, below: str) -> tuple[tuple[str, ...], bool]:
    """Return a value as plain strings, and whether it was something else than a list.

    A list may be inline, a block, one string with commas, or wikilinks in a row. Of mappings
    the readable names stay: string values, and keys of values that only say yes.
    """
    written = f"{rest}\n{below}".strip("\n")
    if not written.strip():
        return (), False
    if re.match(r"\s*\[\[", rest):
        return tuple(re.findall(r"\[\[[^\[\]]*\]\]", rest))[:LIST_LIMIT], True
    items = [match[1] for line in below.split("\n") if (match := re.match(r"\s*-\s+(.*)", line))]
    if rest.startswith("[") and rest.endswith("]") and "{" not in rest:
        return _distinct(_inline(rest[1:-1])), False
    if not rest and items and not any(_is_mapping(item) for item in items):
        return _distinct([as_text(item, "") for item in items]), False
    if rest and not rest.startswith(("{", "[", "-")):
        return _distinct(_inline(rest)), True
    return _distinct(list(_names(_loaded(written)))), True


def _is_mapping(item: str) -> bool:
    return bool(re.match(r"[\w ]+:(?:\s|$)", item)) or item.startswith("{")


def _inline(inner: str) -> list[str]:
    """Split at commas outside quotes and brackets."""
    parts = re.findall(r'(?:"(?:\\.|[^"\\])*"|\'[^\']*\'|\[\[[^\]]*\]\]|[^,])+', inner)
    return [as_text(part.strip(), "") for part in parts]


def _distinct(found: list[str]) -> tuple[str, ...]:
    kept: dict[str, str] = {}
    for entry in found:
        if entry.strip():
            kept.setdefault(entry.strip().casefold(), entry.strip()[:VALUE_LIMIT])
    return tuple(kept.values())[:LIST_LIMIT]


def _loaded(written: str) -> object:
    """Read a piece of YAML with every scalar as text; None where it is none."""
    try:
        return yaml.load(written, Loader=yaml.BaseLoader)  # makes only str, list, dict
    except (yaml.YAMLError, RecursionError):
        return None


def _names(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _names(item)
        case dict():
            for key, item in value.items():
                if isinstance(item, str) and item.lower() in ("", "true", "yes", "null", "~"):
                    yield str(key)
                elif not isinstance(item, str) or item.lower() not in ("false", "no"):
                    yield from _names(item)
        case _:
            return
