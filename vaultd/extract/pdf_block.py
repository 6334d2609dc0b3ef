"""A page's text as blocks: where each stands, and its Markdown."""

from __future__ import annotations

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from vaultd.core.box import Box
from vaultd.core.reading_order import reading_order, suspicious
from vaultd.extract.content import LATIN, raised, readable
from vaultd.extract.pdf_hyphen import marked, marked_anew

# `[^<]+` where `.*?` would do: it takes a third of the time.
ELEMENT = re.compile(r"<(p|h[1-6])\b[^>]*>((?:[^<]+|<(?!/\1>))*)</\1>")
FENCE = "```"
EMPHASIS = {"b": "**", "i": "*"}
TAG = re.compile(r"</?[a-z]\w*[^>]*>")
STYLED = re.compile(r"<(b|i)>((?:[^<]+|<(?!/\1>))*)</\1>")
ADJACENT = re.compile(r"</([bi])>(\s*)<\1>")
SUPERSCRIPT = re.compile(r"<sup>(.*?)</sup>", re.S)
MONOSPACED = re.compile(r"<tt>.*?</tt>", re.S)
FOLDED = re.compile(r"[\s\-\xad\u2010]+")  # what line joining and hyphenation change
EAST_ASIAN = "\u2e80-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef"
WESTERN = re.compile("[ -\u02ff\u2010-\u2027\u2030-\u205e]*")
JOINED = re.compile(f" (?<=[{EAST_ASIAN}] )(?=[{EAST_ASIAN}])")
# Private-use codes of the Symbol and Wingdings fonts that stand for bullets.
BULLET_CODES = "\uf0b7\uf0a7\uf0a8\uf076\uf0d8\uf0fc\uf02d\uf06e\uf071"
CODED = re.compile(f"[{BULLET_CODES}]")
BULLET = re.compile(r"[•▪◦‣⁃●○■□►➢➤✓✔–][ \u00a0\t]+(?=\S)")
NUMBER = re.compile(r"(?:\(?\d{1,2}[.)]|\(?[a-z][.)])[ \u00a0\t]+(?=\S)")
ITEM = re.compile(rf"\s*(?:(?P<bullet>{BULLET.pattern})|{NUMBER.pattern})")
SIGN = re.compile(r"\s*(?:[•▪◦‣⁃●○■□►➢➤✓✔–]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s*")
MARKUP_SIGNS = frozenset("#>`~-+=")
MARKUP = re.compile(r"^(#{1,6}\s|>|```|~~~|[-+=]{3,}\s*$)", re.M)


@dataclass(slots=True)
class Block:
    """A piece of a page: `box` in points, `plain` for comparison, `markdown` for the reader.

    `level` is the size class MuPDF gives it (1 to 6, 0: body), `bold` says that all of it is,
    `raw` is what MuPDF says of it.
    """

    box: Box
    plain: str
    markdown: str
    level: int = 0
    bold: bool = False
    lines: list[str] = field(default_factory=list)
    raw: Sequence[Any] = ()


def blocks_of(textpage: Any) -> list[Block]:
    """Return the blocks of a text page in reading order."""
    raw = [block for block in textpage.extractBLOCKS() if block[6] == 0 and block[4].strip()]
    elements = ELEMENT.findall(textpage.extractXHTML())
    if len(elements) == len(raw):
        pairs = zip(raw, elements, strict=True)
        blocks = [_block(block, tag, inner, block[4]) for block, (tag, inner) in pairs]
    else:
        blocks = [_block(*part) for part in _aligned(elements, raw)]
    return in_order([block for block in blocks if block.plain])


def in_order(blocks: list[Block]) -> list[Block]:
    """Return `blocks` as a reader goes; the given order is kept unless it looks wrong."""
    boxes = [block.box for block in blocks]
    if not suspicious(boxes):
        return blocks
    return [blocks[index] for index in reading_order(boxes)]


def _aligned(
    elements: Sequence[tuple[str, str]], raw: Sequence[Any]
) -> Iterator[tuple[Any, str, str, str]]:
    """Give the block of each element, its tag and content, and its text.

    A block may be split into heading and paragraph. The middle of an element's text tells in
    which block it lies, since both hold the same characters in the same order; so it is with
    the lines of the block, which are the element's text if they hold what it does.
    """
    lines = [line for block in raw for line in block[4].split("\n") if line.strip()]
    sizes = [len(FOLDED.sub("", line)) for line in lines]
    middles = [end - size / 2 for size, end in zip(sizes, accumulate(sizes), strict=True)]
    ends = list(accumulate(len(FOLDED.sub("", block[4])) for block in raw))
    position = 0
    for tag, inner in elements if raw else ():
        text = html.unescape(TAG.sub("", inner))
        folded = FOLDED.sub("", text)
        index = bisect_right(ends, position + len(folded) // 2)
        own = slice(bisect_left(middles, position), bisect_left(middles, position + len(folded)))
        position += len(folded)
        whole = "\n".join(lines[own])
        text = whole if FOLDED.sub("", whole) == folded else text
        yield raw[min(index, len(raw) - 1)], tag, inner, text


def _block(raw: Any, tag: str, inner: str, text: str) -> Block:
    text = _with_bullets(readable(text))
    box = raw[:4]
    lines = _with_signs([line for line in text.split("\n") if line.strip()])
    plain = joined(marked(text))
    level = int(tag[1]) if tag[0] == "h" else 0
    if "<" not in inner:
        markdown = as_items(escaped(plain), lines)
        return Block(box, plain, markdown, level, lines=lines, raw=raw)
    bold = not STYLED.sub(lambda m: "" if m[1] == "b" else m[0], inner).strip()
    if "<tt>" in inner and not TAG.sub("", MONOSPACED.sub("", inner)).strip():
        markdown = listing(lines)
    else:
        markdown = as_items(marked_anew(markdown_of(inner), lines), lines)
    return Block(box, plain, markdown, level, bold, lines, raw)


def listing(lines: Sequence[str]) -> str:
    """Return lines of code as Markdown."""
    return "\n".join([FENCE, *(line.replace(FENCE, "'''") for line in lines), FENCE])


def _with_signs(lines: list[str]) -> list[str]:
    """Return `lines` with a list sign that stands alone put before the line it belongs to."""
    if not any(map(SIGN.fullmatch, lines)):
        return lines
    whole: list[str] = []
    for line in lines:
        if whole and SIGN.fullmatch(whole[-1]) and not SIGN.fullmatch(line):
            whole[-1] = f"{whole[-1].strip()} {line.lstrip()}"
        else:
            whole.append(line)
    return whole


def rewritten(block: Block, lines: list[str]) -> Block:
    """Return `block` as it is with these lines only."""
    plain = joined(marked("\n".join(lines)))
    return Block(block.box, plain, as_items(escaped(plain), lines), block.level, lines=lines)


def markdown_of(inner: str) -> str:
    """Return the inside of a MuPDF XHTML element as one paragraph of Markdown."""
    inner = SUPERSCRIPT.sub(lambda match: raised(TAG.sub("", match[1])), inner)
    inner = ADJACENT.sub(r"\2", inner)
    inner = STYLED.sub(_emphasis, inner)
    return escaped(joined(readable(html.unescape(TAG.sub("", inner)))))


def _emphasis(match: re.Match[str]) -> str:
    """Put marks around styled text, outside of which its spaces stay."""
    text = STYLED.sub(lambda inner: inner[2], match[2])
    bare = text.strip()
    if "*" in bare or not any(map(str.isalnum, html.unescape(bare))):
        return text
    sign = EMPHASIS[match[1]]
    start = text.index(bare)
    return f"{text[:start]}{sign}{bare}{sign}{text[start + len(bare) :]}"


def joined(text: str) -> str:
    """Return `text` on one line; no space stands between East Asian characters."""
    line = " ".join(text.split())
    is_western = line.isascii() or WESTERN.fullmatch(line)
    return line if is_western else JOINED.sub("", _with_bullets(line))


def _with_bullets(text: str) -> str:
    return text if text.isascii() or LATIN.fullmatch(text) else CODED.sub("•", text)


def escaped(text: str) -> str:
    """Return `text` so that its line starts are not taken for headings, quotes or fences."""
    if "\n" not in text and text[:1] not in MARKUP_SIGNS:
        return text
    return MARKUP.sub(lambda match: "\\" + match[0], text)


def as_items(markdown: str, lines: Sequence[str]) -> str:
    """Return a paragraph as list items where its lines in the file begin with list signs."""
    items = [match for match in map(ITEM.match, lines) if match]
    bullets = [item["bullet"] for item in items if item["bullet"]]
    if len(items) < 2 and not bullets:
        return markdown
    if bullets == ["– "] and not lines[0].lstrip().startswith("–"):
        return markdown  # a dash between words
    return _cut(markdown, [line.lstrip() for line in lines])


def _cut(markdown: str, lines: Sequence[str]) -> str:
    """Break `markdown` before the sign of every line that begins with one."""
    position = 0
    cuts: list[int] = []
    for line in lines:
        if match := BULLET.match(line) or NUMBER.match(line):
            first = joined(line)[: match.end()].rstrip() + " "
            found = markdown.find(first.strip(), position)
            if found >= 0:
                cuts.append(found)
                position = found + 1
    if not cuts:
        return markdown
    parts = [markdown[a:b].strip() for a, b in zip([0, *cuts], [*cuts, None], strict=True)]
    parts[1:] = [BULLET.sub("- ", part) if BULLET.match(part) else part for part in parts[1:]]
    lead = [parts[0]] if parts[0] else []
    return "\n\n".join([*lead, "\n".join(parts[1:])])
