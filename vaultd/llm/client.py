"""Asks a model and gives back replies that may be used, each paid for once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

import structlog

from vaultd.core.budget import halved
from vaultd.core.text import tokens_of
from vaultd.core.timing import LONGEST_RETRY_AFTER
from vaultd.errors import BadReplyError, RateLimitedError, VaultdError
from vaultd.llm.endpoint import Endpoint
from vaultd.llm.faults import PromptTooLongError, Refusal, fault_of
from vaultd.llm.gate import Gate
from vaultd.llm.reply import PromptWatch, spoken, suspect_context, usable
from vaultd.llm.request import Completion, ModelRequest, Received
from vaultd.llm.stream import RefusedInReply, ReplyReader
from vaultd.llm.traits import CONTEXT, Lesson, Traits, lesson_of, parameters, traits_of
from vaultd.model.paths import Clock

log = structlog.get_logger()

Check = Callable[[str], object]
LESSONS_A_CALL = 6  # parameters a call may learn to do without before it gives up


@dataclass(frozen=True, slots=True)
class Ended:
    """How an attempt ended: "ok" or the code of an error, the reply as it came.

    `refused`: the endpoint turned the request down, so that nothing was read or written.
    """

    outcome: str
    received: Received | None = None
    refused: bool = False


class CallBook(Protocol):
    """Where calls and replies are recorded; the store's ledger, or a fake."""

    async def stored(self, digest: str) -> tuple[str, str] | None:
        """Return text and finish reason of the usable reply to exactly this request."""
        ...

    async def begin(self, request: ModelRequest) -> int:
        """Record that a call is about to be sent."""
        ...

    async def end(self, number: int, ended: Ended) -> None:
        """Record how it ended; the reply is used only after this."""
        ...

    async def within_limit(self) -> None:
        """Raise `WaitingError` when the day's tokens are used up."""
        ...

    async def traits(self, model: str) -> Mapping[str, str]:
        """Return what is remembered of a model."""
        ...

    async def learn(self, model: str, lesson: Lesson) -> None:
        """Remember something of a model."""
        ...


@dataclass(slots=True)
class _Known:
    """What this process knows of one model."""

    traits: Traits
    watch: PromptWatch = field(default_factory=PromptWatch)


def anything(_: str) -> None:
    """Accept every whole reply."""


class LlmClient:
    """The one way to the model: gate, ledger, stored replies, the endpoint's oddities.

    Nothing is tried again here but a request with a parameter that the endpoint does not know:
    the queue waits and asks again, and every reply that came meanwhile is found stored.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        book: CallBook,
        *,
        gate: Gate,
        clock: Clock,
        context_chars: int,
    ) -> None:
        self._endpoint = endpoint
        self._book = book
        self._gate = gate
        self._clock = clock
        self._context_chars = context_chars
        self._known: dict[str, _Known] = {}
        self._asking: dict[str, tuple[asyncio.Lock, int]] = {}  # by digest, with who waits
        self._rests_until: datetime | None = None  # as the endpoint asked for

    async def context_chars(self, model: str) -> int:
        """Return the characters a prompt and its reply may have together."""
        await self._of(model)
        return self.context_now(model)

    def context_now(self, model: str) -> int:
        """As `context_chars`, as far as this process knows."""
        known = self._known.get(model)
        smaller = known.traits.context_chars if known else None
        return min(self._context_chars, smaller or self._context_chars)

    async def ask(self, request: ModelRequest, check: Check = anything) -> Completion:
        """Return the reply to `request`: the stored one, else a new one, stored before use.

        `check` raises `BadReplyError` for a reply of the wrong shape, which is then not kept.
        An identical request that is under way is waited for.

        Raises:
            TransientError, EndpointClosedError, WaitingError, PermanentError: see `vaultd.errors`.
            PromptTooLongError: the context is known to be smaller now: split and ask again.
            ReplyCutError: the reply met its token limit.
        """
        async with self._alone(request.digest):
            stored = await self._book.stored(request.digest)
            if stored is not None:
                text, finish = stored
                return Completion(spoken(text)[0], cut=finish == "length", stored=True)
            await self._book.within_limit()
            async with self._gate.turn(request.subject):
                self._let_rest()
                return await self._asked(request, check)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str, None]:
        """Yield the reply piece by piece, without thinking; stored at its end.

        Raises as `ask`, possibly after some pieces.
        """
        async with self._alone(request.digest):
            stored = await self._book.stored(request.digest)
            if stored is not None:
                yield spoken(stored[0])[0]
                return
            await self._book.within_limit()
            async with self._gate.turn(request.subject):
                self._let_rest()
                shown = 0
                whole = ""
                async with aclosing(self._attempt(request, anything)) as pieces:
                    async for piece in pieces:
                        if isinstance(piece, Completion):
                            whole = piece.text
                            break
                        whole += piece
                        ready = _ready(whole)
                        if len(ready) > shown:
                            yield ready[shown:]
                            shown = len(ready)
                if len(whole) > shown:
                    yield whole[shown:]

    async def close(self) -> None:
        """Close the connections."""
        await self._endpoint.close()

    async def _asked(self, request: ModelRequest, check: Check) -> Completion:
        async with aclosing(self._attempt(request, check)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Completion):
                    return piece
        raise BadReplyError("The model gave no reply.")

    async def _attempt(
        self, request: ModelRequest, check: Check
    ) -> AsyncGenerator[str | Completion, None]:
        """Yield the reply's pieces as they come, and the usable whole last."""
        await self._endpoint.ready()
        for _ in range(LESSONS_A_CALL):
            known = await self._of(request.model)
            sent = parameters(request, known.traits, self._endpoint.base_url)
            number = await self._book.begin(request)
            reader = ReplyReader()
            ended = Ended("cancelled")
            try:
                pieces = self._endpoint.pieces(sent, reader, max_tokens=request.max_tokens)
                async with aclosing(pieces):
                    async for piece in pieces:
                        yield piece
                completion = self._accepted(reader.received, request, check)
                ended = Ended("ok", _marked(reader.received, cut=completion.cut))
            except RefusedInReply as refused:
                lesson = _lesson(refused.refusal, sent)
                if lesson is not None:
                    ended = Ended("parameter", refused=True)
                    await self._learn(request.model, lesson)
                    continue
                fault = fault_of(refused.refusal, model=request.model, now=self._clock())
                ended = Ended(fault.code, refused=True)
                await self._heed(fault, request)
                raise fault from refused
            except VaultdError as error:
                ended = Ended(error.code, reader.received)
                await self._heed(error, request)
                raise
            finally:
                await asyncio.shield(self._book.end(number, ended))
            yield completion
            return
        raise BadReplyError(f"The model {request.model} refuses one parameter after the other.")

    def _accepted(self, received: Received, request: ModelRequest, check: Check) -> Completion:
        """Return the reply if it may be used, fits, and answers the whole prompt."""
        suspect_context(received, request, self.context_now(request.model))
        completion = usable(received, request)
        self._known[request.model].watch.check(request, received.usage.input_tokens)
        check(completion.text)
        return completion

    async def _heed(self, error: VaultdError, request: ModelRequest) -> None:
        """Remember what an error says about later calls."""
        if isinstance(error, PromptTooLongError):
            await self._shrink(request)
        if isinstance(error, RateLimitedError) and error.retry_after is not None:
            self._rests_until = self._clock() + min(error.retry_after, LONGEST_RETRY_AFTER)

    async def _shrink(self, request: ModelRequest) -> None:
        """Take the model's context as half of what was believed."""
        believed = await self.context_chars(request.model)
        smaller = halved(believed, len(request.text))
        if smaller < believed:
            log.warning("context taken as smaller", model=request.model, context_chars=smaller)
            await self._learn(request.model, Lesson(CONTEXT, str(smaller)))

    def _let_rest(self) -> None:
        """Ask nothing while the endpoint wants a pause: it counts the calls that come meanwhile.

        Raises:
            RateLimitedError: for what is left of the pause.
        """
        left = self._rests_until - self._clock() if self._rests_until else timedelta(0)
        if left > timedelta(0):
            raise RateLimitedError("The model endpoint asked to wait.", retry_after=left)

    async def _learn(self, model: str, lesson: Lesson) -> None:
        await self._book.learn(model, lesson)
        known = await self._of(model)
        known.traits = traits_of(await self._book.traits(model))

    async def _of(self, model: str) -> _Known:
        if model not in self._known:
            traits = traits_of(await self._book.traits(model))
            self._known.setdefault(model, _Known(traits))
        return self._known[model]

    @asynccontextmanager
    async def _alone(self, digest: str) -> AsyncIterator[None]:
        lock, waiting = self._asking.get(digest, (asyncio.Lock(), 0))
        self._asking[digest] = lock, waiting + 1
        try:
            async with lock:
                yield
        finally:
            waiting = self._asking[digest][1] - 1
            if waiting:
                self._asking[digest] = lock, waiting
            else:
                del self._asking[digest]


def _lesson(refusal: Refusal, sent: Mapping[str, Any]) -> Lesson | None:
    """Return what a refusal teaches about a parameter; None if it is about something else."""
    if refusal.status not in (400, 422) or refusal.overflows:
        return None
    return lesson_of(refusal.message, refusal.parameter, sent)


def _marked(received: Received, *, cut: bool) -> Received:
    """Return the reply with a finish reason that tells later readers whether it was cut."""
    return Received(received.text, "length" if cut else "stop", received.usage, received.choices)


def _ready(text: str) -> str:
    """Return what of a reply under way can be shown: no thinking, no line that may turn out one."""
    said, _, thinking = spoken(text)
    if thinking:
        return ""
    last = said.rfind("\n") + 1
    return said[:last] if said[last:].lstrip()[:1] in ("<", "-") else said


def spent(ended: Ended, request: ModelRequest) -> tuple[int, int, bool]:
    """Return the tokens of a call, in and out, and whether we had to estimate them."""
    if ended.refused:
        return 0, 0, False
    received = ended.received
    usage = received.usage if received else None
    given_in = usage.input_tokens if usage else None
    given_out = usage.output_tokens if usage else None
    text = received.text if received else ""
    return (
        given_in if given_in is not None else request.tokens,
        given_out if given_out is not None else tokens_of(text),
        given_in is None or given_out is None,
    )
