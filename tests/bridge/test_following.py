from __future__ import annotations

import json
import threading
import time
from typing import Any

from tests.bridge.conftest import Daemon, events_in


def streamed(daemon: Daemon, since: int, count: int) -> list[tuple[str, Any]]:
    """Return the first `count` events of the stream after `since`."""
    found: list[tuple[str, Any]] = []
    query = {"since": since}
    with daemon.client.stream("GET", "/v1/events/stream", params=query) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for event in events_in(answer.iter_lines()):
            found.append(event)
            if len(found) == count:
                return found
    return found


def all_events(daemon: Daemon) -> list[dict[str, Any]]:
    """Return every event kept, page by page."""
    found: list[dict[str, Any]] = []
    cursor = 0
    while page := daemon.get("/v1/events", since=cursor, wait=0)["events"]:
        found += page
        cursor = page[-1]["id"]
    return found


def test_both_ways_tell_the_same(daemon: Daemon) -> None:
    polled = all_events(daemon)
    stream = streamed(daemon, 0, len(polled))

    assert len(polled) > 4
    assert [data for _, data in stream] == polled
    assert [name for name, _ in stream] == [event["kind"] for event in polled]


def test_who_comes_back_to_the_stream_may_name_the_last_event_in_a_header(daemon: Daemon) -> None:
    newest = all_events(daemon)[-1]["id"]
    headers = {"Last-Event-ID": str(newest - 1)}
    with daemon.client.stream("GET", "/v1/events/stream", headers=headers) as answer:
        _, first = next(events_in(answer.iter_lines()))
    refused = daemon.client.get("/v1/events/stream", headers={"Last-Event-ID": "x"})

    assert first["id"] == newest
    assert refused.status_code == 422


def test_a_stream_is_open_before_anything_happens(daemon: Daemon) -> None:
    daemon.idle()
    begun = time.monotonic()
    with daemon.client.stream("GET", "/v1/events/stream") as answer:
        line = next(answer.iter_lines())
        took = time.monotonic() - begun

    assert line == ": still here"
    assert took < 5, "the next line comes after 15 s"


def test_the_first_request_gives_the_cursor_to_begin_with(daemon: Daemon) -> None:
    page = daemon.get("/v1/events")

    assert page["events"] == []
    assert page["cursor"] >= len(all_events(daemon))


def test_waiting_ends_with_the_first_event(daemon: Daemon) -> None:
    cursor = daemon.get("/v1/events")["cursor"]
    found: dict[str, Any] = {}
    waiting = threading.Thread(
        target=lambda: found.update(daemon.get("/v1/events", since=cursor, wait=20))
    )
    begun = time.monotonic()
    waiting.start()
    daemon.post("/v1/ingest", path="raw/cat.md")
    waiting.join()

    assert found["events"]
    assert time.monotonic() - begun < 10


def test_a_job_is_told_from_the_queue_to_its_end(daemon: Daemon) -> None:
    cursor = daemon.get("/v1/events")["cursor"]
    number = daemon.post("/v1/ingest", path="raw/cat.md")["id"]
    daemon.job(number)

    told = daemon.get("/v1/events", since=cursor, wait=0)["events"]
    ours = [each["payload"] for each in told if each["payload"].get("id") == number]

    states = [each["state"] for each in ours if "state" in each]
    assert (states[0], states[-1]) == ("queued", "done")


def test_waiting_for_nothing_ends_in_time(daemon: Daemon) -> None:
    daemon.idle()
    cursor = daemon.get("/v1/events")["cursor"]
    begun = time.monotonic()

    page = daemon.get("/v1/events", since=cursor, wait=0.3)

    assert page["cursor"] >= cursor
    assert time.monotonic() - begun < 5


def test_a_cursor_of_another_time_starts_over(daemon: Daemon) -> None:
    page = daemon.get("/v1/events", since=10**9)
    (first,) = streamed(daemon, 10**9, 1)

    assert page["reset"]
    assert page["events"] == []
    assert first[0] == "reset"
    assert first[1]["id"] == page["cursor"]


def test_fifty_clients_may_wait_and_others_are_answered(daemon: Daemon) -> None:
    cursor = daemon.get("/v1/events")["cursor"]
    answers: list[bool] = []

    def wait() -> None:
        answers.append(daemon.get("/v1/events", since=cursor, wait=2)["reset"])

    clients = [threading.Thread(target=wait) for _ in range(50)]
    for client in clients:
        client.start()
    begun = time.monotonic()
    daemon.get("/v1/status")
    took = time.monotonic() - begun
    for client in clients:
        client.join()

    assert answers == [False] * 50
    assert took < 5


def test_progress_is_told_with_the_job_it_belongs_to(daemon: Daemon) -> None:
    kinds = {event["kind"] for event in all_events(daemon)}
    ends = [event for event in all_events(daemon) if event["kind"] == "job"]

    assert {"progress", "job", "source.published"} <= kinds
    assert all({"id", "kind", "subject", "state"} <= set(end["payload"]) for end in ends)
    assert json.dumps(ends)
