from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes import NOON, FakeClock
from vaultd.model.jobs import (
    Cancelled,
    Done,
    Job,
    JobKind,
    JobState,
    NewJob,
    Outcome,
    Parked,
    Paused,
    RetryAt,
    Waiting,
)
from vaultd.store import events, files, joblist, jobs, pauses
from vaultd.store.database import Database
from vaultd.store.joblist import JobRow

PAPER = NewJob(JobKind.INGEST, "raw/paper.pdf", "one")
CLOSED = Paused("refused key", "endpoint_closed")


def queue(db: Database, *new: NewJob, clock: FakeClock) -> list[int]:
    return db.run_sync(jobs.enqueue_all, new, now=clock())


def claim(db: Database, clock: FakeClock, *kinds: JobKind) -> Job | None:
    return db.run_sync(jobs.claim, kinds=kinds or tuple(JobKind), now=clock())


def claimed(db: Database, clock: FakeClock, *kinds: JobKind) -> Job:
    job = claim(db, clock, *kinds)
    assert job is not None
    return job


def end(db: Database, clock: FakeClock, job: Job, outcome: Outcome) -> None:
    db.run_sync(jobs.finish, job.id, outcome, now=clock())


def row(db: Database, job_id: int) -> JobRow:
    found = db.read_sync(joblist.find, job_id)
    assert found is not None
    return found


def test_ten_saves_of_one_file_are_one_job(db: Database, clock: FakeClock) -> None:
    ids = {queue(db, NewJob(JobKind.INGEST, "raw/a.md", str(n)), clock=clock)[0] for n in range(10)}

    assert len(ids) == 1
    assert claimed(db, clock).digest == "9"
    assert claim(db, clock) is None


def test_file_that_is_being_read_is_not_queued_twice_w09(db: Database, clock: FakeClock) -> None:
    queue(db, PAPER, clock=clock)
    job = claimed(db, clock)

    assert [queue(db, PAPER, clock=clock) for _ in range(3)] == [[job.id]] * 3
    assert db.read_sync(joblist.counts) == {(JobKind.INGEST, JobState.RUNNING): 1}


def test_newer_version_waits_for_the_running_one(db: Database, clock: FakeClock) -> None:
    queue(db, PAPER, clock=clock)
    job = claimed(db, clock)
    queue(db, NewJob(JobKind.INGEST, PAPER.subject, "two"), clock=clock)

    assert claim(db, clock) is None
    end(db, clock, job, Done())
    assert claimed(db, clock).digest == "two"


def test_failed_job_gives_way_to_a_newer_version(db: Database, clock: FakeClock) -> None:
    queue(db, PAPER, clock=clock)
    job = claimed(db, clock)
    queue(db, NewJob(JobKind.INGEST, PAPER.subject, "two"), clock=clock)

    end(db, clock, job, RetryAt(NOON, "timeout", "model_unavailable"))

    assert row(db, job.id).state is JobState.CANCELLED
    assert claimed(db, clock).digest == "two"


def test_queue_survives_a_restart_and_a_second_scan_w10_w27(db: Database, clock: FakeClock) -> None:
    new = [NewJob(JobKind.INGEST, f"raw/{n}.md", str(n)) for n in range(100)]
    first = queue(db, *new, clock=clock)

    assert queue(db, *new, clock=clock) == first
    assert claimed(db, clock).id == first[0]


def test_running_job_of_a_dead_process_is_due_in_its_old_place_w29(
    db: Database, clock: FakeClock
) -> None:
    ids = queue(db, PAPER, NewJob(JobKind.INGEST, "raw/b.md", "b"), clock=clock)
    job = claimed(db, clock)

    assert db.run_sync(jobs.recover, now=clock()) == 1

    again = claimed(db, clock)
    assert (again.id, again.attempt, again.started) == (ids[0], 1, job.started)


def test_job_found_running_three_times_is_claimed_last(db: Database, clock: FakeClock) -> None:
    deadly, other = queue(db, PAPER, NewJob(JobKind.INGEST, "raw/b.md", "b"), clock=clock)
    for _ in range(3):
        assert claimed(db, clock).id == deadly
        db.run_sync(jobs.recover, now=clock())

    assert claimed(db, clock).id == other
    assert claimed(db, clock).id == deadly
    assert row(db, deadly).deaths == 3


def test_stored_step_forgets_deaths(db: Database, clock: FakeClock) -> None:
    deadly, _ = queue(db, PAPER, NewJob(JobKind.INGEST, "raw/b.md", "b"), clock=clock)
    for _ in range(5):
        assert claimed(db, clock).id == deadly
        db.run_sync(jobs.step_stored, PAPER.subject)
        db.run_sync(jobs.recover, now=clock())

    assert row(db, deadly).deaths == 1


def test_dead_job_gives_way_to_a_newer_version_at_start(db: Database, clock: FakeClock) -> None:
    queue(db, PAPER, clock=clock)
    job = claimed(db, clock)
    queue(db, NewJob(JobKind.INGEST, PAPER.subject, "two"), clock=clock)

    db.run_sync(jobs.recover, now=clock())

    assert row(db, job.id).state is JobState.CANCELLED
    assert claimed(db, clock).digest == "two"


def test_only_counted_outcomes_are_attempts(db: Database, clock: FakeClock) -> None:
    queue(db, PAPER, clock=clock)
    for counted, attempt in ((False, 1), (True, 1), (False, 2), (True, 2)):
        job = claimed(db, clock)
        assert job.attempt == attempt
        end(db, clock, job, RetryAt(NOON, "later", "x", counted=counted))
    assert claimed(db, clock).attempt == 3


def test_retry_waits_for_its_moment(db: Database, clock: FakeClock) -> None:
    queue(db, PAPER, clock=clock)
    job = claimed(db, clock)
    end(db, clock, job, RetryAt(NOON + timedelta(seconds=30), "later", "x"))

    assert claim(db, clock) is None
    clock.pass_(seconds=30)
    assert claimed(db, clock).id == job.id


def test_person_goes_first(db: Database, clock: FakeClock) -> None:
    queue(db, *(NewJob(JobKind.INGEST, f"raw/{n}.md", "x") for n in range(5)), clock=clock)
    asked = queue(db, NewJob(JobKind.INGEST, "raw/z.md", "x", person=True), clock=clock)

    assert claimed(db, clock).id == asked[0]


def test_asking_for_a_queued_job_moves_it_to_the_front(db: Database, clock: FakeClock) -> None:
    ids = queue(db, *(NewJob(JobKind.INGEST, f"raw/{n}.md", "x") for n in range(5)), clock=clock)
    queue(db, NewJob(JobKind.INGEST, "raw/4.md", "x", person=True), clock=clock)

    assert claimed(db, clock).id == ids[4]


def test_parked_job_blocks_nobody_and_stays_until_the_file_changes(
    db: Database, clock: FakeClock
) -> None:
    parked, other = queue(db, PAPER, NewJob(JobKind.INGEST, "raw/b.md", "b"), clock=clock)
    end(db, clock, claimed(db, clock), Parked("no text", "needs_ocr"))

    queue(db, PAPER, clock=clock)
    assert row(db, parked).state is JobState.PARKED
    assert claimed(db, clock).id == other

    queue(db, NewJob(JobKind.INGEST, PAPER.subject, "two"), clock=clock)
    again = claimed(db, clock)
    assert (again.id, again.digest, again.attempt) == (parked, "two", 1)


def test_parked_job_is_retried_by_a_person(db: Database, clock: FakeClock) -> None:
    queue(db, PAPER, clock=clock)
    job = claimed(db, clock)
    end(db, clock, job, Parked("no text", "needs_ocr"))

    assert db.run_sync(jobs.retry, job.id, now=clock())
    again = claimed(db, clock)
    assert again.id == job.id
    assert again.payload["confirmed"] is True
    assert not db.run_sync(jobs.retry, job.id, now=clock())


def test_closed_endpoint_stops_what_needs_it_and_nothing_else(
    db: Database, clock: FakeClock
) -> None:
    queue(db, PAPER, NewJob(JobKind.INGEST, "raw/b.md", "b"), clock=clock)
    end(db, clock, claimed(db, clock), CLOSED)
    queue(db, NewJob(JobKind.INDEX, "note.md", "n"), clock=clock)

    assert claim(db, clock, JobKind.INGEST) is None
    assert claimed(db, clock, JobKind.INDEX).subject == "note.md"
    assert [pause.need for pause in db.read_sync(pauses.all_pauses)] == ["model"]


def test_one_probe_after_one_two_and_every_five_minutes(db: Database, clock: FakeClock) -> None:
    queue(db, *(NewJob(JobKind.INGEST, f"raw/{n}.md", "x") for n in range(9)), clock=clock)
    end(db, clock, claimed(db, clock), CLOSED)

    probes = []
    for minute in range(1, 21):
        clock.pass_(minutes=1)
        job = claim(db, clock)
        assert claim(db, clock) is None
        if job is not None:
            probes.append(minute)
            end(db, clock, job, CLOSED)

    assert probes == [1, 3, 8, 13, 18]


def test_day_without_the_endpoint_parks_nothing_and_resumes_by_itself(
    db: Database, clock: FakeClock
) -> None:
    ids = queue(db, *(NewJob(JobKind.INGEST, f"raw/{n}.md", "x") for n in range(9)), clock=clock)
    for _ in range(24 * 60):
        while job := claim(db, clock):
            end(db, clock, job, CLOSED)
        clock.pass_(minutes=1)
    assert {row(db, id_).state for id_ in ids} <= {JobState.QUEUED, JobState.PAUSED}

    clock.pass_(minutes=5)
    end(db, clock, claimed(db, clock), Done())

    order = []
    while job := claim(db, clock):
        order.append(job.id)
        assert job.attempt == 1
    assert sorted(order) == order
    assert len(order) == 8


def test_probe_that_found_nothing_out_lets_the_next_one_go(db: Database, clock: FakeClock) -> None:
    queue(db, *(NewJob(JobKind.INGEST, f"raw/{n}.md", "x") for n in range(3)), clock=clock)
    end(db, clock, claimed(db, clock), CLOSED)
    clock.pass_(minutes=1)

    end(db, clock, claimed(db, clock), Parked("broken", "broken"))

    assert claim(db, clock) is not None


def test_probe_that_died_is_made_again(db: Database, clock: FakeClock) -> None:
    queue(db, PAPER, clock=clock)
    end(db, clock, claimed(db, clock), CLOSED)
    clock.pass_(minutes=1)
    claimed(db, clock)

    db.run_sync(jobs.recover, now=clock())

    assert claim(db, clock) is not None


def test_full_disk_stops_everything_and_is_probed_every_half_minute_w15(
    db: Database, clock: FakeClock
) -> None:
    queue(db, PAPER, NewJob(JobKind.INDEX, "note.md", "n"), clock=clock)
    end(db, clock, claimed(db, clock, JobKind.INGEST), Paused("full", "disk_full"))

    assert claim(db, clock) is None
    clock.pass_(seconds=30)
    end(db, clock, claimed(db, clock), Done())
    assert claim(db, clock) is not None


def test_waiting_job_wakes_at_its_moment_or_for_a_person(db: Database, clock: FakeClock) -> None:
    tomorrow, person = queue(db, PAPER, NewJob(JobKind.INGEST, "raw/b.md", "b"), clock=clock)
    end(db, clock, claimed(db, clock), Waiting("limit", "waiting", NOON + timedelta(days=1)))
    end(db, clock, claimed(db, clock), Waiting("ask", "waiting"))

    clock.pass_(days=2)
    assert db.run_sync(jobs.wake_waiting, now=clock()) == 1
    assert claimed(db, clock).id == tomorrow
    assert row(db, person).state is JobState.WAITING


def test_queued_job_is_cancelled_and_a_running_one_is_asked_to_stop(
    db: Database, clock: FakeClock
) -> None:
    first, second = queue(db, PAPER, NewJob(JobKind.INGEST, "raw/b.md", "b"), clock=clock)
    job = claimed(db, clock)

    assert db.run_sync(jobs.cancel, second, now=clock())
    assert db.run_sync(jobs.cancel, first, now=clock())
    assert not db.run_sync(jobs.cancel, second, now=clock())

    assert row(db, second).state is JobState.CANCELLED
    assert db.read_sync(jobs.stopping) == (job.id,)
    end(db, clock, job, Cancelled())
    assert db.read_sync(jobs.stopping) == ()


def test_work_without_a_digest_is_queued_anew_while_it_runs(db: Database, clock: FakeClock) -> None:
    folder = NewJob(JobKind.SUMMARIZE, "wiki")
    queue(db, folder, clock=clock)
    job = claimed(db, clock)
    queue(db, folder, clock=clock)
    queue(db, folder, clock=clock)

    end(db, clock, job, Done())

    assert claimed(db, clock).id != job.id
    assert claim(db, clock) is None


def test_index_job_tells_the_scan_that_the_content_is_taken_care_of(
    db: Database, clock: FakeClock
) -> None:
    queue(db, NewJob(JobKind.INDEX, "wiki/x.md", "hash"), clock=clock)

    known = db.read_sync(files.find, "wiki/x.md")
    assert known is not None
    assert (known.sha256, known.stat) == ("hash", None)


def test_outcome_and_event_are_one(db: Database, clock: FakeClock) -> None:
    queue(db, PAPER, clock=clock)
    job = claimed(db, clock)
    end(db, clock, job, Parked("no text", "needs_ocr"))

    *_, last = db.read_sync(events.since, 0).events
    assert (last.kind, last.payload["state"]) == ("job", "parked")


def test_the_wiki_is_looked_over_while_its_folders_are_described(
    db: Database, clock: FakeClock
) -> None:
    queue(db, NewJob(JobKind.SUMMARIZE, "."), clock=clock)
    assert claimed(db, clock).kind is JobKind.SUMMARIZE
    queue(db, NewJob(JobKind.REBUILD, "."), NewJob(JobKind.LINT, "."), clock=clock)

    assert claimed(db, clock).kind is JobKind.LINT
    assert claim(db, clock) is None, "a rebuild waits for what works on the whole"


def test_what_is_queued_is_told_once_but_for_indexing(db: Database, clock: FakeClock) -> None:
    indexing = NewJob(JobKind.INDEX, "wiki/a.md", "one")
    asked = NewJob(JobKind.INDEX, "wiki/b.md", "one", person=True)
    (paper, *_) = queue(db, PAPER, PAPER, indexing, asked, clock=clock)
    queue(db, PAPER, clock=clock)

    told = [event.payload for event in db.read_sync(events.since, 0).events]

    assert [(each["subject"], each["state"]) for each in told] == [
        ("raw/paper.pdf", "queued"),
        ("wiki/b.md", "queued"),
    ]
    assert told[0]["id"] == paper


def test_wall_clock_that_is_set_moves_plans_along(db: Database, clock: FakeClock) -> None:
    queue(db, PAPER, clock=clock)
    end(db, clock, claimed(db, clock), RetryAt(NOON + timedelta(seconds=30), "later", "x"))

    step = timedelta(days=-1)
    db.run_sync(jobs.shift, clock(), step)
    clock.pass_(days=-1, seconds=30)

    assert claim(db, clock) is not None


def test_hot_queries_use_their_index(db: Database) -> None:
    def plan(query: str) -> str:
        rows = db.read_sync(lambda c: c.execute(f"explain query plan {query}").fetchall())
        return " ".join(str(each) for each in rows)

    due = "select id from jobs where state = 'queued' and kind = 'ingest' and run_at <= 'x'"
    assert "jobs_due" in plan(due)
    assert "jobs_running" in plan("select 1 from jobs where state = 'running' and subject = 'x'")


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["queue", "claim", "done", "retry", "park", "pause", "crash", "pass"]),
        st.integers(0, 3),
    ),
    max_size=40,
)


@settings(max_examples=25, deadline=None)
@given(steps=STEPS)
def test_any_history_loses_no_job_and_doubles_none(steps: list[tuple[str, int]]) -> None:
    """Whatever happens, every subject's newest content ends up done exactly once."""
    db, clock = Database(":memory:"), FakeClock()
    wanted: dict[str, str] = {}
    running: list[Job] = []
    done: list[tuple[str, str]] = []
    parked: set[tuple[str, str]] = set()
    try:
        for number, (step, which) in enumerate(steps):
            if step == "queue":
                subject = f"raw/{which}.md"
                wanted[subject] = str(number)
                queue(db, NewJob(JobKind.INGEST, subject, str(number)), clock=clock)
            elif step == "claim" and (job := claim(db, clock)):
                assert job.subject not in {each.subject for each in running}
                running.append(job)
            elif step == "crash":
                running.clear()
                db.run_sync(jobs.recover, now=clock())
            elif step == "pass":
                clock.pass_(minutes=10)
            elif running and step in ("done", "retry", "park", "pause"):
                job = running.pop(which % len(running))
                outcomes: dict[str, Outcome] = {
                    "done": Done(),
                    "retry": RetryAt(clock(), "later", "x"),
                    "park": Parked("no", "x"),
                    "pause": CLOSED,
                }
                end(db, clock, job, outcomes[step])
                if step == "done":
                    done.append((job.subject, job.digest))
                if step == "park":
                    parked.add((job.subject, job.digest))
        db.run_sync(jobs.recover, now=clock())
        for _ in range(200):
            clock.pass_(minutes=10)
            if job := claim(db, clock):
                end(db, clock, job, Done())
                done.append((job.subject, job.digest))
        assert len(done) == len(set(done))
        assert set(wanted.items()) <= set(done) | parked
    finally:
        db.close()


@pytest.mark.parametrize("state", [JobState.DONE, JobState.CANCELLED])
def test_what_is_over_is_forgotten_but_a_cancelled_source_is_not(
    db: Database, clock: FakeClock, state: JobState
) -> None:
    queue(db, PAPER, clock=clock)
    outcome = Done() if state is JobState.DONE else Cancelled()
    end(db, clock, claimed(db, clock), outcome)

    pruned = db.run_sync(joblist.prune, "9999")

    assert pruned == (1 if state is JobState.DONE else 0)
