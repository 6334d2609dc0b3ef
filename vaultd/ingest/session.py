"""An ingest a person takes part in: analysis, conversation, then writing with all of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Literal

import structlog

from vaultd.author.seam import Turn
from vaultd.errors import ConflictError, NotFoundError, VaultdError
from vaultd.ingest.context import wiki_context
from vaultd.ingest.desk import Desk
from vaultd.ingest.drafting import drafted
from vaultd.ingest.material import Material, read_material, read_text
from vaultd.ingest.publication import publish_source
from vaultd.ingest.source import context_of, identity_at, summary_path_of
from vaultd.model.jobs import Job, JobKind, JobState, NewJob, Progress
from vaultd.model.paths import VaultPath
from vaultd.model.wiki import Analysis, SourceText, WikiContext
from vaultd.publish.publish import recover
from vaultd.store import joblist, receipt, sessions
from vaultd.store.database import Connection
from vaultd.store.sessions import Session

WRITTEN = "written"
UNDER_WAY = (JobState.QUEUED, JobState.RUNNING)
NUMBER_DIGITS = 12  # hexadecimal digits of a session's id that number its listing of the wiki

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class TalkEvent:
    """One step of a conversation.

    "session" comes first and names it; "piece" carries the next `text`; "pictures" says how
    many pictures (`count`) were extracted and described beside the analysis; "done" means that
    the answer is whole and stored.
    """

    event: Literal["session", "piece", "pictures", "done"]
    session: str
    text: str = ""
    count: int = 0


Talk = AsyncGenerator[TalkEvent, None]


class Conversations:
    """Conversations about sources of one vault. Every whole turn survives a restart."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def begin(self, path: VaultPath, session_id: str) -> Talk:
        """Stream the analysis of the source at `path`, its pictures extracted beside it.

        Raises:
            UnreadableSourceError: the file gives no usable text.
            VaultdError: the author's errors; the session then has no analysis.
        """
        desk = self._desk
        source = await _text_at(path, desk)
        begin = sessions.begin
        await desk.db.run(begin, session_id, path, sha256=source.sha256, now=desk.clock())
        yield TalkEvent("session", session_id)
        looking: asyncio.Task[int] | None = asyncio.create_task(self._pictures(source))
        try:
            async with aclosing(self._answer(session_id, source, ())) as answer:
                async for event in answer:
                    if looking is not None and looking.done():
                        yield TalkEvent("pictures", session_id, count=looking.result())
                        looking = None
                    if event.event == "done" and looking is not None:
                        yield TalkEvent("pictures", session_id, count=await looking)
                        looking = None
                    yield event
        finally:
            if looking is not None:
                looking.cancel()
                await asyncio.gather(looking, return_exceptions=True)

    async def say(self, session_id: str, text: str) -> Talk:
        """Stream the answer to a person's message; question and answer are stored together.

        Raises:
            NotFoundError: there is no such session.
            ConflictError: it has no analysis, is being written, or its file is another by now.
        """
        session = await self.open_session(session_id)
        source = await self._source(session)
        yield TalkEvent("session", session_id)
        said = Turn("user", text)
        async with aclosing(self._answer(session_id, source, (*turns_of(session), said))) as answer:
            async for event in answer:
                yield event

    async def writing(self, session_id: str) -> NewJob:
        """Return the job that writes the pages with the whole talk as context.

        Raises:
            NotFoundError: there is no such session.
            ConflictError: as for `say`.
        """
        session = await self.open_session(session_id)
        await self._source(session)
        return NewJob(JobKind.WRITE_SESSION, session_id, person=True)

    async def session(self, session_id: str) -> Session:
        """Return the session with its turns.

        Raises:
            NotFoundError: there is none.
        """
        found = await self._desk.db.read(sessions.session, session_id)
        if found is None:
            raise NotFoundError(f"There is no session {session_id}: begin a new one.")
        return found

    async def open_session(self, session_id: str) -> Session:
        """Return a session that can go on.

        Raises:
            NotFoundError: there is none.
            ConflictError: it has no analysis, was written, or is being written.
        """
        found = await self.session(session_id)
        if not found.turns:
            raise ConflictError("The analysis was cut short: begin a new session.")
        if found.state == WRITTEN:
            raise ConflictError("The pages of this session are written: begin a new one.")
        if await self._desk.db.read(is_being_written, session_id):
            raise ConflictError("The pages of this session are being written.")
        return found

    async def _source(self, session: Session) -> SourceText:
        source = await _text_at(session.path, self._desk)
        check_unchanged(session, source)
        return source

    async def _answer(self, session_id: str, source: SourceText, talk: Sequence[Turn]) -> Talk:
        """Stream the author's next turn, and store it with the person's once it is whole."""
        desk = self._desk
        wiki = await self._wiki(source, session_id)
        pieces: list[str] = []
        async with aclosing(_closable(desk.author.converse(source, wiki, talk))) as stream:
            async for piece in stream:
                pieces.append(piece)
                yield TalkEvent("piece", session_id, piece)
        whole = ("assistant", "".join(pieces))
        said = tuple((turn.role, turn.text) for turn in talk[-1:])
        await desk.db.run(sessions.add_turns, session_id, (*said, whole), now=desk.clock())
        yield TalkEvent("done", session_id)

    async def _wiki(self, source: SourceText, session_id: str) -> WikiContext:
        """Return what the author may know of the wiki: the same for every turn of a session."""
        rules = self._desk.rules
        return await wiki_context(
            source,
            await summary_path_of(source.id, self._desk),
            self._desk,
            language="" if rules.language == "auto" else rules.language,
            job=int(session_id[:NUMBER_DIGITS], 16),
        )

    async def _pictures(self, source: SourceText) -> int:
        """Extract and describe the pictures, so that writing finds them ready; return how many.

        What fails here is met again, and told, when the pages are written.
        """
        try:
            summary_path = await summary_path_of(source.id, self._desk)
            desk, path = self._desk, source.path
            material = await read_material(path, source.id, summary_path, desk, _nobody)
        except VaultdError as error:
            log.warning("pictures not ready", path=source.path, reason=error.code)
            return 0
        return len(material.images)


async def write_session(job: Job, progress: Progress, desk: Desk) -> Mapping[str, Any]:
    """Write the pages a conversation led to: the workflow of `JobKind.WRITE_SESSION`.

    The same generation, checks and publishing as any ingest, in its own place of the order;
    the analysis is the one the person saw, the talk is its context. Safe to repeat.

    Raises:
        NotFoundError: there is no such session.
        ConflictError: it has no analysis, or the file is another than the one talked about.
        VaultdError: as for any ingest.
    """
    with desk.order.place(job.started) as place:
        await recover(db=desk.db, vault=desk.vault, clock=desk.clock, also=receipt.record)
        session = await desk.db.read(sessions.session, job.subject)
        if session is None:
            raise NotFoundError(f"There is no session {job.subject}.")
        if session.state == WRITTEN:
            return {"session": session.id, "state": WRITTEN}
        material, context = await _gathered(session, desk, progress, job.id)
        analysis, *talk = turns_of(session)
        draft = await drafted(
            material.source, context, desk, progress, analysis=Analysis(analysis.text), talk=talk
        )
        progress("publishing")
        async with desk.order.turn(place):
            recipe = desk.author.name
            return await publish_source(
                material, draft, context, desk, recipe=recipe, session=session.id
            )


async def _gathered(
    session: Session, desk: Desk, progress: Progress, job: int
) -> tuple[Material, WikiContext]:
    if not session.turns:
        raise ConflictError("The session has no analysis: begin a new one.")
    source = await _text_at(session.path, desk)
    check_unchanged(session, source)
    summary_path = await summary_path_of(source.id, desk)
    material = await read_material(session.path, source.id, summary_path, desk, progress)
    return material, await context_of(material.source, summary_path, desk, job)


def turns_of(session: Session) -> tuple[Turn, ...]:
    """Return what was said so far, the analysis first."""
    return tuple(Turn(role, text) for role, text in session.turns)


def check_unchanged(session: Session, source: SourceText) -> None:
    """Refuse to go on about a file that is another by now.

    Raises:
        ConflictError: its content is not what the analysis was made from.
    """
    if source.sha256 != session.sha256:
        raise ConflictError(
            f"{session.path} was changed since its analysis: begin a new session.", source.sha256
        )


def is_being_written(db: Connection, session_id: str) -> bool:
    """Tell whether the session's pages are about to be written."""
    rows = joblist.of_subject(db, session_id, JobKind.WRITE_SESSION)
    return any(row.state in UNDER_WAY for row in rows)


async def _text_at(path: VaultPath, desk: Desk) -> SourceText:
    return await read_text(path, await identity_at(path, desk), desk)


async def _closable(pieces: AsyncIterator[str]) -> AsyncGenerator[str, None]:
    async for piece in pieces:
        yield piece


def _nobody(stage: str, done: int = 0, total: int = 0) -> None:
    """Tell nobody how far it is: the conversation is what a person watches."""
