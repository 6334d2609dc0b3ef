from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from tests.fakes import FakeClock
from vaultd.embed.endpoint import EndpointEmbedder, unit_rows
from vaultd.errors import (
    BadReplyError,
    EndpointClosedError,
    ModelUnavailableError,
    RateLimitedError,
)

Reply = tuple[int, Any]


def good(texts: list[str]) -> Reply:
    rows = [{"index": n, "embedding": [1.0 + len(t), 2.0, 0.0]} for n, t in enumerate(texts)]
    return 200, {"object": "list", "model": "m", "data": rows}


class Server:
    """An `/embeddings` endpoint on loopback that answers as told and keeps what was asked."""

    def __init__(self) -> None:
        self.answer: Callable[[list[str]], Reply] = good
        self.headers: dict[str, str] = {}
        self.asked: list[list[str]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.asked.append(body["input"])
                status, reply = outer.answer(body["input"])
                content = json.dumps(reply).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                for name, value in outer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *args: object) -> None:
                """Say nothing."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,))
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_port}/v1"

    def close(self) -> None:
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


def embedder_at(url: str) -> EndpointEmbedder:
    return EndpointEmbedder(model="m", base_url=url, api_key_env="NO_SUCH_KEY", clock=FakeClock())


async def embed(server: Server, texts: list[str]) -> list[Any]:
    embedder = embedder_at(server.url)
    try:
        return await embedder.embed(texts)
    finally:
        await embedder.close()


async def test_texts_are_embedded_in_batches_and_in_order(server: Server) -> None:
    def shuffled(texts: list[str]) -> Reply:
        status, reply = good(texts)
        reply["data"].reverse()
        return status, reply

    server.answer = shuffled
    texts = ["x" * (n % 7 + 1) for n in range(150)]

    vectors = await embed(server, texts)

    assert [len(batch) for batch in server.asked] == [64, 64, 22]
    for text, vector in zip(texts, vectors, strict=True):
        assert np.allclose(vector, unit_rows([(0, [1.0 + len(text), 2.0, 0.0])], 1)[0])


async def test_one_bad_text_costs_only_its_own_vector(server: Server) -> None:
    server.answer = lambda texts: (
        (500, {"error": "NaN"}) if any("bad" in text for text in texts) else good(texts)
    )

    vectors = await embed(server, ["good"] * 20 + ["bad"] + ["fine"] * 20)

    assert [n for n, vector in enumerate(vectors) if vector is None] == [20]
    assert len(server.asked) < 20


async def test_a_text_that_is_too_long_is_shortened(server: Server) -> None:
    refused = (400, {"error": {"message": "maximum context length is 512 tokens"}})
    server.answer = lambda texts: refused if any(len(t) > 512 for t in texts) else good(texts)

    (vector,) = await embed(server, ["word " * 400])

    assert vector is not None


async def test_an_endpoint_that_refuses_everything_is_not_asked_for_every_half(
    server: Server,
) -> None:
    server.answer = lambda texts: (500, {"error": "broken"})

    with pytest.raises(ModelUnavailableError):
        await embed(server, ["text"] * 60)

    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("status", "error"),
    [(401, EndpointClosedError), (404, EndpointClosedError), (503, ModelUnavailableError)],
)
async def test_a_fault_of_the_endpoint_is_raised_at_once(
    server: Server, status: int, error: type[Exception]
) -> None:
    server.answer = lambda texts: (status, {"error": {"message": "no"}})

    with pytest.raises(error):
        await embed(server, ["text"] * 60)

    assert len(server.asked) == 1


async def test_a_pause_that_is_asked_for_is_passed_on(server: Server) -> None:
    server.answer = lambda texts: (429, {"error": {"message": "slow down"}})
    server.headers["retry-after"] = "7"

    with pytest.raises(RateLimitedError) as raised:
        await embed(server, ["text"])

    assert raised.value.retry_after is not None
    assert raised.value.retry_after.total_seconds() == 7


async def test_nothing_listening_closes_the_endpoint(server: Server) -> None:
    url = server.url
    server.http.server_close()
    embedder = embedder_at(url)

    with pytest.raises(EndpointClosedError):
        await embedder.embed(["text"])
    await embedder.close()


async def test_empty_texts_are_never_sent(server: Server) -> None:
    assert await embed(server, ["", "  "]) == [None, None]
    assert server.asked == []


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        ([(0, [1.0])], 2),
        ([(0, [1.0]), (0, [1.0])], 2),
        ([(0, [1.0]), (1, [1.0, 2.0])], 2),
        ([(0, [0.0, 0.0])], 1),
        ([(0, [math.nan, 1.0])], 1),
    ],
)
def test_vectors_that_cannot_be_meant_are_refused(
    rows: list[tuple[int, list[float]]], count: int
) -> None:
    with pytest.raises(BadReplyError):
        unit_rows(rows, count)
