from __future__ import annotations

import http.client
import json
import random
import socket
import stat
from urllib.parse import quote

import httpx
import pytest

from tests.bridge.conftest import Daemon
from vaultd.bridge.routes import OPERATIONS

SECRET = "SESAME"  # in every file that nobody may read over the bridge
SEED = 7
CLOSED = [op for op in OPERATIONS if not op.open]


def raw(daemon: Daemon, head: str, body: bytes = b"") -> tuple[int, bytes]:
    """Send bytes as they are; return the status and everything answered."""
    with socket.create_connection(("127.0.0.1", daemon.port), timeout=10) as connection:
        connection.sendall(head.replace("\n", "\r\n").encode("latin-1") + b"\r\n\r\n" + body)
        answer = b""
        while piece := connection.recv(65_536):
            answer += piece
    return int(answer.split(b" ", 2)[1]), answer


def asked(daemon: Daemon, *headers: str, path: str = "/v1/status") -> tuple[int, bytes]:
    lines = [f"GET {path} HTTP/1.1", "Connection: close", *headers]
    return raw(daemon, "\n".join(lines))


def test_it_listens_on_this_machine_only_c1(daemon: Daemon) -> None:
    outer = socket.gethostbyname(socket.gethostname())

    if not outer.startswith("127."):
        with pytest.raises(OSError, match=r"."):
            socket.create_connection((outer, daemon.port), timeout=2)


@pytest.mark.parametrize("op", CLOSED, ids=lambda op: op.name)
def test_no_route_answers_without_the_token_c2(daemon: Daemon, op: object) -> None:
    path = op.path.replace("{id:int}", "1").replace("{id}", "x")  # type: ignore[attr-defined]
    method = op.method  # type: ignore[attr-defined]
    answer = daemon.stranger.request(method, path.replace("{session}", "0" * 16))

    assert answer.status_code == 401
    assert answer.json()["code"] == "token"


def test_neither_do_unknown_routes_nor_the_description(daemon: Daemon) -> None:
    for path in ("/v1/nothing", "/openapi.json", "/page", "/../v1/status"):
        assert daemon.stranger.get(path).status_code == 401


def test_health_tells_nothing_of_the_vault_c3(daemon: Daemon) -> None:
    answer = daemon.stranger.get("/health").json()

    assert set(answer) == {"name", "version", "protocol"}


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil:80"])
def test_another_host_is_not_answered_c2(daemon: Daemon, host: str) -> None:
    status, _ = asked(daemon, f"Host: {host}", f"Authorization: Bearer {daemon.token}")

    assert status == 421


@pytest.mark.parametrize(
    "origin",
    ["null", "http://localhost", "https://evil.example", "app://obsidian.md.evil", "file://"],
)
def test_another_origin_is_not_answered_c2(daemon: Daemon, origin: str) -> None:
    headers = {**daemon.headers, "Origin": origin}
    answer = daemon.stranger.get("/v1/status", headers=headers)

    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers


def test_obsidian_and_the_own_page_are(daemon: Daemon) -> None:
    for origin, shared in (("app://obsidian.md", "app://obsidian.md"), (daemon.url, None)):
        headers = {**daemon.headers, "Origin": origin}
        answer = daemon.stranger.get("/v1/status", headers=headers)

        assert answer.status_code == 200
        assert answer.headers.get("access-control-allow-origin") == shared


def test_obsidian_may_ask_first_what_it_may_send(daemon: Daemon) -> None:
    headers = {"Origin": "app://obsidian.md", "Access-Control-Request-Method": "POST"}
    answer = daemon.stranger.options("/v1/search", headers=headers)

    assert answer.status_code == 204
    assert "Authorization" in answer.headers["access-control-allow-headers"]


def test_a_wrong_or_doubled_token_opens_nothing(daemon: Daemon) -> None:
    host, right = f"Host: 127.0.0.1:{daemon.port}", f"Authorization: Bearer {daemon.token}"
    for headers in (
        [f"{right}x"],
        [right[:-1]],
        [right.replace("Bearer", "Basic")],
        ["Authorization: Bearer"],
        [right, right],
    ):
        assert asked(daemon, host, *headers)[0] == 401
    assert asked(daemon, host, right)[0] == 200


def test_fifty_hostile_heads_get_no_data_without_the_token(daemon: Daemon) -> None:
    chance = random.Random(SEED)
    hosts = ["evil", f"127.0.0.1:{daemon.port}", f"LOCALHOST:{daemon.port}", "[::1]", "a b", ""]
    origins = ["null", "http://evil", "app://obsidian.md", "\xff", daemon.url]
    keys = ["Bearer ", "Bearer \xff", "bearer x", "Basic eDp4", "Bearer " + "x" * 5_000]
    targets = [
        "/v1/status",
        "//v1/status",
        "/v1/../v1/status",
        "http://evil/v1/status",
        "/%761/jobs",
    ]
    more = ["X-Forwarded-For: 127.0.0.1", "X-Original-URL: /health", "Cookie: token=x"]
    for _ in range(50):
        lines = [f"GET {chance.choice(targets)} HTTP/1.1", "Connection: close"]
        lines += [f"Host: {each}" for each in chance.choices(hosts, k=chance.choice([1, 1, 2]))]
        lines += [f"Origin: {chance.choice(origins)}"] * chance.choice([0, 1, 2])
        lines += [f"Authorization: {chance.choice(keys)}", chance.choice(more)]
        status, answer = raw(daemon, "\n".join(lines))

        assert 400 <= status < 500, lines
        assert str(daemon.root).encode() not in answer
        assert b"raw/cat.md" not in answer


def test_five_hundred_hostile_paths_give_nothing_from_outside_c5(daemon: Daemon) -> None:
    chance = random.Random(SEED)
    bad = ["..", "../..", "/", "\\", "\0", ".obsidian", ".git/config", ".llm-wiki/token", "C:"]
    bad += ["notes/way-out.md", "notes/way-up/outside.md", "//host/share", "x" * 300, "\u202e"]
    routes = [
        ("POST", "/v1/related"),
        ("POST", "/v1/ingest"),
        ("POST", "/v1/summaries/file"),
        ("GET", "/v1/pages/history"),
        ("GET", "/v1/folders"),
        ("POST", "/v1/sources/forget"),
        ("POST", "/v1/estimate"),
    ]
    for _ in range(500):
        path = "/".join(chance.choices([*bad, "raw", "notes"], k=chance.choice([1, 2, 3])))
        for _ in range(chance.choice([0, 0, 1, 2])):
            path = quote(path, safe="")
        method, route = chance.choice(routes)
        named = {"paths": [path]} if route == "/v1/estimate" else {"path": path}
        fields = {"params": named} if method == "GET" else {"json": named}
        answer = daemon.client.request(method, route, **fields)  # type: ignore[arg-type]

        harmless = path.strip("/") in ("", "raw", "notes") or route == "/v1/folders"
        assert answer.status_code in (400, 404, 422) or harmless, (path, answer.text)
        assert SECRET not in answer.text
        assert daemon.token not in answer.text


def test_only_json_is_read_c4(daemon: Daemon) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        answer = daemon.client.post(
            "/v1/search", content=b'{"query": "x"}', headers={"Content-Type": kind}
        )

        assert answer.status_code == 415


@pytest.mark.parametrize(
    "content", [b"{", b"\xff", b'{"query": NaN}', b'{"query": "\\ud800"}', b"[" * 100_000]
)
def test_what_is_no_json_is_refused(daemon: Daemon, content: bytes) -> None:
    answer = daemon.client.post(
        "/v1/search", content=content, headers={"Content-Type": "application/json"}
    )

    assert answer.status_code == 400
    assert answer.json()["code"] == "malformed"


def test_unknown_fields_are_refused_by_name_c4(daemon: Daemon) -> None:
    body = daemon.problem("POST", "/v1/search", json={"query": "x", "limit": 3})
    query = daemon.problem("GET", "/v1/titles", params={"prefix": "x"})

    assert [each["field"] for each in body["errors"]] == ["limit"]
    assert [each["field"] for each in query["errors"]] == ["prefix"]


def test_a_list_in_an_address_holds_nothing_but_what_is_known(daemon: Daemon) -> None:
    daemon.get("/v1/jobs", state="parked,waiting", kind="")
    for wrong in ("parked,", ",", "parked,asleep"):
        assert daemon.problem("GET", "/v1/jobs", params={"state": wrong})["status"] == 422


def test_large_bodies_are_refused_stated_or_not_c4(daemon: Daemon) -> None:
    large = json.dumps({"query": "x" * 2_000_000}).encode()
    headers = {"Content-Type": "application/json"}
    stated = daemon.client.post("/v1/search", content=large, headers=headers)
    chunks = (large[at : at + 65_536] for at in range(0, len(large), 65_536))
    try:
        unstated = daemon.client.post("/v1/search", content=chunks, headers=headers)
    except httpx.WriteError:  # refused before all of it was sent
        unstated = stated

    assert stated.status_code == unstated.status_code == 413


def test_no_text_of_the_vault_is_in_a_header_c6(daemon: Daemon) -> None:
    answer = daemon.client.post("/v1/search", json={"query": "ключ 関係"})

    assert answer.json()["query"] == "ключ 関係"
    assert all(value.isascii() for value in answer.headers.values())


def test_a_method_that_is_not_there_is_a_problem_too_c9(daemon: Daemon) -> None:
    for method, status in (("PUT", 405), ("PATCH", 405), ("TRACE", 405)):
        connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=10)
        connection.request(method, "/v1/status", headers=daemon.headers)
        answer = connection.getresponse()

        assert answer.status == status
        assert json.loads(answer.read())["code"] == "method"
        connection.close()


def test_the_token_is_for_its_owner_and_nowhere_else_c14(daemon: Daemon) -> None:
    place = daemon.state / "token"

    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert daemon.token not in (daemon.state / "bridge.json").read_text()
    assert daemon.token not in daemon.output()


@pytest.mark.parametrize(
    ("method", "route", "fields", "said"),
    [
        ("POST", "/v1/ingest", {"path": "raw/animals"}, "raw/animals is a folder"),
        ("POST", "/v1/ingest", {"path": "raw/animals/do.md"}, "There is no file"),
        ("POST", "/v1/search", {"query": "x", "after": "last week"}, "a day such as 2026-11-30"),
        ("POST", "/v1/reviews/review-0", {"action": "Skip"}, "`GET /v1/reviews` lists them"),
        ("GET", "/v1/status/", None, "/openapi.json"),
        ("GET", "/v1/search", None, "GET is not possible here, but POST"),
        ("PUT", "/v1/lint", None, "PUT is not possible here, but GET, HEAD, POST"),
    ],
)
def test_a_refusal_says_what_to_do(
    daemon: Daemon, method: str, route: str, fields: dict[str, str] | None, said: str
) -> None:
    assert said in daemon.problem(method, route, json=fields)["detail"]


def test_a_file_that_is_not_there_brings_near_names(daemon: Daemon) -> None:
    problem = daemon.problem("POST", "/v1/ingest", json={"path": "raw/animals/do.md"})

    assert "raw/animals/dog.md" in problem["candidates"]
