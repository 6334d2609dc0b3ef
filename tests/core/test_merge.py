"""Merging: a person's words survive, a source's claims survive, near-names are found."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultd.core.merge import (
    adds_nothing,
    both_bodies,
    claims_of,
    merge_faults,
    taken_back,
    three_way,
    union,
)
from vaultd.core.near import NearNames, normal_form
from vaultd.core.page import parse_page
from vaultd.model.paths import VaultPath
from vaultd.model.wiki import PageRef

lines = st.lists(st.sampled_from(["a", "b", "c", "d", "", "# h", "- i"]), max_size=7)
words = st.lists(st.sampled_from(["mine 1", "mine 2", "", "mine 3"]), min_size=1, max_size=3)


def text(parts: list[str]) -> str:
    return "".join(part + "\n" for part in parts)


@given(lines, lines, lines)
def test_a_side_that_changed_nothing_gives_way(
    base: list[str], other: list[str], third: list[str]
) -> None:
    assert three_way(text(base), text(base), text(other)).text == text(other)
    assert three_way(text(base), text(other), text(base)).text == text(other)
    assert three_way(text(base), text(other), text(other)).text == text(other)
    del third


@given(lines, lines, st.data())
def test_every_line_a_person_added_survives(
    base: list[str], ours: list[str], data: st.DataObject
) -> None:
    theirs = list(base)
    for line in data.draw(words):
        theirs.insert(data.draw(st.integers(0, len(theirs))), line)
    merged = three_way(text(base), text(theirs), text(ours)).text
    for line in theirs:
        if line.startswith("mine"):
            assert f"{line}\n" in merged


@given(lines, lines, lines)
def test_a_conflict_keeps_the_persons_text_whole(
    base: list[str], theirs: list[str], ours: list[str]
) -> None:
    result = three_way(text(base), text(theirs), text(ours))
    for conflict in result.conflicts:
        assert conflict.theirs in result.text
    new = [line for line in theirs if line and line not in base]
    assert all(line in result.text.split("\n") for line in new)


@given(lines, lines, lines)
def test_the_proposal_holds_every_line_of_ours_and_what_was_not_contested(
    base: list[str], theirs: list[str], ours: list[str]
) -> None:
    result = three_way(text(base), text(theirs), text(ours))
    if not result.conflicts:
        assert result.proposal == result.text
    contested = "".join(conflict.theirs for conflict in result.conflicts)
    kept = [line for line in result.text.splitlines(keepends=True) if line not in contested]
    assert all(line in result.proposal for line in kept)
    assert all(conflict.ours in result.proposal for conflict in result.conflicts)


def test_a_passage_we_take_away_and_a_person_changed_is_a_conflict() -> None:
    result = three_way("One.\n\nTwo.\n", "One, as I see it.\n\nTwo.\n", "Two.\n")
    assert result.text == "One, as I see it.\n\nTwo.\n"
    assert result.proposal == "Two.\n"
    assert [each.theirs for each in result.conflicts] == ["One, as I see it.\n\n"]
    assert three_way("One.\n\nTwo.\n", "Two.\n", "Two.\n").conflicts == ()


@given(lines, lines, lines)
def test_merging_twice_is_merging_once(base: list[str], theirs: list[str], ours: list[str]) -> None:
    once = three_way(text(base), text(theirs), text(ours)).text
    assert three_way(text(ours), once, text(ours)).text == once


def test_line_endings_and_last_line_are_the_persons() -> None:
    assert three_way("a\nb\n", "a\r\nb\r\nmine", "a\nB\n").text == "a\r\nB\r\n\r\nmine"


def test_lists_unite_with_the_first_casing() -> None:
    assert union(["AI", "x"], ["ai", "Y", "X"]) == ("AI", "x", "Y")


def test_nothing_new_is_seen_through_markup_and_order() -> None:
    existing = "# T\n\nOne **claim** [[raw/a.pdf#page=1|p. 1]]. Two claims.\n\n- Three.\n"
    assert adds_nothing(existing, "# Other\n\nTwo claims.\n\nThree.\n")
    assert adds_nothing(existing, "One claim [[raw/a.pdf#page=1|p. 1]].\n")
    assert not adds_nothing(existing, "One claim [[raw/b.pdf#page=1|p. 1]].\n")
    assert not adds_nothing(existing, "Four claims.\n")
    assert not adds_nothing(existing, "One claim.\n\n```\ncode\n```\n")


def test_both_bodies_lose_nothing_and_settle() -> None:
    once = both_bodies("One.\n\nTwo.\n", "Two.\n\nThree [[raw/b.pdf#page=2|p. 2]].\n")
    assert once == "One.\n\nTwo.\n\nThree [[raw/b.pdf#page=2|p. 2]].\n"
    assert both_bodies(once, "Three [[raw/b.pdf#page=2|p. 2]].") == once


def test_short_or_forgetful_merges_are_refused() -> None:
    existing = "Long text with a claim [[raw/a.pdf#page=1|p. 1]] and more words to keep.\n"
    incoming = "Another [[raw/b.pdf#page=2|p. 2]].\n"
    assert not merge_faults(existing, incoming, existing + incoming)
    assert "characters" in merge_faults(existing, incoming, "unchanged")[0]
    assert "raw/b.pdf#page=2" in merge_faults(existing, incoming, existing)[0]
    assert merge_faults(existing, incoming, f"---\ntype: x\n---\n{existing}{incoming}")


def body_in(folder: Path, path: str) -> str:
    reply = (folder / "generation.txt").read_text(encoding="utf-8")
    block = reply.split(f"---FILE: {path}---\n")[1].split("\n---END FILE---")[0]
    return parse_page(block).body


@pytest.mark.parametrize(
    ("page", "first", "second"),
    [
        ("amortized-up-front-cost", "pdf-dpr-two-column", "pdf-tracemonkey"),
        ("performance-overhead", "pdf-tracemonkey", "pdf-nist-sp800-223"),
    ],
)
def test_good_merges_of_real_pages_are_accepted_and_a_cut_one_is_not(
    shared: Path, page: str, first: str, second: str
) -> None:
    replies = shared / "cases/replies"
    path = f"wiki/concepts/{page}.md"
    existing, incoming = body_in(replies / first, path), body_in(replies / second, path)
    merged = parse_page((replies / f"merge-{page}.md").read_text(encoding="utf-8")).body
    assert merge_faults(existing, incoming, merged) == ()
    assert claims_of(incoming)
    assert not adds_nothing(existing, incoming)
    assert adds_nothing(existing, existing)
    if page == "amortized-up-front-cost":
        cut = parse_page((replies / "broken/body-shorter-merge.md").read_text("utf-8")).body
        assert merge_faults(existing, incoming, cut)


def ref(title: str, *aliases: str) -> PageRef:
    return PageRef(VaultPath(f"wiki/c/{title}.md"), title, "concept", "", aliases)


@pytest.mark.parametrize(
    ("title", "known", "found"),
    [
        ("Mid-Cap Funds", ref("mid cap fund"), True),
        ("Acme Ltd.", ref("Acme Limited"), True),
        ("The Transformer", ref("transformers"), True),
        ("DPR", ref("Dense passage retrieval (DPR)"), True),
        ("Dense passage retrieval", ref("Dense passage retrieval (DPR)"), True),
        ("SDPA", ref("Scaled dot-product attention", "SDPA"), True),
        ("MW-2", ref("MW-3"), False),
        ("Stockpile 1", ref("Stockpile 2"), False),
        ("Report draft", ref("Report final"), False),
        ("C", ref("C++"), False),
        ("C#", ref("C"), False),
        ("1990s", ref("1990"), False),
        ("Chapter II", ref("Chapter I"), False),
        ("Gas", ref("Ga"), False),
        ("注意力", ref("注意力机制"), False),
    ],
)
def test_near_names_are_found_and_numbers_keep_pages_apart(
    title: str, known: PageRef, found: bool
) -> None:
    assert (NearNames.over([known]).find(title) is not None) is found


def test_an_alias_does_not_unite_pages_that_differ_in_a_number() -> None:
    known = NearNames.over([ref("Apollo 11", "moon mission")])
    assert known.find("Apollo 12", ["moon mission"]) is None
    assert known.find("Apollo 11 mission", ["moon mission"]) is not None
    assert normal_form("The Bus Companies") == ("bus", "company")


@pytest.mark.parametrize(
    ("base", "theirs", "ours", "merged"),
    [
        ("A\n\nB\n", "A\n\nB\n\nC\n", "A\n", "A\n\nC\n"),
        ("A\n\nB\n\nD\n", "A\n\nB\n\nC\n\nD\n", "A\n\nD\n", "A\n\nC\n\nD\n"),
        ("A\n\nB\n", "A\n\nB\n\nC\n", "A\n\n", "A\n\nC\n"),
    ],
)
def test_a_paragraph_beside_one_that_goes_stays_a_paragraph(
    base: str, theirs: str, ours: str, merged: str
) -> None:
    assert three_way(base, theirs, ours).text == merged


@pytest.mark.parametrize(
    ("before", "after", "ours", "left"),
    [
        ("A\n\nmine\n", "A\n\nB\n\nmine\n", "A\n\nB\n", "A\n"),  # what we added goes
        ("A\n\nmine\n", "A2\n\nmine\n", "A2\n", "A\n"),  # what we replaced comes back
        ("A\n\nmine\n", "A\n\nB\n\nmine\n", "A\n\nB\n\nC\n", "A\n\nC\n"),  # later stays
    ],
)
def test_what_is_taken_back_leaves_ours_without_a_persons_words(
    before: str, after: str, ours: str, left: str
) -> None:
    assert taken_back(after, ours, before) == left
