"""The text of a folder's note: the summary, and every child as a real link."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from vaultd.core import link
from vaultd.core.fallback import escaped
from vaultd.core.listing import OVERVIEW
from vaultd.core.markdown import cut_at_sentence
from vaultd.core.quiet import Quiet, quiet_spans
from vaultd.core.staleness import name_of
from vaultd.model.paths import VaultPath
from vaultd.model.summary import ChildSummary, Node, NodeState
from vaultd.model.wiki import OFFLINE

LINE_CHARS = 120  # of a child's abstract, as in the wiki's index

WORDS = {
    "zh": {
        "contents": "本文件夹内容",
        "fallback": "> [!warning] 草稿：模型没有应答，本段由规则生成，模型恢复后会自动更新。",
        "stale": "> [!info] 本段描述的是较早的内容，更新未能完成，稍后会自动重试。",
        "partial": "有 {n} 个条目暂时无法读取。",
        "offline": "*未使用语言模型，由原文句子摘录而成。*",
    },
    "en": {
        "contents": "In this folder",
        "fallback": "> [!warning] Draft: the model did not answer. This text was put together by"
        " rule and is replaced when the model is back.",
        "stale": "> [!info] This text describes earlier contents. Its refresh failed and is"
        " tried again.",
        "partial": "{n} of the entries cannot be read at the moment.",
        "offline": "*Put together from the notes' own sentences, without a language model.*",
    },
}

_LINK = re.compile(r"(!?)\[\[([^\[\]|#\n]*)(#[^\[\]|\n]*)?(?:\\?\|([^\[\]\n]*))?\]\]")
_MARKDOWN_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\n]*\)")
_ESCAPED = re.compile(r"\\([`*\[\]<>$_#%=~])")  # what `escaped` put a backslash before
_HEADING = re.compile(r"^(#{1,6})(?=[ \t])", re.MULTILINE)
_FIRST_HEADING = re.compile(r"\A\s*#{1,6}[ \t]+([^\n]+)\n?")


def note_path_of(folder: VaultPath) -> VaultPath | None:
    """Return where the text of `folder` stands; None for the vault itself."""
    if folder == ".":
        return None
    if folder == "wiki":
        return OVERVIEW
    return VaultPath(f"{folder}/{name_of(folder)}.md")


def note_body(node: Node, children: Sequence[ChildSummary]) -> str:
    """Return what stands in the managed region, without a time or anything that drifts.

    `children` in the order they are listed, all of them, described or not. The overview that
    the offline author gives says no more than this list does, and is left out.
    """
    words = WORDS["zh" if node.language.startswith("zh") else "en"]
    is_offline = node.author == OFFLINE and node.state is NodeState.OK
    overview = "" if is_offline else lowered(linked(node.overview, children), 2)
    parts = [
        escaped(node.abstract),
        words[node.state.value] if node.state in (NodeState.FALLBACK, NodeState.STALE) else "",
        overview.strip(),
        words["offline"] if is_offline else "",
        f"## {words['contents']}",
        "\n".join(child_line(child) for child in children),
        words["partial"].format(n=node.partial) if node.partial else "",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def texts_in(body: str) -> tuple[str, str]:
    """Return abstract and overview from a note's text, as far as it is `note_body`'s.

    The overview has its links and headings as the note shows them: shown again it stays so.
    """
    for words in WORDS.values():
        above, found, _ = body.rpartition(f"\n\n## {words['contents']}\n")
        if found:
            above = above.removesuffix(f"\n\n{words['offline']}")
            abstract, _, overview = above.partition("\n\n")
            return _ESCAPED.sub(r"\1", abstract), overview
    return "", ""


def child_line(child: ChildSummary) -> str:
    """Return one line of the list; a folder links to its note, if it has one."""
    shown = cut_at_sentence(" ".join(child.abstract.split()), LINE_CHARS)
    if child.is_directory and not child.has_abstract:
        head = escaped(child.name) + "/"
    else:
        head = link_to(child)
    return f"- {head}" + (f": {escaped(shown)}" if shown else "")


def link_to(child: ChildSummary, text: str = "") -> str:
    """Return a link with the whole path, which no other note of the same name can catch."""
    place = VaultPath(child.uri.removesuffix("/"))
    note = note_path_of(place) if child.is_directory else place
    shown = " ".join(re.sub(r"[\[\]|]+", " ", text or child.shown).split()) or child.name
    return link.link_to(note or place, shown)


def linked(overview: str, children: Sequence[ChildSummary]) -> str:
    """Return `overview` with its links made whole: to children only, others become plain text.

    A model writes slugs, titles or paths; what is no child, or not surely one, is no link.
    """
    named: dict[str, list[ChildSummary]] = {}
    titled: dict[str, list[ChildSummary]] = {}
    for child in children:
        if child.has_abstract or not child.is_directory:
            named.setdefault(_slug(child.name), []).append(child)
            titled.setdefault(_slug(child.title), []).append(child)

    def resolved(match: re.Match[str]) -> str:
        target = match[2].strip().rstrip("/")
        leaf = target.rpartition("/")[2]
        called = named.get(_slug(leaf)) or named.get(_slug(leaf.removesuffix(".md")))
        found = called or titled.get(_slug(target), [])
        if len(found) == 1:
            return link_to(found[0], match[4] or found[0].title or leaf)
        return (match[4] or leaf).strip()

    return _LINK.sub(resolved, _MARKDOWN_LINK.sub(r"\1", overview))


def lowered(text: str, level: int) -> str:
    """Return `text` with its headings moved so that the highest one has `level`."""
    fenced = [span for span in quiet_spans(text) if span.kind is Quiet.FENCE]
    headings = [
        match
        for match in _HEADING.finditer(text)
        if not any(span.start <= match.start() < span.end for span in fenced)
    ]
    shift = level - min((len(match[1]) for match in headings), default=level)
    pieces, position = list[str](), 0
    for match in headings:
        pieces += text[position : match.start()], "#" * max(1, min(6, len(match[1]) + shift))
        position = match.end()
    return "".join((*pieces, text[position:]))


def untitled(overview: str, name: str) -> str:
    """Return `overview` without a first heading that only repeats the folder's `name`.

    The note bears the name already, and keeps its text when the folder is renamed.
    """
    found = _FIRST_HEADING.match(overview)
    if found is None or _slug(found[1]) != _slug(name):
        return overview
    return overview[found.end() :].lstrip("\n") or overview


def _slug(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(letter for letter in folded if letter.isalnum())
