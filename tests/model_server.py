"""A scripted OpenAI-compatible server on loopback: real HTTP, every call counted.

In tests: `with ModelServer() as server: …`, then `server.url` and `server.calls`. By hand:
`python -m tests.model_server --port 8080 --replies FOLDER --latency 0.5`; `GET /counts` tells
what was asked. Replies come from the script, else from the folder, else are made up to fit the
request, so that any document can be ingested.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.model_replies import Folder, invented

VECTOR_DIMENSIONS = 64


@dataclass(slots=True)
class Call:
    """One request as it came, and what was answered."""

    number: int
    path: str
    body: dict[str, Any]
    started: float
    ended: float = 0.0
    answer: str = ""
    status: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def messages(self) -> list[dict[str, Any]]:
        return self.body.get("messages") or []

    @property
    def system(self) -> str:
        return "\n".join(_text(m) for m in self.messages if m.get("role") == "system")

    @property
    def user(self) -> str:
        return "\n".join(_text(m) for m in self.messages if m.get("role") != "system")

    @property
    def prompt(self) -> str:
        return f"{self.system}\n{self.user}"

    @property
    def stage(self) -> str:
        if self.path.endswith("/embeddings"):
            return "embedding"
        match = re.search(r"^Stage: ([a-z-]+)", self.system, re.MULTILINE)
        return match[1] if match else "unknown"

    @property
    def streams(self) -> bool:
        return bool(self.body.get("stream"))


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content)


@dataclass(frozen=True, slots=True)
class Say:
    """A well-formed answer; `usage` None counts it, "missing" leaves it out."""

    text: str
    finish: str | None = "stop"
    usage: Any = None
    model: str = ""
    message: dict[str, Any] = field(default_factory=dict)


Fault = Callable[["Handler", Call], None]
Answer = str | Say | Fault
Rule = Callable[[Call], "Answer | None"]


def tokens(text: str) -> int:
    """Count as a typical tokenizer would: a token for four Latin characters, one for a CJK one."""
    wide = sum(1 for char in text if ord(char) > 0x2E80)
    return wide + (len(text) - wide + 3) // 4


class ModelServer:
    """Answers by `queue` first, then by the rules in order, then from the folder, then invents."""

    def __init__(
        self, *, replies: Path | None = None, latency: float = 0.0, port: int = 0, log: str = ""
    ) -> None:
        self.latency = latency
        self.pause = 0.0  # seconds between the events of a stream
        self.calls: list[Call] = []
        self.queue: list[Answer] = []
        self.rules: list[Rule] = []
        self.peak = 0
        self._open = 0
        self._log = log
        self._folder = Folder(replies) if replies else None
        self._lock = threading.Lock()
        self.stopping = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._http.daemon_threads = True
        self._http.owner = self  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def forget(self) -> None:
        """Start again: no script, nothing counted."""
        self.queue.clear()
        self.rules.clear()
        self.calls.clear()
        self.latency = self.pause = 0.0
        self.peak = 0

    def say(self, *answers: Answer) -> None:
        """Give these answers, in order, before anything else."""
        self.queue.extend(answers)

    def when(self, stage: str, answer: Answer, *, containing: str = "") -> None:
        """Give `answer` to every call of a stage whose prompt contains a text."""

        def rule(call: Call) -> Answer | None:
            fits = call.stage == stage and containing in call.prompt
            return answer if fits else None

        self.rules.insert(0, rule)

    def stages(self) -> list[str]:
        """Return the stages asked for, in order."""
        return [call.stage for call in self.calls]

    def counts(self) -> dict[str, Any]:
        """Return what was asked and answered so far, as JSON can hold it."""
        by_stage: dict[str, int] = {}
        for stage in self.stages():
            by_stage[stage] = by_stage.get(stage, 0) + 1
        return {
            "calls": len(self.calls),
            "by_stage": by_stage,
            "prompt_tokens": sum(call.prompt_tokens for call in self.calls),
            "completion_tokens": sum(call.completion_tokens for call in self.calls),
            "peak": self.peak,
        }

    def begin(self, path: str, body: dict[str, Any]) -> tuple[Call, Answer]:
        """Count a call and choose its answer."""
        with self._lock:
            call = Call(len(self.calls) + 1, path, body, time.monotonic())
            self.calls.append(call)
            self._open += 1
            self.peak = max(self.peak, self._open)
            return call, self._choose(call)

    def thought(self) -> None:
        """Count a call as no longer open: what follows is sending."""
        with self._lock:
            self._open -= 1

    def end(self, call: Call) -> None:
        """Record that a call was answered."""
        with self._lock:
            call.ended = time.monotonic()
            if self._log:
                with Path(self._log).open("a", encoding="utf-8") as log:
                    digest = hashlib.sha256(json.dumps(call.body, sort_keys=True).encode())
                    line = {"stage": call.stage, "status": call.status, "asked": digest.hexdigest()}
                    line |= {"started": call.started, "ended": call.ended}
                    log.write(json.dumps(line) + "\n")

    def _choose(self, call: Call) -> Answer:
        if self.queue and call.stage != "embedding":
            return self.queue.pop(0)
        for rule in self.rules:
            answer = rule(call)
            if answer is not None:
                return answer
        found = self._folder.reply(call.stage, call.prompt) if self._folder else None
        return found if found is not None else invented(call.stage, call.prompt)


class Handler(BaseHTTPRequestHandler):
    """One connection. HTTP/1.0 semantics: every answer ends the connection."""

    protocol_version = "HTTP/1.0"

    @property
    def owner(self) -> ModelServer:
        owner: ModelServer = self.server.owner  # type: ignore[attr-defined]
        return owner

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent."""

    def do_GET(self) -> None:
        if self.path == "/counts":
            self.give_json(self.owner.counts())
        else:
            self.give_json({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(length) or b"{}")
        call, answer = self.owner.begin(self.path, body)
        call.status = 200
        self.owner.stopping.wait(self.owner.latency)
        self.owner.thought()
        with suppress(ConnectionError):  # the client hung up: that is its right
            try:
                if call.stage == "embedding" and not callable(answer):
                    self.give_vectors(call)
                elif isinstance(answer, str):
                    self.give(call, Say(answer))
                elif isinstance(answer, Say):
                    self.give(call, answer)
                else:
                    call.answer = getattr(answer, "__name__", "fault")
                    answer(self, call)
            finally:
                self.owner.end(call)

    def give(self, call: Call, say: Say) -> None:
        """Send a chat completion, as a stream when it was asked for."""
        self.give_completion(call, completion(call, say))

    def give_completion(self, call: Call, payload: dict[str, Any]) -> None:
        """Send a chat completion object, cut into events when a stream was asked for."""
        usage = payload.get("usage")
        if isinstance(usage, dict):
            call.prompt_tokens = usage.get("prompt_tokens") or 0
            call.completion_tokens = usage.get("completion_tokens") or 0
        if call.streams:
            self.give_events([*chunks(payload), "[DONE]"])
        else:
            self.give_json(payload)

    def give_events(self, events: list[Any]) -> None:
        """Send server-sent events; strings as they are, the rest as JSON."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in events:
            written = event if isinstance(event, str) else json.dumps(event)
            self.wfile.write(f"data: {written}\n\n".encode())
            self.owner.stopping.wait(self.owner.pause)

    def give_json(self, payload: Any, status: int = 200, **headers: str) -> None:
        """Send one JSON document."""
        self.give_bytes(json.dumps(payload).encode(), status, "application/json", **headers)

    def give_bytes(self, content: bytes, status: int, kind: str, **headers: str) -> None:
        """Send a whole answer with a true length."""
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def give_error(
        self, call: Call, status: int, message: str, code: str | None = None, **headers: str
    ) -> None:
        """Send an error as OpenAI words it."""
        call.status = status
        error = {"message": message, "type": "error", "param": None, "code": code}
        self.give_json({"error": error}, status, **headers)

    def give_vectors(self, call: Call) -> None:
        """Send one deterministic unit vector for each input."""
        inputs = call.body.get("input")
        texts = [inputs] if isinstance(inputs, str) else list(inputs or [])
        call.prompt_tokens = sum(tokens(str(text)) for text in texts)
        rows = [
            {"object": "embedding", "index": n, "embedding": vector(str(text))}
            for n, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": call.prompt_tokens, "total_tokens": call.prompt_tokens}
        self.give_json({"object": "list", "model": "scripted", "data": rows, "usage": usage})

    def hang_up(self) -> None:
        """Reset the connection instead of closing it."""
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True


def completion(call: Call, say: Say) -> dict[str, Any]:
    """Return a chat completion object."""
    spent = {"prompt_tokens": tokens(call.prompt), "completion_tokens": tokens(say.text)}
    spent["total_tokens"] = sum(spent.values())
    payload: dict[str, Any] = {
        "id": f"call-{call.number}",
        "object": "chat.completion",
        "created": 0,
        "model": say.model or call.body.get("model", ""),
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": say.text, **say.message},
                "finish_reason": say.finish,
            }
        ],
        "usage": spent if say.usage is None else say.usage,
    }
    if say.usage == "missing":
        del payload["usage"]
    return payload


def chunks(payload: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Cut a chat completion object into the objects of a stream, its oddities kept."""
    head = {"id": payload.get("id"), "object": "chat.completion.chunk", "created": 0}
    head["model"] = payload.get("model")
    if not payload.get("choices"):
        yield head | {key: payload[key] for key in ("choices", "error") if key in payload}
        return
    choice = payload["choices"][0]
    message = dict(choice["message"])
    content = message.pop("content", None)
    pieces = re.findall(r"(?s).{1,400}", content or "") or [content]
    for number, piece in enumerate(pieces):
        delta = {"content": piece} | (message if number == 0 else {})
        yield head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield head | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    if "usage" in payload:
        yield head | {"choices": [], "usage": payload["usage"]}


def vector(text: str) -> list[float]:
    """Return a unit vector that depends on nothing but the text."""
    raw = hashlib.shake_256(text.encode("utf-8", "replace")).digest(VECTOR_DIMENSIONS)
    values = [byte - 127.5 for byte in raw]
    length = sum(value * value for value in values) ** 0.5
    return [value / length for value in values]


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--replies", type=Path, help="folder of canned replies")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--log", default="", help="file that gets one JSON line per call")
    parser.add_argument("--misbehave", default="", help="name of a fault for the first call")
    chosen = parser.parse_args()
    with ModelServer(
        replies=chosen.replies, latency=chosen.latency, port=chosen.port, log=chosen.log
    ) as server:
        if chosen.misbehave:
            from tests.model_faults import FAULTS

            server.say(FAULTS[chosen.misbehave])
        print(f"serving at {server.url}; calls are counted at /counts", flush=True)  # noqa: T201
        with suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
