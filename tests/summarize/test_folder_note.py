import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes import FakeClock
from tests.summarize.conftest import MakeSummarizer
from tests.summarize.fakes import FakeAuthor, Reviews, page, put, snapshot
from vaultd.core.folder_note import child_line, link_to, linked, lowered, note_body, untitled
from vaultd.core.region import find_regions
from vaultd.model.paths import VaultPath
from vaultd.model.summary import ChildSummary, Node, NodeKind, NodeState
from vaultd.publish.history import versions
from vaultd.store import nodes
from vaultd.store.database import Database
from vaultd.summarize.operations import SummaryOperations
from vaultd.summarize.summarizer import DirectorySummarizer, Options
from vaultd.vault.files import Vault

NOTE = "Projects/Projects.md"


def child(name: str, abstract: str = "Text.", *, folder: bool = False) -> ChildSummary:
    uri = f"wiki/a/{name}/" if folder else f"wiki/a/{name}.md"
    return ChildSummary(uri, name, abstract, "note", folder, bool(abstract))


def text_of(vault: Vault, path: str) -> str:
    return (vault.root / path).read_bytes().decode()


async def edit(db: Database, vault: Vault, clock: FakeClock, path: str, text: str) -> None:
    put(vault, {path: text})
    await db.run(nodes.mark_dirty, [VaultPath(path)], reason="changed", now=clock())


@pytest.fixture
def projects(make: MakeSummarizer, vault: Vault) -> DirectorySummarizer:
    """A person's folder with two notes, to be explained."""
    put(vault, {"Projects/boat.md": "I build a boat.\n", "Projects/hut.md": "I build a hut.\n"})
    return make(roots=("Projects",))


async def test_note_tells_the_abstract_and_links_every_child(
    projects: DirectorySummarizer, vault: Vault, author: FakeAuthor
) -> None:
    await projects.refresh_all()

    text = text_of(vault, NOTE)
    assert text.startswith(
        '---\ntype: folder\nauthor: "fake-model"\n---\n\n%% vaultd:begin overview'
    )
    assert "About " in text
    assert "- [[Projects/boat|boat]]: I build a boat." in text
    assert "- [[Projects/hut|hut]]: I build a hut." in text
    assert find_regions(text)["overview"].edited is False


async def test_children_stand_in_the_order_of_obsidian(
    projects: DirectorySummarizer, vault: Vault
) -> None:
    names = ["Part 10", "part 9", "Part 9b", "2026", "7"]
    put(vault, {f"Projects/list/{name}.md": f"About {name}." for name in names})
    put(vault, {"Projects/list/scan.md": "---\ntitle: Part 9a\n---\n\nNamed by its title."})

    await projects.refresh_all()

    lines = text_of(vault, VaultPath("Projects/list/list.md")).splitlines()
    listed = [line.partition("|")[2].partition("]]")[0] for line in lines if "]]:" in line]
    assert listed == ["7", "2026", "part 9", "Part 9a", "Part 9b", "Part 10"]


async def test_note_of_a_person_gets_the_region_and_keeps_every_byte(
    projects: DirectorySummarizer, vault: Vault, db: Database, clock: FakeClock
) -> None:
    mine = "---\nmood: calm\n---\n# My projects\r\n\r\nMine.  \n"
    put(vault, {})
    (vault.root / NOTE).write_bytes(mine.encode())

    await projects.refresh_all()
    await edit(db, vault, clock, "Projects/barn.md", "I build a barn.\n")
    await projects.refresh_marked()

    text = text_of(vault, NOTE)
    assert text.startswith(mine)
    assert "barn" in text
    assert "type:" not in text


async def test_folder_note_is_never_its_own_input(
    projects: DirectorySummarizer, vault: Vault, author: FakeAuthor
) -> None:
    put(vault, {NOTE: "Words about all projects.\n"})
    await projects.refresh_all()
    await projects.refresh_all()

    (request,) = author.folders
    assert [item.name for item in request.children] == ["boat", "hut"]


async def test_edit_inside_the_region_wins_and_is_proposed_once(
    projects: DirectorySummarizer,
    vault: Vault,
    db: Database,
    clock: FakeClock,
    reviews: Reviews,
) -> None:
    await projects.refresh_all()
    edited = text_of(vault, NOTE).replace("About", "My own words about")
    put(vault, {NOTE: edited})

    await projects.refresh_all()
    await projects.refresh_all()

    assert text_of(vault, NOTE) == edited
    assert [(review.title, review.pages) for review in reviews] == [
        ("Your text about Projects", (NOTE,))
    ]
    await edit(db, vault, clock, "Projects/barn.md", "I build a barn.\n")
    await projects.refresh_marked()
    assert text_of(vault, NOTE) == edited
    assert "barn" in reviews[-1].text


async def test_edited_region_can_be_handed_back(
    projects: DirectorySummarizer, vault: Vault, db: Database, clock: FakeClock
) -> None:
    await projects.refresh_all()
    ours = text_of(vault, NOTE)
    put(vault, {NOTE: ours.replace("About", "My own words about")})
    await projects.refresh_all()

    await SummaryOperations(db, projects, clock, embed_model="").hand_back(VaultPath("Projects"))
    await projects.refresh_marked()

    assert text_of(vault, NOTE) == ours
    (kept,) = versions(vault, VaultPath(NOTE))
    assert "My own words about" in (vault.read_state(kept.name) or b"").decode()


async def test_taking_the_markers_away_means_leave_it_alone(
    projects: DirectorySummarizer, vault: Vault, db: Database, clock: FakeClock
) -> None:
    await projects.refresh_all()
    put(vault, {NOTE: "My own overview.\n"})

    await projects.refresh_all()
    await edit(db, vault, clock, "Projects/barn.md", "I build a barn.\n")
    await projects.refresh_marked()

    assert text_of(vault, NOTE) == "My own overview.\n"


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace("%% vaultd:end overview %%\n", ""),
        lambda text: text + text[text.index("%% vaultd:begin") :],
        lambda text: "%% vaultd:end overview %%\n" + text,
    ],
)
async def test_broken_markers_are_left_byte_for_byte(
    projects: DirectorySummarizer, vault: Vault, db: Database, clock: FakeClock, damage: object
) -> None:
    assert callable(damage)
    await projects.refresh_all()
    broken = damage(text_of(vault, NOTE))
    put(vault, {NOTE: broken})

    await edit(db, vault, clock, "Projects/barn.md", "I build a barn.\n")
    await projects.refresh_marked()

    assert text_of(vault, NOTE) == broken


async def test_text_below_the_region_survives_every_refresh(
    projects: DirectorySummarizer, vault: Vault, db: Database, clock: FakeClock
) -> None:
    await projects.refresh_all()
    put(vault, {NOTE: text_of(vault, NOTE) + "\nA paragraph of mine.\n"})

    await edit(db, vault, clock, "Projects/barn.md", "I build a barn.\n")
    await projects.refresh_marked()

    text = text_of(vault, NOTE)
    assert text.endswith("\nA paragraph of mine.\n")
    assert "barn" in text


async def test_note_with_a_persons_words_stays_when_the_folder_is_empty(
    projects: DirectorySummarizer, vault: Vault, db: Database, clock: FakeClock
) -> None:
    await projects.refresh_all()
    put(vault, {NOTE: text_of(vault, NOTE) + "\nA paragraph of mine.\n"})
    for name in ("boat", "hut"):
        (vault.root / f"Projects/{name}.md").unlink()

    await db.run(nodes.mark_dirty, [VaultPath("Projects/hut.md")], reason="gone", now=clock())
    await projects.refresh_marked()

    assert "A paragraph of mine." in text_of(vault, NOTE)
    assert "vaultd:" not in text_of(vault, NOTE)


async def test_text_of_the_whole_wiki_stands_in_its_overview(
    summarizer: DirectorySummarizer, vault: Vault
) -> None:
    put(
        vault, {"wiki/concepts/a.md": page("a", "First."), "wiki/overview.md": "# Hello\n\nMine.\n"}
    )

    await summarizer.refresh_all()

    text = text_of(vault, "wiki/overview.md")
    assert text.startswith("# Hello\n\nMine.\n\n%% vaultd:begin overview")
    assert "[[wiki/concepts/concepts|concepts]]" in text
    assert not (vault.root / "wiki/wiki.md").exists()


async def test_second_run_gives_the_same_bytes(
    make: MakeSummarizer, vault: Vault, clock: FakeClock
) -> None:
    put(vault, {"wiki/concepts/a.md": page("a", "First."), "wiki/b.md": page("b", "Second.")})
    await make().refresh_all()
    before = snapshot(vault)
    clock.pass_(hours=30)

    await make().refresh_all()

    assert snapshot(vault) == before


async def test_losing_the_database_changes_no_note_and_overrides_no_edit(
    projects: DirectorySummarizer, vault: Vault, clock: FakeClock, author: FakeAuthor
) -> None:
    put(vault, {"Projects/deep/x.md": "Deep down.\n"})
    await projects.refresh_all()
    put(vault, {NOTE: text_of(vault, NOTE).replace("About", "My own words about")})
    before = snapshot(vault)
    fresh, reviews = Database(":memory:"), Reviews()

    again = DirectorySummarizer(
        fresh, vault, author, None, clock, reviews.propose, Options(roots=("Projects",))
    )
    await again.refresh_all()
    fresh.close()

    assert snapshot(vault) == before
    assert [review.pages for review in reviews] == [(NOTE,)]


async def test_empty_folder_is_not_listed(
    summarizer: DirectorySummarizer, vault: Vault, author: FakeAuthor
) -> None:
    put(vault, {"wiki/a.md": page("a", "One.")})
    (vault.root / "wiki/nothing").mkdir()

    await summarizer.refresh_all()

    assert "nothing" not in text_of(vault, "wiki/overview.md")
    assert author.folders[0].total == 1


def test_links_of_a_model_become_paths_or_plain_words() -> None:
    children = [child("Dense retrieval"), child("BM25"), child("deep", folder=True)]

    text = linked(
        "[[dense-retrieval|Dense]], [[bm25]], [[Deep]], [[faiss|FAISS]], ![[x.png]],"
        " [site](https://example.org)",
        children,
    )

    assert text == (
        "[[wiki/a/Dense retrieval|Dense]], [[wiki/a/BM25|bm25]], [[wiki/a/deep/deep|Deep]], FAISS,"
        " x.png, site"
    )


def test_a_long_abstract_is_cut_at_a_word_in_the_list() -> None:
    line = child_line(child("Rye", "flour " * 30))

    assert line.endswith("flour…")


def test_name_with_brackets_is_still_one_link() -> None:
    assert link_to(child("a [b] | c")) == "[a b c](wiki/a/a%20%5Bb%5D%20%7C%20c.md)"


def test_headings_start_at_the_asked_level_and_code_is_left() -> None:
    assert (
        lowered("# A\n\n```\n# code\n```\n\n### B\n", 2) == "## A\n\n```\n# code\n```\n\n#### B\n"
    )


def test_an_overview_needs_no_title_that_repeats_the_folders_name() -> None:
    assert (
        untitled("# Deep  learning\n\n## Text\n\n- One\n", "deep-learning") == "## Text\n\n- One\n"
    )
    assert untitled("## Text\n\n- One\n", "deep-learning") == "## Text\n\n- One\n"
    assert untitled("- One\n\n# Text\n", "text") == "- One\n\n# Text\n"
    assert untitled("# Text", "text") == "# Text"


def test_fallback_is_shown_as_a_draft_in_the_language_of_the_folder() -> None:
    node = Node(
        VaultPath("wiki/a"), NodeKind.FOLDER, NodeState.FALLBACK, "d", "包含 1 条note相关记忆",
        "# 目录内容概览\n\n## note (1条)\n- 内容\n", language="zh",
    )  # fmt: skip

    body = note_body(node, [child("x", "内容")])

    assert "草稿" in body
    assert "## 目录内容概览\n\n### note (1条)" in body
    assert body.endswith("## 本文件夹内容\n\n- [[wiki/a/x|x]]: 内容\n")


hostile = st.lists(
    st.sampled_from(
        ["%% vaultd:end overview %%", "%%", "---\n", "\n", "# ", "[[x]]", "```\n", "a", "字", " "]
    ),
    max_size=12,
).map("".join)


@settings(max_examples=40, deadline=None)
@given(abstract=hostile, overview=hostile)
def test_no_text_breaks_out_of_its_region(abstract: str, overview: str) -> None:
    from vaultd.core.region import RegionState, put_region

    node = Node(VaultPath("wiki/a"), NodeKind.FOLDER, NodeState.OK, "d", abstract, overview)
    body = note_body(node, [child("x", abstract)])

    text = put_region("Mine.\n", "overview", body, inputs="d", state=RegionState.OK)

    assert text.startswith("Mine.\n")
    assert list(find_regions(text)) == ["overview"]
    assert find_regions(text)["overview"].edited is False
    assert put_region(text, "overview", body, inputs="d", state=RegionState.OK) == text
