from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultd.core.variants import simplified
from vaultd.core.words import indexed, is_dense, match_of, normal, phrase_of, terms_of

texts = st.text(
    alphabet=st.one_of(st.characters(), st.sampled_from('的中文かなカナ한글 "-*:()aB_ ')),
    max_size=60,
)


@given(text=texts)
def test_what_stands_in_a_text_stands_in_its_words(text: str) -> None:
    """A phrase of a text is a phrase of what is indexed, if it ends where words end."""
    phrase = phrase_of(text)

    assert not phrase or f" {phrase} " in f" {indexed(f'vor {text} nach')} "


@given(text=texts)
def test_any_question_gives_a_quoted_expression(text: str) -> None:
    terms = terms_of(text)

    assert match_of(terms).count('"') % 2 == 0
    assert len(terms) == len(set(terms))


@given(text=st.text(alphabet=st.characters(categories=None), max_size=30))
def test_normal_text_can_be_stored(text: str) -> None:
    assert "\0" not in normal(text)
    normal(text).encode()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("重跑gen-itgc后", "重 重跑 跑 gen itgc 后"),
        ("fooBar", "foobar foo bar"),
        ("HTTPServer", "httpserver http server"),
        ("snake_case e-mail", "snake case e mail"),
        ("ＦＵＬＬ", "full"),
        ("發酵", "发 发酵 酵"),
        ("発酵", "发 发酵 酵"),
        ("", ""),
    ],
)
def test_text_is_split_by_script_and_by_the_humps_of_names(text: str, words: str) -> None:
    assert indexed(text) == words


@given(text=st.text(alphabet=st.one_of(st.characters(), st.sampled_from("發髮発发気氣图"))))
def test_another_way_of_writing_characters_has_as_many_of_them(text: str) -> None:
    """What is found in one stands at the same place of the other."""
    same = simplified(text)

    assert len(same) == len(text)
    assert simplified(same) == same


def test_stop_words_are_dropped_unless_nothing_else_is_left() -> None:
    assert terms_of("what is the cache") == ["cache"]
    assert terms_of("to be or not to be") == ["to", "be", "or", "not"]


def test_the_script_of_a_question_is_that_of_most_of_its_words() -> None:
    assert is_dense(terms_of("怎么用 ripgrep 搜索文件"))
    assert not is_dense(terms_of("what does 缓 mean in English?"))
    assert not is_dense([])
