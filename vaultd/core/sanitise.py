"""Makes generated Markdown safe to write: nothing loads, nothing hides, nothing becomes a tag."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from vaultd.core.quiet import Loud, Quiet, Span, change_prose, quiet_spans
from vaultd.core.tags import TAG_SIGN

PASSES = 10  # taking a sign away may make another one; real text needs one pass, rarely two


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\S+", text))


# Inline elements that only set type; Obsidian renders no Markdown inside others.
_KEPT_TAGS = _words("b br del i ins kbd mark s small sub sup u")
_LOADING_TAGS = _words(
    "script style iframe object embed applet noscript template svg math video audio canvas form"
)
_KNOWN_TAGS = _LOADING_TAGS | _words(
    "a abbr address article aside base big blockquote body button caption center cite code col "
    "colgroup data dd details dfn dialog div dl dt em fieldset figcaption figure font footer "
    "frame frameset h1 h2 h3 h4 h5 h6 head header hr html img input label legend li link "
    "main map area menu meta nav ol optgroup option output p param picture pre progress q rp "
    "rt ruby samp section select source span strike strong summary table tbody td textarea "
    "tfoot th thead time title tr track tt ul var wbr"
)
_OPENER = re.compile(rf"<({'|'.join(sorted(_LOADING_TAGS))})\b[^<>]*>", re.IGNORECASE)
_LOADING = re.compile(rf"!\[|<(?:img|link|{'|'.join(sorted(_LOADING_TAGS))})\b", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)(\s[^<>]*)?/?>|<(/?)([A-Za-z][\w-]*)[^<>]*\Z")
_AUTOLINK = re.compile(r"<(?:https?://|mailto:)[^<>\s]+>", re.IGNORECASE)
_BRACKETS = r"\[((?:[^\[\]]|\[[^\[\]]*\]){0,3000})\]"  # one level of brackets inside
_IMAGE_SIGN = re.compile(r"!(?=\[)")
_LOCAL_IMAGE = re.compile(
    rf"!{_BRACKETS}\((?!\s*<?\s*(?:[A-Za-z][A-Za-z0-9+.-]*:|//|\\\\))(?:[^()\n]|\([^()\n]*\))*\)"
    r"|!\[\[(?!\s*(?:[A-Za-z][A-Za-z0-9+.-]*:|//))[^\[\]\n]+\]\](?!\()"
)
_LINK = re.compile(rf"{_BRACKETS}(?:\(\s*<?\s*([A-Za-z][\w+.-]*):(?:[^()\n]|\([^()\n]*\))*\))")
_SAFE_SCHEMES = frozenset(("http", "https", "mailto"))
_CALLOUT = re.compile(r"^([ \t]*+>[ \t]*+)\[!([\w-]+)\]", re.MULTILINE)
_CALLOUT_TYPES = _words(
    "note abstract summary tldr info todo tip hint important success check done question help "
    "faq warning caution attention failure fail missing danger error bug example quote cite"
)
_TAG_SIGN = re.compile(rf"(^|[\s(\"'，。、；：（“]){TAG_SIGN}", re.MULTILINE)
_FIELD = re.compile(r"^([ \t]*+(?:[-*+>|][ \t]++)*+[^\n:`|\[\]]{1,80}+)::(?=[ \t]|$)", re.MULTILINE)
_FIELD_INLINE = re.compile(r"([\[(][^\[\]()\n:`]{1,80}+)::(?=[ \t])")
_FIELD_TIGHT = re.compile(  # `std::vec`: both colons stay
    r"^([ \t]*+(?:[-*+>|][ \t]++)*+[^\s:`|\[\](][^\n:`|\[\]]{0,79}+)::(?=[^\s:])", re.MULTILINE
)
_FIELD_INLINE_TIGHT = re.compile(r"([\[(][^\[\]()\n:`]{1,80}+)::(?=[^\s:])")
_PRICE = re.compile(r"(?<![\\$])\$(?=\d)")
_DOLLAR = re.compile(r"(?<!\\)\$")
_SHELL = re.compile(r"(?<![\\$\w])\$(?=[A-Z_]{2,}\b|\{[A-Za-z_]\w*\})")
_MATH_SIGN = re.compile(r"[\\^_=+<>{}*/]|\A[^\s\d]\Z|\A[A-Za-z](?:\([A-Za-z, ]+\))?\Z")
_CODE_LABEL = re.compile(r"(`{3,}|~{3,})[ \t]*([\w-]+)")
_RUNNING = _words(  # code blocks that a plugin runs
    "dataview dataviewjs js-engine run-js button meta-bind-js-view tasks query"
)
_REPLY_MARKER = re.compile(
    r"^[ \t]*-{3}[ \t]*(?:END[ \t]+)?(?:FILE|REVIEW)\b[^\n]*-{3}[ \t]*$\n?", re.I | re.M
)


@dataclass(frozen=True, slots=True)
class Sanitised:
    """A body fit to be written, and what was changed in it, each thing once."""

    body: str
    warnings: tuple[str, ...]


def sanitise(body: str) -> Sanitised:
    """Return `body` with "\\n" line ends and everything that would load, hide or run made text.

    Doing it twice changes nothing. Code and math keep their text; a fence that was left open
    is closed.
    """
    warnings: list[str] = []
    text = body.replace("\r\n", "\n").replace("\r", "\n")
    for _ in range(PASSES):
        before = text
        for change in _CHANGES:
            text = change(text, warnings)
        if text == before:
            break
    return Sanitised(text, tuple(dict.fromkeys(warnings)))


def _close_fences(text: str, warnings: list[str]) -> str:
    spans = quiet_spans(text)
    if not spans or spans[-1].kind is not Quiet.FENCE or spans[-1].closed:
        return text
    opening = re.search(r"`{3,}|~{3,}", text[spans[-1].start :])
    warnings.append("closed a code fence")
    return f"{text.rstrip()}\n{opening[0] if opening else '```'}\n"


def _rebuilt(text: str, change: Callable[[Span, str], str]) -> str:
    pieces, position = list[str](), 0
    for span in quiet_spans(text):
        pieces += text[position : span.start], change(span, text[span.start : span.end])
        position = span.end
    return "".join((*pieces, text[position:]))


def _still_code(text: str, warnings: list[str]) -> str:
    """Code that plugins run becomes code that is shown."""

    def change(span: Span, part: str) -> str:
        if span.kind is Quiet.FENCE:
            match = _CODE_LABEL.search(part)
            if match and match[2].casefold() in _RUNNING:
                warnings.append("made a running code block plain")
                return f"{part[: match.start(2)]}text{part[match.end(2) :]}"
        if span.kind is Quiet.CODE and re.match(r"`+\s*\$?=", part):
            ticks = len(part) - len(part.lstrip("`"))
            return f"{part[:ticks]}\u200b{part[ticks:]}"
        return part

    return _rebuilt(text, change)


def _without_comments(text: str, warnings: list[str]) -> str:
    """Hidden text is not kept: `%%` signs go, their text is shown; HTML comments go whole."""

    def change(span: Span, part: str) -> str:
        if span.kind is Quiet.HTML:
            warnings.append("removed an HTML comment")
            return "" if span.closed else part.replace("<!--", "")
        if span.kind is Quiet.COMMENT:
            warnings.append("removed a comment sign")
            return part.replace("%%", "")
        return part

    return _rebuilt(text, change)


def _plain_dollars(text: str, warnings: list[str]) -> str:
    """Prices and shell variables between two dollar signs are no formula."""

    def change(span: Span, part: str) -> str:
        inner = part.strip("$")
        if span.kind is Quiet.MATH and _LOADING.search(part):
            return part.replace("$", r"\$")
        if span.kind is Quiet.MATH and not part.startswith("$$") and _DOLLAR.search(inner):
            warnings.append("escaped a dollar sign")
            return rf"\{part}"  # a formula holds none: the first was a price
        if span.kind is not Quiet.MATH or part.startswith("$$") or _MATH_SIGN.search(inner):
            return part if span.closed else part.replace("$$", r"\$\$", 1)
        if re.fullmatch(r"[\w., ]{1,12}", inner) and not re.match(r"\d[\d.,]* \w", inner):
            return part
        warnings.append("escaped a dollar sign")
        return rf"\${inner}\$"

    return _rebuilt(text, change)


def _images(text: str, warnings: list[str]) -> str:
    """Only pictures of the vault stay; any other image sign goes, its target is left as a link."""
    loud = Loud(text)
    kept = {match.start() for match in _LOCAL_IMAGE.finditer(text)}

    def without_sign(match: re.Match[str]) -> str:
        if match.start() in kept or not loud.at(match.start()):
            return match[0]
        warnings.append("removed an image that would be loaded")
        return ""

    return _IMAGE_SIGN.sub(without_sign, text)


def _links(text: str, warnings: list[str]) -> str:
    loud = Loud(text)

    def safe(match: re.Match[str]) -> str:
        if match[2].casefold() in _SAFE_SCHEMES or not loud.at(match.start()):
            return match[0]
        warnings.append("removed a link that would run something")
        return match[1]

    return _LINK.sub(safe, text)


def _html(text: str, warnings: list[str]) -> str:
    def kept(match: re.Match[str]) -> str:
        name = (match[2] or match[5]).casefold()
        if name in _KEPT_TAGS and match[2]:
            return f"<{match[1]}{name}>"
        if name in _KNOWN_TAGS:
            warnings.append(f"removed the HTML element {name}")
            return ""
        escaped = match.string[max(match.start() - 1, 0) : match.start()] == "\\"
        return match[0] if escaped else "\\" + match[0]

    def change(prose: str) -> str:
        prose = _without_elements(prose, warnings)
        pieces, position = list[str](), 0
        for link in _AUTOLINK.finditer(prose):
            pieces += _TAG.sub(kept, prose[position : link.start()]), link[0]
            position = link.end()
        return "".join((*pieces, _TAG.sub(kept, prose[position:])))

    return change_prose(text, change)


def _without_elements(prose: str, warnings: list[str]) -> str:
    """Take out elements that load or run something, with what stands in them."""
    pieces, position, unclosed = list[str](), 0, set[str]()
    for opener in _OPENER.finditer(prose):
        name = opener[1].casefold()
        if opener.start() < position or name in unclosed:
            continue
        closer = re.compile(rf"</{name}\s*>", re.IGNORECASE).search(prose, opener.end())
        if closer is None:
            unclosed.add(name)
            continue
        warnings.append(f"removed the HTML element {name} with its content")
        pieces.append(prose[position : opener.start()])
        position = closer.end()
    return "".join((*pieces, prose[position:]))


def _signs(text: str, warnings: list[str]) -> str:
    """Tags, data fields, callouts, prices and reply markers that were not meant as such."""

    def callout(match: re.Match[str]) -> str:
        if match[2].casefold() in _CALLOUT_TYPES:
            return match[0]
        warnings.append(f"made the callout {match[2]} a note")
        return f"{match[1]}[!note]"

    def change(prose: str) -> str:
        prose = _REPLY_MARKER.sub("", prose)
        prose = _CALLOUT.sub(callout, prose)
        prose = _outside_links(_TAG_SIGN, r"\1\#", prose)
        prose = _FIELD_TIGHT.sub(r"\1:\:", _FIELD.sub(r"\1:", prose))
        prose = _outside_links(_FIELD_INLINE, r"\1:", prose)
        prose = _outside_links(_FIELD_INLINE_TIGHT, r"\1:\:", prose)
        prose = _outside_links(_PRICE, r"\$", prose)
        return _outside_links(_SHELL, r"\$", prose)

    return change_prose(text, change)


def _outside_links(pattern: re.Pattern[str], replacement: str, prose: str) -> str:
    pieces = re.split(r"(\[\[[^\[\]\n]*\]\]|\]\([^()\n]*\))", prose)
    pieces[::2] = [pattern.sub(replacement, piece) for piece in pieces[::2]]
    return "".join(pieces)


_CHANGES = (
    _close_fences,
    _still_code,
    _without_comments,
    _plain_dollars,
    _html,
    _images,
    _links,
    _signs,
)
