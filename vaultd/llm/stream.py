"""From the bytes of an answer to a reply: server-sent events, or one JSON document."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping
from typing import Any

from vaultd.errors import BadReplyError, ModelUnavailableError
from vaultd.llm.faults import Refusal, refusal_in_reply
from vaultd.llm.request import Received, Usage

MAX_BYTES = 8_000_000  # a reply of 32,768 tokens takes about 6 MB of events, at 180 bytes a token


class RefusedInReply(Exception):  # noqa: N818 - turned into ours where model and clock are known
    """An error object stood where a reply was expected."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


class ReplyReader:
    """Takes an answer's bytes as they come; `received` tells what they say in the end.

    Tolerated: comments, other fields, CRLF, no `[DONE]`, a plain JSON answer in place of a
    stream, chunks that repeat the chunk before them. `heard` counts the pieces that came from
    the model, its thinking included: comments keep a line open, not a hope.

    Raises:
        BadReplyError: the answer is no chat completion, not UTF-8, or far too long.
        ModelUnavailableError: the JSON was cut.
        RefusedInReply: the answer is an error.
    """

    def __init__(self) -> None:
        self.heard = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self._rest = ""
        self._size = 0
        self._pieces: list[str] = []
        self._raw: list[str] | None = None
        self._last: dict[str, Any] | None = None
        self._finish: str | None = None
        self._usage = Usage()
        self._choices = False
        self._refusal = ""
        self._done = False

    def feed(self, chunk: bytes, *, last: bool = False) -> str:
        """Take the next bytes; return the text they add to the reply."""
        self._size += len(chunk)
        if self._size > MAX_BYTES:
            raise BadReplyError(f"The reply is longer than {MAX_BYTES:,} bytes.")
        try:
            self._rest += self._decoder.decode(chunk, final=last)
        except UnicodeDecodeError as error:
            raise BadReplyError("The reply is not UTF-8.") from error
        before = len(self._pieces)
        for line in self._lines(last=last):
            self._take(line.rstrip("\r"))
        if last and self._raw is not None:
            self._whole("\n".join(self._raw))
        return "".join(self._pieces[before:])

    @property
    def received(self) -> Received:
        """The reply so far."""
        text = "".join(self._pieces)
        return Received(
            text, self._finish, self._usage, self._choices, self._refusal, done=self._done
        )

    def _lines(self, *, last: bool) -> Iterator[str]:
        *lines, self._rest = self._rest.split("\n")
        yield from lines
        if last and self._rest:
            yield self._rest
            self._rest = ""

    def _take(self, line: str) -> None:
        if self._raw is not None:
            self._raw.append(line)
        elif line.startswith("data:"):
            self._event(line[len("data:") :].strip())
        elif line.lstrip()[:1] in ("{", "<", "["):
            self._raw = [line]

    def _event(self, written: str) -> None:
        self._done |= written == "[DONE]"
        if written in ("", "[DONE]"):
            return
        try:
            event = json.loads(written)
        except ValueError as error:
            raise ModelUnavailableError("The stream of the model was damaged.") from error
        if event == self._last and self._pieces and self._says_words(event):
            return  # a replayed buffer; a model that repeats itself varies in nothing else either
        self._last = event if isinstance(event, dict) and event.get("id") else None
        self._read(event, "delta")

    @staticmethod
    def _says_words(event: Any) -> bool:
        """Tell whether an event carries several words: then it cannot come twice by chance."""
        choices = event.get("choices") if isinstance(event, dict) else None
        delta = choices[0].get("delta") if choices and isinstance(choices[0], dict) else None
        return isinstance(delta, dict) and len(str(delta.get("content") or "").split()) >= 3

    def _whole(self, written: str) -> None:
        if written.lstrip()[:1] == "<":
            raise BadReplyError("A web page came in place of a reply: check the base_url.")
        try:
            document = json.loads(written)
        except ValueError as error:
            raise ModelUnavailableError("The reply of the model was cut.") from error
        self._done = True
        self._read(document, "message")

    def _read(self, document: Any, key: str) -> None:
        if not isinstance(document, Mapping):
            raise BadReplyError("The reply is not a chat completion.")
        if document.get("error"):
            raise RefusedInReply(refusal_in_reply(document["error"]))
        self._count(document.get("usage"))
        choices = document.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
            return
        choice = choices[0]
        if choice.get("index") not in (0, None):
            return
        self._choices = True
        self.heard += 1
        if isinstance(choice.get("finish_reason"), str):
            self._finish = choice["finish_reason"]
        said = choice.get(key) or choice.get("message") or {}
        if isinstance(said, Mapping):
            self._pieces.append(_text_of(said.get("content")))
            self._refusal += _text_of(said.get("refusal"))

    def _count(self, usage: Any) -> None:
        if not isinstance(usage, Mapping):
            return
        self._usage = Usage(
            _number(usage.get("prompt_tokens")) or self._usage.input_tokens,
            _number(usage.get("completion_tokens")) or self._usage.output_tokens,
        )


def _text_of(content: Any) -> str:
    """Return the text of a message's content: a string, or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(
            str(part.get("text") or "")
            for part in content
            if isinstance(part, Mapping) and part.get("type", "text") == "text"
        )
    return ""


def _number(value: Any) -> int | None:
    """Return a count of tokens; None for anything that is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
