"""The few words of ours on a page, in the page's language."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Labels:
    """`page` holds "{n}", `inside` "{count}" and "{names}", `few` "{names}", `more`
    "{count}", `says` "{title}", `duplicate` "{new}" and "{old}"."""

    note: str
    sentences: str
    outline: str
    terms: str
    related: str
    says: str
    page: str
    inside: str
    few: str
    more: str
    nothing: str
    duplicate: str
    joint: str = ", "
    colon: str = ": "


_LABELS = {
    "en": Labels(
        note="Written offline: sentences of the source, chosen by rule, not by a model.",
        sentences="Key sentences",
        outline="Outline",
        terms="Key terms",
        related="Related pages",
        says="What “{title}” says",
        page="p. {n}",
        inside="{count} entries, among them {names}.",
        few="Notes on {names}.",
        more="and {count} more",
        nothing="Nothing in the source answers this in its own words.",
        duplicate="“{new}” and “{old}” may be one and the same. If so, keep one and make"
        " the other its alias.",
    ),
    "zh": Labels(
        note="离线生成：按规则摘录原文句子，未使用语言模型。",
        sentences="关键句",
        outline="大纲",
        terms="关键词",
        related="相关页面",
        says="《{title}》中的说法",
        page="第 {n} 页",
        inside="共 {count} 项，包括{names}。",
        few="内容：{names}。",
        more="另有 {count} 项",
        nothing="原文中没有直接回答这个问题的句子。",
        duplicate="“{new}”与“{old}”可能是同一主题。如果是，请保留一页，并把另一个名称设为别名。",
        joint="、",
        colon="：",
    ),
    "ja": Labels(
        note="オフラインで作成：規則により原文から選んだ文です。言語モデルは使用していません。",
        sentences="重要な文",
        outline="目次",
        terms="キーワード",
        related="関連ページ",
        says="「{title}」の記述",
        page="{n} ページ",
        inside="{count} 件：{names}など。",
        few="{names}について。",
        more="ほか {count} 件",
        nothing="原文に直接の答えは見つかりません。",
        duplicate="「{new}」と「{old}」は同じものかもしれません。同じなら片方を残し、もう片方を"
        "別名にしてください。",
        joint="、",
        colon="：",
    ),
    "ko": Labels(
        note="오프라인 작성: 규칙에 따라 원문에서 고른 문장이며, 언어 모델을 쓰지 않았습니다.",
        sentences="핵심 문장",
        outline="개요",
        terms="핵심어",
        related="관련 페이지",
        says="“{title}”의 설명",
        page="{n}쪽",
        inside="{count}개 항목: {names}.",
        few="{names}에 관한 노트.",
        more="외 {count}개",
        nothing="원문에 직접적인 답이 없습니다.",
        duplicate="“{new}”와 “{old}”는 같은 것일 수 있습니다. "
        "그렇다면 하나만 남기고 다른 이름은 별칭으로 두세요.",
    ),
    "de": Labels(
        note="Offline geschrieben: Sätze der Quelle, nach Regeln gewählt, ohne Sprachmodell.",
        sentences="Kernsätze",
        outline="Gliederung",
        terms="Schlüsselbegriffe",
        related="Verwandte Seiten",
        says="Was „{title}“ sagt",
        page="S. {n}",
        inside="{count} Einträge, darunter {names}.",
        few="Notizen zu {names}.",
        more="und {count} weitere",
        nothing="Kein Satz der Quelle beantwortet das unmittelbar.",
        duplicate="„{new}“ und „{old}“ meinen vielleicht dasselbe. Wenn ja: eine Seite"
        " behalten, den anderen Namen als Alias.",
    ),
    "fr": Labels(
        note="Écrit hors ligne : phrases de la source, choisies par règle, sans modèle de langue.",
        sentences="Phrases clés",
        outline="Plan",
        terms="Termes clés",
        related="Pages liées",
        says="Ce que dit « {title} »",
        page="p. {n}",
        inside="{count} entrées, dont {names}.",
        few="Notes sur {names}.",
        more="et {count} autres",
        nothing="Aucune phrase de la source n'y répond directement.",
        duplicate="« {new} » et « {old} » désignent peut-être la même chose. Si oui,"
        " gardez une page et faites de l'autre nom un alias.",
        colon=" : ",
    ),
    "es": Labels(
        note="Escrito sin conexión: frases de la fuente, elegidas por reglas, sin modelo.",
        sentences="Frases clave",
        outline="Esquema",
        terms="Términos clave",
        related="Páginas relacionadas",
        says="Lo que dice «{title}»",
        page="p. {n}",
        inside="{count} entradas, entre ellas {names}.",
        few="Notas sobre {names}.",
        more="y {count} más",
        nothing="Ninguna frase de la fuente lo responde directamente.",
        duplicate="«{new}» y «{old}» quizá sean lo mismo. Si es así, conserve una página"
        " y haga del otro nombre un alias.",
    ),
}


NOTES = frozenset(labels.note for labels in _LABELS.values())
RELATED = frozenset(labels.related for labels in _LABELS.values())


def labels_for(language: str) -> Labels:
    """Return the labels of `language` (ISO 639-1, a region is ignored), else the English ones."""
    return _LABELS.get(language.split("-")[0].lower(), _LABELS["en"])


_ENDS = re.compile(r"[.!?](?!\w)|[。！？]")


def listed(names: Iterable[str], labels: Labels) -> str:
    """Return names in one line; one that holds the mark between them, or an end, is quoted."""
    mark = labels.joint.strip()
    return labels.joint.join(
        f"“{name}”" if mark in name or _ENDS.search(name) else name for name in names
    )


def names_in(abstract: str) -> list[str]:
    """Return the names that the first sentence of a folder's abstract lists, in any language."""
    labels, found = _listing(abstract)
    if labels is None or found is None:
        return []
    parts = re.split(rf"{re.escape(labels.joint)}(?![^“”]*”)", found[1])
    return [name.strip("“”") for name in parts]


def without_names(abstract: str) -> str:
    """Return what a folder's abstract says behind the sentence that lists names."""
    _, found = _listing(abstract)
    return abstract[found.end() :].strip() if found else abstract


def _listing(abstract: str) -> tuple[Labels | None, re.Match[str] | None]:
    for labels in _LABELS.values():
        for pattern in (labels.inside, labels.few):
            fixed = re.escape(pattern).replace(r"\{count\}", r"\d+")
            fixed = fixed.replace(r"\{names\}", "((?:“[^”]*”|[^“])+?)")
            if pattern.endswith("."):
                fixed += r"(?!\w)"  # the end of the sentence, not the point in "Part 3.2"
            if found := re.match(fixed, abstract):
                return labels, found
    return None, None
