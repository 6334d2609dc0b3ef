from __future__ import annotations

import dataclasses
import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.search.worlds import World
from vaultd.core.rank import shown_score
from vaultd.model.paths import VaultPath
from vaultd.model.search import Mode, Question
from vaultd.model.summary import Node, NodeKind, NodeState
from vaultd.search import SearchEngine
from vaultd.search.matrix import FEW
from vaultd.store import finding, nodes, vectors

BOTH = pytest.mark.parametrize("mode", [Mode.WORDS, Mode.HYBRID])

A_BYTE = 0.001  # what a cosine loses in memory


async def library(world: World) -> None:
    await world.note(
        "wiki/concepts/Caching.md",
        "---\ntype: concept\ntitle: Caching\ntags: [ml/ops]\n"
        "aliases: [page cache]\nupdated: 2026-02-03\n---\nKeep recent pages near.",
    )
    await world.note(
        "wiki/entities/Redis.md",
        "---\ntype: entity\ntags: db\nupdated: 2025-12-01\n"
        "---\nRedis is a store often used for caching. #fast",
    )
    await world.note("Diary.md", "Bought a re-ranking book about caching today.")
    await world.note("中文/缓存.md", "向量缓存的策略很重要，系统要重跑gen-itgc后再看。")
    await world.note("日本語.md", "検索エンジンは文章を探します。")
    await world.note("한국어.md", "검색은 문장을 찾습니다.")  # fmt: skip


@BOTH
@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("策", "中文/缓存.md"),
        ("系统", "中文/缓存.md"),
        ("向量缓存", "中文/缓存.md"),
        ("itgc", "中文/缓存.md"),
        ("探", "日本語.md"),
        ("文章", "日本語.md"),
        ("검색은", "한국어.md"),
        ("re-ranking", "Diary.md"),
        ("reranking re-ranking?", "Diary.md"),
    ],
)
async def test_short_cjk_and_hyphenated_questions_find_their_note(
    world: World, question: str, path: str, mode: Mode
) -> None:
    await library(world)

    assert (await world.paths(question, mode=mode))[0] == path


@BOTH
@pytest.mark.parametrize("question", ["缓存策略", "緩存策略"])
@pytest.mark.parametrize("spoken", ["向量緩存的策略很重要。", "向量缓存的策略很重要。"])
async def test_traditional_and_simplified_chinese_find_each_other(
    world: World, spoken: str, question: str, mode: Mode
) -> None:
    await world.note("緩存.md", spoken)
    await world.note("其他.md", "今天买了一本关于花园的书。")

    first, *_ = (await world.ask(question, mode=mode)).results

    assert first.path == "緩存.md"
    assert first.snippet == f"向量**{spoken[2:4]}**的**{spoken[5:7]}**很重要。"


@BOTH
async def test_a_title_or_alias_typed_exactly_comes_first(world: World, mode: Mode) -> None:
    await library(world)

    assert (await world.paths("caching", mode=mode))[0] == "wiki/concepts/Caching.md"
    assert (await world.paths("Page Cache", mode=mode))[0] == "wiki/concepts/Caching.md"


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"under": "wiki"}, {"wiki/concepts/Caching.md", "wiki/entities/Redis.md"}),
        ({"under": "wiki/concepts/"}, {"wiki/concepts/Caching.md"}),
        ({"under": "Diary.md"}, {"Diary.md"}),
        ({"type": "Entity"}, {"wiki/entities/Redis.md"}),
        ({"tag": "#ml"}, {"wiki/concepts/Caching.md"}),
        ({"tag": "fast"}, {"wiki/entities/Redis.md"}),
        ({"after": "2026-01-01", "before": "2026-02-03"}, {"wiki/concepts/Caching.md"}),
        ({"tag": "nowhere"}, set()),
    ],
)
@pytest.mark.parametrize("mode", list(Mode))
async def test_filters_hold_in_every_lane(
    world: World, filters: dict[str, str], found: set[str], mode: Mode
) -> None:
    await library(world)

    assert set(await world.paths("caching", mode=mode, **filters)) == found


async def test_a_rare_filter_is_applied_before_the_nearest_are_cut(world: World) -> None:
    for n in range(60):
        await world.note(f"many/{n}.md", f"The same words about caching, number {n}.")
    await world.note("rare.md", "---\ntags: rare\n---\nSomething about caching as well.")

    assert await world.paths("the same words about caching", tag="rare") == ["rare.md"]


async def test_phrases_must_stand_and_refused_words_must_not(world: World) -> None:
    await library(world)

    assert await world.paths('"recent pages"') == ["wiki/concepts/Caching.md"]
    assert "Diary.md" not in await world.paths("caching -book")
    assert await world.paths('"缓存的"') == ["中文/缓存.md"]


async def test_a_word_still_being_typed_is_a_prefix(world: World) -> None:
    await library(world)

    assert (await world.paths("oft", mode=Mode.WORDS, typing=True))[0] == "wiki/entities/Redis.md"
    assert (await world.paths("Cach", mode=Mode.WORDS, typing=True))[0].endswith("Caching.md")
    assert await world.paths("oft", mode=Mode.WORDS) == []


@pytest.mark.parametrize("typing", [True, False])
@pytest.mark.parametrize(
    "question", ["ferme", "ferment", "fermentat", "fermentatio", "fermentations"]
)
async def test_a_word_is_found_at_every_length_it_is_typed_to(
    world: World, question: str, *, typing: bool
) -> None:
    await library(world)
    await world.note("Bread.md", "Fermentation gives bread its taste.")

    found = await world.paths(f"taste {question}", mode=Mode.WORDS, typing=typing)
    answer = await world.ask(f"zzzz {question}", mode=Mode.WORDS, typing=typing)

    assert found[0] == "Bread.md"
    assert [hit.path for hit in answer.results] == ["Bread.md"]
    assert "**" in answer.results[0].snippet


async def test_a_passage_holds_a_word_once_as_well_as_many_times(world: World) -> None:
    for n in range(20):
        await world.note(f"Other {n}.md", "Something else.")
    await world.note("Both.md", "Zebra and quagga.")
    await world.note("Once.md", "A zebra.")
    await world.note("Often.md", "Zebra! Zebra! Zebra!")

    match = await world.db.read(finding.matching_words, ["zebra", "quagga"], finding.Scope())
    places = await world.db.read(finding.places_of, match.held)
    held = {str(place.path): match.held[passage] for passage, place in places.items()}

    assert held["Both.md"] == pytest.approx(1.0, abs=0.001)
    assert held["Often.md"] == pytest.approx(held["Once.md"], abs=0.001)
    assert 0.0 < held["Once.md"] < 0.6


async def test_the_other_language_is_found_by_meaning(world: World) -> None:
    world.embedder.means = {"缓存": "cache", "caching": "cache", "策略": "policy"}
    await library(world)

    answer = await world.ask("caching policy", k=10)

    assert "中文/缓存.md" in [hit.path for hit in answer.results]


async def test_answers_say_which_lanes_ran(world: World) -> None:
    await library(world)

    assert (await world.ask("caching", Mode.WORDS)).lanes == ("words",)
    assert (await world.ask("caching", Mode.VECTORS)).lanes == ("vectors",)
    assert (await world.ask("caching")).lanes == ("words", "vectors")
    alone = SearchEngine(world.db, [], vault_name="v")
    assert (await alone.search(question("caching"))).lanes == ("words",)


async def test_results_lead_to_the_place_in_the_file(world: World) -> None:
    text = (
        "---\ntitle: T\n---\n# Top\n\n"
        + "Filler text. " * 40
        + "\n\n## Über #1\n\nThe zebra runs.\n"
    )
    await world.note("a b/Ü.md", text + "Filler again. " * 40)

    hit = (await world.ask("zebra")).results[0]

    assert text[hit.start : hit.end].startswith("## Über")
    assert (hit.title, hit.heading, hit.page) == ("T", "Top > Über #1", None)
    assert hit.line == text[: hit.start].count("\n") + 1
    assert "**zebra**" in hit.snippet
    assert hit.link.startswith("obsidian://open?vault=My%20vault&file=a%20b%2F%C3%9C%23")
    assert json.loads(json.dumps(dataclasses.asdict(hit)))["id"] == hit.id


SAID = "Slow fermentation at twelve degrees gives a sourdough loaf more of its sour taste."


async def bread(world: World) -> None:
    more = "Flour is milled from the grain of wheat, rye or barley in a stone mill by the river."
    await world.note("raw/Bread.md", f"# Taste\n\n{SAID}\n\n# Flour\n\n{more}")
    page = f"---\ntype: source\nsources: [Bread.md]\n---\n{SAID} [[raw/Bread.md|Taste]]"
    await world.note("wiki/sources/Bread.md", page)
    page = f"---\ntype: concept\n---\nSourdough is old. {SAID} [[raw/Bread.md|Taste]]"
    await world.note("wiki/concepts/Sourdough.md", page)
    await world.note("Diary.md", f"I read this: {SAID} I shall try it.")


async def test_a_page_that_repeats_its_source_is_named_with_it(world: World) -> None:
    await bread(world)

    answer = await world.ask("slow fermentation sourdough taste")

    assert {hit.path for hit in answer.results} == {"raw/Bread.md", "Diary.md"}
    source = next(hit for hit in answer.results if hit.path == "raw/Bread.md")
    assert {place.path for place in source.also} == {
        "wiki/sources/Bread.md",
        "wiki/concepts/Sourdough.md",
    }
    assert source.score == max(hit.score for hit in answer.results)


async def test_a_page_alone_names_the_place_it_cites(world: World) -> None:
    await bread(world)

    (page,) = (await world.ask("slow fermentation sourdough taste", under="wiki")).results

    assert [place.path for place in page.also][0] == "raw/Bread.md"
    assert page.also[0].link.startswith("obsidian://open?vault=My%20vault&file=raw%2FBread")
    assert await world.paths("slow fermentation", under="raw") == ["raw/Bread.md"]


async def test_a_page_asked_for_by_its_name_stays_before_its_source(world: World) -> None:
    await bread(world)

    assert (await world.paths("Sourdough"))[0] == "wiki/concepts/Sourdough.md"


async def test_a_text_that_stands_in_two_notes_comes_once_and_names_both(world: World) -> None:
    await world.note("a.md", "Buy milk and eggs.")
    await world.note("b.md", "Buy milk and eggs.")

    (hit,) = (await world.ask("milk")).results

    assert (hit.path, [place.path for place in hit.also]) == ("a.md", ["b.md"])


async def test_a_summary_lifts_what_stands_below_it_and_its_folder_can_be_found(
    world: World,
) -> None:
    await library(world)
    await world.note("garden/Plan.md", "Dig in March.")
    folder = VaultPath("garden")
    for path, text in (("garden", "vegetables growing outdoors"), ("wiki", "computers")):
        vector = await world.embedder.embed_question(text)
        assert vector is not None
        await world.db.run(vectors.put_summary_vectors, VaultPath(path), {0: vector}, embedder=1)
    node = Node(folder, NodeKind.FOLDER, NodeState.OK, "d", abstract="Vegetables, outdoors.")
    await world.db.run(nodes.store_node, node, now=world.clock())

    answer = await world.ask("growing vegetables outdoors")

    assert "summaries" in answer.lanes
    assert answer.results[0].id == "s:garden"
    assert answer.results[0].via == ("summary:garden",)
    lifted = next(hit for hit in answer.results if hit.path == "garden/Plan.md")
    assert "summary:garden" in lifted.via


async def summary(world: World, path: str, text: str, state: NodeState) -> None:
    vector = await world.embedder.embed_question(text)
    assert vector is not None
    node = Node(VaultPath(path), NodeKind.FOLDER, state, "d", abstract=text, language="en")
    await world.db.run(nodes.store_node, node, now=world.clock())
    await world.db.run(vectors.put_summary_vectors, VaultPath(path), {0: vector}, embedder=1)


async def test_a_summary_made_by_rule_counts_less_than_a_written_one(world: World) -> None:
    for folder in ("by rule", "written", "other"):
        await world.note(f"{folder}/Plan.md", f"Dig in March, says {folder}.")
    text = "vegetables growing outdoors"
    await summary(world, "by rule", text, NodeState.FALLBACK)
    await summary(world, "written", text, NodeState.OK)
    for other in ("other", "another", "a third", "a fourth"):
        await summary(world, other, f"computers of {other} kind", NodeState.OK)

    answer = await world.ask("growing vegetables outdoors")

    assert [hit.id for hit in answer.results][:2] == ["s:written", "s:by rule"]
    notes = [hit.path for hit in answer.results if hit.path.endswith("/Plan.md")]
    assert notes[:2] == ["written/Plan.md", "by rule/Plan.md"]


async def test_a_folder_counts_by_how_much_nearer_it_is_than_usual(world: World) -> None:
    text = "vegetables growing outdoors"
    for n in range(FEW):
        await world.note(f"garden/{n}.md", f"{text}, says note {n}.")
    await summary(world, "garden", text, NodeState.OK)

    (folder,) = (hit for hit in (await world.ask(text, k=50)).results if hit.id == "s:garden")

    assert folder.score < shown_score(1.0) / 3  # its cosine is 1.0, as is nearly every note's


async def test_without_a_copy_in_memory_the_answers_are_the_same(world: World) -> None:
    for n in range(40):
        await world.note(f"{n}.md", f"Note {n} about matter {n % 5} and thing {n % 7}.")
    lean = SearchEngine(world.db, [world.embedder], vault_name="v", memory_bytes=0)

    for text in ("matter 3 thing 2", "note 7", "thing"):
        asked = question(text, mode=Mode.VECTORS)
        full = {hit.path: hit.score for hit in (await world.engine.search(asked)).results}
        exact = {hit.path: hit.score for hit in (await lean.search(asked)).results}
        assert list(full.values()) == pytest.approx(list(exact.values()), abs=A_BYTE)
        assert all(
            full[path] == pytest.approx(exact[path], abs=A_BYTE) for path in full if path in exact
        )


async def test_related_notes_leave_out_the_note_itself(world: World) -> None:
    await library(world)

    related = await world.engine.related(VaultPath("Diary.md"), 3)

    assert related
    assert "Diary.md" not in [one.path for one in related]


async def test_titles_are_found_by_prefix_then_by_part(world: World) -> None:
    await library(world)

    found = await world.engine.titles("cach")
    assert [(one.title, one.alias) for one in found] == [("Caching", "")]
    assert [one.alias for one in await world.engine.titles("page ca")] == ["page cache"]


async def test_pages_near_a_text_are_wiki_pages_with_their_abstract(world: World) -> None:
    await library(world)

    pages = await world.engine.near_pages("A long text about caching pages.", 5)

    assert {page.path for page in pages} == {"wiki/concepts/Caching.md", "wiki/entities/Redis.md"}
    assert pages[0].abstract


PIECES = [
    *"\"-*:()^+{}'%\\\n“”\0\ud800😀词", "NEAR", "AND", "OR NOT", "#x", "under:", "after:2026",
    "tag:x", "word", "x" * 3000,
]  # fmt: skip


async def test_no_question_is_an_error(world: World) -> None:
    await library(world)
    rng = random.Random(5)
    questions = ["".join(rng.choices(PIECES, k=rng.randint(0, 8))) for _ in range(150)]

    for text in [*questions, "", " ", "-", "word " * 20_000]:
        for mode in Mode:
            await world.ask(text, mode, k=rng.choice([-1, 0, 1, 10, 5000]))


@pytest.mark.full
@pytest.mark.timeout(600)
async def test_no_question_of_ten_thousand_is_an_error(world: World) -> None:
    await library(world)
    rng = random.Random(7)

    for _ in range(10_000):
        await world.ask(
            " ".join(rng.choices(PIECES, k=rng.randint(0, 12))), typing=rng.random() < 0.2
        )


@given(typed=st.text(alphabet=st.characters(categories=None), max_size=40))
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
async def test_any_text_can_be_asked(typed: str, world: World) -> None:
    await world.ask(typed)


def question(text: str, mode: Mode = Mode.HYBRID) -> Question:
    return Question(text, mode=mode)
