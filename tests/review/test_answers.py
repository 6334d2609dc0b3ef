"""What follows from the answers people give to review items."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes import FakeClock
from vaultd.core.page import parse_page
from vaultd.errors import UsageError
from vaultd.model.jobs import Job, JobKind, JobState, NewJob, Parked
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import ReviewDraft, ReviewKind
from vaultd.publish.history import versions
from vaultd.publish.questions import Question
from vaultd.review import Reviews, Sweep
from vaultd.store import joblist, jobs, pages, reviews
from vaultd.store.database import Database
from vaultd.summarize.note import OPTIONS
from vaultd.vault.files import Vault

PAGE = VaultPath("wiki/concepts/Heat.md")
TEXT = '---\ntype: concept\ntitle: "Heat"\n---\n\nHeat flows. [[raw/heat.md|here]]\n'


def nothing(stage: str, done: int = 0, total: int = 0) -> None:
    """Tell nobody."""


@pytest.fixture
def sweep(vault: Vault, db: Database, clock: FakeClock) -> Sweep:
    vault.write(PAGE, TEXT.encode(), expect=None)
    db.run_sync(pages.remember, PAGE, TEXT.encode(), now=clock())
    clock.pass_(days=400)
    return Sweep(Reviews(vault, db, clock, "offline"))


async def _ask(sweep: Sweep, kind: ReviewKind, title: str, **fields: object) -> str:
    draft = ReviewDraft(kind, title, "Why it matters.", pages=(PAGE,), **fields)  # type: ignore[arg-type]
    await sweep.ask([(Question(draft), SourceId("heat.md"))])
    items = await sweep.of.db.read(reviews.reviews)
    return next(item.id for item in items if item.title == title)


def _note(vault: Vault) -> Path:
    (note,) = (vault.root / "wiki/reviews").glob("*.md")
    return note


async def _act(sweep: Sweep, item: str, **payload: str) -> object:
    return await sweep.of.act(Job(1, JobKind.REVIEW, item, "", payload, 1, 1), nothing)


async def _answer(sweep: Sweep, vault: Vault, change: Callable[[str], str]) -> None:
    """Change the only note as a person would, let it be read, and do what follows."""
    note = _note(vault)
    note.write_text(change(note.read_text("utf-8")), "utf-8")
    path = VaultPath(note.relative_to(vault.root).as_posix())
    await sweep.of.take_answer(path)
    for row in await sweep.of.db.read(joblist.listed, (JobState.QUEUED,)):
        if row.kind is JobKind.REVIEW:
            job = await sweep.of.db.run(jobs.claim, kinds=[JobKind.REVIEW], now=sweep.of.clock())
            assert job is not None
            await sweep.of.act(job, nothing)


async def test_a_question_is_a_note_with_its_options_and_pages(sweep: Sweep, vault: Vault) -> None:
    await _ask(sweep, ReviewKind.SUGGESTION, "Read more: about heat?")

    text = _note(vault).read_text("utf-8")
    assert parse_page(text).type == "review"
    assert "- [ ] Create Page" in text
    assert "[[wiki/concepts/Heat|" in text


async def test_ticking_create_page_makes_the_page_and_takes_the_note_away(
    sweep: Sweep, vault: Vault
) -> None:
    await _ask(sweep, ReviewKind.MISSING_PAGE, "Missing page: Entropy")

    await _answer(sweep, vault, lambda text: text.replace("[ ] Create Page", "[x] Create Page"))

    made = parse_page((vault.root / "wiki/concepts/Entropy.md").read_text("utf-8"))
    assert made.sources == (SourceId("heat.md"),)
    assert "Why it matters." in made.body
    assert made.body.endswith("- [[wiki/concepts/Heat|Heat]]\n- [[raw/heat.md|heat.md]]\n")
    assert not list((vault.root / "wiki/reviews").glob("*.md"))
    assert list((vault.state / "reviews").glob("*.md"))
    assert "Entropy" in (vault.root / "wiki/index.md").read_text("utf-8")


async def test_skip_closes_the_question_for_good(sweep: Sweep, vault: Vault, db: Database) -> None:
    item = await _ask(sweep, ReviewKind.SUGGESTION, "Read more about heat")

    await _answer(sweep, vault, lambda text: text.replace("[ ] Skip", "[x] Skip"))
    again = await _ask_again(sweep)

    assert again == 0
    found = await db.read(reviews.review, item)
    assert found is not None
    assert found.state == "answered"


async def _ask_again(sweep: Sweep) -> int:
    draft = ReviewDraft(ReviewKind.SUGGESTION, "Read more about heat", "Why.", pages=(PAGE,))
    await sweep.ask([(Question(draft), SourceId("heat.md"))])
    return await sweep.of.db.read(reviews.open_count)


async def test_own_words_about_a_contradiction_stand_on_the_page_as_the_persons(
    sweep: Sweep, vault: Vault, db: Database
) -> None:
    await _ask(sweep, ReviewKind.CONTRADICTION, "Two figures for one speed")

    await _answer(sweep, vault, lambda text: text.rstrip() + " The second one is right.\n")

    text = (vault.root / PAGE).read_text("utf-8")
    written = await db.read(pages.last_written, PAGE)
    assert "> The second one is right." in text
    assert written is not None
    assert written.base == TEXT


async def test_an_answer_that_is_no_option_is_refused_by_name(sweep: Sweep) -> None:
    item = await _ask(sweep, ReviewKind.SUGGESTION, "Read more about heat")

    with pytest.raises(UsageError, match="Create Page, Skip"):
        await _act(sweep, item, action="Explode")


async def test_accepting_a_proposal_writes_it_unless_the_page_changed_since(
    sweep: Sweep, vault: Vault
) -> None:
    draft = ReviewDraft(
        ReviewKind.CONFLICT, "Proposed change to Heat", "Both.", ("Accept", "Keep mine"), (PAGE,)
    )
    new = TEXT.replace("Heat flows.", "Heat is energy.")
    await sweep.ask([(Question(draft, {"path": PAGE, "text": new}), SourceId("heat.md"))])
    (item,) = await sweep.of.db.read(reviews.reviews)

    await _act(sweep, item.id, action="accept")

    assert (vault.root / PAGE).read_text("utf-8") == new
    assert versions(vault, PAGE)


async def test_a_missing_page_that_appeared_closes_its_question(
    sweep: Sweep, vault: Vault, db: Database
) -> None:
    await _ask(sweep, ReviewKind.MISSING_PAGE, "Missing page: Entropy")
    vault.write(
        VaultPath("wiki/concepts/Entropy.md"),
        TEXT.replace("Heat", "Entropy").encode(),
        expect=None,
    )

    await sweep.run()

    assert await db.read(reviews.open_count) == 0
    assert not list((vault.root / "wiki/reviews").glob("*.md"))


async def test_a_page_that_a_person_deletes_or_renames_leaves_the_index(
    sweep: Sweep, vault: Vault
) -> None:
    index = vault.root / "wiki/index.md"
    await sweep.run()
    assert not index.exists()
    index.write_text("# Index\n")
    sweep.listed = None
    await sweep.run()
    assert "[[wiki/concepts/Heat|Heat]]" in index.read_text("utf-8")

    (vault.root / PAGE).rename(vault.root / "wiki/concepts/Warmth.md")
    await sweep.run()
    assert "[[wiki/concepts/Heat" not in index.read_text("utf-8")
    assert "[[wiki/concepts/Warmth|Heat]]" in index.read_text("utf-8")

    (vault.root / "wiki/concepts/Warmth.md").unlink()
    await sweep.run()
    assert "Warmth" not in index.read_text("utf-8")


async def test_a_sweep_with_nothing_new_writes_nothing(sweep: Sweep, vault: Vault) -> None:
    await _ask(sweep, ReviewKind.SUGGESTION, "Read more about heat")
    await sweep.run()
    before = {place: place.stat().st_mtime_ns for place in vault.root.rglob("*.md")}

    await sweep.run()

    assert {place: place.stat().st_mtime_ns for place in vault.root.rglob("*.md")} == before


async def _park(sweep: Sweep, *sources: str) -> None:
    """Let the ingest of each source end as one that waits for a person."""
    for source in sources:
        path = sweep.of.vault.root / source
        path.parent.mkdir(exist_ok=True)
        path.write_text("text")
        job = NewJob(JobKind.INGEST, source, source)
        await sweep.of.db.run(jobs.enqueue_all, [job], now=sweep.of.clock())
        claimed = await sweep.of.db.run(jobs.claim, kinds=[job.kind], now=sweep.of.clock())
        assert claimed is not None
        outcome = Parked("it needs a password", "encrypted")
        await sweep.of.db.run(jobs.finish, claimed.id, outcome, now=sweep.of.clock())


async def test_a_parked_source_is_asked_about_however_much_else_waits(
    sweep: Sweep, vault: Vault, db: Database, clock: FakeClock
) -> None:
    many = [NewJob(JobKind.INDEX, f"{number}.md", "1") for number in range(1001)]
    for job_id in await db.run(jobs.enqueue_all, many, now=clock()):
        await db.run(jobs.finish, job_id, Parked("no", "no"), now=clock())
    clock.pass_(seconds=1)
    await _park(sweep, "raw/locked.pdf")

    await sweep.run()

    assert _note(vault).name == "Waits for you - locked.pdf.md"


async def test_a_retry_that_did_not_help_is_asked_about_again(
    sweep: Sweep, vault: Vault, db: Database
) -> None:
    await _park(sweep, "raw/locked.pdf")
    await sweep.run()
    await _answer(sweep, vault, lambda text: text.replace("[ ] Retry", "[x] Retry"))
    assert not list((vault.root / "wiki/reviews").glob("*.md"))

    await _park(sweep, "raw/locked.pdf")
    await sweep.run()

    assert _note(vault).name == "Waits for you - locked.pdf.md"


async def test_a_source_that_is_held_a_second_time_is_asked_about_again(
    sweep: Sweep, vault: Vault, db: Database
) -> None:
    await _park(sweep, "raw/locked.pdf")
    await sweep.run()
    (row,) = await db.read(joblist.listed, (JobState.PARKED,))
    await db.run(jobs.retry, row.id, now=sweep.of.clock())
    await sweep.run()
    assert not list((vault.root / "wiki/reviews").glob("*.md"))

    await _park(sweep, "raw/locked.pdf")
    await sweep.run()

    assert _note(vault).name == "Waits for you - locked.pdf.md"


async def test_the_new_text_of_a_folder_note_is_asked_for_by_its_answer(
    sweep: Sweep, vault: Vault, db: Database
) -> None:
    note = VaultPath("wiki/concepts/concepts.md")
    draft = ReviewDraft(
        ReviewKind.CONFLICT, f"Text of {note}", "Yours stays.", options=OPTIONS, pages=(note,)
    )
    await sweep.propose(draft)
    assert "[[wiki/concepts/concepts|" in _note(vault).read_text("utf-8")

    await _answer(sweep, vault, lambda text: text.replace("[ ] Use the", "[x] Use the"))

    (job,) = await db.read(joblist.listed, (JobState.QUEUED,), kinds=(JobKind.SUMMARIZE,))
    assert job.subject == "wiki/concepts"

    await sweep.propose(draft)
    assert "Yours stays." in _note(vault).read_text("utf-8")


async def test_sources_of_like_names_get_a_note_each(sweep: Sweep, vault: Vault) -> None:
    await _park(sweep, "raw/what?.md", "raw/what*.md")

    await sweep.run()

    assert len(list((vault.root / "wiki/reviews").glob("*.md"))) == 2
