"""What a person sees while jobs run: bars on a terminal, one line for each end elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from vaultd.cli.terminal import remark, shortened
from vaultd.model.jobs import JobKind, JobState
from vaultd.store.events import Event

QUIET = frozenset({JobKind.INDEX, JobKind.SUMMARIZE, JobKind.UPKEEP})  # told only if they fail
SUBJECT_COLUMNS = 40
WHOLE = "the whole wiki"  # what a job about "." is about


def named(kind: str, subject: str) -> str:
    """Return what a job is about, in a person's words."""
    if kind == JobKind.WRITE_SESSION:
        return "the conversation"  # its subject is a number nobody has seen
    return WHOLE if subject == "." else subject.replace("\n", "\\n")


def sentence(payload: Mapping[str, Any]) -> str:
    """Return the line that says how a job stands, "" if nobody wants to know."""
    kind, state = JobKind(payload["kind"]), JobState(payload["state"])
    reason = f": {payload['reason']}" if payload.get("reason") else ""
    about = named(kind, str(payload["subject"]))
    if state is JobState.DONE:
        return "" if kind in QUIET else f"{about}: done"
    if state is JobState.QUEUED:
        return f"{about}: will be tried again{reason}" if reason else ""
    if state is JobState.RUNNING:
        return ""
    return f"{about}: {state.value}{reason}"


class Lines:
    """Tells ends of jobs and problems on standard error, a line each.

    What is tried again and again for the same reason is told once.
    """

    def __init__(self) -> None:
        self._told: dict[int, str] = {}

    def __call__(self, event: Event) -> None:
        """Tell `event`."""
        if event.kind == "job" and (line := sentence(event.payload)):
            job = int(event.payload["id"])
            if self._told.get(job) != line:
                remark(line)
            self._told[job] = line
        elif event.kind == "problem":
            remark(str(event.payload["text"]))
        elif event.kind == "paused":
            remark(f"Waiting: {event.payload['reason']}")


class Bars:
    """Shows a bar for each running job, and the ends of jobs above them."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._bars: dict[int, TaskID] = {}
        self._told: dict[int, str] = {}

    def __call__(self, event: Event) -> None:
        """Show `event`."""
        if event.kind == "progress":
            self._move(event.payload)
        elif event.kind == "job":
            self._end(event.payload)
        elif event.kind in ("problem", "paused"):
            text = str(event.payload.get("text") or event.payload.get("reason"))
            self._progress.console.print(f"[yellow]{escape(text)}[/]", highlight=False)

    def _move(self, payload: Mapping[str, Any]) -> None:
        job = int(payload["id"])
        if job not in self._bars:
            about = named(str(payload["kind"]), str(payload["subject"]))
            subject = escape(shortened(about, SUBJECT_COLUMNS))
            self._bars[job] = self._progress.add_task(subject, total=None, stage="")
        total = int(payload["total"]) or None
        self._progress.update(
            self._bars[job],
            total=total,
            completed=int(payload["done"]),
            stage=escape(str(payload["stage"])),
        )

    def _end(self, payload: Mapping[str, Any]) -> None:
        if payload["state"] == JobState.RUNNING:
            return
        job = int(payload["id"])
        if (bar := self._bars.pop(job, None)) is not None:
            self._progress.remove_task(bar)
        line = sentence(payload)
        if line and self._told.get(job) != line:
            self._told[job] = line
            colour = "green" if payload["state"] == JobState.DONE else "yellow"
            self._progress.console.print(f"[{colour}]{escape(line)}[/]", highlight=False)


@contextmanager
def watching(*, silent: bool = False) -> Iterator[Lines | Bars]:
    """Give what shows events: bars if a person looks at standard error, else lines."""
    if silent or not sys.stderr.isatty():
        yield Lines()
        return
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[stage]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with progress:
        yield Bars(progress)
