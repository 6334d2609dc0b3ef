"""Looking whether all is well, asked over the bridge."""

from __future__ import annotations

from tests.bridge.conftest import Daemon


def test_the_wiki_is_looked_over_and_the_report_is_read(daemon: Daemon) -> None:
    lonely = daemon.root / "wiki" / "concepts" / "Lonely.md"
    lonely.parent.mkdir(exist_ok=True)
    lonely.write_text("---\ntype: concept\n---\n[[Nowhere]]\n")

    job = daemon.job(daemon.post("/v1/lint")["id"])
    report = daemon.get("/v1/lint")

    assert job["state"] == "done"
    assert report["at"]
    assert report["report"] == "wiki/reviews/lint.md"
    assert report["findings"] == job["result"]["findings"]
    assert report["counts"]["broken-link"] >= 1
    said = {(each["path"], each["text"]) for each in report["findings"]}
    assert ("wiki/concepts/Lonely.md", "Nowhere is not there.") in said
    lonely.unlink()


def test_everything_is_made_anew_from_the_files(daemon: Daemon) -> None:
    daemon.idle()
    job = daemon.job(daemon.post("/v1/rebuild")["id"])

    assert job["state"] == "done"
    assert job["result"]["passages"] > 0
    daemon.idle()


def test_the_checks_are_those_of_the_command_and_hurt_nothing(daemon: Daemon) -> None:
    checks = {each["name"]: each for each in daemon.get("/v1/doctor")["checks"]}

    assert {"versions", "author", "lock", "disk", "database"} <= set(checks)
    assert checks["lock"]["text"] == "A vaultd is running here and holds the lock."
    assert checks["database"]["state"] == "ok"
    assert checks["embedder"]["state"] == "warning"
    assert checks["embedder"]["remedy"]
    again = {each["name"]: each for each in daemon.get("/v1/doctor")["checks"]}
    assert again["lock"]["text"] == checks["lock"]["text"]


def test_an_estimate_is_told_file_by_file(daemon: Daemon) -> None:
    broken = daemon.root / "notes" / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7\nnot really\n%%EOF\n")
    costs = daemon.stream("/v1/estimate", paths=["raw/cat.md", "notes/broken.pdf"])
    broken.unlink()
    unknown = daemon.problem("POST", "/v1/estimate", json={"paths": ["raw/animals/do.md"]})

    (_, cat), (_, spoilt) = costs
    assert cat["path"] == "raw/cat.md"
    assert cat["tokens"] > 1000
    assert (cat["reason"], cat["waits"]) == ("", False)
    assert spoilt["tokens"] == 0
    assert spoilt["reason"]
    assert unknown["status"] == 404
    assert "raw/animals/dog.md" in unknown["candidates"]


def test_what_is_ingested_costs_nothing_any_more(daemon: Daemon) -> None:
    daemon.idle()

    costs = daemon.stream("/v1/estimate")

    assert not [cost for _, cost in costs if cost["path"] == "raw/cat.md"]


def test_everything_held_is_tried_again_at_once(daemon: Daemon) -> None:
    broken = daemon.root / "raw" / "held.pdf"
    broken.write_bytes(b"%PDF-1.4 nothing of a PDF")
    number = daemon.post("/v1/ingest", path="raw/held.pdf")["id"]
    assert daemon.job(number)["state"] == "parked"

    tried = daemon.post("/v1/retry", what="held")["jobs"]

    assert number in {job["id"] for job in tried}
    assert {job["state"] for job in tried if job["id"] == number} <= {"queued", "running"}
    assert daemon.job(number)["state"] == "parked"
    daemon.client.delete(f"/v1/jobs/{number}")
    broken.unlink()


def test_rewriting_needs_a_model(daemon: Daemon) -> None:
    problem = daemon.problem("POST", "/v1/retry", json={"what": "offline"})

    assert problem["status"] == 422
    assert "llm.model" in problem["detail"]
