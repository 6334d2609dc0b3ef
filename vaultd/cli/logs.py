"""Where log lines go: a rotating file in the vault's state folder, and a person's terminal."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import MutableMapping
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

import structlog

FILE_BYTES = 10_000_000
FILES_KEPT = 4  # beside the current one: 50 MB at most
LONGEST_VALUE = 300  # characters; a path fits, a page of text does not
REPEAT_SECONDS = 3600.0  # the same fault again within an hour is counted, not written
NEVER_LOGGED = frozenset(
    ["text", "body", "content", "prompt", "reply", "snippet", "query", "passage", "caption"]
    + ["key", "api_key", "token", "authorization", "password", "secret"]
)

_in_use: list[logging.Handler] = []  # ours among the root logger's; foreign ones stay

Event = MutableMapping[str, Any]


def without_content(_: Any, __: str, event: Event) -> Event:
    """Drop fields that would hold document text or keys, and cut what is too long to be a name."""
    for name in list(event):
        if name in NEVER_LOGGED:
            del event[name]
        elif isinstance(event[name], str) and len(event[name]) > LONGEST_VALUE:
            event[name] = event[name][:LONGEST_VALUE] + "…"
    return event


class Repeats:
    """Lets the first of equal warnings and errors through, then one an hour with a count."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], tuple[float, int]] = {}

    def __call__(self, _: Any, method: str, event: Event) -> Event:
        """Return `event`, or drop it because it says again what was just said."""
        if method not in ("warning", "error"):
            return event
        fault = (str(event.get("event")), str(event.get("path", event.get("reason", ""))))
        present = time.monotonic()
        began, count = self._seen.get(fault, (present, 0))
        if count and present - began < REPEAT_SECONDS:
            self._seen[fault] = (began, count + 1)
            raise structlog.DropEvent
        self._seen[fault] = (present, 1)
        if count > 1:
            event["repeated"] = count - 1
        return event


def write_logs(folder: Path, *, terminal: bool) -> None:
    """Send log lines of information and above to `folder`, and to standard error if `terminal`.

    Safe to call again: the file that was open before is closed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = _LogFile(
        folder / "vaultd.log",
        maxBytes=FILE_BYTES,
        backupCount=FILES_KEPT,
        encoding="utf-8",
        delay=True,
    )
    written.setFormatter(_formatter(structlog.processors.JSONRenderer(ensure_ascii=False)))
    destinations: list[logging.Handler] = [written]
    if terminal:
        shown = logging.StreamHandler(sys.stderr)
        console = structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(),
            pad_event_to=24,
            exception_formatter=structlog.dev.plain_traceback,  # others show values: text, keys
        )
        shown.setFormatter(_formatter(console))
        shown.addFilter(_concerns_a_person)
        destinations.append(shown)
    _use(destinations)


def _concerns_a_person(record: logging.LogRecord) -> bool:
    """Tell whether a line is for a terminal: that a file was indexed stands in the log alone."""
    event = record.msg
    indexed = isinstance(event, dict) and event.get("kind") == "index"
    return not indexed or record.levelno > logging.INFO


class _LogFile(RotatingFileHandler):
    """A log that loses the lines for which there is no space, and says nothing of it."""

    def doRollover(self) -> None:  # noqa: N802 - logging's own name
        """Begin a new file; on Windows not while another process writes the same one."""
        try:
            super().doRollover()
            self.maxBytes = FILE_BYTES
        except PermissionError:
            self.maxBytes += FILE_BYTES  # or each line would push an older file away

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's own name
        """Pass over faults of the disk: whoever does the work tells of them."""
        if not isinstance(sys.exception(), OSError):
            super().handleError(record)


def keep_silent() -> None:
    """Drop log lines, which would otherwise stand among the answer: for commands that read."""
    _use([logging.NullHandler()])


def _use(destinations: list[logging.Handler]) -> None:
    root = logging.getLogger()
    while _in_use:
        old = _in_use.pop()
        root.removeHandler(old)
        old.close()
    for new in destinations:
        root.addHandler(new)
    _in_use.extend(destinations)
    root.setLevel(logging.INFO)
    for chatty in ("httpx", "httpx2", "httpcore", "openai", "uvicorn", "watchdog"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    logging.getLogger("apscheduler").setLevel(logging.ERROR)  # warns of each chore that takes long
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.filter_by_level,
            Repeats(),
            structlog.stdlib.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            without_content,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )


def _formatter(renderer: Any) -> logging.Formatter:
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            structlog.stdlib.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
        ],
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
    )
