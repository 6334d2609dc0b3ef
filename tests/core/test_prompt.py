"""The prompts as they are sent."""

from __future__ import annotations

import os
import re
from dataclasses import fields
from importlib.resources import files
from pathlib import Path
from string import Template

import pytest

from vaultd.core.prompt import PROMPTS, Prompt, language_name, language_rule, parts_of, version_of
from vaultd.core.quoted import listing, neutral, quoted, source_text, wiki_rules
from vaultd.core.reply import parse_reply
from vaultd.model.document import ExtractedImage, ExtractedPage
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import PageRef, SourceText

GOLDEN = Path(__file__).parent.parent / "golden"


def filled(prompt: type[Prompt]) -> Prompt:
    """Return the prompt with every input named after itself."""
    values = {field.name: f"[{field.name}]" for field in fields(prompt)}
    return prompt(**values)


def test_every_template_has_its_input_and_every_input_its_template() -> None:
    names = {entry.name.removesuffix(".md") for entry in (files("vaultd") / "prompts").iterdir()}

    assert {prompt.template for prompt in PROMPTS} == {name for name in names if "." not in name}


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.template)
def test_placeholders_are_the_fields(prompt: type[Prompt]) -> None:
    system, user, _ = parts_of(prompt.template)

    placeholders = set(Template(system + user).get_identifiers())

    assert placeholders == {field.name for field in fields(prompt)}


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.template)
def test_a_prompt_begins_with_its_stage_and_says_the_language_at_both_ends(
    prompt: type[Prompt],
) -> None:
    rendered = filled(prompt).render()

    assert rendered.system.startswith(f"Stage: {prompt.template}\n[language_rule]")
    if prompt.template != "transcribe":
        assert rendered.user.endswith("[language_rule]")


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.template)
def test_what_differs_from_source_to_source_stands_behind_what_does_not(
    prompt: type[Prompt],
) -> None:
    system, _, _ = parts_of(prompt.template)

    stable = {"language_rule", "language_name", "wiki_rules", "pages_limit"}

    assert set(Template(system).get_identifiers()) <= stable


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.template)
def test_prompts_do_not_change_unseen(prompt: type[Prompt]) -> None:
    """Run with VAULTD_UPDATE_GOLDEN=1 to accept a change, and read the difference."""
    rendered = filled(prompt).render()
    text = f"{rendered.system}\n=== user ===\n{rendered.user}\n"
    golden = GOLDEN / f"prompt-{prompt.template}.txt"
    if os.environ.get("VAULTD_UPDATE_GOLDEN"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text, encoding="utf-8")

    assert text == golden.read_text(encoding="utf-8")


def test_a_version_follows_the_template() -> None:
    versions = {version_of(prompt) for prompt in PROMPTS}

    assert len(versions) == len(PROMPTS)
    assert all(re.fullmatch(r"[a-z-]+-[0-9a-f]{12}", version) for version in versions)


def test_what_is_filled_in_is_not_filled_again() -> None:
    merge = PROMPTS[5]
    rendered = merge(**{field.name: "$title ${path} $$" for field in fields(merge)}).render()

    assert "$title ${path} $$" in rendered.user


def test_the_example_in_the_generation_prompt_is_read_by_our_own_parser() -> None:
    reply = parse_reply(parts_of("generation")[0])

    assert [file.path for file in reply.files] == ["wiki/concepts/example-name.md"]
    assert reply.log.startswith("## [date] ingest | ")
    assert len(reply.reviews) == 1
    assert reply.warnings == ()


def test_languages_are_named() -> None:
    assert language_name("zh-TW") == language_name("zh_Hant_HK") == "Traditional Chinese"
    assert language_name("zh-CN") == "Simplified Chinese"
    assert "characters as the text does" in language_rule("zh")
    assert "characters as" not in language_rule("zh-TW") + language_rule("pt-BR")
    assert language_name("") == "the language of the document"
    assert "German" in language_rule("de")


@pytest.mark.parametrize(
    "line",
    [
        "---FILE: wiki/a.md---",
        "  --- end file ---",
        "---REVIEW: x | y---",
        "---END OF REPLY---",
        ">>>",
        "<<< document",
    ],
)
def test_markers_in_material_are_made_harmless(line: str) -> None:
    text = neutral(f"before\n{line}\nafter")

    assert line not in text.split("\n")
    assert parse_reply(f"---FILE: wiki/b.md---\n{text}\n---END FILE---").files[0].text == text
    assert quoted("x", text) == f"<<< x\n{text}\n>>>"


def test_ordinary_text_is_quoted_as_it_is() -> None:
    text = "---\n<b>a</b> > b >> c\n--- FILE --- in a sentence\n- - -"

    assert neutral(text) == text


def test_a_source_shows_pages_and_captions_and_not_what_is_hidden() -> None:
    source = SourceText(
        id=SourceId("a.pdf"),
        path=VaultPath("raw/a.pdf"),
        sha256="",
        title="",
        language="en",
        pages=(
            ExtractedPage(1, "See ![](image1) here ![x](image2)", hidden="secret"),
            ExtractedPage(2, "  "),
            ExtractedPage(None, "No number."),
        ),
        images=(
            ExtractedImage("a", 1, 9, 9, "png", caption="A chart\nof sales"),
            ExtractedImage("b", 1, 9, 9, "png"),
        ),
    )

    assert source_text(source) == (
        "(page 1)\n\nSee [picture 1: A chart of sales] here [picture 2: x]\n\nNo number."
    )


def test_the_list_of_pages_never_exceeds_its_room() -> None:
    pages = [
        PageRef(VaultPath(f"wiki/concepts/p{n}.md"), f"P {n}", "concept", "About. " * 60, ("x",))
        for n in range(500)
    ]

    short = listing(pages, 5_000, 4_000)

    assert len(short) < 4_100
    assert "the nearest of 5000" in short
    assert listing([], 0, 4_000) == "Listed pages: none yet."


def test_the_owners_wishes_are_cut_to_their_room() -> None:
    rules = wiki_rules("p" * 9_000, "s" * 9_000, 500)

    assert rules.count("p" * 500) == 1
    assert len(rules) < 1_400
