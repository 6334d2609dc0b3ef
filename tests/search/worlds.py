"""A small vault with an index, and an embedder that needs no second to start."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tests.fakes import FakeClock
from vaultd.core.words import terms_of
from vaultd.embed import Vector
from vaultd.errors import VaultdError
from vaultd.index import Indexer
from vaultd.model.paths import VaultPath
from vaultd.model.search import Answer, Filters, Mode, Question
from vaultd.search import SearchEngine
from vaultd.store.database import Database
from vaultd.vault.files import Vault

DIMENSIONS = 64


@dataclass
class HashingEmbedder:
    """Texts that share words are near; `means` gives words of two languages one meaning."""

    identity: str = "hashing/1"
    batch: int = 16
    means: dict[str, str] = field(default_factory=dict)
    fault: VaultdError | None = None
    refused: str = "\0"
    calls: list[list[str]] = field(default_factory=list)

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        if self.fault:
            raise self.fault
        self.calls.append(list(texts))
        return [None if self.refused in text else self._vector(text) for text in texts]

    async def embed_question(self, text: str) -> Vector | None:
        if self.fault:
            raise self.fault
        return self._vector(text) if text.strip() else None

    async def close(self) -> None:
        self.calls.clear()

    @property
    def embedded(self) -> int:
        return sum(map(len, self.calls))

    def _vector(self, text: str) -> Vector:
        vector = np.full(DIMENSIONS, 0.01, np.float32)
        for word in terms_of(text):
            seed = hashlib.sha256(self.means.get(word, word).encode()).digest()
            vector[seed[0] % DIMENSIONS] += 1.0
            vector[seed[1] % DIMENSIONS] -= 0.5
        unit: Vector = vector / np.linalg.norm(vector)
        return unit


@dataclass
class World:
    """A vault that can be written to, indexed and asked."""

    vault: Vault
    db: Database
    embedder: HashingEmbedder = field(default_factory=HashingEmbedder)
    clock: FakeClock = field(default_factory=FakeClock)

    def __post_init__(self) -> None:
        self.indexer = Indexer(self.vault, self.db, None, self.embedder, self.clock)  # type: ignore[arg-type]
        self.engine = SearchEngine(self.db, [self.embedder], vault_name="My vault")

    async def note(self, path: str, text: str) -> None:
        """Write a note and index it."""
        place = self.vault.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        await self.indexer.index_file(VaultPath(path))

    async def ask(
        self, text: str, mode: Mode = Mode.HYBRID, k: int = 10, typing: bool = False, **filters: str
    ) -> Answer:
        question = Question(text, k=k, mode=mode, filters=Filters(**filters), typing=typing)
        return await self.engine.search(question)

    async def paths(self, text: str, **asked: object) -> list[str]:
        """Return the paths found, in order."""
        answer = await self.ask(text, **asked)  # type: ignore[arg-type]
        return [hit.path for hit in answer.results]
