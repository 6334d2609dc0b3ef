"""The one seam between search and whoever makes vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float32]


class Embedder(Protocol):
    """Makes vectors of texts. Every method may raise the model errors of `vaultd.errors`."""

    @property
    def identity(self) -> str:
        """What the vectors depend on; stored with them, and never mixed with another's."""
        ...

    @property
    def batch(self) -> int:
        """How many texts to hand over at once, so that a question need not wait long."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return a unit vector for each text; None for one that cannot be embedded."""
        ...

    async def embed_question(self, text: str) -> Vector | None:
        """As `embed` for one question, which some models embed otherwise than a passage."""
        ...

    async def close(self) -> None:
        """Let go of processes and connections."""
        ...
