"""Abstracts, outlines, and what may not stand in a generated body."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultd.core.heading import headings, outline_of
from vaultd.core.markdown import abstract_of, cut_at_sentence
from vaultd.core.page import NewProperties, new_page_text, page_ref, parse_page
from vaultd.core.sanitise import sanitise
from vaultd.model.paths import SourceId, VaultPath


def test_abstract_is_the_first_paragraph_without_markup() -> None:
    body = (
        "# Title\n\n> [!note] x\n\n![[a.png]]\n\nA **bold** [[Page|claim]]\nover lines.\n\nMore.\n"
    )
    assert abstract_of(body) == "A bold claim over lines."


def test_long_abstract_is_cut_at_a_sentence() -> None:
    sentence = "This sentence has exactly fifty-two characters here. "
    assert abstract_of(sentence * 9) == (sentence * 3).strip()
    assert abstract_of("注意力机制。" * 100) == "注意力机制。" * 33
    cut = abstract_of("word " * 100)
    assert len(cut) <= 200
    assert cut.endswith("word…")


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        (
            "The employed leg (i.e. the one on the ice) must be straight",
            "The employed leg (i.e. the…",
        ),
        (
            "Trees were proposed by Gal et al. (11) in the context of Java",
            "Trees were proposed by Gal…",
        ),
        ("Rye is sour. It keeps for weeks on end.", "Rye is sour."),
    ],
)
def test_a_point_inside_a_sentence_does_not_end_it(text: str, cut: str) -> None:
    assert cut_at_sentence(text, 30) == cut


def test_abstract_passes_over_comments_code_and_tables() -> None:
    assert abstract_of("%% hidden\ntext %%\n\n```\ncode\n```\n\n| a |\n|---|\n\nSeen.") == "Seen."
    assert abstract_of("# Only\n\n- first item\n- second") == "first item"
    assert abstract_of("# Only") == ""


def test_outline_nests_headings_and_leaves_out_the_title() -> None:
    body = "# T\n\n## One\n\n```\n# no\n```\n\n### `Two`\n\n## Three\n"
    assert outline_of(body, "t") == "- One\n  - Two\n- Three"
    assert [heading.line for heading in headings(body)] == [0, 2, 8, 10]


@pytest.mark.parametrize(
    ("body", "safe"),
    [
        ("![a](https://x.y/z.png?q=1)", "[a](https://x.y/z.png?q=1)"),
        ("![a](data:image/png;base64,AAAA)", "a"),
        ("![`a`](http://x.y)", "[`a`](http://x.y)"),
        ("![[[a]]](http://x.y)", "[[[a]]](http://x.y)"),
        ("$![a](http://x.y)$", "\\$[a](http://x.y)\\$"),
        ("![a](media/x/image1.png)", "![a](media/x/image1.png)"),
        ("![a][ref]", "[a][ref]"),
        ("a <script>alert(1)</script> b", "a  b"),
        ("a <iframe src='x'>b</iframe>c", "a c"),
        ('a <img src="https://x/y.gif"> b', "a  b"),
        ("<div onclick='x'>text</div>", "text"),
        ("H<sub class='x'>2</sub>O<br/>", "H<sub>2</sub>O<br>"),
        ("List<String> x < y > z", "List\\<String> x < y > z"),
        ("<https://a.b/c>", "<https://a.b/c>"),
        ("[x](javascript:alert(1))", "x"),
        ("a %% hidden %% b", "a  hidden  b"),
        ("100 %% sure", "100  sure"),
        ("a <!-- b --> c", "a  c"),
        ("see #include and #1 and C#", "see \\#include and #1 and C#"),
        ("[[Page#Part]] [x](#part)", "[[Page#Part]] [x](#part)"),
        ("# Heading", "# Heading"),
        ("> [!pitfall] x", "> [!note] x"),
        ("> [!TIP] x", "> [!TIP] x"),
        ("key:: value", "key: value"),
        ("std::vector", "std:\\:vector"),
        ("costs $5 or $10", "costs \\$5 or \\$10"),
        ("$E = mc^2$ and $x$", "$E = mc^2$ and $x$"),
        ("`$HOME` and $HOME", "`$HOME` and \\$HOME"),
        ("```dataviewjs\nx\n```", "```text\nx\n```"),
        ("---FILE: wiki/a.md---\ntext\n---END FILE---\n", "text\n"),
        ("```c\n#include <x>\n```", "```c\n#include <x>\n```"),
    ],
)
def test_nothing_loads_hides_or_becomes_a_tag(body: str, safe: str) -> None:
    assert sanitise(body).body == safe


def test_open_fence_is_closed_with_a_warning() -> None:
    result = sanitise("a\n\n~~~~py\ncode")
    assert result.body == "a\n\n~~~~py\ncode\n~~~~\n"
    assert result.warnings == ("closed a code fence",)


pieces = st.sampled_from(
    [
        "%%",
        "```",
        "`",
        "$",
        "$$",
        "<!--",
        "-->",
        "<b>",
        "<script>",
        "</script>",
        "![",
        "](http://x)",
    ]
    + ["[[", "]]", "#tag ", "key:: v", "\n", "\n\n", "word ", "> [!x] ", "$5 ", "\\", "~~~"]
)


@given(st.lists(pieces, max_size=14).map("".join))
def test_cleaning_twice_is_cleaning_once(body: str) -> None:
    once = sanitise(body).body
    assert sanitise(once).body == once
    assert "<script" not in once.lower() or "`" in once or "$" in once or "~~~" in once


@given(st.text(max_size=60), st.booleans())
def test_a_page_put_together_again_is_the_note(text: str, block: bool) -> None:
    note = f"---\ntitle: x\n---\n{text}" if block else text
    assert parse_page(note).text == note


def test_new_page_has_its_properties_in_order() -> None:
    properties = NewProperties(
        type="source",
        title="A: B",
        created=date(2026, 11, 29),
        updated=date(2026, 11, 30),
        author="offline",
        tags=("x y", "on", "ok"),
        related=("[[wiki/a|A]]",),
        sources=(SourceId("ml/a.pdf"),),
        source_sha256="ab",
        extra={"status": "new"},
    )
    text = new_page_text(properties, "# A\n\nBody.\n\n")
    assert text == (
        '---\ntype: source\ntitle: "A: B"\ncreated: 2026-11-29\nupdated: 2026-11-30\n'
        'tags:\n  - "x y"\n  - "on"\n  - ok\nrelated:\n  - "[[wiki/a|A]]"\n'
        'sources:\n  - "ml/a.pdf"\nsource_sha256: "ab"\nauthor: "offline"\nstatus: "new"\n---\n'
        "\n# A\n\nBody.\n"
    )
    ref = page_ref(VaultPath("wiki/sources/a.md"), text)
    assert (ref.title, ref.type, ref.abstract, ref.sources) == (
        "A: B",
        "source",
        "Body.",
        ("ml/a.pdf",),
    )


def test_a_pages_lists_are_read_in_the_forms_of_others() -> None:
    page = parse_page(
        "---\ntags: a, b\nsources: ['[[raw/x/y.pdf#page=2|y]]', z.pdf]\nreviewed: true\n---\n"
    )
    assert page.tags == ("a", "b")
    assert page.sources == ("x/y.pdf", "z.pdf")
    assert page.reviewed


def test_bodies_of_the_shared_replies_lose_nothing(shared: Path) -> None:
    for reply in sorted((shared / "cases/replies").glob("*/generation.txt")):
        for block in reply.read_text(encoding="utf-8").split("---END FILE---")[:-1]:
            if "\n---\n" not in block:
                continue
            body = block.split("\n---\n", 2)[-1]
            assert sanitise(body).body == body, reply


def test_headings_underlined_or_marked_are_found_and_quoted_ones_are_not() -> None:
    body = "Title\n=====\n\n> # Quoted\n\n```\n# code\n```\n\n## Marked *too* ##\n\nSub\n---\n"

    assert [(each.level, each.text, each.line) for each in headings(body)] == [
        (1, "Title", 0),
        (2, "Marked too", 9),
        (2, "Sub", 11),
    ]
