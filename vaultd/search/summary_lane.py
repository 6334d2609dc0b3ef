"""The summaries lane: folders and files that are about the question as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from vaultd.model.paths import VaultPath
from vaultd.model.search import StoredEmbedder
from vaultd.model.summary import NodeState
from vaultd.search.matrix import Vector
from vaultd.store import windows
from vaultd.store.database import Connection

ROUTES = 20  # summaries that may lift what stands below them
BY_RULE = 0.5  # of a summary's nearness, where it was made by rule because the model failed


@dataclass(frozen=True, slots=True)
class Routes:
    """Summaries near to a question: how much nearer than the usual one, and how near."""

    lifts: Mapping[str, float]
    near: Mapping[str, float]

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

    def __init__(self) -> None:
        self._state: tuple[int, int, int] | None = None
        self._rows: list[tuple[VaultPath, str, NodeState]] = []
        self._vectors = np.zeros((0, 0), np.float32)

    def routes(
        self, db: Connection, embedder: StoredEmbedder, query: Vector, shifts: Mapping[str, float]
    ) -> Routes | None:
        """Return the summaries near to `query`, None while there are no summaries.

        `shifts` are taken off by language as they are off the passages' cosines, so that the
        two can be compared.
        """
        self._follow(db, embedder)
        if not self._rows:
            return None
        near: dict[str, float] = {}
        worth: dict[str, float] = {}
        for row, cosine in zip(self._rows, (self._vectors @ query).tolist(), strict=True):
            path, language, state = row
            place = path.rstrip("/") or "."
            shifted = cosine - shifts.get(language, shifts.get("", 0.0))
            near[place] = max(shifted, near.get(place, -2.0))
            worth[place] = BY_RULE if state is NodeState.FALLBACK else 1.0
        lifts = {place: worth[place] * lift for place, lift in _lifts(near).items()}
        return Routes(lifts, {place: worth[place] * value for place, value in near.items()})

    def _follow(self, db: Connection, embedder: StoredEmbedder) -> None:
        state = (embedder.id, *windows.summary_state(db, embedder.id))
        if state == self._state:
            return
        rows = windows.summary_vectors(db, embedder.id)
        self._rows = [(path, language, state) for path, language, state, _ in rows]
        self._vectors = np.stack([row[3] for row in rows]) if rows else self._vectors[:0]
        self._state = state


def _lifts(near: Mapping[str, float]) -> dict[str, float]:
    usual = float(np.median(list(near.values())))
    nearest = sorted(near.items(), key=lambda one: -one[1])[:ROUTES]
    return {place: value - usual for place, value in nearest if value > usual}
