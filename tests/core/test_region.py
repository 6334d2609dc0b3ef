"""Managed regions in a person's note."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultd.core.region import RegionError, RegionState, find_regions, put_region

MARKERS = (
    "%% vaultd:begin overview v1 sha256:0123456789ab in:0123456789ab state:ok %%",
    "%% vaultd:end overview %%",
    "%% vaultd:end other %%",
    "<!-- vaultd:end overview -->",
    "%%",
    "```",
    "# Heading",
    "---",
    "",
    "text",
    "> quote",
)
grammar = st.lists(st.sampled_from(MARKERS), max_size=8).map("\n".join)
prose = st.lists(
    st.sampled_from(["# A", "", "words", "- item", "a\u0301", "| t |"]), max_size=6
).map("\n".join)


@given(prose, grammar, grammar)
def test_writing_twice_is_writing_once_and_the_rest_keeps_its_bytes(
    note: str, body: str, later: str
) -> None:
    once = put_region(note, "overview", body, inputs="1")
    assert put_region(once, "overview", body, inputs="1") == once
    assert once.startswith(note)
    region = find_regions(once)["overview"]
    assert not region.edited
    tail = once + "\nA person's last words"
    again = put_region(tail, "overview", later, inputs="2", state=RegionState.STALE)
    assert again.startswith(once[: region.start])
    assert again.endswith("\nA person's last words")
    assert not find_regions(again)["overview"].edited


@given(grammar)
def test_markers_that_do_not_pair_are_refused_or_read_whole(text: str) -> None:
    try:
        found = find_regions(text)
    except RegionError:
        with pytest.raises(RegionError):
            put_region(text, "overview", "x", inputs="")
    else:
        assert set(found) <= {"overview"}


def test_edit_inside_is_seen_and_one_outside_is_not() -> None:
    note = put_region("# Mine\r\n\r\nText\r\n", "index", "- one\n- two", inputs="a")
    assert "\n" not in note.replace("\r\n", "")
    assert not find_regions("New first line\r\n" + note)["index"].edited
    assert not find_regions(note.replace("\r\n", "\n"))["index"].edited
    assert find_regions(note.replace("two", "2"))["index"].edited


def test_markers_in_code_are_text() -> None:
    note = "```\n%% vaultd:begin a v1 sha256:000000000000 %%\n```\n"
    assert find_regions(note) == {}
    assert find_regions(put_region(note, "a", "x", inputs=""))["a"].body == "x"


def test_region_taken_away_by_a_person_is_not_put_back() -> None:
    assert put_region("Mine\n", "index", "x", inputs="", insert=False) == "Mine\n"


def test_headings_stand_below_the_heading_above() -> None:
    note = put_region("# A\n\n## B\n", "o", "# One\n\n## Two\n", inputs="")
    assert "### One\n\n#### Two" in note


def test_html_comment_markers_are_read() -> None:
    note = put_region("", "o", "x", inputs="1").replace("%% v", "<!-- v").replace(" %%", " -->")
    assert find_regions(note)["o"].body == "x"


@pytest.mark.parametrize(
    "text",
    [
        "%% vaultd:end a %%\n",
        "%% vaultd:begin a v1 sha256:000000000000 %%\n",
        "%% vaultd:begin a v1 sha256:00 %%\n%% vaultd:end a %%\n",
        "- %% vaultd:begin a v1 sha256:000000000000 %%\n%% vaultd:end a %%\n",
        "%% vaultd:begin a v2 sha256:000000000000 %%\n%% vaultd:end a %%\n",
    ],
)
def test_broken_markers_stop_us(text: str) -> None:
    with pytest.raises(RegionError, match=r"^line \d"):
        put_region(text, "b", "x", inputs="")
