"""One OpenAI-compatible endpoint: sends a request, yields the reply's text as it comes."""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import AsyncGenerator, Mapping
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
        import openai

        client = self._open()
        http_error = _http_error(openai)
        loop = asyncio.get_running_loop()
        end = loop.time() + call_limit(self._timeout, max_tokens)
        try:
            async with asyncio.timeout_at(min(end, loop.time() + self._timeout)) as silence:
                async with client.chat.completions.with_streaming_response.create(
                    **_split(sent)
                ) as response:
                    async for chunk in response.iter_bytes():
                        piece = reader.feed(chunk)
                        if piece:
                            silence.reschedule(min(end, loop.time() + self._timeout))
                            yield piece
                    if piece := reader.feed(b"", last=True):
                        yield piece
        except TimeoutError as error:
            raise ModelUnavailableError("The model did not answer in time.") from error
        except openai.APIStatusError as error:
            raise RefusedInReply(_refusal(error)) from error
        except openai.APITimeoutError as error:
            raise ModelUnavailableError("The model did not answer in time.") from error
        except openai.APIConnectionError as error:
            raise self._unreachable(error) from error
        except http_error as error:
            raise ModelUnavailableError("The connection to the model broke.") from error

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _open(self) -> AsyncOpenAI:
        if self._client is None:
            from openai import AsyncOpenAI

            self._client = AsyncOpenAI(
                api_key=os.environ.get(self._api_key_env, "") or NO_KEY,
                base_url=self.base_url or None,
                timeout=self._timeout,
                max_retries=0,  # the queue waits and tries again, not the client
            )
        return self._client

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
