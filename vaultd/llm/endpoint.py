"""One OpenAI-compatible endpoint: sends a request, yields the reply's text as it comes."""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from vaultd.errors import EndpointClosedError, ModelUnavailableError, SettingsError
from vaultd.llm.faults import Refusal, refusal_of
from vaultd.llm.stream import RefusedInReply, ReplyReader

if TYPE_CHECKING:
    from openai import AsyncOpenAI

NO_KEY = "none"  # what local servers get; the client insists on some key
TOKENS_PER_TIMEOUT = (
    2_400  # a reply may take one timeout more for each: 20 tokens a second at 120 s
)


def call_limit(timeout_seconds: float, max_tokens: int) -> float:
    """Return the seconds after which a call is given up, whatever still comes.

    `timeout_seconds` is the longest silence; a long reply may take longer as a whole.
    """
    return timeout_seconds * (1 + max_tokens / TOKENS_PER_TIMEOUT)


class _Patience:
    """How long is waited for the next bytes: a silence, and the call as a whole.

    The waiting is limited, never the whole generator: a timer that runs while the reader of the
    pieces is at work would cancel the reader.
    """

    def __init__(self, silence: float, whole: float) -> None:
        self._silence = silence
        self._now = asyncio.get_running_loop().time
        self._end = self._now() + whole
        self._quiet_until = self._now() + silence

    def renew(self) -> None:
        """Start the silence anew: the model said something."""
        self._quiet_until = self._now() + self._silence

    def pause(self) -> float:
        """Return the moment at which the reader of the pieces goes to work."""
        return self._now()

    def go_on(self, paused: float) -> None:
        """Leave out the time since `paused`: it was not the model's."""
        self._end += self._now() - paused
        self.renew()

    def left(self) -> asyncio.Timeout:
        """Return the limit for the next wait."""
        return asyncio.timeout_at(min(self._end, self._quiet_until))


class Endpoint:
    """Where the model is. The `openai` package is imported with the first call.

    `base_url` "" means the client's default. `api_key_env` names the variable with the key,
    which is read at each start and kept nowhere else.
    """

    def __init__(self, base_url: str, api_key_env: str, timeout_seconds: float) -> None:
        if timeout_seconds <= 0:
            raise SettingsError("llm.timeout_seconds must be more than 0.")
        self.base_url = base_url
        self._api_key_env = api_key_env
        self._timeout = timeout_seconds
        self._client: AsyncOpenAI | None = None

    async def pieces(
        self, sent: Mapping[str, Any], reader: ReplyReader, *, max_tokens: int
    ) -> AsyncGenerator[str, None]:
        """Send a request and yield the reply's text; `reader` holds the whole in the end.

        Raises:
            RefusedInReply: the endpoint answered with an error, by status or inside a 200.
            EndpointClosedError: nothing listens there.
            ModelUnavailableError: timeout, broken connection, damaged stream.
            BadReplyError: the answer is no chat completion.
        """
        client = await self.ready()
        import openai

        patience = _Patience(self._timeout, call_limit(self._timeout, max_tokens))
        with self._sorted_faults(openai):
            async with AsyncExitStack() as stack:
                async with patience.left():
                    response = await stack.enter_async_context(
                        client.chat.completions.with_streaming_response.create(**_split(sent))
                    )
                chunks = aiter(response.iter_bytes())
                while True:
                    async with patience.left():
                        chunk = await anext(chunks, None)
                    heard = reader.heard
                    piece = reader.feed(chunk or b"", last=chunk is None)
                    if reader.heard > heard:
                        patience.renew()
                    if piece:
                        paused = patience.pause()
                        yield piece
                        patience.go_on(paused)
                    if chunk is None:
                        return

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def ready(self) -> AsyncOpenAI:
        """Load the client, which takes half a second the first time."""
        await asyncio.to_thread(importlib.import_module, "openai")
        if self._client is None:
            from openai import AsyncOpenAI

            self._client = AsyncOpenAI(
                api_key=os.environ.get(self._api_key_env, "") or NO_KEY,
                base_url=self.base_url or None,
                timeout=self._timeout,
                max_retries=0,  # the queue waits and tries again, not the client
            )
        return self._client

    @contextmanager
    def _sorted_faults(self, openai: Any) -> Iterator[None]:
        """Turn faults of the client into the errors the caller has reactions for."""
        http_error = _http_error(openai)
        try:
            yield
        except openai.APIStatusError as error:
            raise RefusedInReply(_refusal(error)) from error
        except (TimeoutError, openai.APITimeoutError) as error:
            raise ModelUnavailableError("The model did not answer in time.") from error
        except openai.APIConnectionError as error:
            raise self._unreachable(error) from error
        except http_error as error:
            raise ModelUnavailableError("The connection to the model broke.") from error

    def _unreachable(self, error: BaseException) -> Exception:
        cause = error.__cause__
        if cause is not None and type(cause).__name__ == "ConnectError":
            where = self.base_url or "the model endpoint"
            return EndpointClosedError(f"Nothing answers at {where}.")
        return ModelUnavailableError("The connection to the model broke.")


def _http_error(openai: Any) -> type[Exception]:
    """Return the base of the errors of the HTTP library that this `openai` was built on."""
    library = openai.DefaultAsyncHttpxClient.__mro__[1].__module__.split(".")[0]
    found: type[Exception] = importlib.import_module(library).HTTPError
    return found


OWN_PARAMETERS = frozenset(
    ["model", "messages", "stream", "stream_options", "temperature", "max_tokens"]
    + ["max_completion_tokens", "reasoning_effort"]
)


def _split(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Move parameters that only some endpoints know to where the client passes them on."""
    extra = {name: value for name, value in sent.items() if name not in OWN_PARAMETERS}
    own = {name: value for name, value in sent.items() if name in OWN_PARAMETERS}
    return own | {"extra_body": extra} if extra else own


def _refusal(error: Any) -> Refusal:
    body = error.body if error.body is not None else error.response.text
    return refusal_of(error.status_code, body, error.response.headers)
