"""Vectors from any OpenAI-compatible `/embeddings` endpoint."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import structlog

from vaultd.core.words import normal
from vaultd.embed.seam import Vector
from vaultd.errors import BadReplyError, EndpointClosedError, ModelUnavailableError, VaultdError
from vaultd.llm.endpoint import NO_KEY
from vaultd.llm.faults import fault_of, refusal_of
from vaultd.model.paths import Clock

if TYPE_CHECKING:
    import openai

log = structlog.get_logger()

TIMEOUT_SECONDS = 60.0  # a batch of 64 passages on a slow processor
BATCH_CHARACTERS = 60_000  # of one request: about 15,000 tokens, below the limits of servers
SHORTEST = 200  # characters: a text refused at this length is refused for what it says
BLAMES_TEXT = frozenset({400, 413, 422, 500})  # too long, or "NaN cannot be encoded" as a 500
PROBE = "ready"


class TextRefusedError(Exception):
    """A request was refused, perhaps for one of its texts; if not, `fault` is to be raised."""

    def __init__(self, fault: VaultdError) -> None:
        super().__init__(str(fault))
        self.fault = fault


class EndpointEmbedder:
    """Asks `model` at `base_url` ("" = the client's default).

    `api_key_env` names the variable with the key. A batch that is refused is halved until the
    text at fault is found; that text is shortened while it may be too long, and given up
    otherwise. Nothing is tried again here: a fault of the endpoint is raised, and the caller,
    who stores every batch, goes on where it stopped.
    """

    batch = 64  # inputs of one request, accepted by every server known

    def __init__(self, *, model: str, base_url: str, api_key_env: str, clock: Clock) -> None:
        self._model = model
        self._base_url = base_url
        self._api_key_env = api_key_env
        self._clock = clock
        self._client: openai.AsyncOpenAI | None = None
        self.identity = f"endpoint/{model}"

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return a unit vector for each text; None for one the endpoint refuses.

        Raises:
            EndpointClosedError: refused key or connection, unknown model, used-up quota.
            RateLimitedError: the endpoint asked for a pause.
            ModelUnavailableError: it fails for any text.
        """
        vectors: list[Vector | None] = []
        for batch in self._batches([normal(text).strip() for text in texts]):
            vectors += await self._embed_any(batch)
        return vectors

    async def embed_question(self, text: str) -> Vector | None:
        """Return the vector of a question, None if it is refused."""
        return (await self.embed([text]))[0]

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    def _batches(self, texts: Sequence[str]) -> list[list[str]]:
        batches: list[list[str]] = [[]]
        size = 0
        for text in texts:
            full = len(batches[-1]) == self.batch or size + len(text) > BATCH_CHARACTERS
            if full and batches[-1]:
                batches.append([])
                size = 0
            batches[-1].append(text)
            size += len(text)
        return batches

    async def _embed_any(self, texts: Sequence[str]) -> list[Vector | None]:
        """Embed texts of which some may be empty."""
        spoken = [text for text in texts if text]
        made = iter(await self._embed_batch(spoken) if spoken else [])
        return [next(made) if text else None for text in texts]

    async def _embed_batch(self, texts: Sequence[str]) -> list[Vector | None]:
        try:
            return list(await self._request(texts))
        except TextRefusedError as error:
            fault = error.fault
        try:
            await self._request([PROBE])  # does it answer anything at all?
        except TextRefusedError as error:
            raise fault from error
        return await self._embed_halves(texts)

    async def _embed_halves(self, texts: Sequence[str]) -> list[Vector | None]:
        """Find the text at fault; the endpoint is known to answer others."""
        if len(texts) > 1:
            middle = len(texts) // 2
            halves = (texts[:middle], texts[middle:])
            return [vector for half in halves for vector in await self._embed_part(half)]
        if len(texts[0]) >= 2 * SHORTEST:
            return await self._embed_part([texts[0][: len(texts[0]) // 2]])
        log.warning("endpoint refuses a text", model=self._model, characters=len(texts[0]))
        return [None]

    async def _embed_part(self, texts: Sequence[str]) -> list[Vector | None]:
        try:
            return list(await self._request(texts))
        except TextRefusedError:
            return await self._embed_halves(texts)

    async def _request(self, texts: Sequence[str]) -> list[Vector]:
        """Ask once.

        Raises:
            TextRefusedError: one of the texts may be at fault.
            VaultdError: the endpoint is.
        """
        import openai

        try:
            reply = await self._connected().embeddings.create(
                model=self._model, input=list(texts), encoding_format="float"
            )
        except openai.APIStatusError as error:
            raise self._sorted(error) from error
        except openai.APITimeoutError as error:
            raise ModelUnavailableError("The embedding endpoint did not answer in time.") from error
        except openai.APIConnectionError as error:
            raise EndpointClosedError("Nothing answers at the embedding endpoint.") from error
        except (openai.OpenAIError, ValueError) as error:
            raise ModelUnavailableError("The embedding endpoint's answer is no answer.") from error
        try:
            return unit_rows([(row.index, row.embedding) for row in reply.data], len(texts))
        except (BadReplyError, AttributeError, TypeError, ValueError) as error:
            fault = BadReplyError(f"The embedding endpoint's answer cannot be used: {error}")
            raise TextRefusedError(fault) from error

    def _sorted(self, error: openai.APIStatusError) -> Exception:
        refusal = refusal_of(error.status_code, error.body, error.response.headers)
        fault = fault_of(refusal, model=self._model, now=self._clock())
        blames_text = error.status_code in BLAMES_TEXT and not refusal.quota
        return TextRefusedError(fault) if blames_text else fault

    def _connected(self) -> openai.AsyncOpenAI:
        if self._client is None:
            import openai

            self._client = openai.AsyncOpenAI(
                base_url=self._base_url or None,
                api_key=os.environ.get(self._api_key_env) or NO_KEY,
                timeout=TIMEOUT_SECONDS,
                max_retries=0,
            )
        return self._client


def unit_rows(rows: Sequence[tuple[int, Sequence[float]]], count: int) -> list[Vector]:
    """Return `count` vectors of unit length in the order of their index.

    Raises:
        BadReplyError: rows are missing, doubled, of unequal length, or without direction.
    """
    ordered = sorted(rows, key=lambda row: row[0])
    if [index for index, _ in ordered] != list(range(count)):
        raise BadReplyError(f"The endpoint answered {len(rows)} vectors for {count} texts.")
    if len({len(values) for _, values in ordered}) > 1:
        raise BadReplyError("The endpoint answered vectors of unequal length.")
    vectors = [np.asarray(values, dtype=np.float32) for _, values in ordered]
    lengths = [float(np.linalg.norm(vector)) for vector in vectors]
    if not all(np.isfinite(length) and length > 0.0 for length in lengths):
        raise BadReplyError("The endpoint answered a vector without direction.")
    return [vector / length for vector, length in zip(vectors, lengths, strict=True)]
