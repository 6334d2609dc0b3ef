"""Cleaning, cutting into sentences, estimating tokens, judging legibility."""

from __future__ import annotations

import re
import string
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultd.core.legibility import gibberish
from vaultd.core.text import Kind, clean, fold, sentences, tokens_of

PIECES = st.sampled_from(
    [
        *(
            "Dr. Smith",
            "A sentence. ",
            "第一句。",
            "第二句！",
            "「好。」",
            "…",
            "; ",
            "；",
            "é",
            "e\u0301",
        ),
        *(
            "\n",
            "\n\n",
            "```\n",
            "~~~\n",
            "# Head\n",
            "- item ",
            "1. one ",
            "| a | b |\n",
            "> said ",
            "---\n",
        ),
        *(
            "한국어 문장입니다. ",
            "word-\nbreak",
            "3.5",
            "U.S. ",
            "\t",
            "  ",
            "\u00ad",
            "🙂",
            "A",
            "z",
            "?",
        ),
    ]
)
MARKDOWN = st.lists(PIECES, max_size=40).map("".join)


@given(MARKDOWN)
def test_every_visible_character_is_in_exactly_one_sentence(text: str) -> None:
    found = sentences(text)

    assert all(one.start < one.end for one in found)
    assert all(a.end <= b.start for a, b in zip(found, found[1:], strict=False))
    between = [
        text[a:b]
        for a, b in zip(
            [0, *(s.end for s in found)], [*(s.start for s in found), len(text)], strict=True
        )
    ]
    assert "".join(between).strip() == ""


@given(MARKDOWN)
def test_a_sentence_is_what_stands_at_its_offsets(text: str) -> None:
    for one in sentences(text):
        if one.kind is Kind.PROSE and not text[one.start : one.end].startswith(">"):
            there = re.sub(r"[\s\u00ad]|[-‐](?=\s*\n)", "", text[one.start : one.end])
            assert re.sub(r"\s", "", one.text) == there or "-" in text[one.start : one.end]


@given(MARKDOWN)
def test_a_fence_is_never_cut(text: str) -> None:
    for one in sentences(text):
        if one.kind is Kind.CODE:
            assert one.text == text[one.start : one.end].strip("\n")
        else:
            assert not one.text.startswith(("```", "~~~")) or "\n" not in one.text


def shown(text: str) -> list[str]:
    return [one.text for one in sentences(text)]


def test_abbreviations_initials_and_numbers_end_no_sentence() -> None:
    text = (
        "Dr. Smith met J. Doe in the U.S. office. See Fig. 3 for 3.5 m. "
        "It rose by 27 °C. Then it fell."
    )

    assert shown(text) == [
        "Dr. Smith met J. Doe in the U.S. office.",
        "See Fig. 3 for 3.5 m.",
        "It rose by 27 °C.",
        "Then it fell.",
    ]


def test_chinese_sentences_need_no_space_and_quotes_stay_whole() -> None:
    assert shown("第一句。第二句！「你好。」他说。") == ["第一句。", "第二句！", "「你好。」他说。"]


def test_korean_ends_at_a_full_stop() -> None:
    assert shown("한국어 문장입니다. 다음 문장입니다.") == [
        "한국어 문장입니다.",
        "다음 문장입니다.",
    ]


def test_hard_wraps_are_undone() -> None:
    assert shown("A compiled\ntrace is exam-\nined here.\n\n这是一个被\n换行的句子。") == [
        "A compiled trace is examined here.",
        "这是一个被换行的句子。",
    ]


def test_a_note_mark_behind_a_full_stop_does_not_join_two_sentences() -> None:
    found = shown("It is large.[[3]](#cite_note-3) Microsoft grew.[^1] It ends.")

    assert len(found) == 3


def test_headings_items_rows_and_code_stand_alone() -> None:
    text = "# Head\nProse one.\n- item one. Item two.\n| a | b |\n```py\na. B\n```\n"

    assert [(one.kind, one.text) for one in sentences(text)] == [
        (Kind.HEADING, "Head"),
        (Kind.PROSE, "Prose one."),
        (Kind.ITEM, "item one."),
        (Kind.ITEM, "Item two."),
        (Kind.ROW, "| a | b |"),
        (Kind.CODE, "```py\na. B\n```"),
    ]


def test_a_megabyte_without_a_full_stop_is_cut_in_linear_time() -> None:
    assert len(sentences("word " * 200_000)) == 1


# --- cleaning ------------------------------------------------------------------------------------


@given(st.text(st.characters(codec=None, categories=None), max_size=80))
def test_clean_text_can_be_stored_and_cleaning_twice_changes_nothing(text: str) -> None:
    cleaned = clean(text)

    cleaned.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f]", cleaned)
    assert unicodedata.is_normalized("NFC", cleaned)
    assert clean(cleaned) == cleaned


def test_surrogate_halves_are_joined_and_lone_ones_replaced() -> None:
    assert clean("\ud83d\ude42 \ud83d") == "🙂 \ufffd"


def test_line_ends_become_newlines_and_controls_go() -> None:
    assert clean("a\r\nb\rc\x00\x0cd\u2028e\ufeff") == "a\nb\nc\nd\ne"


def test_a_tower_of_marks_is_cut_to_thirty() -> None:
    assert len(clean("a" + "\u0301\u0316" * 50_000)) <= 33


def test_two_spellings_have_one_key() -> None:
    assert fold("Ｃａｆｅ\u0301  au\tLAIT") == fold("café au lait")
    assert fold("half \ud800 of a pair").encode()


# --- tokens --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("The quick brown fox jumps over the lazy dog. " * 100, 900, 1_600),
        ("深度学习模型需要大量数据。" * 100, 1_000, 2_000),
        ("Модель требует много данных. " * 100, 900, 2_000),
        ("0123456789" * 100, 330, 600),
        ("", 0, 0),
    ],
)
def test_tokens_are_estimated_by_script(text: str, least: int, most: int) -> None:
    assert least <= tokens_of(text) <= most


def test_more_text_never_takes_fewer_tokens() -> None:
    text = "Mixed 文本 with код, 123 and emoji 🙂. " * 20

    counts = [tokens_of(text[:end]) for end in range(0, len(text), 7)]
    assert counts == sorted(counts)


# --- gibberish -----------------------------------------------------------------------------------

PROSE = (
    "When the river rose in the summer, the people of the town carried their furniture to the "
    "upper floors and waited. Nobody remembers who first saw the bridge give way. The miller "
    "said later that the sound reached him before the water did, a long low note like a door "
    "being forced. In the morning two boats were missing, and the market stood under a sheet "
    "of brown water that reflected the sky. It took most of a month before the streets were "
    "dry enough for carts. The council decided to build again a little higher up, where the "
    "ground is firmer and the stream is narrow; the new bridge has stood there for eighty "
    "years without any great repair. Children still look for coins on the old bank after "
    "every storm, and sometimes they find one. "
)


def shifted(text: str, by: int) -> str:
    lower, upper = string.ascii_lowercase, string.ascii_uppercase
    turned = lower[by:] + lower[:by] + upper[by:] + upper[:by]
    return text.translate(str.maketrans(lower + upper, turned))


def test_letters_three_places_on_are_found() -> None:
    assert gibberish(shifted(PROSE, 3))


def test_nearly_every_exchange_of_letters_is_found() -> None:
    missed = [by for by in range(1, 26) if not gibberish(shifted(PROSE * 2, by))]

    assert len(missed) <= 1  # 22 places on, English has the letter shares of some language


def test_prose_in_other_scripts_is_no_gibberish() -> None:
    russian = "Река поднялась летом, и мост больше не выдержал; люди помнят лодки. " * 5
    chinese = "这一年夏天河水上涨，桥没有撑住，人们至今还记得那两条船。" * 8

    assert not gibberish(PROSE)
    assert not gibberish(russian)
    assert not gibberish(chinese)
    assert not gibberish("")


def test_characters_of_no_meaning_are_found_above_two_per_cent() -> None:
    assert gibberish("abc \ue001\ue002 " + PROSE[:50])
    assert not gibberish(PROSE + "\ufffd")


def test_every_language_of_the_declaration_reads_as_a_language(shared: Path) -> None:
    text = (shared / "corpus" / "txt-udhr-multilingual.txt").read_text("utf-8")
    articles = [part.partition("\n")[2] for part in text.split("\n\n")]

    refused = [article[:40] for article in articles if len(article) > 120 and gibberish(article)]
    assert refused == []


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("學校開班。1866年，土地出售。", ["學校開班。", "1866年，土地出售。"]),
        ("需要语言包。locales 软件包需要。", ["需要语言包。", "locales 软件包需要。"]),
        ("这是不对的。[3]下一句。", ["这是不对的。[3]", "下一句。"]),
        ("支持中断的连接.这里是典型的场景.", ["支持中断的连接.", "这里是典型的场景."]),
        ("A cycle would end.This Court sat.", ["A cycle would end.", "This Court sat."]),
        ("Authors own it.⁸ This meant much.", ["Authors own it.⁸", "This meant much."]),
        ("It was universal.10 It had been.", ["It was universal.10", "It had been."]),
        ("「好。」と言った。", ["「好。」と言った。"]),
        ("See java.util.List of it.", ["See java.util.List of it."]),
        ("It is version 3.10 It is.", ["It is version 3.10 It is."]),
    ],
)
def test_sentences_end_without_a_blank_where_no_doubt_is_left(text: str, cut: list[str]) -> None:
    assert [sentence.text for sentence in sentences(text)] == cut
