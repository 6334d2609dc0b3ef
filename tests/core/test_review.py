"""Review items: ids, near-duplicates, and the answers people give in their notes."""

from __future__ import annotations

from vaultd.core.review import Answer, answer_in, distinct, note_body, review_id
from vaultd.model.wiki import ReviewDraft, ReviewKind

OPTIONS = ("Create Page", "Skip")


def _draft(title: str, kind: ReviewKind = ReviewKind.SUGGESTION, **fields: object) -> ReviewDraft:
    return ReviewDraft(kind, title, "Why it matters.", **fields)  # type: ignore[arg-type]


def test_the_same_question_has_the_same_id() -> None:
    one = review_id(ReviewKind.MISSING_PAGE, "Missing page:  FAISS")

    assert one == review_id(ReviewKind.MISSING_PAGE, "faiss")
    assert one != review_id(ReviewKind.SUGGESTION, "faiss")
    assert one.startswith("review-")
    assert len(one) == len("review-") + 8


def test_near_duplicates_are_united_and_keep_what_each_named() -> None:
    twins = [
        _draft("Cost of refreshing the dense index", pages=("wiki/a.md",)),
        _draft("Cost of refreshing the dense index again", pages=("wiki/b.md",)),
    ]

    (kept,) = distinct(twins)

    assert kept.pages == ("wiki/a.md", "wiki/b.md")


def test_questions_that_differ_in_a_number_are_two_questions() -> None:
    drafts = [_draft(f"What became of the people of chapter {n} in the end") for n in (1, 2)]

    assert len(distinct(drafts)) == 2


def test_a_source_asks_at_most_five_questions_and_contradictions_first() -> None:
    drafts = [
        _draft(f"Question about {word}") for word in ["alpha", "beta", "gamma", "delta", "epsilon"]
    ]
    drafts.append(_draft("Two figures for one speed", ReviewKind.CONTRADICTION))

    kept = distinct(drafts)

    assert len(kept) == 5
    assert kept[0].kind is ReviewKind.CONTRADICTION


def test_a_fresh_note_is_no_answer() -> None:
    note = note_body("Text.", OPTIONS, ("[[wiki/a|A]]",), ("query one",))

    assert answer_in(note, OPTIONS) is None


def test_a_tick_is_an_answer() -> None:
    note = note_body("Text.", OPTIONS, (), ()).replace("- [ ] Skip", "- [x] Skip")

    assert answer_in(note, OPTIONS) == Answer("Skip")


def test_own_words_win_over_a_tick_and_may_have_several_lines() -> None:
    note = note_body("Text.", OPTIONS, (), ()).replace("- [ ] Skip", "- [x] Skip")

    answer = answer_in(note.rstrip() + " The second figure is right.\nSee page 3.\n", OPTIONS)

    assert answer == Answer("answer", "The second figure is right.\nSee page 3.")


def test_a_tick_in_the_text_that_is_no_option_is_no_answer() -> None:
    note = note_body("- [x] something the document lists", OPTIONS, (), ())

    assert answer_in(note, OPTIONS) is None
