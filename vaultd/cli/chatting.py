"""`vaultd ingest --chat`: a conversation about one source before its pages are written."""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
import urllib.error
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from typing import Any

from vaultd.cli.asking import way_to
from vaultd.cli.target import Target, now
from vaultd.cli.terminal import remark, say
from vaultd.errors import VaultdError, VaultLockedError
from vaultd.model.jobs import JobKind, NewJob
from vaultd.model.paths import VaultPath

HINT = "Say what matters. /write writes the pages, /quit leaves without them."
PROMPT = "\n> "
SILENCE_SECONDS = 60.0  # a stream shows every 15 s that it lives
SILENT = "Another vaultd works on this vault, and its bridge does not answer: see [bridge]."

Event = dict[str, Any]
Say = Callable[[str, Event], AsyncIterator[Event]]
"""Sends a message, or begins; yields the events of the answer. The route tells which."""


def talk_about(target: Target, path: VaultPath) -> NewJob | None:
    """Talk about the source at `path`; return the job that writes it, None if nobody wants that.

    Asks the daemon where one runs, else works here.

    Raises:
        VaultdError: the source gives no text, or the author nothing usable.
    """
    session = asyncio.run(_talked(target, path))
    return NewJob(JobKind.WRITE_SESSION, session, person=True) if session else None


async def _talked(target: Target, path: VaultPath) -> str:
    try:
        async with _here(target) as ask:
            return await _conversation(ask, path)
    except VaultLockedError:
        return await _conversation(_over_bridge(target), path)


async def _conversation(ask: Say, path: VaultPath) -> str:
    """Return the session to be written, "" if the person leaves."""
    session = await _shown(ask("/v1/ingest/analysis", {"path": path}))
    remark(f"\n{HINT}")
    while True:
        line = await asyncio.to_thread(_line)
        if line is None or line == "/quit":
            return ""
        if line == "/write":
            return session
        if line:
            await _shown(ask(f"/v1/ingest/{session}/messages", {"text": line}))


def _line() -> str | None:
    """Return what the person says, None at the end of the input."""
    sys.stderr.write(PROMPT)
    sys.stderr.flush()
    line = sys.stdin.readline()
    return line.strip() if line else None


async def _shown(events: AsyncIterator[Event]) -> str:
    """Print an answer as it comes; return the session it belongs to."""
    session = ""
    async for event in events:
        session = event["session"]
        if event["event"] == "piece":
            sys.stdout.write(event["text"])
            sys.stdout.flush()
        elif event["event"] == "pictures" and event["count"]:
            remark(f"[{event['count']} pictures are ready]")
    say()
    return session


@asynccontextmanager
async def _working(target: Target) -> AsyncIterator[Say]:
    from dataclasses import asdict

    from vaultd.daemon.talking import conversing

    async with conversing(target.root, target.settings, now) as talks:

        async def ask(route: str, fields: Event) -> AsyncIterator[Event]:
            if "path" in fields:
                answer = talks.begin(VaultPath(fields["path"]), secrets.token_hex(8))
            else:
                answer = talks.say(route.split("/")[3], fields["text"])
            async with aclosing(answer) as events:
                async for event in events:
                    yield asdict(event)

        yield ask


def _here(target: Target) -> AbstractAsyncContextManager[Say]:
    """Return what answers in this process."""
    return _working(target)


def _over_bridge(target: Target) -> Say:
    """Return what lets the running daemon answer."""

    async def ask(route: str, fields: Event) -> AsyncIterator[Event]:
        events = await asyncio.to_thread(_streamed, target, route, fields)
        while (event := await asyncio.to_thread(next, events, None)) is not None:
            yield event

    return ask


def _streamed(target: Target, route: str, fields: Event) -> Iterator[Event]:
    """Return the events that the daemon answers with.

    Raises:
        VaultdError: it does not answer, or refuses.
    """
    if (way := way_to(target)) is None:
        raise VaultdError(SILENT)
    try:
        return _events_in(way.open("POST", route, fields, SILENCE_SECONDS))
    except urllib.error.HTTPError as error:
        with error:
            raise VaultdError(str(json.loads(error.read())["detail"])) from error
    except OSError as error:
        raise VaultdError(SILENT) from error


def _events_in(answer: Any) -> Iterator[Event]:
    with answer:
        name = ""
        for line in answer:
            text = line.decode("utf-8").rstrip("\n")
            if text.startswith("event: "):
                name = text.removeprefix("event: ")
            elif text.startswith("data: "):
                event = json.loads(text.removeprefix("data: "))
                if name == "problem":
                    raise VaultdError(str(event["detail"]))
                yield event
