"""Everything a model endpoint has been seen to do wrong, by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.model_server import Call, Fault, Handler, Say, chunks, completion, tokens

GOOD = "A whole answer.\n---END OF REPLY---"
HUGE_BYTES = 100_000_000
OVERFLOWS = (
    "This model's maximum context length is 4097 tokens. However, your messages resulted in 9000.",
    "the request exceeds the available context size. try increasing the context size",
    "prompt is too long: 200001 tokens > 200000 maximum",
)


def say(text: str = GOOD, **changes: Any) -> Fault:
    return lambda handler, call: handler.give(call, Say(text, **changes))


def shaped(change: Callable[[dict[str, Any]], None]) -> Fault:
    """A chat completion object with one thing changed."""

    def fault(handler: Handler, call: Call) -> None:
        payload = completion(call, Say(GOOD))
        change(payload)
        handler.give_completion(call, payload)

    return fault


def error(status: int, message: str, code: str | None = None, **headers: str) -> Fault:
    return lambda handler, call: handler.give_error(call, status, message, code, **headers)


def raw(content: bytes, kind: str = "application/json", status: int = 200) -> Fault:
    return lambda handler, call: handler.give_bytes(content, status, kind)


def events(make: Callable[[list[Any]], list[Any]]) -> Fault:
    """A stream whose events were changed; "[DONE]" is the last of them."""

    def fault(handler: Handler, call: Call) -> None:
        handler.give_events(make([*chunks(completion(call, Say(GOOD))), "[DONE]"]))

    return fault


def _head(handler: Handler, length: int | None = None) -> None:
    handler.send_response(200)
    handler.send_header("content-type", "text/event-stream")
    if length is not None:
        handler.send_header("content-length", str(length))
    handler.end_headers()
    handler.wfile.flush()


def _first_event(call: Call) -> bytes:
    return f"data: {json.dumps(next(chunks(completion(call, Say(GOOD)))))}\n\n".encode()


def _cut_json(handler: Handler, call: Call) -> None:
    whole = json.dumps(completion(call, Say(GOOD))).encode()
    handler.give_bytes(whole[: len(whole) // 2], 200, "application/json")


def _not_streamed(handler: Handler, call: Call) -> None:
    handler.give_json(completion(call, Say(GOOD)))


def _wrong_length(handler: Handler, call: Call) -> None:
    _head(handler, 100_000)
    handler.wfile.write(_first_event(call))


def _reset_before(handler: Handler, call: Call) -> None:
    handler.hang_up()


def _reset_after_headers(handler: Handler, call: Call) -> None:
    _head(handler)
    handler.hang_up()


def _reset_in_the_middle(handler: Handler, call: Call) -> None:
    _head(handler)
    handler.wfile.write(_first_event(call))
    handler.hang_up()


def _slow_drip(handler: Handler, call: Call) -> None:
    _head(handler)
    while not handler.owner.stopping.wait(0.05):
        handler.wfile.write(b": still here\n\n")
        handler.wfile.flush()


def _never_answers(handler: Handler, call: Call) -> None:
    handler.owner.stopping.wait(30)


def _huge(handler: Handler, call: Call) -> None:
    _head(handler)
    piece = b'data: {"choices":[{"index":0,"delta":{"content":"' + b"x" * 60_000 + b'"}}]}\n\n'
    for _ in range(HUGE_BYTES // len(piece)):
        handler.wfile.write(piece)


def _cut_prompt(handler: Handler, call: Call) -> None:
    usage = {"prompt_tokens": 40, "completion_tokens": tokens(GOOD), "total_tokens": 50}
    handler.give(call, Say(GOOD, usage=usage))


def _no_choices(payload: dict[str, Any]) -> None:
    del payload["choices"]


def _choices(value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda payload: payload.update(choices=value)


def _error_in_200(handler: Handler, call: Call) -> None:
    handler.give_json({"error": {"message": "upstream failed", "type": "server_error"}})


def _repeated(whole: list[Any]) -> list[Any]:
    """Every delta twice, as a proxy that replays its buffer sends them."""
    return [whole[0], whole[0], *whole[1:]]


def _commented(whole: list[Any]) -> list[Any]:
    return [": keep-alive"[:0] + json.dumps(whole[0]), *whole[1:]]


def _keep_alives(handler: Handler, call: Call) -> None:
    _head(handler)
    for event in [*chunks(completion(call, Say(GOOD))), "[DONE]"]:
        written = event if isinstance(event, str) else json.dumps(event)
        handler.wfile.write(f": keep-alive\r\n\r\nevent: x\r\ndata: {written}\r\n\r\n".encode())


def _invalid_utf8(handler: Handler, call: Call) -> None:
    _head(handler)
    handler.wfile.write(
        b'data: {"choices":[{"index":0,"delta":{"content":"caf\xe9"},"finish_reason":null}]}\n\n'
        b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    )


def _refuses(parameter: str, message: str) -> Fault:
    """Answer 400 as long as a parameter is sent."""

    def fault(handler: Handler, call: Call) -> None:
        if parameter in call.body:
            handler.give_error(call, 400, message, "unsupported_parameter")
        else:
            handler.give(call, Say(GOOD))

    return fault


def _stops_at_the_limit(handler: Handler, call: Call) -> None:
    limit = call.body.get("max_tokens") or call.body.get("max_completion_tokens") or 0
    usage = {"prompt_tokens": tokens(call.prompt), "completion_tokens": limit}
    handler.give(call, Say("An answer that was cut", usage=usage))


FAULTS: dict[str, Fault] = {
    "error in a 200": _error_in_200,
    "choices null": shaped(_choices(None)),
    "choices missing": shaped(_no_choices),
    "choices empty": shaped(_choices([])),
    "content null": shaped(lambda p: p["choices"][0]["message"].update(content=None)),
    "content empty": say(""),
    "content blank": say("  \n\t\n"),
    "thinking only": say("<think>I should answer.</think>\n"),
    "unclosed think": say("<think>I should answer. Let me see\n"),
    "reasoning field only": say("", finish="length", message={"reasoning_content": "Let me see"}),
    "finish length": say("An answer that was", finish="length"),
    "finish content_filter": say("An answer", finish="content_filter"),
    "finish null without end": say("An answer", finish=None),
    "finish null with end": say(GOOD, finish=None),
    "finish unknown without end": say("An answer", finish="eos_found"),
    "stop at the limit": _stops_at_the_limit,
    "html in a 200": raw(b"<html><body>Sign in</body></html>", "text/html"),
    "empty body": raw(b""),
    "cut json": _cut_json,
    "json in place of a stream": _not_streamed,
    "wrong length": _wrong_length,
    "reset before": _reset_before,
    "reset after headers": _reset_after_headers,
    "reset in the middle": _reset_in_the_middle,
    "slow drip": _slow_drip,
    "never answers": _never_answers,
    "huge reply": _huge,
    "invalid utf-8": _invalid_utf8,
    "stream without finish": events(lambda whole: [whole[0]]),
    "stream of nothing": events(lambda whole: ["[DONE]"]),
    "stream with an error": events(
        lambda whole: [whole[0], {"error": {"message": "overloaded", "code": 503}}]
    ),
    "stream with keep-alives": _keep_alives,
    "stream without done": events(lambda whole: whole[:-1]),
    "deltas repeated": events(_repeated),
    "usage missing": say(GOOD, usage="missing"),
    "usage null": say(GOOD, usage={"prompt_tokens": None, "completion_tokens": None}),
    "usage as text": say(GOOD, usage={"prompt_tokens": "12", "completion_tokens": "many"}),
    "overflow, OpenAI": error(400, OVERFLOWS[0], "context_length_exceeded"),
    "overflow, llama.cpp": error(400, OVERFLOWS[1]),
    "overflow, Anthropic": error(400, OVERFLOWS[2]),
    "prompt cut": _cut_prompt,
    "401": error(401, "Incorrect API key provided", "invalid_api_key"),
    "403": error(403, "Country, region, or territory not supported"),
    "404 model": error(404, "The model `x` does not exist", "model_not_found"),
    "408": error(408, "Request timeout"),
    "409": error(409, "Conflict"),
    "413": error(413, "Request entity too large"),
    "429 seconds": error(429, "Rate limit reached", "rate_limit_exceeded", retry_after="7"),
    "429 date": error(429, "Slow down", retry_after="Fri, 01 Jan 2027 00:00:30 GMT"),
    "429 at once": error(429, "Slow down", retry_after="0"),
    "429 date that is over": error(429, "Slow down", retry_after="Thu, 01 Jan 1970 00:00:00 GMT"),
    "429 huge": error(429, "Slow down", retry_after="999999"),
    "429 without a time": error(429, "Slow down"),
    "429 quota": error(429, "You exceeded your current quota", "insufficient_quota"),
    "400": error(400, "Invalid request"),
    "500": error(500, "The server had an error"),
    "502 html": raw(b"<html>Bad gateway</html>", "text/html", 502),
    "503 loading": error(503, "Loading model", retry_after="2"),
    "529": error(529, "Overloaded"),
    "model renamed": say(GOOD, model="another-model"),
    "refusal field": say("", message={"refusal": "I cannot help with that."}),
    "temperature unsupported": _refuses(
        "temperature", "Unsupported value: 'temperature' does not support 0.1 with this model."
    ),
    "max_tokens renamed": _refuses(
        "max_tokens",
        "Unsupported parameter: 'max_tokens' is not supported with this model. "
        "Use 'max_completion_tokens' instead.",
    ),
    "reasoning switch unknown": _refuses(
        "chat_template_kwargs", "Unrecognized request argument supplied: chat_template_kwargs"
    ),
    "stream options unknown": _refuses("stream_options", "Unknown parameter: 'stream_options'."),
}
