"""Choosing sentences."""

from __future__ import annotations

import pytest

from vaultd.core.content import content_of
from vaultd.core.extractive import (
    ABSTRACT_CHARS,
    abstract_from,
    chosen,
    is_story,
    ranked_statements,
)
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


def test_a_list_without_full_stops_still_has_sentences() -> None:
    items = "- 读取源文件内容，并把它转换成结构化的页面\n- 处理长文档的分块分析和中断之后的恢复"
    content = content_of([ExtractedPage(None, items)])

    assert len(ranked_statements(content)) == 2


LEANING = "In each of them the yeast and the bacteria of a sourdough decide who grows in it."


def abstract_of(text: str, title: str = "", language: str = "") -> str:
    content = content_of([ExtractedPage(None, text)])
    best = abstract_from(ranked_statements(content, title, language=language), title)
    return best.statement.text if best else ""


def test_no_abstract_leans_on_a_sentence_before_it() -> None:
    standing = "Salt slows the yeast of a dough down and strengthens its gluten at two percent."

    assert abstract_of(f"{LEANING} {standing}", "Yeast and bacteria of a sourdough") == standing
    assert abstract_of(LEANING) == LEANING  # better than nothing


def test_the_rest_of_a_sentence_or_caption_is_not_quoted() -> None:
    first = "盐会减慢酵母的生长" * 26
    rest = "高于百分之十，乳酸菌也会受到抑制，味道只咸不酸，因此要先尝。"
    caption = "Figure 12. Detailed statistics of the dough for every day of the whole week."
    content = content_of([ExtractedPage(None, f"{first}；{rest}\n\n{caption}")])

    quoted = [one.statement.text for one in ranked_statements(content)]
    assert rest in [one.text for one in content.statements]
    assert not quoted


def test_sentences_in_another_language_come_last() -> None:
    english = "The package manager of the system installs the kernel and all of its modules."
    japanese = "パッケージ管理システムはカーネルとその全てのモジュールを導入します。"
    text = f"{english}\n\n{japanese}\n\n" + "カーネルの設定は管理者が変更できるものです。\n\n" * 2

    content = content_of([ExtractedPage(None, text)])
    assert ranked_statements(content, language="ja")[-1].statement.text == english
