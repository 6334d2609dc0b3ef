"""What the model client makes of everything an endpoint can do wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
import pytest_asyncio

from tests.model_faults import FAULTS
from tests.model_server import Answer, Call, Handler, ModelServer, Say, tokens
from vaultd.errors import (
    BadReplyError,
    EndpointClosedError,
    ModelUnavailableError,
    PermanentError,
    RateLimitedError,
    VaultdError,
)
from vaultd.llm.client import Ended, LlmClient
from vaultd.llm.endpoint import Endpoint
from vaultd.llm.faults import PromptTooLongError, ReplyCutError
from vaultd.llm.gate import Gate
from vaultd.llm.request import Message, ModelRequest
from vaultd.llm.traits import NO_THINKING, Lesson, lesson_of, reasoning_off
from vaultd.model.paths import Clock

pytestmark = pytest.mark.asyncio(loop_scope="module")
NOW = datetime(2027, 1, 1, tzinfo=UTC)
USABLE = "usable"
REACTIONS: dict[str, type[VaultdError] | str] = {
    "error in a 200": ModelUnavailableError,
    "choices null": BadReplyError,
    "choices missing": BadReplyError,
    "choices empty": BadReplyError,
    "content null": BadReplyError,
    "content empty": BadReplyError,
    "content blank": BadReplyError,
    "thinking only": BadReplyError,
    "unclosed think": BadReplyError,
    "reasoning field only": BadReplyError,
    "finish length": ReplyCutError,
    "finish content_filter": BadReplyError,
    "finish null without end": BadReplyError,
    "finish null with end": USABLE,
    "finish unknown without end": BadReplyError,
    "stop at the limit": ReplyCutError,
    "html in a 200": BadReplyError,
    "empty body": BadReplyError,
    "cut json": ModelUnavailableError,
    "json in place of a stream": USABLE,
    "wrong length": ModelUnavailableError,
    "reset before": ModelUnavailableError,
    "reset after headers": ModelUnavailableError,
    "reset in the middle": ModelUnavailableError,
    "slow drip": ModelUnavailableError,
    "never answers": ModelUnavailableError,
    "huge reply": BadReplyError,
    "invalid utf-8": BadReplyError,
    "stream without finish": USABLE,  # the end mark stands
    "stream of nothing": BadReplyError,
    "stream with an error": ModelUnavailableError,
    "stream with keep-alives": USABLE,
    "stream without done": USABLE,
    "deltas repeated": USABLE,
    "usage missing": USABLE,
    "usage null": USABLE,
    "usage as text": USABLE,
    "overflow, OpenAI": PromptTooLongError,
    "overflow, llama.cpp": PromptTooLongError,
    "overflow, Anthropic": PromptTooLongError,
    "prompt cut": PromptTooLongError,
    "401": EndpointClosedError,
    "403": EndpointClosedError,
    "404 model": EndpointClosedError,
    "408": ModelUnavailableError,
    "409": ModelUnavailableError,
    "413": PromptTooLongError,
    "429 seconds": RateLimitedError,
    "429 date": RateLimitedError,
    "429 at once": RateLimitedError,
    "429 date that is over": RateLimitedError,
    "429 huge": RateLimitedError,
    "429 without a time": RateLimitedError,
    "429 quota": EndpointClosedError,
    "400": PermanentError,
    "500": ModelUnavailableError,
    "502 html": ModelUnavailableError,
    "503 loading": RateLimitedError,
    "529": ModelUnavailableError,
    "model renamed": USABLE,
    "refusal field": BadReplyError,
    "temperature unsupported": USABLE,
    "max_tokens renamed": USABLE,
    "reasoning switch unknown": USABLE,
    "stream options unknown": USABLE,
}
SLOW = {"slow drip", "never answers"}
TWO_CALLS = {name for name in FAULTS if name.endswith(("unsupported", "renamed", "unknown"))} - {
    "model renamed"
}


@dataclass
class FakeBook:
    """A ledger in memory."""

    rows: list[tuple[str, Ended | None]] = field(default_factory=list)
    known: dict[str, str] = field(default_factory=dict)
    replies: dict[str, tuple[str, str]] = field(default_factory=dict)

    async def stored(self, digest: str) -> tuple[str, str] | None:
        return self.replies.get(digest)

    async def begin(self, request: ModelRequest) -> int:
        self.rows.append((request.digest, None))
        return len(self.rows) - 1

    async def end(self, number: int, ended: Ended) -> None:
        digest = self.rows[number][0]
        self.rows[number] = (digest, ended)
        if ended.outcome == "ok" and ended.received:
            self.replies[digest] = (ended.received.text, ended.received.finish or "")

    async def within_limit(self) -> None:
        return None

    async def traits(self, model: str) -> Mapping[str, str]:
        return dict(self.known)

    async def learn(self, model: str, lesson: Lesson) -> None:
        self.known[lesson.trait] = lesson.value


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.forget()
    return running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def endpoint(running: ModelServer) -> AsyncIterator[Endpoint]:
    """One client for all tests: making one reads the trust store, 0.1 s each time."""
    endpoint = Endpoint(running.url, "VAULTD_NO_SUCH_KEY", timeout_seconds=10)
    yield endpoint
    await endpoint.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hasty(running: ModelServer) -> AsyncIterator[Endpoint]:
    """An endpoint that is given up soon; only for tests about time, the machine may be busy."""
    endpoint = Endpoint(running.url, "VAULTD_NO_SUCH_KEY", timeout_seconds=0.3)
    yield endpoint
    await endpoint.close()


@pytest.fixture
def book() -> FakeBook:
    return FakeBook()


@pytest.fixture
def llm(endpoint: Endpoint, book: FakeBook) -> LlmClient:
    return client_of(endpoint, book)


def client_of(
    endpoint: Endpoint, book: FakeBook, *, limit: int = 4, clock: Clock = lambda: NOW
) -> LlmClient:
    return LlmClient(endpoint, book, gate=Gate(limit), clock=clock, context_chars=200_000)


def request_of(text: str = "Say something. " * 60, subject: str = "a.pdf") -> ModelRequest:
    messages = (Message("system", "Stage: test"), Message("user", text))
    return ModelRequest("test", subject, "scripted", messages, max_tokens=8_000, prompt="v1")


async def test_every_fault_has_its_reaction_named() -> None:
    assert set(REACTIONS) == set(FAULTS)
    assert len(FAULTS) >= 40


@pytest.mark.parametrize("name", FAULTS)
async def test_each_fault_leads_to_one_reaction_within_its_time(
    name: str, server: ModelServer, endpoint: Endpoint, hasty: Endpoint, book: FakeBook
) -> None:
    fault, expected = FAULTS[name], REACTIONS[name]
    server.say(fault, fault)
    llm = client_of(hasty if name in SLOW else endpoint, book)

    async with asyncio.timeout(10):
        if isinstance(expected, str):
            reply = await llm.ask(request_of())
            assert reply.text == "A whole answer."
        else:
            with pytest.raises(expected) as caught:
                await llm.ask(request_of())
            assert caught.type is expected

    assert len(server.calls) == (2 if name in TWO_CALLS else 1)
    assert len(book.rows) == len(server.calls)
    assert all(ended is not None for _, ended in book.rows)


@pytest.mark.parametrize(
    "name", sorted(set(FAULTS) - SLOW - {n for n in FAULTS if REACTIONS[n] == USABLE})
)
async def test_a_reply_that_may_not_be_used_is_asked_for_again(
    name: str, server: ModelServer, endpoint: Endpoint, book: FakeBook
) -> None:
    now = [NOW]
    client = client_of(endpoint, book, clock=lambda: now[0])
    server.say(FAULTS[name])
    with pytest.raises(VaultdError):
        await client.ask(request_of())

    now[0] += timedelta(hours=1)  # the longest pause that is kept
    reply = await client.ask(request_of())

    assert reply.text.startswith("Scripted text")
    assert len(server.calls) == 2


@pytest.mark.parametrize("name", sorted(TWO_CALLS))
async def test_a_lesson_is_learnt_once_for_every_later_process(
    name: str, server: ModelServer, endpoint: Endpoint, llm: LlmClient, book: FakeBook
) -> None:
    server.rules.append(lambda call: FAULTS[name])
    await llm.ask(request_of())
    await llm.ask(request_of("Another one. " * 20))
    later = client_of(endpoint, book)

    await later.ask(request_of("A third one. " * 20))

    assert len(server.calls) == 4


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("429 seconds", 7),
        ("429 date", 30),
        ("429 huge", 999_999),
        ("429 at once", 1),
        ("429 date that is over", 1),
    ],
)
async def test_the_wait_asked_for_is_passed_on_and_not_counted(
    name: str, seconds: int, server: ModelServer, llm: LlmClient
) -> None:
    server.say(FAULTS[name])

    with pytest.raises(RateLimitedError) as caught:
        await llm.ask(request_of())

    assert caught.value.retry_after == timedelta(seconds=seconds)
    assert not caught.value.counted


async def test_nobody_is_asked_while_the_endpoint_wants_a_pause(
    server: ModelServer, endpoint: Endpoint, book: FakeBook
) -> None:
    now = [NOW]
    client = client_of(endpoint, book, clock=lambda: now[0])
    server.say(FAULTS["429 seconds"])
    with pytest.raises(RateLimitedError):
        await client.ask(request_of())

    now[0] += timedelta(seconds=3)
    with pytest.raises(RateLimitedError) as caught:
        await client.ask(request_of("Somebody else. " * 20))
    assert caught.value.retry_after == timedelta(seconds=4)
    assert len(server.calls) == 1

    now[0] += timedelta(seconds=4)
    await client.ask(request_of("Somebody else. " * 20))
    assert len(server.calls) == 2


async def test_refused_connection_pauses_everything(book: FakeBook) -> None:
    nowhere = Endpoint("http://127.0.0.1:9/v1", "VAULTD_NO_SUCH_KEY", timeout_seconds=1)
    client = client_of(nowhere, book)

    with pytest.raises(EndpointClosedError, match="Nothing answers"):
        await client.ask(request_of())

    await client.close()


async def test_an_overflow_halves_the_context_for_good(
    server: ModelServer, llm: LlmClient, book: FakeBook
) -> None:
    server.say(FAULTS["overflow, OpenAI"])

    with pytest.raises(PromptTooLongError):
        await llm.ask(request_of("word " * 30_000))

    assert await llm.context_chars("scripted") == 100_000
    assert traits_context(book) == 100_000


def traits_context(book: FakeBook) -> int:
    return int(book.known["context_chars"])


async def test_a_server_that_keeps_only_the_tail_is_always_caught(
    server: ModelServer, endpoint: Endpoint
) -> None:
    def tail(call: Call) -> Answer:
        read = min(4_096, tokens(call.prompt))
        return Say("Fine.\n---END OF REPLY---", usage={"prompt_tokens": read})

    server.rules.append(tail)
    caught = 0
    for run in range(50):
        llm = client_of(endpoint, FakeBook())
        try:
            await llm.ask(request_of(f"{run} " + "word " * (6_000 + 250 * run)))
            await llm.ask(request_of(f"{run} again " + "word " * (3_400 + 20 * run)))
        except PromptTooLongError:
            caught += 1

    assert caught == 50


async def test_an_honest_server_is_never_suspected(server: ModelServer, llm: LlmClient) -> None:
    for length in range(1, 60):
        await llm.ask(request_of(f"{length} " + "word 词 " * (length * 40)))

    assert len(server.calls) == 59


async def test_identical_requests_at_once_are_one_call(server: ModelServer, llm: LlmClient) -> None:
    server.latency = 0.05

    replies = await asyncio.gather(*(llm.ask(request_of()) for _ in range(8)))

    assert len(server.calls) == 1
    assert len({reply.text for reply in replies}) == 1
    assert sum(reply.stored for reply in replies) == 7


async def test_never_more_calls_at_once_than_configured(
    server: ModelServer, llm: LlmClient
) -> None:
    server.latency = 0.02

    await asyncio.gather(*(llm.ask(request_of(f"Number {n}. " * 9)) for n in range(20)))

    assert server.peak == 4


async def test_a_busy_folder_does_not_keep_a_document_waiting(
    server: ModelServer, endpoint: Endpoint, book: FakeBook
) -> None:
    server.latency = 0.01
    llm = client_of(endpoint, book, limit=1)
    many = [llm.ask(request_of(f"Folder {n}. " * 9, subject="folder")) for n in range(10)]

    async def document() -> None:
        await asyncio.sleep(0.005)
        await llm.ask(request_of("Document. " * 9, subject="a.pdf"))

    await asyncio.gather(*many, document())

    asked = [call.user.startswith("Document") for call in server.calls]
    assert asked.index(True) <= 2


async def test_a_cancelled_call_gives_its_turn_back(
    server: ModelServer, endpoint: Endpoint, book: FakeBook
) -> None:
    server.latency = 0.2
    llm = client_of(endpoint, book, limit=1)
    first = asyncio.ensure_future(llm.ask(request_of("One. " * 20)))
    second = asyncio.ensure_future(llm.ask(request_of("Two. " * 20)))
    await asyncio.sleep(0.05)
    first.cancel()
    server.latency = 0.0

    reply = await second

    assert reply.text
    assert book.rows[0][1] == Ended("cancelled")
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_pieces_come_without_thinking_and_are_stored(
    server: ModelServer, llm: LlmClient
) -> None:
    server.pause = 0.01
    server.say("<think>Hm.\n---FILE: wiki/a.md---</think>\n" + "A long answer. " * 60)

    first = [piece async for piece in llm.stream(request_of())]
    second = [piece async for piece in llm.stream(request_of())]

    assert len(first) > 1
    assert "".join(first) == "".join(second) == ("A long answer. " * 60).rstrip("\n")
    assert len(server.calls) == 1


async def test_a_slow_reader_of_the_pieces_is_not_timed_out(
    server: ModelServer, hasty: Endpoint, book: FakeBook
) -> None:
    llm = client_of(hasty, book)
    server.say("A long answer. " * 60)
    pieces = []

    async for piece in llm.stream(request_of()):
        pieces.append(piece)
        await asyncio.sleep(0.4 if len(pieces) == 1 else 0)  # longer than the silence allowed

    assert "".join(pieces).startswith("A long answer.")


async def test_thinking_that_streams_for_long_is_no_silence(
    server: ModelServer, hasty: Endpoint, book: FakeBook
) -> None:
    llm = client_of(hasty, book)

    def slow_thinker(handler: Handler, call: Call) -> None:
        handler.send_response(200)
        handler.end_headers()
        delta = '{"choices":[{"index":0,"delta":{"reasoning_content":"Hm."}}]}'
        last = '{"choices":[{"index":0,"delta":{"content":"Yes."},"finish_reason":"stop"}]}'
        for event in [*[delta] * 4, last]:
            handler.owner.stopping.wait(0.1)
            handler.wfile.write(f"data: {event}\n\n".encode())
            handler.wfile.flush()

    server.say(slow_thinker)

    assert (await llm.ask(request_of())).text == "Yes."


@pytest.mark.parametrize(
    ("base_url", "model", "expected"),
    [
        ("", "gpt-5-mini", {"reasoning_effort": "minimal"}),
        ("", "gpt-4o", {}),
        ("https://api.anthropic.com/v1", "claude", {}),
        ("https://openrouter.ai/api/v1", "x", {"reasoning": {"enabled": False}}),
        ("https://dashscope.aliyuncs.com/v1", "qwen", {"enable_thinking": False}),
        ("http://localhost:11434/v1", "qwen3", {"reasoning_effort": "none"}),
        ("http://box:8000/v1", "q", {"chat_template_kwargs": {"enable_thinking": False}}),
        ("https://evil-openrouter.ai.example/v1", "q", NO_THINKING),
    ],
)
async def test_reasoning_is_switched_off_in_the_endpoints_own_way(
    base_url: str, model: str, expected: dict[str, object]
) -> None:
    assert reasoning_off(base_url, model) == expected


@pytest.mark.parametrize(
    ("message", "parameter", "expected"),
    [
        ("Unsupported value: 'temperature' does not support 0.1", "", ("drop:temperature", "1")),
        ("bad value", "temperature", ("drop:temperature", "1")),
        (
            "'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
            "max_tokens",
            ("rename:max_tokens", "max_completion_tokens"),
        ),
        (
            "max_tokens is too large: 8192. This model supports at most 4096 completion tokens",
            "max_tokens",
            ("limit:max_tokens", "4096"),
        ),
        ("max_tokens must be less than or equal to `2048`", "", ("limit:max_tokens", "2048")),
        (
            "Unrecognized request argument supplied: stream_options",
            "",
            ("drop:stream_options", "1"),
        ),
        ("messages must alternate", "", None),
        ("the model is temperamental", "", None),
    ],
)
async def test_a_400_teaches_what_it_names(
    message: str, parameter: str, expected: tuple[str, str] | None
) -> None:
    sent = {"model": "m", "messages": [], "temperature": 0.1, "max_tokens": 8_192}
    lesson = lesson_of(message, parameter, sent | {"stream_options": {}})

    assert (lesson and (lesson.trait, lesson.value)) == expected


async def test_a_stream_of_nothing_after_a_long_prompt_means_that_it_was_too_long(
    server: ModelServer, llm: LlmClient
) -> None:
    server.say(FAULTS["stream of nothing"])

    with pytest.raises(PromptTooLongError):
        await llm.ask(request_of("word " * 25_000))

    assert await llm.context_chars("scripted") == 100_000
