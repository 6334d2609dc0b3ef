"""Every refusal says what would be right."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.bridge.conftest import Daemon
from tests.bridge.test_guard import asked, raw

SESSION = "0" * 16
PAGE = "wiki/sources/cat.md"


def document(answer: bytes) -> dict[str, Any]:
    """Return the problem in an answer as it came over the wire."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"content-type: application/problem+json" in head.lower()
    assert b"x-content-type-options: nosniff" in head.lower()
    return dict(json.loads(body))


@pytest.mark.parametrize("head", ["GET /health HTTP/1.1", "GARBAGE", "GET / HTTP/1.1\nHost : x"])
def test_what_is_no_request_is_a_problem_like_any_other(daemon: Daemon, head: str) -> None:
    status, answer = raw(daemon, head)

    assert status == 400
    assert document(answer)["code"] == "http"
    assert "names one `Host`" in document(answer)["detail"]


def test_hosts_and_origins_that_are_answered_are_named(daemon: Daemon) -> None:
    _, host = asked(daemon, "Host: 127.0.0.1")
    right = f"127.0.0.1:{daemon.port}"
    _, origin = asked(daemon, f"Host: {right}", "Origin: https://elsewhere.example")

    assert right in document(host)["detail"]
    assert "`Origin`" in document(origin)["detail"]


@pytest.mark.parametrize(
    ("method", "route", "request_", "said"),
    [
        ("GET", "/v1/status", {"params": {"limit": 1}}, "there are: files, after, unsettled"),
        ("POST", "/v1/lint", {"json": {"now": True}}, "there are: none"),
        ("GET", "/v1/status", {"params": {"files": "x"}}, "should be a valid integer."),
        ("GET", "/v1/jobs/4711", {}, "`GET /v1/jobs` lists them"),
        ("GET", "/v1/ingest/x", {}, "as `POST /v1/ingest/analysis` names it"),
        ("GET", f"/v1/ingest/{SESSION}", {}, "begin a new one"),
        ("POST", "/v1/ingest", {"json": {"path": "/etc/passwd"}}, "from the vault's root"),
        ("POST", "/v1/ingest", {"json": {"path": "raw/qqq.pdf"}}, "from the vault's root"),
        ("GET", "/v1/folders", {"params": {"path": "notes"}}, "`[summaries] roots`"),
        (
            "GET",
            "/v1/pages/version",
            {"params": {"path": PAGE, "version": "old"}},
            "as `GET /v1/pages/history` names it",
        ),
        (
            "GET",
            "/v1/pages/version",
            {"params": {"path": "notes/plan.md", "version": "2026"}},
            "has never replaced it",
        ),
        (
            "POST",
            "/v1/pages/restore",
            {"json": {"path": PAGE, "version": "2026", "if_match": "x"}},
            "the `current` of `GET /v1/pages/history`",
        ),
        ("POST", "/v1/summaries/passages", {"json": {"ids": []}}, "at least one is wanted"),
        ("POST", "/v1/summaries/passages", {"json": {"ids": ["x"]}}, 'an id such as "p12"'),
        ("POST", "/v1/summaries/passages", {"json": {"ids": ["p4711"]}}, "search names those"),
    ],
)
def test_a_refusal_says_what_would_be_right(
    daemon: Daemon, method: str, route: str, request_: dict[str, Any], said: str
) -> None:
    assert said in daemon.problem(method, route, **request_)["detail"]


def test_a_search_below_a_folder_that_is_not_there_says_so(daemon: Daemon) -> None:
    nowhere = daemon.post("/v1/search", query="moon", under="nots")
    nothing = daemon.post("/v1/search", query="zeppelin", under="notes")

    assert nowhere["results"] == []
    assert nowhere["notes"] == ["There is no folder nots."]
    assert nothing["notes"] == []
