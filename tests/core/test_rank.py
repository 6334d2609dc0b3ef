from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultd.core.rank import (
    A_FILE,
    Lanes,
    Ranked,
    fuse,
    levelled,
    scale_for,
    shown_score,
    spread,
)

numbers = st.integers(0, 30)
words = st.dictionaries(numbers, st.floats(0.1, 20.0), max_size=20)
cosines = st.dictionaries(numbers, st.floats(-1.0, 1.0), max_size=20)


def lanes(found: dict[int, float] | None, near: dict[int, float] | None) -> Lanes:
    bound = 1.5 * max((found or {}).values(), default=0.0)
    return Lanes(found, bound, near, {}, frozenset(near or {}))


@given(found=words, near=cosines)
def test_the_order_of_the_lanes_rows_does_not_matter(
    found: dict[int, float], near: dict[int, float]
) -> None:
    backwards = lanes(dict(reversed(found.items())), dict(reversed(near.items())))

    assert fuse(lanes(found, near)) == fuse(backwards)


@given(found=words, near=cosines, more=st.floats(0.01, 1.0))
def test_a_nearer_passage_never_falls(
    found: dict[int, float], near: dict[int, float], more: float
) -> None:
    for passage in near:
        before = _place(fuse(lanes(found, near)), passage)
        after = _place(fuse(lanes(found, {**near, passage: near[passage] + more})), passage)
        assert after <= before


@given(near=cosines)
def test_a_lane_without_hits_leaves_the_others_order(near: dict[int, float]) -> None:
    alone = [one.passage for one in fuse(lanes(None, near))]

    assert [one.passage for one in fuse(lanes({}, near))] == alone
    assert alone == sorted(near, key=lambda passage: (-near[passage], passage))


@given(found=words)
def test_words_alone_rank_by_their_own_score(found: dict[int, float]) -> None:
    ranked = [found[one.passage] for one in fuse(lanes(found, None))]

    assert ranked == sorted(ranked, reverse=True)


@pytest.mark.parametrize(("near", "first"), [({1: 0.2, 2: 0.2}, 2), (None, 1)])
def test_beside_meaning_it_counts_how_many_of_the_words_there_are(
    near: dict[int, float] | None, first: int
) -> None:
    one_often, both_once = (1, 6.0, 0.4), (2, 5.0, 1.0)
    found = {passage: score for passage, score, _ in (one_often, both_once)}
    held = {passage: share for passage, _, share in (one_often, both_once)}

    assert fuse(Lanes(found, 20.0, near, {}, held=held))[0].passage == first


def test_a_hit_in_another_language_is_not_pushed_below_a_chance_word() -> None:
    found = fuse(Lanes({1: 1.0}, 30.0, {1: 0.1, 2: 0.5}, {}))

    assert found[0].passage == 2


@pytest.mark.parametrize(
    ("there", "first"),
    [
        (0.60, 2),  # clearly nearer than anything in the question's script
        (0.46, 1),  # as near as the other language's twin of what was found by words
    ],
)
def test_chance_words_give_way_to_what_is_clearly_meant_in_another_script(
    there: float, first: int
) -> None:
    vectors = {1: 0.40, 2: there, 3: 0.2}

    held = {1: 0.3, 3: 0.3}
    found = fuse(Lanes({1: 6.0, 3: 5.0}, 30.0, vectors, {}, foreign=frozenset({2}), held=held))

    assert found[0].passage == first


def test_a_word_that_is_all_of_the_question_counts_whatever_is_near_elsewhere() -> None:
    near, elsewhere = {1: 0.3, 2: 0.6}, frozenset({2})
    found = fuse(Lanes({1: 1.0}, 2.2, near, {}, foreign=elsewhere, held={1: 1.0}))

    assert found[0].passage == 1


@pytest.mark.parametrize(("held", "order"), [(0.4, [1, 2, 3, 4]), (0.9, [1, 3, 4, 2])])
def test_another_script_comes_second_where_few_of_the_words_are_held(
    held: float, order: list[int]
) -> None:
    near = {1: 0.30, 2: 0.35, 3: 0.25, 4: 0.20}
    found = {1: 6.0, 3: 5.0, 4: 4.0}
    shares = dict.fromkeys(found, held)
    both = Lanes(found, 30.0, near, {}, foreign=frozenset({2}), held=shares)

    assert [one.passage for one in levelled(fuse(both), both)] == order


@given(found=words, near=cosines, elsewhere=st.frozensets(numbers), held=st.floats(0, 1))
def test_levelling_leaves_the_first_and_the_order_within_each_script(
    found: dict[int, float], near: dict[int, float], elsewhere: frozenset[int], held: float
) -> None:
    both = replace(lanes(found, near), foreign=elsewhere, held=dict.fromkeys(found, held))
    before = fuse(both)
    after = levelled(before, both)

    assert [one.passage for one in after[:1]] == [one.passage for one in before[:1]]
    for script in (elsewhere, {one.passage for one in before} - elsewhere):
        order = [one.passage for one in before if one.passage in script]
        assert [one.passage for one in after if one.passage in script] == order


def test_another_script_does_not_take_more_than_the_first_places() -> None:
    near = {1: 0.3, 2: 0.25, **{n: 0.3 - n / 100 for n in range(10, 20)}}
    found = {1: 6.0, 2: 3.0}
    both = Lanes(found, 30.0, near, {}, foreign=frozenset(range(10, 20)))

    assert [one.passage for one in levelled(fuse(both), both)][:4] == [1, 10, 11, 2]


@given(found=words, elsewhere=st.frozensets(numbers))
def test_words_alone_are_not_levelled(found: dict[int, float], elsewhere: frozenset[int]) -> None:
    alone = replace(lanes(found, None), foreign=elsewhere)

    assert levelled(fuse(alone), alone) == fuse(alone)


@given(found=words, near=cosines)
def test_in_a_vault_of_one_script_words_count_whole(
    found: dict[int, float], near: dict[int, float]
) -> None:
    own = lanes(found, near)

    assert fuse(own) == fuse(replace(own, foreign=frozenset({99})))


@given(score=st.floats(-3.0, 3.0))
def test_shown_scores_are_between_zero_and_one(score: float) -> None:
    assert 0.0 <= shown_score(score) <= 1.0


def test_an_embedder_with_close_cosines_is_spread_out() -> None:
    assert scale_for([0.9 - n * 0.0004 for n in range(200)]) > 5.0
    assert scale_for([0.5, 0.4]) == 1.0


@given(ranked=st.lists(st.tuples(numbers, st.floats(0, 1)), max_size=30))
def test_spreading_loses_no_passage(ranked: list[tuple[int, float]]) -> None:
    by_passage = {passage: Ranked(passage, score, ()) for passage, score in ranked}
    ordered = sorted(by_passage.values(), key=lambda one: (-one.score, one.passage))
    places = {passage: (passage % 3, str(passage % 5), None) for passage in by_passage}

    spread_out = spread(ordered, places, {passage: passage for passage in by_passage})

    assert sorted(one.passage for one in spread_out) == sorted(by_passage)
    assert spread_out[:1] == ordered[:1]


def test_one_file_does_not_fill_the_results_while_others_wait() -> None:
    ranked = [Ranked(n, 1.0 - n / 100, ()) for n in range(20)]
    places = {n: (0 if n < 10 else n, str(n), None) for n in range(20)}

    shown = spread(ranked, places, dict.fromkeys(places, 0))[:10]

    assert sum(places[one.passage][0] == 0 for one in shown) == A_FILE


def test_what_stands_beside_a_result_comes_only_after_every_other_one() -> None:
    ranked = [Ranked(n, 1.0 - n / 100, ()) for n in range(5)]
    chapter = (0, "a", None)
    places = {0: chapter, 1: chapter, 2: (0, "b", None), 3: chapter, 4: (1, "", None)}
    ordinals = {0: 7, 1: 6, 2: 8, 3: 30, 4: 0}

    assert [one.passage for one in spread(ranked, places, ordinals)] == [0, 2, 3, 4, 1]


def _place(ranked: list[Ranked], passage: int) -> int:
    return [one.passage for one in ranked].index(passage)
