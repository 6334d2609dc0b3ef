"""The pen of the program in which a person has notes open: it writes those, the cursor stays."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Collection
from dataclasses import dataclass

from vaultd.model.paths import VaultPath

PATIENCE = 3.0  # seconds for an answer; then the file is written as any other


@dataclass(frozen=True, slots=True)
class Offer:
    """What is to stand at `path`, as long as `before` stands there."""

    id: int
    path: VaultPath
    before: str
    after: str


class Pen:
    """Offers writes of open notes to whoever shows them: one program, one note at a time.

    `attend` waits in the event loop, `offer` in the thread that writes.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._attending: _Attending | None = None
        self._offered = 0
        self._answered = threading.Event()
        self._closed = False

    def shows(self, path: VaultPath) -> bool:
        """Tell whether somebody who has the note open waits for what to write."""
        attending = self._attending
        return attending is not None and path in attending.open

    def offer(self, path: VaultPath, before: str, after: str, patience: float = PATIENCE) -> None:
        """Offer to write `after`, and wait for an answer. What was written, the file tells."""
        with self._lock:
            attending = self._attending
            if attending is None or path not in attending.open:
                return
            self._attending = None
            self._offered += 1
            self._answered = answered = threading.Event()
            attending.give(Offer(self._offered, path, before, after))
        answered.wait(patience)

    async def attend(
        self, notes: Collection[VaultPath], answered: int, seconds: float
    ) -> Offer | None:
        """Wait for a write of one of the open `notes`; None if there is none in `seconds`.

        `answered` is the offer that was acted on or declined, 0 for none. Whoever attended
        before goes without.
        """
        attending = _Attending(notes)
        with self._lock:
            if answered == self._offered:
                self._answered.set()
            if self._attending is not None:
                self._attending.give(None)
            self._attending = None if self._closed or not notes else attending
        if self._attending is not attending:
            return None
        try:
            async with asyncio.timeout(seconds):
                return await attending.offer
        except TimeoutError:
            return None
        finally:
            with self._lock:
                if self._attending is attending:
                    self._attending = None

    def close(self) -> None:
        """Let whoever attends go, for good."""
        with self._lock:
            self._closed = True
            if self._attending is not None:
                self._attending.give(None)


class _Attending:
    """Somebody who waits, with these notes open."""

    def __init__(self, notes: Collection[VaultPath]) -> None:
        self.open = frozenset(notes)
        self._loop = asyncio.get_running_loop()
        self.offer: asyncio.Future[Offer | None] = self._loop.create_future()

    def give(self, offer: Offer | None) -> None:
        self._loop.call_soon_threadsafe(self._settle, offer)

    def _settle(self, offer: Offer | None) -> None:
        if not self.offer.done():
            self.offer.set_result(offer)
