"""Stand-ins that behave: a clock one can move, a disk that records and fails on demand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from vaultd.vault.disk import Disk

T = TypeVar("T")

NOON = datetime(2026, 11, 29, 12, 0, 0, tzinfo=UTC)


class FakeClock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, **duration: float) -> datetime:
        """Move on by `duration` (keyword arguments of `timedelta`); return the new moment."""
        self.now += timedelta(**duration)
        return self.now


@dataclass
class RecordingDisk(Disk):
    """A real disk that writes down every durable operation, in order."""

    log: list[tuple[str, str]] = field(default_factory=list)

    def open_new(self, path: Path, mode: int) -> int:
        return self._note("open", path, lambda: Disk.open_new(self, path, mode))

    def write(self, descriptor: int, content: memoryview) -> int:
        return self._note("write", descriptor, lambda: Disk.write(self, descriptor, content))

    def fsync(self, descriptor: int) -> None:
        self._note("fsync", descriptor, lambda: Disk.fsync(self, descriptor))

    def replace(self, old: Path, new: Path) -> None:
        self._note("replace", new, lambda: Disk.replace(self, old, new))

    def exchange(self, one: Path, other: Path) -> bool:
        return self._note("exchange", other, lambda: Disk.exchange(self, one, other))

    def link_new(self, old: Path, new: Path) -> bool:
        return self._note("link", new, lambda: Disk.link_new(self, old, new))

    def sync_folder(self, folder: Path) -> None:
        self._note("sync_folder", folder, lambda: Disk.sync_folder(self, folder))

    def unlink(self, path: Path) -> None:
        self._note("unlink", path, lambda: Disk.unlink(self, path))

    def make_folder(self, folder: Path) -> None:
        self._note("make_folder", folder, lambda: Disk.make_folder(self, folder))

    def sleep(self, seconds: float) -> None:
        self.log.append(("sleep", str(seconds)))

    def names(self) -> list[str]:
        """Return the names of the operations so far."""
        return [name for name, _ in self.log]

    def _note(self, name: str, subject: object, operation: Callable[[], T]) -> T:
        self.log.append((name, str(subject)))
        return operation()


class FailingDisk(RecordingDisk):
    """A real disk whose `fail_at`-th operation (from 1) raises `error`, once or for ever."""

    def __init__(self, fail_at: int, error: OSError, *, forever: bool = False) -> None:
        super().__init__()
        self.fail_at, self.error, self.forever = fail_at, error, forever
        self.failed = False

    def _note(self, name: str, subject: object, operation: Callable[[], T]) -> T:
        self.log.append((name, str(subject)))
        reached = len(self.log) >= self.fail_at if self.forever else len(self.log) == self.fail_at
        if reached:
            self.failed = True
            raise self.error
        return operation()
