"""The built-in embedder: multilingual, on the processor, without a key or a download."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor

from vaultd.core.words import normal
from vaultd.embed import weights
from vaultd.embed.child import Child
from vaultd.embed.seam import Vector

QUESTION_CHARACTERS = 1_000  # of a question are embedded: more blurs, and holds others up


class BuiltinEmbedder:
    """Runs the encoder in a child process, or in `executor` where one is given.

    An executor may be another machine's: it is only asked to run `weights.encode(texts)`.
    """

    identity = weights.IDENTITY
    batch = 16  # about a tenth of a second: what a question waits behind at most

    def __init__(self, executor: Executor | None = None) -> None:
        self._child = None if executor else Child()
        self._executor = executor or ThreadPoolExecutor(1, "vaultd-embed")

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return a unit vector for each text; None for one without a letter.

        Raises:
            EncoderMissingError: the encoder is not there, or not the one that was checked.
        """
        clean = [normal(text) for text in texts]
        spoken = [n for n, text in enumerate(clean) if text.strip()]
        vectors: list[Vector | None] = [None] * len(clean)
        for first in range(0, len(spoken), self.batch):
            chosen = spoken[first : first + self.batch]
            encode = self._child.encode if self._child else weights.encode
            rows = await asyncio.get_running_loop().run_in_executor(
                self._executor, encode, [clean[n] for n in chosen]
            )
            for n, row in zip(chosen, rows, strict=True):
                vectors[n] = row
        return vectors

    async def embed_question(self, text: str) -> Vector | None:
        """Return the vector of a question, None for one without a letter."""
        return (await self.embed([text[:QUESTION_CHARACTERS]]))[0]

    async def close(self) -> None:
        """End the child process; an executor that was given is left to its owner."""
        if self._child:
            await asyncio.to_thread(self._child.close)
            self._executor.shutdown(wait=False)
