"""How a new version of a page reaches the page that is there."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from vaultd.core.page import NewProperties, new_page_text, parse_page
from vaultd.core.rewrite import AskMerge, Hold, Proposal, Write, decide, fallback, merged
from vaultd.model.paths import SourceId

A, B = SourceId("a.pdf"), SourceId("b.pdf")
OLD_BODY = "# Heat\n\nHeat flows downhill. [[raw/a.pdf#page=1|p. 1]]"
NEW_BODY = "# Heat\n\nHeat is measured in joules. [[raw/b.pdf#page=2|p. 2]]"


def _proposal(body: str, *sources: SourceId, **fields: object) -> Proposal:
    day = date(2026, 11, 30)
    values = {"type": "concept", "title": "Heat", "created": day, "updated": day, "author": "m"}
    return Proposal(NewProperties(**(values | fields), sources=sources), body)  # type: ignore[arg-type]


def _page(body: str, *sources: SourceId, **fields: object) -> str:
    ours = _proposal(body, *sources, created=date(2026, 11, 1), updated=date(2026, 11, 1), **fields)
    return new_page_text(ours.properties, ours.body)


def test_a_page_that_is_not_there_is_written_new() -> None:
    decision = decide(None, None, _proposal(NEW_BODY, B), B)

    assert isinstance(decision, Write)
    assert NEW_BODY in decision.text


def test_a_page_of_this_source_alone_is_replaced_and_keeps_its_day_of_birth() -> None:
    old = _page(OLD_BODY, A)

    decision = decide(old, old, _proposal("# Heat\n\nCorrected.", A), A)

    assert isinstance(decision, Write)
    assert "downhill" not in decision.text
    assert parse_page(decision.text).word("created") == "2026-11-01"
    assert parse_page(decision.text).word("updated") == "2026-11-30"


def test_a_page_of_another_source_needs_a_merge() -> None:
    old = _page(OLD_BODY, A)

    decision = decide(old, old, _proposal(NEW_BODY, B), B)

    assert isinstance(decision, AskMerge)
    assert "downhill" in decision.existing


def test_a_body_that_says_nothing_new_changes_only_lists() -> None:
    old = _page(OLD_BODY, A)

    decision = decide(old, old, _proposal(OLD_BODY, B), B)

    assert isinstance(decision, Write)
    assert parse_page(decision.text).sources == (A, B)
    assert parse_page(decision.text).body == parse_page(old).body


def test_the_same_proposal_twice_writes_nothing() -> None:
    old = _page(OLD_BODY, A)

    decision = decide(old, old, _proposal(OLD_BODY, A), A)

    assert decision == Write(old)


def test_a_persons_own_page_is_held_back_for_a_review() -> None:
    decision = decide("# Heat\n\nMy own view.\n", None, _proposal(NEW_BODY, B), B)

    assert isinstance(decision, Hold)
    assert NEW_BODY in decision.text


def test_what_a_person_added_survives_a_replacement() -> None:
    base = _page(OLD_BODY, A)
    theirs = base + "\nMy remark: see the kettle.\n"

    decision = decide(theirs, base, _proposal("# Heat\n\nCorrected.", A), A)

    assert isinstance(decision, Write)
    assert "My remark: see the kettle." in decision.text
    assert "Corrected." in decision.text


def test_a_sentence_both_changed_stays_the_persons_and_is_reported() -> None:
    base = _page(OLD_BODY, A)
    theirs = base.replace("Heat flows downhill.", "Heat flows from warm to cold.")

    write = merged(theirs, base, _proposal("", A), "# Heat\n\nHeat is a form of energy.")

    assert "Heat flows from warm to cold." in write.text
    assert [conflict.ours.strip() for conflict in write.conflicts] == ["Heat is a form of energy."]


def test_a_reviewed_page_only_gains() -> None:
    base = _page(OLD_BODY, A)
    theirs = base.replace("author:", "reviewed: true\nauthor:")

    decision = decide(theirs, base, _proposal(NEW_BODY, A), A)

    assert isinstance(decision, Write)
    assert "downhill" in decision.text
    assert "joules" in decision.text


def test_a_tag_a_person_took_out_stays_out() -> None:
    base = _page(OLD_BODY, A, tags=("physics", "draft"))
    theirs = base.replace("  - draft\n", "")

    decision = decide(theirs, base, _proposal(OLD_BODY, A, tags=("physics", "draft", "heat")), A)

    assert isinstance(decision, Write)
    assert parse_page(decision.text).tags == ("physics", "heat")


def test_properties_a_person_added_stay_byte_for_byte() -> None:
    base = _page(OLD_BODY, A)
    theirs = base.replace("author:", "rating:   5 # mine\nauthor:")

    decision = decide(theirs, base, _proposal("# Heat\n\nCorrected.", A), A)

    assert isinstance(decision, Write)
    assert "\nrating:   5 # mine\n" in decision.text


def test_without_a_merge_the_new_text_stands_first_and_nothing_is_lost() -> None:
    text = fallback(OLD_BODY, NEW_BODY)

    assert text.startswith(NEW_BODY)
    assert "Heat flows downhill." in text


@given(
    st.lists(st.sampled_from(["A.\n", "B.\n", "\n", "# H\n", "C.\n"]), max_size=6),
    st.sampled_from(["Mine alone.", "My own 注记。"]),
)
def test_a_persons_sentence_survives_any_new_body(lines: list[str], mine: str) -> None:
    base = _page(OLD_BODY, A)
    theirs = base + f"\n{mine}\n"

    decision = decide(theirs, base, _proposal("".join(lines), A), A)

    assert isinstance(decision, Write)
    assert mine in decision.text
