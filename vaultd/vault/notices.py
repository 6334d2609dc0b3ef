"""Change notices of the operating system: hints that wake the scan, never the truth."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

import structlog
from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

log = structlog.get_logger()

# Reads produce "opened" and "closed without write", which once fed endless loops elsewhere.
CHANGES: list[type[FileSystemEvent]] = [
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
]
LIMIT_CODES = frozenset({errno.ENOSPC, errno.EMFILE, errno.ENFILE})
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0  # seconds between attempts to watch again


class Notices:
    """Watches the visible folders of a vault and calls `wake` (from any thread) on a change.

    `keep_alive` is called at every look at the vault: it notices dead watchers and new
    top-level folders, and builds the watch anew, at first after 1 s, at most every 60 s.
    """

    def __init__(
        self, root: Path, wake: Callable[[], None], start: Callable[[], object] = Observer
    ) -> None:
        self.root = root
        self.problem = ""
        self.polling = False
        self._wake = wake
        self._start = start
        self._observer: object | None = None
        self._watched: frozenset[Path] = frozenset()
        self._wait = FIRST_WAIT
        self._not_before = 0.0

    def keep_alive(self, now: float) -> bool:
        """Watch what is to be watched; True if the watch was (re)built at this call.

        `now` is a monotonic time in seconds.
        """
        wanted = _folders(self.root)
        if self.polling or (self._alive() and wanted == self._watched):
            return False
        if now < self._not_before:
            return False
        self.stop()
        try:
            self._build(wanted)
        except OSError as error:
            self._failed(error, now)
            return False
        self._watched, self.problem = wanted, ""
        self._not_before = now + self._wait
        self._wait = FIRST_WAIT if self._alive() else min(self._wait * 2, LONGEST_WAIT)
        return True

    def suspect(self) -> None:
        """Build the watch anew at the next look: something changed and no notice came."""
        self._watched = frozenset()

    def stop(self) -> None:
        """End the watch. Safe to call twice."""
        observer, self._observer = self._observer, None
        self._watched = frozenset()
        if observer is not None:
            observer.stop()  # type: ignore[attr-defined]
            observer.join(timeout=5)  # type: ignore[attr-defined]

    def _alive(self) -> bool:
        """Ask the emitters: the observer outlives them without a sign."""
        observer = self._observer
        if observer is None or not observer.is_alive():  # type: ignore[attr-defined]
            return False
        emitters = observer.emitters  # type: ignore[attr-defined]
        return bool(emitters) and all(emitter.is_alive() for emitter in emitters)

    def _build(self, wanted: frozenset[Path]) -> None:
        observer = self._start()
        started = False
        try:
            bell = _Bell(self.root, self._wake)
            for folder in sorted(wanted):
                observer.schedule(  # type: ignore[attr-defined]
                    bell, str(folder), recursive=folder != self.root, event_filter=CHANGES
                )
            observer.start()  # type: ignore[attr-defined]
            started = True
        finally:
            if not started:
                observer.unschedule_all()  # type: ignore[attr-defined]
        self._observer = observer

    def _failed(self, error: OSError, now: float) -> None:
        if error.errno in LIMIT_CODES:
            self.polling = True
            self.problem = (
                "The system's limit of watched folders is reached; vaultd looks at regular "
                "intervals instead. Raise fs.inotify.max_user_watches and max_user_instances."
            )
        else:
            self.problem = f"The folders cannot be watched ({error.strerror}); looking regularly."
            self._not_before = now + self._wait
            self._wait = min(self._wait * 2, LONGEST_WAIT)
        log.warning("watch failed", error=error.strerror, polling=self.polling)


class _Bell(FileSystemEventHandler):
    """Rings and nothing else: an exception here would end the observer's thread."""

    def __init__(self, root: Path, wake: Callable[[], None]) -> None:
        self._prefix = str(root)
        self._wake = wake

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Wake the scan unless everything named lies in a hidden folder or is a temporary file."""
        if any(self._visible(path) for path in (event.src_path, event.dest_path) if path):
            self._wake()

    def _visible(self, path: bytes | str) -> bool:
        text = path.decode("utf-8", "surrogateescape") if isinstance(path, bytes) else path
        return "/." not in text[len(self._prefix) :].replace("\\", "/")


def _folders(root: Path) -> frozenset[Path]:
    """Return the root and every visible folder in it; hidden ones are busy and not ours."""
    try:
        inside = [path for path in root.iterdir() if not path.name.startswith(".")]
        return frozenset(
            {root, *(path for path in inside if path.is_dir() and not path.is_symlink())}
        )
    except OSError:
        return frozenset({root})
