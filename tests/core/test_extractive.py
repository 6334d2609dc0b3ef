"""Choosing sentences."""

from __future__ import annotations

import pytest

from vaultd.core.content import content_of
from vaultd.core.extractive import (
    ABSTRACT_CHARS,
    abstract_from,
    chosen,
    is_quotable,
    is_story,
    ranked_statements,
)
from vaultd.core.text import Kind
from vaultd.model.document import ExtractedPage

PAPER = """
# Abstract

This paper explains how temperature and salt steer the rise of a sourdough.

# Introduction

Wild yeast and lactic acid bacteria live together in a sourdough starter.
However, this is only a part of the story of the starter.
Figure 3 shows the temperature of the dough over a whole working day.

# Temperature

Temperature decides how fast the yeast and the bacteria of a starter grow.
Temperature decides how fast the yeast and the bacteria in a starter will grow.
Salt slows the yeast down and strengthens the gluten of the dough.
"""


def test_the_abstract_is_an_early_whole_sentence_of_the_document() -> None:
    content = content_of([ExtractedPage(1, PAPER)])

    best = abstract_from(ranked_statements(content, "Sourdough"), "Sourdough")
    assert best is not None
    assert best.statement.text in PAPER
    assert best.statement.section == ("Abstract",)
    assert len(best.statement.text) <= ABSTRACT_CHARS


def test_what_says_what_the_title_names_is_the_abstract() -> None:
    definition = "Acme Corporation is a maker of traps that catch the birds and mice of a country."
    rival = "Acme's makers of traps that catch birds and mice are the makers of a country."
    more = "Springs of traps were made of wire. Birds and mice are not caught alike in traps."
    content = content_of([ExtractedPage(1, f"# Acme\n\n{rival} {definition} {more}")])

    best = abstract_from(ranked_statements(content, "Acme - Wiki"), "Acme - Wiki")
    assert best is not None
    assert best.statement.text == definition


def test_chosen_sentences_stand_in_order_and_repeat_nothing() -> None:
    ranked = ranked_statements(content_of([ExtractedPage(1, PAPER)]))

    taken = [one.statement.text for one in chosen(ranked, 6)]
    assert len(taken) == len(set(taken))
    assert sum("decides how fast" in text for text in taken) == 1
    assert [PAPER.index(text) for text in taken] == sorted(PAPER.index(text) for text in taken)


@pytest.mark.parametrize(
    ("title", "says", "others"),
    [
        (
            "Security of clusters",
            "This special publication analyzes the threats to clusters, their nodes and memory.",
            "Security is an essential component of clusters in the whole country.\n"
            "This publication is free to copy under the licence named below by its authors.\n"
            "Clusters resemble other computers, and the security of clusters uses the same means.",
        ),
        (
            "参考手册",
            "参考手册（版本2.100）(2023-02-04 11:59:01 UTC) 旨在为系统的使用与管理提供宽泛的概览。",
            "这本书是自由的；你可以在与自由软件指导方针兼容的任意版本的许可证的条款下重新分发本书。\n"
            "本书的目标读者：愿意学习脚本的人，但是不准备阅读系统的所有源代码的人。",
        ),
    ],
)
def test_what_a_document_says_of_itself_is_its_abstract(title: str, says: str, others: str) -> None:
    more = "\n".join(f"Node {n} of the cluster has its own memory and disk." for n in range(30))
    content = content_of([ExtractedPage(1, f"# Abstract\n\n{others}\n{says}\n\n# Nodes\n\n{more}")])

    best = abstract_from(ranked_statements(content, title), title)

    assert best is not None
    assert best.statement.text == says


def test_of_a_story_the_first_sentence_that_tells_is_the_abstract() -> None:
    opening = "It was in July, and the speaker was the well-known maid of honor of the empress."
    talk = '"You must not go there tonight," said the prince, and he turned to the old window.'
    text = "\n\n".join(
        [
            f'"Well, so the towns are his estates now."\n\n{opening}',
            *[f"{talk} {n}." for n in range(120)],
        ]
    )
    story = content_of([ExtractedPage(None, text)])
    paper = content_of([ExtractedPage(None, PAPER)])

    best = abstract_from(ranked_statements(story), story=is_story(story))

    assert is_story(story)
    assert not is_story(paper)
    assert best is not None
    assert best.statement.text == opening


def test_key_sentences_come_from_the_whole_of_a_document() -> None:
    stones = ("granite", "basalt", "marble", "slate", "chalk", "flint")
    uses = ("bridges", "towers", "roads", "ovens", "stairs", "harbours", "gates", "mills")
    pages = [
        ExtractedPage(number, f"Masons of the town took {stone} for their {use}.\n")
        for number, stone in enumerate(stones, 1)
        for use in uses
    ]

    taken = chosen(ranked_statements(content_of(pages)), 6)

    assert len({one.statement.page for one in taken}) >= 4


def test_what_a_person_asked_about_draws_the_choice() -> None:
    content = content_of([ExtractedPage(1, PAPER)])

    plain, asked = (
        {one.statement.text: one.worth for one in ranked_statements(content, focus=focus)}
        for focus in ("", "What does salt do to the gluten?")
    )
    salt = next(text for text in asked if text.startswith("Salt"))
    assert asked[salt] > plain[salt]


@pytest.mark.parametrize(
    "text",
    [
        "and strengthens the gluten of the dough, which the baker can feel.",  # no beginning
        "The dough is mixed in the evening and left to rest until the",  # no end
        "See https://example.org/dough for the whole story of the dough and more.",
        "Baker, A. Salt and yeast in the dough. Journal of Bread 12, pp. 3-9, 1999.",
        "Copyright 1999 by the Bakers of the Town, who keep every right to the text.",
        "Short one.",
        "The sum (of all the parts of the dough is more than the flour and water.",
        "x = a + b + c and y = d + e where z < k and so on it goes for all n.",
    ],
)
def test_fragments_references_and_formulas_are_not_quoted(text: str) -> None:
    assert not is_quotable(text, Kind.PROSE)


def test_whole_sentences_are_quoted_in_any_script() -> None:
    assert is_quotable("Salt slows the yeast down and strengthens the gluten.", Kind.PROSE)
    assert is_quotable("Salt slows the yeast down and strengthens the gluten.[2][a]", Kind.PROSE)
    assert is_quotable("盐会减慢酵母的生长，同时增强面团里面筋的强度和弹性。", Kind.PROSE)
    assert is_quotable("塩は酵母の働きを遅くし、生地のグルテンを強くする役割を持つ。", Kind.PROSE)


def test_a_list_without_full_stops_still_has_sentences() -> None:
    items = "- 读取源文件内容，并把它转换成结构化的页面\n- 处理长文档的分块分析和中断之后的恢复"
    content = content_of([ExtractedPage(None, items)])

    assert len(ranked_statements(content)) == 2
