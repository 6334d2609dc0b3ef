"""The interactive ingest: analysis, conversation, writing."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import aclosing

from vaultd.bridge.answers import Job, Session, job_answer, session_answer
from vaultd.bridge.asked import BeginTalk, OneTalk, Say
from vaultd.bridge.operation import operation
from vaultd.bridge.program import Program
from vaultd.bridge.queue import queued
from vaultd.bridge.routes.finding import check_there
from vaultd.ingest.session import TalkEvent
from vaultd.model.paths import VaultPath

SESSION_BYTES = 8  # 16 hexadecimal digits


def _named(item: TalkEvent) -> tuple[str, str]:
    return item.event, ""


async def begin_talk(program: Program, asked: BeginTalk) -> AsyncIterator[TalkEvent]:
    """Stream the analysis of a source; the pictures are extracted beside it.

    "session" names the session, "piece" carries the next text, "pictures" says how many are
    ready, "done" that the analysis is whole and stored.
    """
    path = VaultPath(asked.path)
    await check_there(program, path)
    session = secrets.token_hex(SESSION_BYTES)
    async with aclosing(program.conversations.begin(path, session)) as talk:
        async for event in talk:
            yield event


async def say(program: Program, asked: Say) -> AsyncIterator[TalkEvent]:
    """Stream the answer to a message; the events are those of the analysis, without pictures."""
    async with aclosing(program.conversations.say(asked.session, asked.text)) as talk:
        async for event in talk:
            yield event


async def talk(program: Program, asked: OneTalk) -> Session:
    """Return a session with everything said so far, the analysis first."""
    return session_answer(await program.conversations.session(asked.session))


async def write_talk(program: Program, asked: OneTalk) -> Job:
    """Queue the writing of the pages, with the whole conversation as context."""
    (row,) = await queued(program, [await program.conversations.writing(asked.session)])
    return job_answer(row)


OPERATIONS = (
    operation("POST", "/v1/ingest/analysis", begin_talk, label=_named, fails=(404,)),
    operation("GET", "/v1/ingest/{session}", talk, fails=(404,)),
    operation("POST", "/v1/ingest/{session}/messages", say, label=_named, fails=(404, 409)),
    operation("POST", "/v1/ingest/{session}/write", write_talk, statuses=(202,), fails=(404, 409)),
)
