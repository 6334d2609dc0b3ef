from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultd.core.query import parse
from vaultd.core.snippet import MARK, Finder, snippet
from vaultd.model.search import Filters

NONE = Filters()


@pytest.mark.parametrize(
    ("typed", "text", "phrases", "excluded"),
    [
        ('cache "write back" policy', "cache write back policy", ("write back",), ()),
        ("cache -redis", "cache", (), ("redis",)),
        ('cache -"write back"', "cache", (), ("write back",)),
        ("“精确 短语” 别的", "精确 短语 别的", ("精 精确 确 短 短语 语",), ()),
        ("e-mail -5 degrees", "e-mail -5 degrees", (), ()),
        ('an "open quote', 'an "open quote', (), ()),
    ],
)
def test_phrases_are_asked_for_and_words_with_a_minus_refused(
    typed: str, text: str, phrases: tuple[str, ...], excluded: tuple[str, ...]
) -> None:
    parsed = parse(typed, NONE)

    assert (parsed.text, parsed.phrases, parsed.excluded) == (text, phrases, excluded)


def test_filters_can_be_typed() -> None:
    parsed = parse('under:"my notes" tag:ml after:2026-01 sparse #todo', Filters(type="concept"))

    assert parsed.filters == Filters(under="my notes", type="concept", tag="ml", after="2026-01")
    assert (parsed.text, parsed.tags) == ("sparse", ("todo",))


def test_a_number_sign_before_a_number_is_no_tag() -> None:
    assert parse("issue #12 in C#", NONE).tags == ()


@given(typed=st.text(alphabet=st.characters(categories=None), max_size=80))
def test_nothing_typed_is_an_error(typed: str) -> None:
    parse(typed, NONE)


@given(text=st.text(max_size=500), terms=st.lists(st.text(max_size=5), max_size=4))
def test_marks_come_in_pairs_and_only_around_found_words(text: str, terms: list[str]) -> None:
    finder = Finder(terms, begun=terms[-1] if terms else "")
    shown = snippet(text, finder)

    assert shown.count(MARK) % 2 == 0
    unmarked = shown.replace(MARK, "").removeprefix("…").removesuffix("…")
    assert unmarked in " ".join(text.replace(MARK, "*").split())


def test_a_word_that_is_typed_to_its_end_is_shown_once() -> None:
    shown = snippet("Down from the pasture.", Finder(["pasture"], begun="pasture"))

    assert shown == "Down from the **pasture**."


def test_found_words_are_marked_in_any_form() -> None:
    shown = snippet("We were caching pages; the cache helps.", Finder(["cache"]))

    assert shown == "We were **caching** pages; the **cache** helps."


def test_a_run_of_cjk_is_marked_as_one() -> None:
    assert snippet("关于向量缓存的策略", Finder(["缓", "缓存", "存"])) == "关于向量**缓存**的策略"


def test_a_snippet_begins_near_the_words() -> None:
    shown = snippet(
        "filler words here. " * 60 + "The needle is here." + " tail" * 50, Finder(["needle"])
    )

    assert "**needle**" in shown
    assert len(shown) < 300
