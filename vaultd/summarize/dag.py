"""Folders from the leaves up: each is visited when everything below it is finished."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from vaultd.core.staleness import depth_of, parent_of
from vaultd.model.paths import VaultPath


class Ending(StrEnum):
    """How a folder ended in a run. Every folder ends exactly once."""

    OK = "ok"
    FALLBACK = "fallback"
    STALE = "stale"
    FAILED = "failed"
    EMPTY = "empty"  # nothing to describe: no text, and the old one is gone
    SKIPPED = "skipped"  # nothing below it changed, or it vanished
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Visit:
    """What came of one folder; `changed` says that its parent has to look at it again."""

    ending: Ending
    changed: bool = False


Settled = Callable[[Visit], None]
"""To be called as soon as the folder's row is stored: what is above it need not wait longer."""


@dataclass(slots=True)
class _OpenFolder:
    """A folder that is not finished, and which of its children are not."""

    due: bool
    unfinished: set[VaultPath]


class Ascent:
    """One run over a tree of folders, in memory only while they are open.

    `below` names for every folder its children among the visited; a folder that is not in
    `due` is only visited if a child changed. `width` folders are in work at once, the
    deepest first, since those are what the rest waits for.
    """

    def __init__(
        self,
        below: Mapping[VaultPath, Iterable[VaultPath]],
        due: Iterable[VaultPath],
        visit: Callable[[VaultPath, Settled], Awaitable[Visit]],
        *,
        width: int,
    ) -> None:
        wanted = set(due)
        self._open = {
            path: _OpenFolder(path in wanted, {child for child in children if child in below})
            for path, children in below.items()
        }
        self._visit = visit
        self._width = width
        self._ready: list[tuple[int, VaultPath]] = []
        self._working = 0
        self._moved = asyncio.Event()
        self.endings: dict[Ending, int] = dict.fromkeys(Ending, 0)

    async def run(self) -> dict[Ending, int]:
        """Visit what is due, and return how many folders ended how.

        Raises:
            RuntimeError: folders are open but none can go on: `below` was no tree.
        """
        for path in [path for path, node in self._open.items() if not node.unfinished]:
            self._offer(path)
        try:
            async with asyncio.TaskGroup() as tasks:
                while self._open or self._working:
                    self._start_ready(tasks)
                    if not self._working and not self._ready:
                        if self._open:
                            raise RuntimeError(f"{len(self._open)} folders wait for each other.")
                        break
                    self._moved.clear()
                    await self._moved.wait()
        finally:
            self.endings[Ending.CANCELLED] += len(self._open)
            self._open.clear()
        return self.endings

    def _start_ready(self, tasks: asyncio.TaskGroup) -> None:
        while self._ready and self._working < self._width:
            _, path = heapq.heappop(self._ready)
            if self._open[path].due:
                self._working += 1
                tasks.create_task(self._work(path))
            else:
                self._close(path, Visit(Ending.SKIPPED))

    async def _work(self, path: VaultPath) -> None:
        visit = Visit(Ending.CANCELLED)
        try:
            visit = await self._visit(path, lambda early: self._settle(path, early))
        finally:
            self._working -= 1
            self._settle(path, visit)

    def _settle(self, path: VaultPath, visit: Visit) -> None:
        self._close(path, visit)
        self._moved.set()

    def _close(self, path: VaultPath, visit: Visit) -> None:
        if self._open.pop(path, None) is None:
            return
        self.endings[visit.ending] += 1
        above = parent_of(path)
        parent = self._open.get(above)
        if parent is None:
            return
        parent.unfinished.discard(path)
        parent.due = parent.due or visit.changed
        if not parent.unfinished:
            self._offer(above)

    def _offer(self, path: VaultPath) -> None:
        heapq.heappush(self._ready, (-depth_of(path), path))
