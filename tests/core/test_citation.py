"""Which claim of a page names which passage of a source."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vaultd.core.citation import citations_in

PAPER = "raw/bread/Paper.pdf"
NOTES = "raw/bread/Notes.md"
PAGE = f"""---
title: "Bread"
sources:
  - "bread/Paper.pdf"
---

Salt slows yeast. [[{PAPER}#page=2|p. 2]]

> [!info] Written offline. [[{PAPER}#page=1|p. 1]]

## Key **sentences**

- It **rises** at [[wiki/Heat|warmth]]. [[{PAPER}#page=3]] It dries. [[{PAPER}#page=4]] [[{NOTES}]]

```
[[{PAPER}#page=9|p. 9]]
```

%% vaultd:begin images v1 sha256:f8efb3953d47 in:0e1dac0aae2c state:ok %%
![](../media/image1.png)
%% vaultd:end images %%
"""


def test_a_claim_names_its_line_its_heading_and_the_page_it_rests_on() -> None:
    first, second, third, fourth = citations_in(PAGE)

    assert (first.claim, first.heading, first.line) == ("Salt slows yeast.", "", 7)
    assert (first.source, first.page) == ("raw/bread/Paper.pdf", 2)
    assert (second.claim, second.heading, second.page) == (
        "It rises at warmth.",
        "Key sentences",
        3,
    )
    assert PAGE.split("\n")[second.line - 1].startswith("- It **rises**")
    assert (third.claim, third.page) == ("It dries.", 4)
    assert (fourth.claim, fourth.source, fourth.page) == ("It dries.", "raw/bread/Notes.md", None)


def test_what_is_no_claim_is_left_out() -> None:
    assert citations_in("") == []
    assert citations_in("See [[wiki/concepts/Heat]] and [[Paper.pdf#page=2]].") == []
    assert [each.page for each in citations_in(PAGE)] == [2, 3, 4, None]


def test_windows_line_ends_change_nothing_but_the_bytes() -> None:
    assert citations_in(PAGE.replace("\n", "\r\n")) == citations_in(PAGE)


@given(st.lists(st.sampled_from(PAGE.splitlines(keepends=True)), max_size=30))
def test_any_note_can_be_asked(lines: list[str]) -> None:
    text = "".join(lines)

    for each in citations_in(text):
        assert f"[[{each.source}" in text.split("\n")[each.line - 1]
