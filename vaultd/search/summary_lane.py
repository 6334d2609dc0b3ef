"""The summaries lane: folders and files that are about the question as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from vaultd.model.paths import VaultPath
from vaultd.model.search import StoredEmbedder
from vaultd.search.matrix import Vector
from vaultd.store import windows
from vaultd.store.database import Database

ROUTES = 20  # summaries that may lift what stands below them


@dataclass(frozen=True, slots=True)
class Routes:
    """Summaries near to a question: how much nearer than the usual one, and their cosine."""

    lifts: Mapping[str, float]
    cosines: Mapping[str, float]

    def above_all(self, paths: Mapping[int, str]) -> dict[int, tuple[float, str]]:
        """Return for each passage the largest lift of its file or of a folder above, named."""
        of_path = {path: self._above(path) for path in set(paths.values())} if self.lifts else {}
        return {passage: of_path.get(path, (0.0, "")) for passage, path in paths.items()}

    def _above(self, path: str) -> tuple[float, str]:
        best = (self.lifts.get(".", 0.0), ".")
        while path:
            best = max(best, (self.lifts.get(path, 0.0), path))
            path = path.rpartition("/")[0]
        return best if best[0] else (0.0, "")


NO_ROUTES = Routes({}, {})


class SummaryLane:
    """Compares a question with every summary; their few vectors are kept in memory."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._state: tuple[int, int, int] | None = None
        self._paths: list[VaultPath] = []
        self._vectors = np.zeros((0, 0), np.float32)

    async def routes(self, embedder: StoredEmbedder, query: Vector) -> Routes | None:
        """Return the summaries near to `query`, None while there are no summaries."""
        await self._follow(embedder)
        if not self._paths:
            return None
        cosines: dict[str, float] = {}
        for path, cosine in zip(self._paths, (self._vectors @ query).tolist(), strict=True):
            place = path.rstrip("/") or "."
            cosines[place] = max(cosine, cosines.get(place, -1.0))
        return Routes(_lifts(cosines), cosines)

    async def _follow(self, embedder: StoredEmbedder) -> None:
        state = (embedder.id, *await self._db.read(windows.summary_state, embedder.id))
        if state == self._state:
            return
        rows = await self._db.read(windows.summary_vectors, embedder.id)
        self._paths = [path for path, _, _ in rows]
        self._vectors = np.stack([vector for _, _, vector in rows]) if rows else self._vectors[:0]
        self._state = state


def _lifts(cosines: Mapping[str, float]) -> dict[str, float]:
    usual = float(np.median(list(cosines.values())))
    nearest: Iterable[tuple[str, float]] = sorted(cosines.items(), key=lambda one: -one[1])
    return {path: cosine - usual for path, cosine in list(nearest)[:ROUTES] if cosine > usual}
