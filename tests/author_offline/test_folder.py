"""Folders in short."""

from __future__ import annotations

import random

from vaultd.author.offline.folder import folder_text
from vaultd.author.seam import FolderRequest
from vaultd.model.paths import VaultPath
from vaultd.model.summary import ChildSummary


def child(name: str, abstract: str, category: str = "concept") -> ChildSummary:
    return ChildSummary(f"wiki/bread/{name}.md", name, abstract, category, False, bool(abstract))


CHILDREN = (
    child("Sourdough starter", "A sourdough starter is a community of wild yeast and bacteria."),
    child("Salt", "Salt slows the yeast and the bacteria of a sourdough."),
    child("Oven", "An oven holds heat."),
    child("Anna Baker", "Anna Baker keeps a sourdough starter.", "entity"),
    child("Empty", "", "note"),
)


def request(children: tuple[ChildSummary, ...], **more: object) -> FolderRequest:
    return FolderRequest(VaultPath("wiki/bread"), "bread", "en", children, **more)  # type: ignore[arg-type]


def test_the_abstract_tells_what_is_inside() -> None:
    text = folder_text(request(CHILDREN))

    assert text.abstract.startswith("5 entries, among them ")
    assert "Salt" in text.abstract
    assert len(text.abstract) <= 200


def test_the_overview_is_grouped_and_names_every_child() -> None:
    text = folder_text(request(CHILDREN))

    assert [line for line in text.overview.splitlines() if line.startswith("## ")] == [
        "## concept (3)",
        "## entity (1)",
        "## note (1)",
    ]
    assert all(f"**{one.name}**" in text.overview for one in CHILDREN)


def test_the_order_of_children_does_not_matter() -> None:
    shuffled = list(CHILDREN)
    random.Random(7).shuffle(shuffled)

    assert folder_text(request(tuple(shuffled))) == folder_text(request(CHILDREN))


def test_partial_overviews_are_united_by_category() -> None:
    halves = (request(CHILDREN[:2]), request(CHILDREN[2:]))
    partials = tuple((str(n), folder_text(half).overview) for n, half in enumerate(halves))

    whole = folder_text(request((), partials=partials, total=5))
    assert "## concept (3)" in whole.overview
    assert all(f"**{one.name}**" in whole.overview for one in CHILDREN)
    assert whole.abstract.startswith("5 entries")


def test_chinese_folders_are_described_in_chinese() -> None:
    children = (
        child("老盐水", "老盐水里已经有稳定的乳酸菌。"),
        child("乳酸菌", "乳酸菌不需要氧气。"),
    )
    text = folder_text(FolderRequest(VaultPath("wiki/泡菜"), "泡菜", "zh", children))

    assert text.abstract == "内容：乳酸菌、老盐水。乳酸菌不需要氧气。"


def test_a_very_long_name_does_not_break_the_limit() -> None:
    text = folder_text(request((child("n" * 400, "x" * 400),)))

    assert len(text.abstract) <= 200


def folder(name: str, abstract: str) -> ChildSummary:
    return ChildSummary(f"wiki/{name}/", name, abstract, "folder", True, True)


def summary_of(*children: ChildSummary) -> str:
    return folder_text(FolderRequest(VaultPath("wiki"), "wiki", "en", children)).abstract


def test_a_folder_of_folders_says_what_lies_in_them_in_turn() -> None:
    concepts = folder("concepts", "9 entries, among them Rye, Salt, Oven. Rye is sour.")
    pickles = folder("pickles", "内容：老盐水、乳酸菌。")

    assert summary_of(concepts) == "Notes on Rye, Salt, Oven. Rye is sour."
    assert summary_of(concepts, pickles).startswith("Notes on Rye, 老盐水, Salt, 乳酸菌.")


def test_a_point_in_a_name_does_not_end_the_list_of_names() -> None:
    parts = folder("parts", "9 entries, among them Part 3.2, Part 1. Rye is sour.")
    pickles = folder("pickles", "内容：第 2.1 节。老盐水里有稳定的乳酸菌。")

    assert summary_of(parts, pickles).startswith("Notes on Part 3.2, 第 2.1 节, Part 1.")


def test_a_folder_described_by_a_model_stands_by_its_name() -> None:
    assert summary_of(folder("bread", "All about bread.")) == "Notes on bread."


def test_a_name_with_a_comma_is_one_name_for_the_folder_above() -> None:
    notes = (child("Rye, in short", "Rye is sour."), child("Salt", "Salt slows yeast."))
    inner = folder_text(request(notes)).abstract

    assert inner.startswith("Notes on “Rye, in short”, Salt.")
    assert summary_of(folder("bread", inner)).startswith("Notes on “Rye, in short”, Salt.")


def test_the_notes_named_are_about_different_things() -> None:
    alike = [child(f"Rye {n}", f"Rye flour of mill {n} makes sour rye bread.") for n in range(6)]
    others = [
        child("Oven", "An oven holds heat for bread."),
        child("Salt", "Salt slows the yeast of rye bread."),
    ]

    named = summary_of(*alike, *others).partition(". ")[0]
    assert "Oven" in named
    assert "Salt" in named


def test_what_a_note_says_of_itself_stands_for_the_folder() -> None:
    notes = (
        child("Retrieved passages", "Given the top passages, the reader scores each passage."),
        child("Passage", "A passage is 100 words."),
        child("Reader", "The reader scores each of the top passages."),
    )
    assert summary_of(*notes).endswith("The reader scores each of the top passages.")


def test_folders_are_not_named_first_for_the_words_that_we_list_their_notes_with() -> None:
    folders = [
        folder("mail", "Notes on Invoice. This is a test."),
        folder("old", "Notes on Receipt. Nothing else came."),
    ]
    notes = [
        child("Rye", "Rye flour makes sour bread."),
        child("Wheat", "Wheat flour makes white bread."),
        child("Spelt", "Spelt flour makes brown bread."),
    ]
    assert summary_of(*folders, *notes).startswith("5 entries, among them Rye,")


def test_a_note_is_shown_with_its_title() -> None:
    titled = ChildSummary("a.md", "paper-12", "Rye is sour.", "source", False, True, "Rye in short")
    text = folder_text(request((titled,)))

    assert text.abstract.startswith("Notes on Rye in short.")
    assert "- **Rye in short**: Rye is sour." in text.overview


def test_notes_in_the_language_of_the_folder_are_named_first() -> None:
    foreign = [child(f"老盐水{n}", f"老盐水里已经有稳定的乳酸菌，第{n}年。") for n in range(4)]
    own = [child("Rye", "Rye flour is sour."), child("Salt", "Salt slows the yeast of rye.")]

    assert "among them Rye, Salt, 老盐水" in summary_of(*foreign, *own)


def test_long_titles_leave_room_for_what_a_note_says() -> None:
    papers = (
        child("Trace-based compilation: specialising types of dynamic languages at run time", ""),
        child("Dense passage retrieval: answering questions from an open domain of text", ""),
        child(
            "LayoutParser: a unified toolkit for the analysis of document images",
            "LayoutParser is a toolkit for reading pictures of documents.",
        ),
    )
    abstract = summary_of(*papers)

    assert "LayoutParser, " in abstract or "LayoutParser." in abstract
    assert ": " not in abstract
    assert abstract.endswith("LayoutParser is a toolkit for reading pictures of documents.")


def test_a_folder_quotes_no_sentence_that_leans_on_another() -> None:
    notes = (
        child("Rye", "In each of them rye flour decides how sour the bread is."),
        child("Salt", "Salt slows the yeast of rye bread."),
    )
    assert summary_of(*notes).endswith(". Salt slows the yeast of rye bread.")


def test_titles_are_named_before_names_of_files() -> None:
    files = [child(f"scan-2026-{n}", f"Rye bread of mill {n} is sour.") for n in range(5)]

    assert "among them Country loaf, " in summary_of(*files, child("Country loaf", "Rye bread."))


def test_names_that_say_the_same_are_told_once() -> None:
    notes = (child("Koji", "Koji is rice."), child("Koji for beginners", "Koji is rice and mould."))

    assert summary_of(*notes).count("Koji") == 2


def test_a_wiki_is_told_by_what_it_is_about() -> None:
    concepts = folder("concepts", "3 entries, among them Rye, Salt. Rye is sour.")
    sources = folder("sources", "Notes on mail, invoice.pdf.")

    assert summary_of(concepts, sources) == "Notes on Rye, Salt. Rye is sour."


def test_a_name_with_a_full_stop_is_one_name_for_the_folder_above() -> None:
    notes = (child("St. Moritz", "St. Moritz is a resort."), child("Davos", "Davos has a rink."))
    inner = folder_text(request(notes)).abstract

    assert "“St. Moritz”" in inner
    assert summary_of(folder("places", inner)) == inner


def test_the_number_of_a_chapter_is_no_part_of_its_name() -> None:
    chapters = (
        child("Chapter 3. Choosing flour", "Rye flour is sour."),
        child("第 9 章 系统技巧", "技巧很多。"),
    )
    assert summary_of(*chapters).startswith("Notes on Choosing flour, 系统技巧.")


def test_a_list_of_words_is_not_what_a_folder_says() -> None:
    notes = (
        child("Sheet", "Sheet: rye, wheat, spelt"),
        child("Rye", "Rye and wheat and spelt are grains."),
    )
    assert summary_of(*notes).endswith("Rye and wheat and spelt are grains.")
