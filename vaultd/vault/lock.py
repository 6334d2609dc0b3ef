"""The vault's lock: one process works, held for its life and freed by the system when it dies."""

from __future__ import annotations

from pathlib import Path

import filelock

from vaultd.errors import PermanentError, VaultLockedError

PATIENCE = 0.5  # seconds


class VaultLock:
    """An operating system lock on the state folder; the file's content is nothing but a hint."""

    def __init__(self, state: Path) -> None:
        self.path = state / "lock"
        self._lock = filelock.FileLock(self.path, thread_local=False, is_singleton=False)

    def take(self) -> None:
        """Take the lock, waiting for no more than `PATIENCE` seconds.

        A child that was being started when its parent was killed holds it for a moment longer.

        Raises:
            VaultLockedError: another process holds it.
            PermanentError: the system lets nobody hold it: the folder cannot be written to.
        """
        try:
            self._lock.acquire(timeout=PATIENCE, poll_interval=0.02)
        except filelock.Timeout as error:
            raise VaultLockedError(
                f"Another vaultd is working on this vault (lock {self.path}). "
                "Stop it first, or let it do the work."
            ) from error
        except OSError as error:
            raise PermanentError(
                f"The vault cannot be written to: {error.strerror} (lock {self.path})."
            ) from error

    @property
    def held(self) -> bool:
        """Whether this process holds the lock."""
        return self._lock.is_locked

    def release(self) -> None:
        """Give the lock back. Safe to call twice."""
        self._lock.release()

    def __enter__(self) -> VaultLock:
        self.take()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
