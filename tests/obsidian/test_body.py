"""Text that we write means in Obsidian, and to its usual plugins, what it says."""

from __future__ import annotations

import pytest

from vaultd.core.quiet import Quiet, quiet_spans
from vaultd.core.region import region_body
from vaultd.core.sanitise import sanitise

CALLOUTS = [
    "note",
    "abstract",
    "info",
    "todo",
    "tip",
    "success",
    "question",
    "warning",
    "failure",
    "danger",
    "bug",
    "example",
    "quote",
    "summary",
    "tldr",
    "hint",
    "important",
    "check",
    "done",
    "help",
    "faq",
    "caution",
    "attention",
    "fail",
    "missing",
    "error",
    "cite",
]


@pytest.mark.parametrize(
    ("written", "safe"),
    [
        ("It costs $5 and $10 each.", r"It costs \$5 and \$10 each."),
        ("US$20, A$30 and 中文 $100。", r"US\$20, A\$30 and 中文 \$100。"),
        ("From $5 to $x^2$.", r"From \$5 to $x^2$."),
        ("Set PATH=$HOME or ${USER}.", r"Set PATH=\$HOME or \${USER}."),
        ("Energy $E=mc^2$ and $$\\sum x$$ stay.", "Energy $E=mc^2$ and $$\\sum x$$ stay."),
        ("`echo $5 $HOME`", "`echo $5 $HOME`"),
    ],
)
def test_prices_and_variables_are_no_formulas_b4(written: str, safe: str) -> None:
    assert sanitise(written).body == safe
    assert sanitise(safe).body == safe


@pytest.mark.parametrize(
    ("written", "safe"),
    [
        ("rating:: 5", "rating: 5"),
        ("- **due**:: tomorrow", "- **due**: tomorrow"),
        ("a [mood:: good] day (topic:: ml)", "a [mood: good] day (topic: ml)"),
        ("std::vec holds [a::b]", r"std:\:vec holds [a:\:b]"),
        ("Call std::move on a::b", r"Call std:\:move on a::b"),
        ("| due:: today | x |", "| due: today | x |"),
        ("See [[a::b]] and `key:: value`", "See [[a::b]] and `key:: value`"),
        ("https://x.org/a::b", "https://x.org/a::b"),
    ],
)
def test_nothing_becomes_a_data_field_b6(written: str, safe: str) -> None:
    assert sanitise(written).body == safe
    assert sanitise(safe).body == safe


@pytest.mark.parametrize(
    "text", ["100 %% odd", "%% hidden %%", "%%%", "a %% b %% c %%", "%%\n\n%%"]
)
def test_no_text_hides_what_follows_it_b1(text: str) -> None:
    for body in (sanitise(text).body, region_body(text)):
        assert "%%" not in body
        assert not [span for span in quiet_spans(body) if span.kind is Quiet.COMMENT]


@pytest.mark.parametrize("kind", CALLOUTS)
def test_every_callout_of_obsidian_is_kept_b2(kind: str) -> None:
    text = f"> [!{kind}]- Title\n> Text.\n"

    assert sanitise(text).body == text


def test_other_callouts_become_notes_b2() -> None:
    assert sanitise("> [!spoiler] Title\n> Text.\n").body == "> [!note] Title\n> Text.\n"


@pytest.mark.parametrize(
    ("written", "safe"),
    [
        ("<div>\n**bold**\n</div>\n", "\n**bold**\n\n"),
        ("a<script>alert(1)</script>b", "ab"),
        ('<iframe src="https://x.org"></iframe>', ""),
        ("H<sub>2</sub>O and <br>", "H<sub>2</sub>O and <br>"),
        ("List<String> of <T>", r"List\<String> of \<T>"),
    ],
)
def test_markdown_stands_in_no_html_and_nothing_runs_b3(written: str, safe: str) -> None:
    assert sanitise(written).body == safe
