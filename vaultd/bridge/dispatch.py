"""From a request to a function call and back: fields in, JSON or a stream out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any, get_origin

from pydantic import ValidationError
from pydantic_core import from_json, to_json
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from vaultd.bridge.operation import Asked, Operation
from vaultd.bridge.problem import RefusedError, misfit, problem_of
from vaultd.bridge.program import Program
from vaultd.errors import VaultdError

JSON = "application/json"
EVENT_STREAM = "text/event-stream"
LAST_EVENT = "last-event-id"
LARGEST_BODY = 1024 * 1024  # bytes; the longest thing said is a message of a conversation
DEADLINE_SECONDS = 60.0  # for everything but streams; the longest wait asked for is 30 s
HEARTBEAT_SECONDS = 15.0  # a silent stream shows that it lives, below every usual idle limit

END = object()  # the stream ended before its first item

Endpoint = Callable[[Request], Awaitable[Response]]


def endpoint(op: Operation, program: Program) -> Endpoint:
    """Return what answers requests to `op`."""

    async def answer(request: Request) -> Response:
        async with asyncio.timeout(DEADLINE_SECONDS):
            asked = await asked_of(op, request)
            if not op.streams:
                value = await op.run(program, asked)
                content = op.answers.dump_json(value, by_alias=True)
                return Response(content, status_code=op.status_of(value), media_type=JSON)
        key = program.keyring.current()
        items = _beating(op.run(program, asked), program, key)
        first = None if op.opens else await anext(items, END)  # what fails before it has a status
        return StreamingResponse(_lines(op, items, first), media_type=EVENT_STREAM)

    return answer


async def asked_of(op: Operation, request: Request) -> Asked:
    """Return the fields of the request, checked.

    Raises:
        RefusedError: the body is no JSON, or too large, or its fields do not fit; each is named.
        OutsideVaultError: a path is none of the vault's.
    """
    content = await _body(request) if op.has_body else b""
    try:
        if op.has_body:
            return _in_body(op, content, request.path_params)
        _once(request)
        return op.asks.model_validate(_query(op, request) | request.path_params)
    except ValidationError as error:
        raise misfit(error, op.asks.model_fields) from error


def _in_body(op: Operation, content: bytes, in_path: Mapping[str, Any]) -> Asked:
    try:
        fields = from_json(content or b"{}", allow_inf_nan=False)
    except ValueError as error:
        raise RefusedError(400, "malformed", f"The body is not valid JSON: {error}.") from error
    if not isinstance(fields, dict):
        raise RefusedError(422, "fields", "The body has to be a JSON object.")
    for name in in_path:
        if name in fields:
            raise RefusedError(422, "fields", f"{name}: it stands in the address already.")
    return op.asks.model_validate_json(to_json(fields | dict(in_path)), strict=True)


async def _body(request: Request) -> bytes:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        raise RefusedError(415, "media_type", f"Send `Content-Type: {JSON}`, also without a body.")
    too_large = RefusedError(413, "too_large", f"The body is larger than {LARGEST_BODY:,} bytes.")
    stated = request.headers.get("content-length", "0")
    if stated.isdigit() and int(stated) > LARGEST_BODY:
        raise too_large
    content = bytearray()
    async for piece in request.stream():
        content += piece
        if len(content) > LARGEST_BODY:
            raise too_large
    return bytes(content)


def _once(request: Request) -> None:
    if len(request.query_params.multi_items()) != len(request.query_params):
        raise RefusedError(422, "fields", "A field stands in the address more than once.")


def _query(op: Operation, request: Request) -> dict[str, Any]:
    """Return the fields in the address; a list is written with commas.

    Who comes back to a stream of events names the last one in a header, as browsers do.
    """
    given: dict[str, Any] = dict(request.query_params)
    last = request.headers.get(LAST_EVENT)
    if last and op.streams and "since" in op.asks.model_fields:
        given.setdefault("since", last)
    for name, field in op.asks.model_fields.items():
        if name in given and get_origin(field.annotation) is tuple:
            given[name] = tuple(given[name].split(",")) if given[name] else ()
    return given


# --- streams -------------------------------------------------------------------------------------


async def _lines(
    op: Operation, items: AsyncGenerator[Any, None], first: Any
) -> AsyncIterator[bytes]:
    """Yield `first` and what follows in the form of a server-sent event stream.

    A failure on the way is told by an event "problem", since the status was sent long ago.
    """
    async with aclosing(items):
        try:
            if first is not END:
                yield _event(op, first)
                async for item in items:
                    yield _event(op, item)
        except VaultdError as error:
            yield _record(json.dumps(problem_of(error).document(), ensure_ascii=False), "problem")


def _event(op: Operation, item: Any) -> bytes:
    if item is None:
        return b": still here\n\n"
    return _record(op.answers.dump_json(item, by_alias=True).decode(), *op.label(item))


def _record(text: str, name: str = "", number: str = "") -> bytes:
    """Return one event; JSON holds no line breaks, so its text is one line."""
    lines = [f"event: {name}"] if name else []
    lines += [f"id: {number}"] if number else []
    return "\n".join([*lines, f"data: {text}", "", ""]).encode("utf-8", "replace")


async def _beating(
    items: AsyncGenerator[Any, None], program: Program, key: str
) -> AsyncGenerator[Any, None]:
    """Yield `items`, None while nothing comes; end when the daemon stops or `key` is void.

    One task runs the whole generator, so that what it opens is closed where it was opened.
    """
    queue: asyncio.Queue[Any] = asyncio.Queue(1)
    pumping = asyncio.ensure_future(_pump(items, queue))
    stopping = asyncio.ensure_future(program.feed.closing.wait())
    coming = asyncio.ensure_future(queue.get())
    try:
        while not stopping.done():
            waits = {coming, stopping} if pumping.done() else {coming, stopping, pumping}
            over = pumping.done() and queue.empty() and not coming.done()
            if over:
                pumping.result()
                return
            await asyncio.wait(
                waits, timeout=HEARTBEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            if program.keyring.current() != key:
                return
            if coming.done():
                item = coming.result()
                coming = asyncio.ensure_future(queue.get())
                yield item
            elif not pumping.done() and not stopping.done():
                yield None
    finally:
        for task in (pumping, stopping, coming):
            task.cancel()
        await asyncio.gather(pumping, stopping, coming, return_exceptions=True)


async def _pump(items: AsyncGenerator[Any, None], queue: asyncio.Queue[Any]) -> None:
    async with aclosing(items):
        async for item in items:
            await queue.put(item)
