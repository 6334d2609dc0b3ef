"""The offline author: what it writes, and that it only quotes."""

from __future__ import annotations

import re
from datetime import date
from hashlib import sha256

import pytest

from vaultd.author.offline import OfflineAuthor
from vaultd.author.seam import Author, CaptionRequest, FileRequest, MergeRequest, Turn
from vaultd.core.markdown import abstract_of
from vaultd.core.plain import plain
from vaultd.errors import PermanentError
from vaultd.model.document import ExtractedPage
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import Draft, PageRef, ReviewKind, SourceText, WikiContext

ENGLISH = (
    """# Abstract

This paper explains how temperature and salt steer a sourdough starter through the day.

# The starter

A sourdough starter is a stable community of wild yeast and lactic acid bacteria.
Lactic acid bacteria outnumber the yeast by roughly one hundred to one in a ripe starter.
""",
    """# Temperature

Temperature is the strongest control that a baker has over a sourdough starter.
Lactic acid bacteria grow best near thirty degrees, the yeast a little below.
A cool starter rises slowly, and its lactic acid bacteria make more acetic acid.

# References

[1] A. Baker. Salt and yeast in the sourdough starter. Journal of Bread, 1999.
""",
)
CHINESE = (
    """# 摘要

本文说明摘要向量库的用途，以及它怎样与普通向量库配合完成两级检索。

# 原理

摘要向量库是保存文件级摘要的独立空间，它与普通向量库分开存放在磁盘上。
每个知识库都有一个摘要向量库，查询先在摘要向量库中找到文件，再到向量库中找段落。
""",
    """# 删除

删除知识库的文件时，摘要向量库中的记录必须在同一个事务里删除，否则会留下孤立的摘要。
重建摘要向量库不会影响原来的知识库，因为两者使用不同的目录和不同的索引文件。
""",
)


def source(
    pages: tuple[str, ...], name: str = "bread/Sourdough.pdf", language: str = "en"
) -> SourceText:
    numbered = name.endswith(".pdf")
    return SourceText(
        id=SourceId(name),
        path=VaultPath(f"raw/{name}"),
        sha256=sha256(name.encode()).hexdigest(),
        title=name.rpartition("/")[2].rpartition(".")[0],
        language=language,
        pages=tuple(
            ExtractedPage(n if numbered else None, text) for n, text in enumerate(pages, 1)
        ),
    )


def wiki(*pages: PageRef, language: str = "en", limit: int = 15) -> WikiContext:
    return WikiContext(
        purpose="",
        schema="",
        pages=pages,
        page_count=len(pages),
        summary_path=VaultPath("wiki/sources/bread/Sourdough.md"),
        language=language,
        today=date(2026, 11, 29),
        pages_limit=limit,
    )


def quiet(stage: str, done: int = 0, total: int = 0) -> None:
    """Report to nobody."""


async def drafted(text: SourceText, context: WikiContext, talk: tuple[Turn, ...] = ()) -> Draft:
    author: Author = OfflineAuthor()
    analysis = await author.analyse(text, context, quiet)
    return await author.generate(text, analysis, context, quiet, talk)


@pytest.mark.parametrize(
    ("pages", "language", "heading", "link"),
    [
        (ENGLISH, "en", "## Key sentences", "[[raw/bread/Sourdough.pdf#page=2|p. 2]]"),
        (CHINESE, "zh", "## 关键句", "[[raw/bread/Sourdough.pdf#page=2|第 2 页]]"),
    ],
)
async def test_a_source_page_quotes_with_links_to_the_page(
    pages: tuple[str, ...], language: str, heading: str, link: str
) -> None:
    draft = await drafted(source(pages, language=language), wiki(language=language))

    page = draft.pages[0]
    assert page.path == "wiki/sources/bread/Sourdough.md"
    assert page.type == "source"
    assert heading in page.body
    assert link in page.body
    assert "> [!info]" in page.body


@pytest.mark.parametrize(("pages", "language"), [(ENGLISH, "en"), (CHINESE, "zh")])
async def test_every_page_begins_with_a_sentence_of_the_document(
    pages: tuple[str, ...], language: str
) -> None:
    text = source(pages, language=language)

    draft = await drafted(text, wiki(language=language))
    assert len(draft.pages) >= 2
    for page in draft.pages:
        abstract = abstract_of(page.body)
        assert 0 < len(abstract) <= 200
        assert abstract in text.text.replace("\n", " ")


async def test_what_a_document_says_of_itself_leads_no_page_about_a_term() -> None:
    definition = "A sourdough starter is a stable community of wild yeast and lactic acid bacteria."
    others = (
        "This paper shows how a baker keeps a sourdough starter with salt and temperature.\n"
        "Every sourdough starter feeds yeast beside lactic acid bacteria for years."
    )
    first, second = ENGLISH
    draft = await drafted(source((first.replace(definition, others), second)), wiki())

    leads = {page.title: abstract_of(page.body) for page in draft.pages}
    assert leads["Sourdough"].startswith("This paper explains")
    assert leads["Sourdough starter"].startswith("Every sourdough starter feeds")


@pytest.mark.parametrize(("pages", "language"), [(ENGLISH, "en"), (CHINESE, "zh")])
async def test_nothing_is_made_up(pages: tuple[str, ...], language: str) -> None:
    text = source(pages, language=language)

    for page in (await drafted(text, wiki(language=language))).pages:
        quotes = re.findall(r"^- (.+?[.。]) \[\[raw/", page.body, re.MULTILINE)
        assert quotes or page.type == "source"
        for quote in quotes:
            assert plain(quote) in text.text
        assert "Journal of Bread" not in page.body


async def test_terms_get_pages_that_name_their_source() -> None:
    draft = await drafted(source(ENGLISH), wiki())

    terms = {page.title: page for page in draft.pages[1:]}
    assert "Sourdough starter" in terms
    page = terms["Sourdough starter"]
    assert page.path == "wiki/concepts/Sourdough starter.md"
    assert page.type == "concept"
    assert page.sources == ("bread/Sourdough.pdf",)
    assert "[[wiki/sources/bread/Sourdough|Sourdough]]" in page.body
    assert abstract_of(page.body).startswith("A sourdough starter is")
    assert "[[wiki/concepts/Sourdough starter|Sourdough starter]]" in draft.pages[0].body


async def test_a_page_the_wiki_has_gets_the_new_sentences() -> None:
    known = PageRef(
        VaultPath("wiki/concepts/LAB.md"), "LAB", "concept", "", ("Lactic acid bacteria",)
    )

    draft = await drafted(source(ENGLISH), wiki(known))
    assert draft.pages[1].path == known.path
    assert draft.pages[1].title == "LAB"


async def test_the_limit_of_pages_holds() -> None:
    assert len((await drafted(source(ENGLISH), wiki(limit=1))).pages) == 1
    assert len((await drafted(source(ENGLISH), wiki(limit=2))).pages) == 2


async def test_the_same_source_gives_the_same_draft() -> None:
    assert await drafted(source(ENGLISH), wiki()) == await drafted(source(ENGLISH), wiki())


async def test_without_pages_the_section_is_the_label() -> None:
    draft = await drafted(source(("\n".join(ENGLISH),), "Notes.md"), wiki())

    assert "[[raw/Notes.md#Temperature|Temperature]]" in draft.pages[0].body


@pytest.mark.parametrize(
    "text",
    [
        "",
        "word",
        "| Name | Price |\n|---|---|\n| Rye | 3 |",
        "```\ncode\n```",
        "1\n2\n3",
        "[[x]] %% $ <b>",
    ],
)
async def test_a_source_without_sentences_still_gets_an_honest_page(text: str) -> None:
    draft = await drafted(source((text,), "Odd.txt"), wiki())

    assert draft.pages[0].body.strip()
    assert draft.pages[0].type == "source"


async def test_signs_of_the_document_do_not_act_as_markup() -> None:
    sentence = (
        "The macro %%hidden%% costs $5 and <script> stands in [[brackets]] of the dough text."
    )
    draft = await drafted(source((f"{sentence}\n\n" * 2,), "Odd.txt"), wiki())

    assert "[[brackets]]" not in draft.pages[0].body
    assert "%%hidden" not in draft.pages[0].body
    assert not re.search(r"(?<!\\)<script>", draft.pages[0].body)


async def test_the_talk_draws_the_choice() -> None:
    talk = (Turn("user", "What about acetic acid in a cool starter?"),)

    answer = [piece async for piece in OfflineAuthor().converse(source(ENGLISH), wiki(), talk)]
    assert "acetic acid" in "".join(answer)
    assert "[[raw/bread/Sourdough.pdf#page=2|p. 2]]" in "".join(answer)


async def test_a_question_the_source_does_not_answer_gets_no_invention() -> None:
    talk = (Turn("user", "zeppelin"),)

    answer = [piece async for piece in OfflineAuthor().converse(source(ENGLISH), wiki(), talk)]
    assert answer == ["Nothing in the source answers this in its own words.\n"]


async def test_the_analysis_is_streamed() -> None:
    pieces = [piece async for piece in OfflineAuthor().converse(source(ENGLISH), wiki(), ())]

    assert len(pieces) > 3
    assert "Sourdough starter (concept)" in "".join(pieces)


async def test_pages_that_may_be_one_are_asked_about() -> None:
    known = PageRef(
        VaultPath("wiki/concepts/Ripe sourdough starter.md"), "Ripe sourdough starter", "concept"
    )
    author, text, context = OfflineAuthor(), source(ENGLISH), wiki(known)

    analysis = await author.analyse(text, context, quiet)
    draft = await author.generate(text, analysis, context, quiet)
    reviews = await author.review(text, analysis, context, draft)
    assert [review.kind for review in reviews] == [ReviewKind.DUPLICATE]
    assert known.path in reviews[0].pages


async def test_a_merge_keeps_both_and_repeats_nothing() -> None:
    request = MergeRequest(
        path=VaultPath("wiki/concepts/X.md"),
        title="X",
        language="en",
        existing="X is one.\n\n## What A says\n\n- First fact. [[raw/a.pdf#page=1|p. 1]]\n",
        incoming="X is two.\n\n## What B says\n\n- First fact. [[raw/b.pdf#page=9|p. 9]]\n"
        "- New fact.\n",
        existing_sources=(SourceId("a.pdf"),),
        incoming_source=SourceId("b.pdf"),
    )

    merged = await OfflineAuthor().merge(request)
    assert merged.count("First fact.") == 1
    assert "[[raw/a.pdf#page=1|p. 1]] [[raw/b.pdf#page=9|p. 9]]" in merged
    assert "- X is two." in merged
    assert "- New fact." in merged
    assert merged.startswith("X is one.")


async def test_pictures_are_refused_plainly() -> None:
    author = OfflineAuthor()

    assert not author.sees_pictures
    with pytest.raises(PermanentError, match="vision model"):
        await author.caption(CaptionRequest(b"x", "png", "", "", "en"))
    with pytest.raises(PermanentError, match="vision model"):
        await author.transcribe(b"x", "png", "en")


async def test_nothing_is_spent_and_quotations_are_not_translated() -> None:
    author = OfflineAuthor()

    assert author.estimate(source(ENGLISH), wiki()) == 0
    assert await author.rewrite_language(VaultPath("wiki/x.md"), "正文", "en") == "正文"


async def test_a_file_is_summarised_in_its_own_sentences() -> None:
    request = FileRequest(VaultPath("raw/Sourdough.pdf"), "en", "", ENGLISH)

    summary = await OfflineAuthor().summarise_file(request)
    again = await OfflineAuthor().summarise_file(
        FileRequest(VaultPath("raw/Sourdough.pdf"), "en", "", (), (summary, summary))
    )
    assert "Temperature is the strongest control" in summary
    assert again.count("Temperature is the strongest control") == 1


async def test_a_long_text_is_not_related_to_what_it_names_in_passing() -> None:
    known = PageRef(VaultPath("wiki/entities/Switzerland.md"), "Switzerland", "entity")
    once = "The dough of Switzerland rests for a night in the cold cellar of the baker's house."
    more = "Salt slows the yeast of a dough down and makes the gluten of its flour stronger. " * 120

    note = await drafted(source((once,), "Note.txt"), wiki(known))
    book = await drafted(source((f"{once}\n\n{more}",), "Book.txt"), wiki(known))
    chapter = await drafted(source((f"# Switzerland\n\n{more}",), "Book.txt"), wiki(known))
    assert known.path in note.pages[0].related
    assert known.path not in book.pages[0].related
    assert known.path in chapter.pages[0].related
