"""From drafts to pages, and from pages to their next text."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultd.core.block_path import same_path
from vaultd.core.draft import page_draft
from vaultd.core.link import Resolver, find_links
from vaultd.core.merge import claims_of
from vaultd.core.page import parse_page
from vaultd.core.plan import PagePlan, PlannedPage, Wiki, plan_pages
from vaultd.core.region import put_region
from vaultd.core.reply import parse_reply
from vaultd.core.update import Standing, merge_need, updated_page
from vaultd.model.document import ExtractedPage
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import PageDraft, PageRef, SourceText

TODAY = date(2026, 11, 29)
SUMMARY = VaultPath("wiki/sources/a.md")


def source(name: str = "a.pdf", pages: int = 3) -> SourceText:
    return SourceText(
        id=SourceId(name),
        path=VaultPath(f"raw/{name}"),
        sha256="ab" * 32,
        title=name,
        language="en",
        pages=tuple(ExtractedPage(n, "text") for n in range(1, pages + 1)),
    )


def draft(path: str, title: str, body: str, kind: str = "concept", **more: object) -> PageDraft:
    made = PageDraft(VaultPath(path), kind, title, body)
    return replace(made, **more)  # type: ignore[arg-type]


def plan(*drafts: PageDraft, wiki: Wiki | None = None, limit: int = 15) -> PagePlan:
    return plan_pages(
        drafts,
        source=source(),
        wiki=wiki or Wiki(),
        summary_path=SUMMARY,
        author="offline",
        today=TODAY,
        limit=limit,
        media={"image1.png": VaultPath("wiki/media/a/image1.png")},
    )


def wiki_of(*pages: PageRef) -> Wiki:
    return Wiki(pages, taken=frozenset(same_path(page.path) for page in pages))


def ref(path: str, title: str, *aliases: str, kind: str = "concept") -> PageRef:
    return PageRef(VaultPath(path), title, kind, "", aliases, (SourceId("old.pdf"),))


def test_pages_get_their_folder_name_links_and_properties() -> None:
    result = plan(
        draft(
            "wiki/sources/guess.md", "A: report", "See [[trace-tree]] and [[gone|Gone]].", "source"
        ),
        draft(
            "wiki/concepts/trace-tree.md",
            "Trace tree",
            "Text [[raw/a.pdf#page=2|p. 2]], [[raw/a.pdf#page=9|p. 9]], [[b.pdf#page=1]].",
            tags=("deep learning",),
            aliases=("trace tree", "TT"),
            related=("guess", "nothing"),
            sources=("a.pdf", "wiki/log.md"),
            extra={"status": "new", "reviewed": "true", "publish": "true"},
        ),
    )
    summary, page = result.pages
    assert result.has_summary
    assert summary.path == SUMMARY
    assert summary.body == "See [[wiki/concepts/Trace tree|Trace tree]] and Gone."
    assert summary.properties.related == ("[[wiki/concepts/Trace tree|Trace tree]]",)
    assert page.path == "wiki/concepts/Trace tree.md"
    assert page.body == (
        "Text [[raw/a.pdf#page=2|p. 2]], (⚠ unverified: p. 9), (⚠ unverified: b.pdf)."
    )
    assert page.text.startswith(
        '---\ntype: concept\ntitle: "Trace tree"\ncreated: 2026-11-29\nupdated: 2026-11-29\n'
        'tags:\n  - deep-learning\naliases:\n  - "TT"\n'
        'related:\n  - "[[wiki/sources/a|A: report]]"\n'
        'sources:\n  - "a.pdf"\nauthor: "offline"\nstatus: "new"\n---\n'
    )
    assert [review.pages for review in result.reviews] == [(page.path,)]
    assert sum("claim not confirmed" in warning for warning in result.warnings) == 2
    assert sum("sources not taken over" in warning for warning in result.warnings) == 1


def test_page_that_exists_under_another_spelling_is_used() -> None:
    wiki = wiki_of(ref("wiki/entities/Acme Limited.md", "Acme Limited", kind="entity"))
    result = plan(draft("wiki/concepts/acme-ltd.md", "Acme Ltd.", "Text."), wiki=wiki)
    page = result.pages[0]
    assert (page.path, page.exists) == ("wiki/entities/Acme Limited.md", True)
    assert (page.properties.type, page.properties.title) == ("entity", "Acme Limited")
    assert page.properties.aliases == ("Acme Ltd.",)


def test_names_that_differ_in_a_number_stay_apart() -> None:
    wiki = wiki_of(ref("wiki/concepts/MW-2.md", "MW-2"))
    result = plan(draft("wiki/concepts/mw-3.md", "MW-3", "Text."), wiki=wiki)
    assert (result.pages[0].path, result.pages[0].exists) == ("wiki/concepts/MW-3.md", False)


def test_name_taken_by_a_note_that_is_no_page_gets_a_number() -> None:
    wiki = Wiki(taken=frozenset({same_path("wiki/concepts/Étude.md")}))
    result = plan(draft("wiki/concepts/x.md", "e\u0301tude", "Text."), wiki=wiki)
    assert result.pages[0].path == "wiki/concepts/étude 1.md"


def test_two_drafts_of_one_page_become_one() -> None:
    result = plan(
        draft("wiki/concepts/a.md", "Trace trees", "One."),
        draft("wiki/entities/b.md", "trace tree", "One.\n\nTwo.", "entity"),
    )
    assert [page.path for page in result.pages] == ["wiki/concepts/Trace trees.md"]
    assert result.pages[0].body == "One.\n\nTwo.\n"


def test_drafts_beyond_the_limit_are_refused_with_their_text() -> None:
    drafts = [draft(f"wiki/concepts/{n}.md", f"Page {n}", f"Text {n}.") for n in range(4)]
    result = plan(*drafts, limit=2)
    assert len(result.pages) == 2
    assert [refused.text for refused in result.refused] == ["Text 2.", "Text 3."]


def test_pictures_of_the_source_are_shown_and_others_left_out() -> None:
    result = plan(draft("wiki/concepts/a.md", "A", "![[image1.png]] ![x](media/b/image2.png)."))
    assert result.pages[0].body == "![[wiki/media/a/image1.png]] x."


REPLIES = ["pdf-nist-sp800-223", "pdf-dpr-two-column", "pdf-tracemonkey", "pdf-chem-mindmap-zh"]


@pytest.mark.parametrize("name", [*REPLIES, "docx-rich-zh", "txt-war-and-peace"])
def test_real_replies_give_pages_without_a_broken_link(shared: Path, name: str) -> None:
    reply = (shared / "cases/replies" / name / "generation.txt").read_text(encoding="utf-8")
    ending = name.split("-")[0]
    drafts = [
        drafted.page
        for block in parse_reply(reply).files
        if block.path != "wiki/log.md" and (drafted := page_draft(block)).page
    ]
    pages = 34 if ending == "pdf" else 0
    result = plan_pages(
        drafts,
        source=source(f"{name}.{ending}", pages),
        wiki=Wiki(),
        summary_path=VaultPath(f"wiki/sources/{name}.md"),
        author="model",
        today=TODAY,
    )
    paths = [page.path for page in result.pages]
    resolver = Resolver.over([*paths, VaultPath(f"raw/{name}.{ending}")])
    assert len(paths) == len(drafts)
    assert result.has_summary
    assert not result.reviews
    for page in result.pages:
        assert claims_of(page.body)
        for link in find_links(page.text):
            assert resolver.resolve(link.target, page.path), (page.path, link)
        assert parse_page(page.text).body.strip() == page.body.strip()


def test_claims_of_another_document_are_not_written_as_proven(shared: Path) -> None:
    text = (shared / "cases/replies/broken/claims-from-another-document.txt").read_text("utf-8")
    drafts = [
        drafted.page
        for block in parse_reply(text).files
        if block.path != "wiki/log.md" and (drafted := page_draft(block)).page
    ]
    result = plan_pages(
        drafts,
        source=source("pdf-nist-sp800-223.pdf", 34),
        wiki=Wiki(),
        summary_path=VaultPath("wiki/sources/pdf-nist-sp800-223.md"),
        author="model",
        today=TODAY,
    )
    page = next(page for page in result.pages if page.path.endswith("Performance overhead.md"))
    assert len(result.pages) == 6
    assert page.body.count("⚠ unverified") == 3
    assert all(page.properties.sources == ("pdf-nist-sp800-223.pdf",) for page in result.pages)
    assert len(result.warnings) >= 5
    assert page.path in result.reviews[0].pages


# --- the next text of a page that exists ----------------------------------------------------------


def planned(body: str, name: str = "a.pdf", tags: tuple[str, ...] = ()) -> PlannedPage:
    result = plan_pages(
        [draft("wiki/concepts/P.md", "P", body, tags=tags)],
        source=source(name),
        wiki=Wiki(),
        summary_path=SUMMARY,
        author="offline",
        today=TODAY,
    )
    return result.pages[0]


def later(page: PlannedPage) -> PlannedPage:
    return replace(page, properties=replace(page.properties, updated=date(2027, 1, 1)))


def test_the_same_source_again_writes_nothing_or_replaces() -> None:
    first = planned("One.\n\nTwo.")
    standing = Standing(first.text, first.text)
    assert updated_page(later(first), standing).text == first.text
    assert merge_need(planned("Other."), standing) is None
    replaced = updated_page(later(planned("Other.")), standing).text
    assert parse_page(replaced).body == "\nOther.\n"
    assert "updated: 2027-01-01" in replaced
    assert "created: 2026-11-29" in replaced


def source_page(reader: str, unread: str = "") -> PlannedPage:
    """Return the page of a source whose second page `reader` read from its picture."""
    pages = (ExtractedPage(1, "text"), ExtractedPage(2, "text", transcribed_by=reader))
    result = plan_pages(
        [draft(SUMMARY, "A", "One.", kind="source")],
        source=replace(source(), pages=pages, unread=unread),
        wiki=Wiki(),
        summary_path=SUMMARY,
        author="offline",
        today=TODAY,
    )
    return result.pages[0]


def test_page_of_a_scan_says_who_read_it_until_the_file_has_text_itself() -> None:
    scan, text = source_page("ocr"), source_page("")
    assert parse_page(scan.text).word("transcribed") == "ocr"
    assert "transcribed" not in text.text

    again = updated_page(later(text), Standing(scan.text, scan.text)).text
    mine = scan.text.replace('transcribed: "ocr"', "transcribed: me")
    kept = updated_page(later(text), Standing(mine, scan.text)).text

    assert "transcribed" not in again
    assert "transcribed: me" in kept


def test_page_says_which_pages_nobody_could_read_until_somebody_can() -> None:
    unread = source_page("", unread="page 2")
    assert parse_page(unread.text).word("unread") == "page 2"

    again = updated_page(later(source_page("ocr")), Standing(unread.text, unread.text)).text

    assert "unread" not in again


def test_another_source_asks_for_a_merge_only_if_it_says_something_new() -> None:
    first = planned("One.\n\nTwo.", tags=("x",))
    standing = Standing(first.text, first.text)
    same = planned("Two.", "b.pdf", tags=("X", "y"))
    assert merge_need(same, standing) is None
    text = updated_page(same, standing).text
    assert parse_page(text).body == parse_page(first.text).body
    assert parse_page(text).sources == ("a.pdf", "b.pdf")
    assert parse_page(text).tags == ("x", "y")
    new = planned("Three.", "b.pdf")
    need = merge_need(new, standing)
    assert need is not None
    assert (need.existing_sources, need.incoming) == (("a.pdf",), "Three.")
    merged = updated_page(new, standing, "One, two and three.")
    assert parse_page(merged.text).body == "\nOne, two and three.\n"
    fallback = updated_page(new, standing)
    assert parse_page(fallback.text).body == "\nOne.\n\nTwo.\n\nThree.\n"


def test_a_persons_words_properties_and_deletions_survive() -> None:
    first = planned("One.\n\nTwo.", tags=("x", "z"))
    theirs = first.text.replace("  - z\n", "").replace(
        'author: "offline"', "rating: 5 # mine\nauthor: me"
    )
    theirs = theirs.replace("Two.\n", "Two.\n\nMy own words.\n")
    result = updated_page(planned("Other.", tags=("x", "z")), Standing(theirs, first.text))
    assert "My own words.\n" in result.text
    assert "Other.\n" in result.text
    assert "rating: 5 # mine\nauthor: me\n" in result.text
    assert parse_page(result.text).tags == ("x",)
    assert not result.conflicts


def test_conflict_keeps_the_persons_text_and_proposes_ours() -> None:
    first = planned("One.\n\nTwo.")
    theirs = first.text.replace("One.", "One, as I see it.")
    result = updated_page(planned("First.\n\nTwo."), Standing(theirs, first.text))
    assert result.text == theirs
    assert result.conflicts[0].ours == "First.\n"
    assert result.proposal is not None
    assert "First." in result.proposal


def test_accepting_a_proposal_keeps_what_a_person_wrote_elsewhere() -> None:
    first = planned("One.\n\nTwo.")
    theirs = first.text.replace("One.", "One, as I see it.").replace("Two.\n", "Two.\n\nMine.\n")
    result = updated_page(planned("First.\n\nTwo."), Standing(theirs, first.text))
    assert result.proposal is not None
    assert parse_page(result.proposal).body == "\nFirst.\n\nTwo.\n\nMine.\n"


def test_page_of_unknown_base_stays_and_ours_is_proposed() -> None:
    result = updated_page(planned("Other.", "b.pdf"), Standing("# Mine\n\nText.\n", None))
    assert "Text.\n" in result.text
    assert "Other." not in result.text
    assert result.proposal is not None
    assert "Text." in result.proposal
    assert "Other." in result.proposal


def test_locked_page_is_only_added_to() -> None:
    first = planned("One.\n\nTwo.")
    theirs = first.text.replace("---\n\n", "reviewed: true\n---\n\n").replace("Two.", "Two!")
    result = updated_page(planned("Three.", "b.pdf"), Standing(theirs, first.text))
    again = updated_page(later(planned("Three.", "b.pdf")), Standing(result.text, result.ours))
    assert parse_page(result.text).body.startswith(parse_page(theirs).body)
    assert "Three.\n%% vaultd:end" in result.text
    assert again.text == result.text


def test_regions_of_the_page_survive_a_replacement() -> None:
    first = planned("One.").text
    with_images = put_region(first, "images", "![[x.png]]", inputs="1")
    result = updated_page(planned("Other."), Standing(with_images, with_images))
    assert "Other.\n\n%% vaultd:begin images" in result.text


parts = st.lists(st.sampled_from(["A.", "B.", "C.", "- d"]), min_size=1, max_size=4, unique=True)
mine = st.sampled_from(["Mine 1.", "Mine 2."])


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(parts, st.sampled_from(["a.pdf", "b.pdf"])), max_size=6), mine)
def test_a_persons_text_survives_every_later_ingest(
    ingests: list[tuple[list[str], str]], words: str
) -> None:
    base = planned("Start.\n\nEnd.").text
    theirs = base.replace("Start.\n", f"Start.\n\n{words}\n")
    for lines, name in ingests:
        result = updated_page(planned("\n\n".join(lines), name), Standing(theirs, base))
        assert f"{words}\n" in result.text
        assert result.ours is not None
        base, theirs = result.ours, result.text
        again = updated_page(planned("\n\n".join(lines), name), Standing(theirs, base))
        assert f"{words}\n" in again.text
