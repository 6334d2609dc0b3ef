"""What happens, as it happens: by asking again and again, or as a stream."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from vaultd.bridge.answers import Events
from vaultd.bridge.asked import ListEvents, StreamEvents
from vaultd.bridge.operation import operation
from vaultd.bridge.program import Program
from vaultd.store import events as stored
from vaultd.store.events import Event


async def events(program: Program, asked: ListEvents) -> Events:
    """Return the events after a cursor, as soon as there is one.

    Begin without `since`, then ask with the `cursor` of each answer. Kinds of events and what
    their payloads hold: "job" how a job stands (`id`, `kind`, `subject`, `state`, `reason`,
    `code`, `attempts`); "progress" how far it is (`id`, `kind`, `subject`, `stage`, `done`,
    `total`); "source.published" what was written (`path`, `pages`, `reviews`, `warnings`);
    "source.undone" (`source`, `removed`); "source.withdrawn" (`sources`, `removed`);
    "review.answered" (`id`, `action`); "page.restored" (`path`, `version`); "page.kept" a
    person's words that stayed (`path`); "folder" described anew (`path`, `state`); "problem"
    what is wrong now (`code`, `text`); "paused" and "resumed" work that needs a model
    (`need`, `code`, `reason`). More may come.
    """
    if asked.since is None:
        cursor = await program.db.read(stored.latest)
        return Events(events=[], cursor=cursor, reset=False)
    page = await program.feed.after(asked.since, asked.wait)
    return Events(events=list(page.events), cursor=page.cursor, reset=page.reset)


async def stream_events(program: Program, asked: StreamEvents) -> AsyncIterator[Event]:
    """Stream events: the same as by asking. Their ids are cursors; "reset": some were lost.

    It ends only when the daemon does; `: still here` lines show that it lives.
    """
    since = asked.since
    if since is None:
        since = await program.db.read(stored.latest)
    async for event in program.feed.stream(since):
        yield event


OPERATIONS = (
    operation("GET", "/v1/events", events),
    replace(operation("GET", "/v1/events/stream", stream_events), opens=True),
)
