from __future__ import annotations

import hashlib
import os
import time

from tests.bridge.conftest import CAT, Daemon, until
from vaultd.bridge.keys import new_code
from vaultd.cli.target import now
from vaultd.model.wiki import ReviewKind
from vaultd.store import reviews
from vaultd.store.database import Database
from vaultd.store.reviews import ReviewItem
from vaultd.vault.files import Vault


def test_status_says_what_is_where(daemon: Daemon) -> None:
    status = daemon.get("/v1/status")

    assert status["vault"] == str(daemon.root)
    assert status["state"] == "running"
    assert {"raw/cat.md", "raw/animals/dog.md"} <= {each["path"] for each in status["files"]}
    assert status["model"] == {"chat": "offline", "embedding": "none"}


def test_a_status_lists_as_many_files_as_are_wanted(daemon: Daemon) -> None:
    whole = daemon.get("/v1/status")
    none = daemon.get("/v1/status", files=0)
    rest = daemon.get("/v1/status", files=1, after=whole["files"][0]["path"])

    assert none["files"] == []
    assert none["counts"].keys() == whole["counts"].keys()
    assert len(rest["files"]) == 1
    assert rest["files"][0]["path"] > whole["files"][0]["path"]
    assert daemon.get("/v1/status", unsettled=True)["files"] == [
        each for each in whole["files"] if each["state"] not in ("done", "skipped")
    ]


def test_jobs_are_listed_by_state_kind_and_number(daemon: Daemon) -> None:
    daemon.job(daemon.post("/v1/ingest", path="raw/cat.md")["id"])

    (one,) = daemon.get("/v1/jobs", state="done", kind="ingest", limit=1)["jobs"]

    assert (one["state"], one["kind"]) == ("done", "ingest")
    assert daemon.get("/v1/jobs", state="done", kind="move", limit=1)["jobs"] == []


def test_search_finds_and_names_its_lanes(daemon: Daemon) -> None:
    daemon.idle()
    answer = daemon.post("/v1/search", query="moon")
    below = daemon.post("/v1/search", query="moon", under="notes")
    source = daemon.post("/v1/search", query="moon", under="raw")

    assert {"words"} <= set(answer["lanes"])
    assert {hit["path"] for hit in answer["results"]} == {"raw/cat.md", "notes/plan.md"}
    assert {hit["path"] for hit in below["results"]} == {"notes/plan.md"}
    assert {hit["path"] for hit in source["results"]} == {"raw/cat.md"}
    (cat,) = (hit for hit in answer["results"] if hit["path"] == "raw/cat.md")
    assert [place["path"] for place in cat["also"]] == ["wiki/sources/cat.md"]


def test_a_file_that_is_not_there_is_answered_with_near_ones_c8(daemon: Daemon) -> None:
    problem = daemon.problem("POST", "/v1/related", json={"path": "raw/animals/do.md"})

    assert problem["status"] == 404
    assert "raw/animals/dog.md" in problem["candidates"]


def test_titles_are_found_by_their_beginning(daemon: Daemon) -> None:
    assert "notes/plan.md" in {each["path"] for each in daemon.get("/v1/titles", q="Pla")["titles"]}


def test_a_file_is_queued_followed_and_done_c13(daemon: Daemon) -> None:
    job = daemon.post("/v1/ingest", path="raw/cat.md")
    done = daemon.job(job["id"])

    assert job["person"]
    assert done["state"] == "done"
    assert "wiki/sources/cat.md" in done["result"]["pages"]


def test_a_note_handed_in_is_copied_and_a_page_is_refused(daemon: Daemon) -> None:
    (daemon.root / "notes" / "list.md").write_text("# List\n\nFlour, salt and a wooden spoon.\n")
    job = daemon.post("/v1/ingest", path="notes/list.md")
    refused = daemon.problem("POST", "/v1/ingest", json={"path": "wiki/sources/cat.md"})

    assert job["subject"] == "raw/list.md"
    ended = daemon.job(job["id"])
    assert (ended["state"], ended["reason"]) == ("done", "")
    assert (daemon.root / "notes" / "list.md").exists()
    assert refused["status"] == 422


def test_a_job_that_is_over_is_neither_tried_again_nor_cancelled(daemon: Daemon) -> None:
    number = daemon.post("/v1/ingest", path="raw/cat.md")["id"]
    daemon.job(number)

    assert daemon.problem("POST", f"/v1/jobs/{number}/retry", json={})["status"] == 409
    assert daemon.problem("DELETE", f"/v1/jobs/{number}")["status"] == 409
    assert daemon.problem("GET", "/v1/jobs/999999")["status"] == 404


def test_a_parked_source_asks_is_tried_again_and_may_be_cancelled(daemon: Daemon) -> None:
    (daemon.root / "raw" / "broken.pdf").write_bytes(b"%PDF-1.4 nothing of a PDF")
    number = daemon.post("/v1/ingest", path="raw/broken.pdf")["id"]
    parked = daemon.job(number)
    listed = daemon.get("/v1/jobs", state="parked,waiting")["jobs"]

    assert parked["state"] == "parked"
    assert parked["reason"]
    assert number in {job["id"] for job in listed}
    assert daemon.post(f"/v1/jobs/{number}/retry")["state"] in ("queued", "running")
    assert daemon.job(number)["state"] == "parked"
    assert daemon.client.delete(f"/v1/jobs/{number}").json()["state"] == "cancelled"
    (daemon.root / "raw" / "broken.pdf").unlink()


def test_a_version_is_listed_read_and_put_back(daemon: Daemon) -> None:
    page = daemon.root / "wiki" / "sources" / "cat.md"
    first = page.read_text()
    (daemon.root / "raw" / "cat.md").write_text("# Cat\n\nA cat sleeps all day in the sun.\n")
    daemon.job(daemon.post("/v1/ingest", path="raw/cat.md")["id"])
    daemon.idle()
    history = daemon.get("/v1/pages/history", path="wiki/sources/cat.md")
    version = history["versions"][0]["version"]
    text = daemon.get("/v1/pages/version", path="wiki/sources/cat.md", version=version)["text"]
    seen = {"path": "wiki/sources/cat.md", "version": version, "if_match": history["current"]}

    assert history["current"] == hashlib.sha256(page.read_bytes()).hexdigest()
    assert text == first != page.read_text()
    os.utime(page, (time.time() - 60,) * 2)
    job = daemon.post("/v1/pages/restore", **seen)
    ended = daemon.job(job["id"])
    assert (ended["state"], ended["reason"]) == ("done", "")
    assert page.read_text() == first
    stale = daemon.problem("POST", "/v1/pages/restore", json=seen)
    assert stale["status"] == 409
    assert stale["current"] == hashlib.sha256(page.read_bytes()).hexdigest()
    (daemon.root / "raw" / "cat.md").write_text(CAT)
    daemon.job(daemon.post("/v1/ingest", path="raw/cat.md")["id"])
    daemon.idle()


def test_a_version_that_is_not_there_is_answered_with_those_that_are(daemon: Daemon) -> None:
    fields = {"path": "wiki/index.md", "version": "20200101T000000.000000Z", "if_match": None}

    assert daemon.problem("POST", "/v1/pages/restore", json=fields)["status"] == 404
    assert (
        daemon.problem("GET", "/v1/pages/history", params={"path": "wiki/no.md"})["status"] == 404
    )


def test_forgetting_tells_first_what_it_would_do(daemon: Daemon) -> None:
    job = daemon.post("/v1/sources/forget", path="raw/animals/dog.md", dry_run=True)
    unknown = daemon.problem("POST", "/v1/sources/forget", json={"path": "raw/animals/dogs.md"})

    ended = daemon.job(job["id"])
    assert (ended["state"], ended["reason"]) == ("done", "")
    assert (daemon.root / "wiki" / "sources" / "animals" / "dog.md").exists()
    assert unknown["status"] == 404
    assert "animals/dog.md" in unknown["candidates"]


def test_a_folder_says_what_it_is_about(daemon: Daemon) -> None:
    daemon.idle()
    jobs = daemon.stream("/v1/folders/refresh", path="wiki")
    assert until(lambda: bool(daemon.get("/v1/folders", path="wiki")["abstract"]), 30)
    folder = daemon.get("/v1/folders", path="wiki")
    sources = daemon.get("/v1/folders", path="wiki/sources")
    unknown = daemon.problem("GET", "/v1/folders", params={"path": "wiki/nowhere"})

    first = daemon.get("/v1/folders", path="wiki", children=1)

    assert first["children"] == folder["children"][:1]
    assert jobs[-1][1]["state"] == "done"
    assert folder["abstract"]
    assert "wiki/sources" in {child["path"] for child in folder["children"]}
    assert "wiki/sources/cat.md" in {child["path"] for child in sources["children"]}
    assert unknown["status"] == 404
    assert "wiki/sources" in unknown["candidates"]


def test_summaries_of_files_and_passages(daemon: Daemon) -> None:
    (step,) = daemon.stream("/v1/summaries/file", path="raw/animals/dog.md")
    hits = daemon.post("/v1/search", query="dog barks", under="raw")["results"]
    ids = [hit["id"] for hit in hits if hit["id"].startswith("p")]
    made = daemon.post("/v1/summaries/passages", ids=ids)
    unknown = daemon.problem("POST", "/v1/summaries/passages", json={"ids": [*ids, "p99999"]})
    dropped = daemon.client.delete("/v1/summaries", params={"path": "raw/animals/dog.md"}).json()

    assert step[1] == {
        "code": 200, "msg": "dog.md 总结完成", "total": 1, "finished": 1,
        "doc": "raw/animals/dog.md",
    }  # fmt: skip
    assert made["summary"]
    assert unknown["status"] == 404
    assert "99999" in unknown["detail"]
    assert dropped["dropped"] == 1


def test_the_specifications_own_paths_answer_in_its_form(daemon: Daemon) -> None:
    base = {"knowledge_base_name": "wiki"}
    steps = daemon.stream("/kb_summary_api/recreate_summary_vector_store", **base)
    unknown = {"knowledge_base_name": "samples", "allow_empty_kb": False}
    missing = daemon.problem("POST", "/kb_summary_api/recreate_summary_vector_store", json=unknown)
    allowed = daemon.stream(
        "/kb_summary_api/recreate_summary_vector_store", knowledge_base_name="samples"
    )
    other = {**base, "file_name": "sources/cat.md", "embed_model": "bge-large-zh"}
    conflict = daemon.problem("POST", "/kb_summary_api/summary_file_to_vector_store", json=other)
    (one,) = daemon.stream(
        "/kb_summary_api/summary_file_to_vector_store", **base, file_name="sources/cat.md"
    )

    total = len(steps)
    assert [data["msg"].split(":")[0] for _, data in steps] == [
        f"({number}/{total})" for number in range(1, total + 1)
    ]
    assert steps[-1][1]["vs_type"] == "sqlite-vec"
    assert missing["code"] == 404
    assert [data["total"] for _, data in allowed] == [0]
    assert conflict["code"] == 409
    assert (one[1]["code"], one[1]["doc"]) == (200, "sources/cat.md")


def test_usage_is_empty_without_a_model(daemon: Daemon) -> None:
    assert daemon.get("/v1/usage", days=7)["days"] == []


def test_an_unknown_review_is_not_found(daemon: Daemon) -> None:
    assert isinstance(daemon.get("/v1/reviews")["reviews"], list)
    problem = daemon.problem("POST", "/v1/reviews/review-0", json={"action": "Skip"})
    assert problem["status"] == 404


def test_a_code_is_traded_once_for_the_token(daemon: Daemon) -> None:
    code = new_code(Vault(daemon.root, daemon.state), now())

    assert daemon.problem("POST", "/v1/pair", json={"code": f"{code}x"})["status"] == 401
    assert daemon.post("/v1/pair", code=code) == {"token": daemon.token}
    assert daemon.problem("POST", "/v1/pair", json={"code": code})["status"] == 401


def test_a_question_is_answered_once_with_one_of_its_options(daemon: Daemon) -> None:
    item = ReviewItem("review-1", ReviewKind.CONFIRM, "Keep it?", "Shall it stay?", ("Yes", "Skip"))
    db = Database(daemon.state / "vaultd.db")
    db.run_sync(reviews.propose, [item], now=now())
    db.close()
    (listed,) = [r for r in daemon.get("/v1/reviews")["reviews"] if r["id"] == item.id]
    wrong = daemon.problem("POST", "/v1/reviews/review-1", json={"action": "Perhaps"})
    job = daemon.post("/v1/reviews/review-1", action="skip")
    again = daemon.problem("POST", "/v1/reviews/review-1", json={"action": "Skip"})

    assert listed["options"] == ["Yes", "Skip"]
    assert wrong["status"] == 422
    assert "Yes, Skip" in wrong["detail"]
    assert daemon.job(job["id"])["result"]["action"] == "Skip"
    assert again["status"] == 409
