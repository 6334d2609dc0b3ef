"""What an agent sees and reads through the tools."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.conftest import PDF, Connected, answer, refusal
from vaultd.store.database import Database

TOOLS = [
    *("search", "fetch", "wiki_overview", "wiki_page", "wiki_sources", "wiki_related"),
    *("ingest_status", "review_list"),
]
WRITING = ["ingest_submit", "review_decide"]
PAPER = "wiki/sources/bread/Sourdough, what happens in the dough.md"


async def test_only_reading_tools_are_offered_unless_writing_is_allowed(
    connected: Connected,
) -> None:
    async with connected() as client:
        offered = (await client.list_tools()).tools
    async with connected(allow_write=True) as client:
        all_offered = (await client.list_tools()).tools

    assert [tool.name for tool in offered] == TOOLS
    assert [tool.name for tool in all_offered] == TOOLS + WRITING
    for tool in all_offered:
        assert tool.title
        assert tool.description
        assert tool.annotations
        assert tool.annotations.read_only_hint is (tool.name in TOOLS)
        assert tool.annotations.open_world_hint is False
        for name, field in tool.input_schema["properties"].items():
            assert field.get("description"), f"{tool.name}: {name}"


async def test_the_list_of_tools_is_cheap(connected: Connected) -> None:
    async with connected(allow_write=True) as client:
        tools = (await client.list_tools()).tools
    sent = json.dumps([tool.model_dump(mode="json", by_alias=True) for tool in tools])

    assert len(sent) < 8_000  # characters, about 2,000 tokens of every session


async def test_of_arguments_that_do_not_fit_is_said_what_would(connected: Connected) -> None:
    async with connected() as client:
        unknown = await refusal(client, "search", query="salt", folder="wiki")
        missing = await refusal(client, "wiki_page")
        wrong = await refusal(client, "search", query="salt", k=1_000)
        nothing = await refusal(client, "review_list", state="open")

    assert unknown == "search has no argument folder. It takes: query, k, under, type, tag."
    assert missing == "wiki_page: its argument name is missing."
    assert wrong.startswith("search: its argument k does not fit: ")
    assert nothing == "review_list has no argument state. It takes: none."


async def test_a_folder_can_be_explained_without_reading_its_files(connected: Connected) -> None:
    async with connected() as client:
        view = await answer(client, "wiki_overview", depth=2)
        bare = await answer(client, "wiki_overview", folder="wiki/concepts/", depth=0)

    assert view["abstract"]
    assert view["overview"]
    assert view["link"].endswith("file=wiki%2Foverview")
    assert [each["path"] for each in view["folders"]] == ["wiki/concepts", "wiki/sources"]
    (bread,) = view["folders"][1]["folders"]
    assert bread["abstract"]
    assert bread["left_out"] == 1
    (koji,) = [page for page in view["folders"][1]["pages"] if page["title"].startswith("Koji")]
    assert koji["type"] == "source"
    assert koji["abstract"]
    assert koji["link"].startswith("obsidian://open?vault=Bread%20%26%20koji&file=wiki%2Fsources")
    assert bare["folders"] == bare["pages"] == []
    assert bare["left_out"] > 0


async def test_an_overview_has_an_end(world: Path, connected: Connected) -> None:
    folder = world / "wiki" / "concepts" / "many"
    folder.mkdir()
    for number in range(200):
        (folder / f"Page {number}.md").write_text("A word.\n")

    async with connected(world) as client:
        view = await answer(client, "wiki_overview", folder="wiki/concepts/many")

    assert len(view["pages"]) == 150
    assert view["left_out"] == 50


async def test_the_vault_as_a_whole_and_a_folder_by_half_its_name(connected: Connected) -> None:
    async with connected() as client:
        whole = await answer(client, "wiki_overview", folder=".", depth=2)
        near = await refusal(client, "wiki_overview", folder="concepts")

    assert {each["path"] for each in whole["folders"]} >= {"Journal", "wiki"}
    wiki = next(each for each in whole["folders"] if each["path"] == "wiki")
    assert wiki["abstract"]
    assert wiki["folders"]
    assert "Did you mean wiki/concepts?" in near


async def test_a_result_names_its_place_and_the_page_it_rests_on(connected: Connected) -> None:
    async with connected() as client:
        found = await answer(client, "search", query="salt slows fermentation", k=10)
        of_pages = await answer(client, "search", query="starter yeast", under="wiki/", k=5)

    hit = next(each for each in found["results"] if each["path"] == PDF)
    assert hit["page"] == 2
    assert hit["line"] > 0
    assert "Salt" in hit["heading"]
    assert hit["url"].startswith("obsidian://open?vault=Bread%20%26%20koji&file=raw%2Fbread%2F")
    assert hit["url"].endswith("%23page%3D2")
    assert hit["sources"] == [{"path": PDF, "page": 2, "link": hit["url"]}]
    assert all(each["path"].startswith("wiki/") for each in of_pages["results"])
    cited = [place for each in of_pages["results"] for place in each["sources"]]
    assert any(place["path"] == PDF and place["page"] for place in cited)


async def test_a_result_names_the_files_that_say_the_same(connected: Connected) -> None:
    async with connected() as client:
        found = await answer(client, "search", query="koji is steamed rice, barley or soy", k=5)

    also = {each["path"]: each["also"] for each in found["results"]}
    assert also["wiki/concepts/Koji.md"] == ["raw/Koji for beginners.md"]


async def test_a_folder_to_search_has_to_be_there(connected: Connected) -> None:
    async with connected() as client:
        near = await refusal(client, "search", query="salt", under="concepts")
        whole = await answer(client, "search", query="salt", under="/")

    assert near == "There is no folder concepts. Did you mean wiki/concepts?"
    assert whole["results"]


async def test_a_document_is_told_from_a_page(connected: Connected) -> None:
    async with connected() as client:
        page = await refusal(client, "wiki_page", name=PDF)
        claims = await refusal(client, "wiki_sources", name=PDF)
        unknown = await refusal(client, "wiki_page", name="Nothing of the kind")
        raw = await refusal(client, "wiki_overview", folder="raw")
        near = await answer(client, "wiki_related", name=PDF)

    assert page == claims == f"{PDF} is a document, not a page: `fetch` gets its text."
    assert unknown == "There is no page 'Nothing of the kind'. `search` finds what there is."
    assert "`wiki/sources` mirrors what is in `raw`" in raw
    assert near["path"] == PDF


async def test_every_result_can_be_fetched(connected: Connected) -> None:
    async with connected() as client:
        found = (await answer(client, "search", query="salt slows fermentation", k=10))["results"]
        texts = {each["id"]: await answer(client, "fetch", id=each["id"]) for each in found}
        folder = await answer(client, "fetch", id="s:wiki/concepts")

    hit = next(each for each in found if each["path"] == PDF)
    assert "tightens gluten" in texts[hit["id"]]["text"]
    assert "The two partners" not in texts[hit["id"]]["text"], "that is on another page"
    for each in found:
        assert set(texts[each["id"]]) == {"id", "title", "text", "url", "metadata"}
        assert texts[each["id"]]["metadata"]["path"] == each["path"]
    assert folder["url"].endswith("concepts%2Fconcepts")
    assert folder["text"]


async def test_a_document_is_fetched_by_its_path_page_by_page(connected: Connected) -> None:
    async with connected() as client:
        document = await answer(client, "fetch", id=PDF)
        note = await answer(client, "fetch", id="Journal/2026-10-04.md")

    assert document["text"].startswith("[p. 1]\n")
    assert "[p. 3]\n" in document["text"]
    assert document["metadata"]["sources"][0]["path"] == PDF
    assert note["title"] == "2026-10-04"
    assert note["metadata"]["next_start"] is None


async def test_a_document_that_an_earlier_program_read_is_fetched(
    world: Path, connected: Connected
) -> None:
    db = Database(world / ".llm-wiki/vaultd.db")
    db.run_sync(lambda connection: connection.execute("update extractions set converter = '0'"))
    db.close()

    async with connected(world) as client:
        document = await answer(client, "fetch", id=PDF)

    assert "[p. 3]\n" in document["text"]


async def test_a_long_text_comes_in_parts(world: Path, connected: Connected) -> None:
    text = "".join(f"Line {number}.\n" for number in range(5_000))
    (world / "Long.md").write_text(text)

    async with connected(world) as client:
        parts: list[str] = []
        start: int | None = 0
        while start is not None:
            part = await answer(client, "fetch", id="Long.md", start=start)
            parts.append(part["text"])
            start = part["metadata"]["next_start"]

    assert len(parts) == 3
    assert "".join(parts) == text


@pytest.mark.parametrize(
    "name",
    [PAPER, PAPER.removesuffix(".md"), "Sourdough: what happens in the dough", f"[[{PAPER}|It]]"],
)
async def test_a_page_is_found_by_path_title_and_link(connected: Connected, name: str) -> None:
    async with connected() as client:
        page = await answer(client, "wiki_page", name=name)

    assert page["path"] == PAPER
    assert page["type"] == "source"
    assert page["author"] == "offline"
    assert page["abstract"]
    assert [each["path"] for each in page["sources"]] == [PDF]
    assert not page["text"].startswith("---")
    assert f"[[{PDF}#page=2|p. 2]]" in page["text"]


async def test_an_alias_and_a_near_name_lead_to_the_page(world: Path, connected: Connected) -> None:
    path = world / "Journal" / "Leaven.md"
    path.write_text("---\naliases:\n  - Sauerteig\n---\n\nMine.\n")

    async with connected(world) as client:
        said = await refusal(client, "wiki_page", name="Lactc acid")
        gone = await refusal(client, "wiki_page", name="Nothing of the kind at all")

    assert "Did you mean wiki/concepts/Lactic acid.md" in said
    assert "Did you mean" not in gone


async def test_claims_come_with_the_page_of_their_document(connected: Connected) -> None:
    async with connected() as client:
        rests = await answer(client, "wiki_sources", name=PAPER)

    assert [each["path"] for each in rests["documents"]] == [PDF]
    assert {each["source"]["page"] for each in rests["claims"]} == {1, 2, 3}
    salt = next(each for each in rests["claims"] if each["claim"].startswith("Salt at 2 %"))
    assert salt["heading"] == "Key sentences"
    assert salt["source"]["link"].endswith("%23page%3D2")
    assert salt["link"].endswith("%23Key%20sentences")


async def test_it_says_how_files_stand(world: Path, connected: Connected) -> None:
    async with connected(world) as client:
        state = await answer(client, "ingest_status")
        paper = await answer(client, "ingest_status", path=PDF)
        unknown = await refusal(client, "ingest_status", path="raw/unseen.pdf")
        reviews = await answer(client, "review_list")

    assert state["state"] == "stopped"
    assert state["counts"]["done"] == 2
    assert state["files"] == []
    (file,) = paper["files"]
    assert file["state"] == "done"
    assert PAPER in file["pages"]
    assert "raw/unseen.pdf" in unknown
    assert reviews == {"reviews": []}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("fetch", {"id": "../../etc/passwd"}),
        ("fetch", {"id": "/etc/passwd"}),
        ("fetch", {"id": ".llm-wiki/token"}),
        ("fetch", {"id": "s:../.."}),
        ("fetch", {"id": "%2e%2e/%2e%2e/etc/passwd"}),
        ("fetch", {"id": "Out/secret.md"}),
        ("wiki_page", {"name": "Out/secret"}),
        ("wiki_page", {"name": ".llm-wiki/vaultd.db"}),
        ("wiki_overview", {"folder": "Out"}),
        ("wiki_overview", {"folder": "raw"}),
        ("search", {"query": "secret", "under": "../"}),
        ("ingest_status", {"path": "raw/../.llm-wiki/token"}),
    ],
)
async def test_nothing_outside_the_vault_is_shown(
    world: Path, tmp_path: Path, connected: Connected, tool: str, arguments: dict[str, Any]
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("SECRET")
    (world / "Out").symlink_to(outside)
    (world / ".llm-wiki" / "token").write_text("SECRET")

    async with connected(world) as client:
        said = await refusal(client, tool, **arguments)

    assert "SECRET" not in said


async def test_what_cannot_be_asked_is_refused_by_name(connected: Connected) -> None:
    async with connected() as client:
        assert "depth" in await refusal(client, "wiki_overview", depth=9)
        assert "query" in await refusal(client, "search", query="")
        assert "no passage" in await refusal(client, "fetch", id="p999999")


async def test_a_vault_without_an_index_says_what_to_do(
    tmp_path: Path, connected: Connected
) -> None:
    (tmp_path / "wiki").mkdir()

    async with connected(tmp_path) as client:
        assert "run `vaultd run`" in await refusal(client, "search", query="bread")


async def test_a_rebuilt_database_is_opened_anew(world: Path, connected: Connected) -> None:
    database = world / ".llm-wiki" / "vaultd.db"

    async with connected(world) as client:
        before = await answer(client, "search", query="salt")
        shutil.move(shutil.copy(database, f"{database}.new"), database)
        after = await answer(client, "search", query="salt")
        database.unlink()
        gone = await refusal(client, "search", query="salt")

    assert before == after
    assert "Nothing is indexed yet" in gone


async def test_the_daemon_is_asked_first(connected: Connected) -> None:
    asked: list[tuple[str, str, Any]] = []

    def ask(method: str, route: str, body: Any = None) -> Any:
        asked.append((method, route, body))
        if route == "/v1/search":
            return {"query": "x", "lanes": [], "results": [], "notes": ["Told by the daemon."]}
        if route == "/v1/related":
            return {"path": PAPER, "results": []}
        return {"id": 7, "subject": "raw/Koji for beginners.md", "state": "queued"}

    async with connected(ask=ask, allow_write=True) as client:
        found = await answer(client, "search", query="x", under="wiki", tag="#a")
        await answer(client, "wiki_related", name=PAPER)
        queued = await answer(client, "ingest_submit", path="raw/Koji for beginners.md")
        decided = await answer(client, "review_decide", id="review-1", action="Skip")

    assert found["notes"] == ["Told by the daemon."]
    assert asked == [
        ("POST", "/v1/search", {"query": "x", "k": 8, "under": "wiki", "tag": "a"}),
        ("POST", "/v1/related", {"path": PAPER, "k": 8}),
        ("POST", "/v1/ingest", {"path": "raw/Koji for beginners.md"}),
        ("POST", "/v1/reviews/review-1", {"action": "Skip"}),
    ]
    assert queued == {"job": 7, "path": "raw/Koji for beginners.md", "state": "queued"}
    assert decided["state"] == "queued"


async def test_without_a_daemon_nothing_is_changed_and_that_is_said(connected: Connected) -> None:
    async with connected(allow_write=True) as client:
        submitted = await refusal(client, "ingest_submit", path=PDF)
        decided = await refusal(client, "review_decide", id="review-1", action="Skip")
        silent = await refusal(client, "review_decide", id="review-1", action="answer")

    assert "Nothing was changed" in submitted
    assert "Nothing was changed" in decided
    assert "own words" in silent
