from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultd.author.offline import labels
from vaultd.core.searchable import REPEATING, own_text, split_document
from vaultd.model.document import ExtractedPage, Extraction, ExtractStatus
from vaultd.model.paths import VaultPath

PAGE = """---
type: concept
title: Koji
author: "{author}"
---
Koji is a mould.

> [!info] Written offline. [[raw/koji.md|Intro]]

## Outline

- Steaming
- Cooling

## Uses

- shoyu, miso

## Related pages

- [[wiki/concepts/Miso|Miso]]
- [[Shoyu]]
"""

lines = st.lists(
    st.sampled_from(
        ["## Outline", "- [[A]]", "prose", "", "> [!info] x", "```", "author: offline"]
    ),
    max_size=12,
).map("\n".join)


@given(text=lines, written=st.booleans())
def test_blanking_leaves_offsets_and_lines_alone(text: str, written: bool) -> None:
    whole = f"---\nauthor: offline\n---\n{text}" if written else text

    assert len(own_text(whole)) == len(whole)
    assert own_text(whole).count("\n") == whole.count("\n")


def test_a_written_page_gives_what_it_says_and_not_where_it_leads() -> None:
    shown = " ".join(own_text(PAGE.format(author="offline")).split())

    assert shown == "Koji is a mould. ## Uses - shoyu, miso"


def test_a_models_outline_may_say_something() -> None:
    shown = own_text(PAGE.format(author="gpt"))

    assert "Steaming" in shown
    assert "Shoyu]]" not in shown


def test_a_persons_list_of_links_stays() -> None:
    note = "## Related pages\n\n- [[Miso]]\n"

    assert own_text(note) == note


def test_every_heading_the_offline_author_repeats_under_is_known() -> None:
    written = labels._LABELS.values()

    assert {label.outline for label in written} | {label.terms for label in written} == REPEATING


@pytest.mark.parametrize(
    ("written", "text", "title", "aliases"),
    [
        ("Dense passage retrieval", "Open questions.", "Dense passage retrieval", ("2004.04906",)),
        ("", "# Why rye turns sour\n\nRye.", "Why rye turns sour", ("2004.04906",)),
        ("", "Rye turns sour.", "2004.04906", ()),
    ],
)
def test_a_document_is_found_by_its_title_and_by_the_name_of_its_file(
    written: str, text: str, title: str, aliases: tuple[str, ...]
) -> None:
    pages = (ExtractedPage(1, text),)
    metadata = {"title": written} if written else {}
    extraction = Extraction("pdf", ExtractStatus.OK, "en", pages, metadata=metadata)

    file, found = split_document(VaultPath("raw/2004.04906.pdf"), "0" * 64, extraction, ("1", ""))

    assert (file.title, file.aliases) == (title, aliases)
    assert [(one.text, one.page) for one in found] == [(text, 1)]


@pytest.mark.parametrize("picture", ["![](image1)", "![Cover](image1)", "![图 3](image1)"])
def test_a_page_of_a_picture_alone_is_no_passage(picture: str) -> None:
    pages = (ExtractedPage(1, picture), ExtractedPage(2, "Rye turns sour."))
    extraction = Extraction("pdf", ExtractStatus.OK, "en", pages)

    _, found = split_document(VaultPath("raw/a.pdf"), "0" * 64, extraction, ("1", ""))

    assert [one.page for one in found] == [2]


def test_a_picture_is_found_by_its_description() -> None:
    pages = (ExtractedPage(1, "![A loaf cut open, with large holes](image1)"),)
    extraction = Extraction("pdf", ExtractStatus.OK, "en", pages)

    _, found = split_document(VaultPath("raw/a.pdf"), "0" * 64, extraction, ("1", ""))

    assert [one.page for one in found] == [1]


def test_pictures_that_nothing_is_said_of_are_no_passage() -> None:
    note = """---
author: "offline"
---
Rye.

%% vaultd:begin images v1 sha256:0 in:0 state:ok %%
### Pictures

#### Page 2

![A loaf cut open, with large holes](../media/a/image1.png)

#### Page 9

![](../media/a/image2.png)
%% vaultd:end images %%
"""
    kept = own_text(note)

    assert "A loaf" in kept
    assert "Page 9" not in kept
    assert len(kept) == len(note)


@pytest.mark.parametrize("alt", ["", "Cover", "Figure 12."])
def test_a_label_describes_no_picture_and_nothing_is_left_above_it(alt: str) -> None:
    note = f"""---
author: "offline"
---
Rye.

%% vaultd:begin images v1 sha256:0 in:0 state:ok %%
### Pictures

#### Page 2

![{alt}](../media/a/image1.png)
%% vaultd:end images %%
"""

    assert "Pictures" not in own_text(note)
    assert "Page 2" not in own_text(note)
