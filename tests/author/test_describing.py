"""Merging, summaries, pictures, reviews: what is asked for in one call."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.author.worlds import (
    World,
    source_of,
    wiki_of,
)
from tests.model_faults import FAULTS
from tests.model_replies import block
from tests.model_server import Say
from vaultd.author.seam import (
    CaptionRequest,
    FileRequest,
    FolderRequest,
    MergeRequest,
)
from vaultd.errors import BadReplyError
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.summary import ChildSummary
from vaultd.model.wiki import Analysis, Draft

pytestmark = pytest.mark.asyncio(loop_scope="module")


DRAFT = Draft(pages=(), raw_length=100)


@pytest.mark.parametrize(
    ("draft", "calls"),
    [
        (DRAFT, 0),
        (replace(DRAFT, raw_length=9_999), 0),
        (replace(DRAFT, raw_length=10_000), 1),
        (replace(DRAFT, asked_review=True), 1),
    ],
)
async def test_the_review_stage_runs_for_cause_only(world: World, draft: Draft, calls: int) -> None:
    reviews = await world.author.review(source_of(), Analysis("x"), wiki_of(), draft)

    assert len(world.server.calls) == calls
    assert len(reviews) == calls


async def test_at_most_five_reviews_come_from_the_stage(world: World) -> None:
    item = "---REVIEW: suggestion | Title {}---\nText.\n---END REVIEW---"
    world.server.say("\n".join(item.format(n) for n in range(12)))

    reviews = await world.author.review(
        source_of(), Analysis("x"), wiki_of(), replace(DRAFT, asked_review=True)
    )

    assert len(reviews) == 5


async def test_an_unusable_review_reply_is_no_failure(world: World) -> None:
    world.server.say(FAULTS["content empty"])

    reviews = await world.author.review(
        source_of(), Analysis("x"), wiki_of(), replace(DRAFT, asked_review=True)
    )

    assert reviews == ()


MERGE = MergeRequest(
    path=VaultPath("wiki/concepts/a.md"),
    title="A",
    language="en",
    existing="# A\n\nOld claim.",
    incoming="# A\n\nNew claim.",
    existing_sources=(SourceId("one.pdf"),),
    incoming_source=SourceId("two.pdf"),
)


@pytest.mark.parametrize(
    "reply",
    [
        "# A\n\nBoth claims.\n---END OF REPLY---",
        "```markdown\n---\ntype: concept\ntitle: A\n---\n\n# A\n\nBoth claims.\n```",
        "---\ntype: concept\n---\n---\ntype: concept\n---\n# A\n\nBoth claims.",
        block("wiki/concepts/a.md", "---\ntype: concept\n---\n\n# A\n\nBoth claims."),
        "<think>---FILE: x---</think># A\n\nBoth claims.",
    ],
)
async def test_a_merge_gives_a_body_whatever_is_around_it(world: World, reply: str) -> None:
    world.server.say(reply)

    assert await world.author.merge(MERGE) == "# A\n\nBoth claims."


async def test_a_merge_that_was_cut_is_asked_for_with_more_room(world: World) -> None:
    world.server.say(Say("# A\n\nBoth", finish="length"))

    await world.author.merge(MERGE)

    first, second = world.server.calls
    assert second.body["max_tokens"] == 2 * first.body["max_tokens"]


def child(name: str) -> ChildSummary:
    return ChildSummary(f"wiki/concepts/{name}.md", name, f"About {name}.", "concept", False, True)


FOLDER = FolderRequest(
    folder=VaultPath("wiki/concepts"),
    name="concepts",
    language="en",
    children=(child("Alpha"), child("Beta")),
)


@pytest.mark.parametrize(
    "reply",
    [
        '{"abstract": "Two ideas.", "overview": "- [[Alpha]]\\n- Gamma"}',
        'Here:\n```json\n{"abstract": "Two ideas.", "overview": "- [[Alpha]]\\n- [[Gamma]]",}\n```',
        '{"Abstract": "Two ideas.", "Overview": ["[[Alpha]]", "[[x/Gamma|Gamma]]"]}',
        '<think>{"abstract": "draft"}</think>'
        '{"abstract":"Two\nideas.","overview":"- [[Alpha]]\n- Gamma"}',
        "Abstract: Two ideas.\n\nOverview:\n- [[Alpha]]\n- Gamma",
    ],
)
async def test_a_folder_is_described_from_one_call(world: World, reply: str) -> None:
    world.server.say(reply)

    text = await world.author.summarise(FOLDER)

    assert text.abstract == "Two ideas."
    assert text.overview == "- [[Alpha]]\n- Gamma"
    assert world.server.stages() == ["folder"]


async def test_a_link_by_slug_or_path_is_spelt_as_the_note_is(world: World) -> None:
    children = (child("Trace tree"), child("BM25"))
    overview = "[[trace-tree|Trace trees]], [[wiki/concepts/BM25.md|BM25]], [[bm25]], [[x|y]]"
    world.server.say(json.dumps({"abstract": "Two.", "overview": overview}))

    text = await world.author.summarise(replace(FOLDER, children=children))

    assert text.overview == "[[Trace tree|Trace trees]], [[BM25]], [[BM25]], y"


async def test_a_misshapen_folder_reply_is_repaired_once(world: World) -> None:
    world.server.say('{"abstract": "Two ideas."}')

    text = await world.author.summarise(FOLDER)

    assert text.abstract
    assert len(world.server.calls) == 2
    assert "overview" in world.server.calls[1].messages[-1]["content"]


async def test_a_folder_reply_misshapen_twice_is_a_bad_reply(world: World) -> None:
    world.server.say("no", "no")

    with pytest.raises(BadReplyError):
        await world.author.summarise(FOLDER)


async def test_a_file_is_summarised_with_the_values_asked_for(world: World) -> None:
    request = FileRequest(
        path=VaultPath("wiki/a.md"),
        language="en",
        description="my notes",
        passages=("One.", "Two."),
        temperature=0.3,
        max_tokens=77,
        model="other",
    )

    await world.author.summarise_file(request)
    await world.author.summarise_file(replace(request, passages=(), partials=("p", "q")))

    sent = world.server.calls[0].body
    assert (sent["model"], sent["temperature"], sent["max_tokens"]) == ("other", 0.3, 77)
    assert "my notes" in world.server.calls[0].user
    assert world.server.stages() == ["file", "file-reduce"]


async def test_a_caption_sends_the_picture_and_the_words_around_it(world: World) -> None:
    request = CaptionRequest(b"\x89PNG", "png", "see the figure", "as shown", "en")

    await world.author.caption(request)
    await world.author.caption(request)

    (call,) = world.server.calls
    content = call.messages[-1]["content"]
    assert content[1]["image_url"]["url"].startswith("data:image/png;base64,iVBORw")
    assert "see the figure" in content[0]["text"]
    assert call.body["model"] == "scripted-vision"


async def test_a_scan_is_transcribed(world: World) -> None:
    world.server.say("Line one\n\nLine two [illegible]")

    text = await world.author.transcribe(b"jpeg", "jpg", "de")

    assert text == "Line one\n\nLine two [illegible]"


async def test_a_page_is_written_again_in_the_language_asked_for(world: World) -> None:
    body = await world.author.rewrite_language(VaultPath("wiki/concepts/a.md"), "# A\n\nx", "zh")

    assert "目标语言" in body
