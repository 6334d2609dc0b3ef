"""Stage one: a document becomes an analysis, in parts where it is too long for one prompt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from vaultd.author.model.asking import (
    Models,
    Setting,
    ask_whole,
    fitting,
    request_of,
    setting_of,
    source_frame,
)
from vaultd.core.budget import ANALYSIS_MAX_TOKENS, budget_of, notes_chars
from vaultd.core.chunk import Chunk, split_chunks
from vaultd.core.digest import (
    Checkpoint,
    checkpoint_name,
    chunk_sections,
    consolidated,
    read,
    source_hash,
    units,
    written,
)
from vaultd.core.prompt import AnalysisPrompt, ChunkPrompt, version_of
from vaultd.core.quoted import quoted, source_text
from vaultd.core.timing import stamp
from vaultd.llm.client import LlmClient
from vaultd.model.jobs import Progress
from vaultd.model.paths import Clock
from vaultd.model.wiki import Analysis, SourceText, WikiContext
from vaultd.store import ledger
from vaultd.store.database import Database

SaveState = Callable[[str, bytes | None], None]
"""Writes a file below the state folder, or removes it (None); blocks."""


class Checkpoints:
    """Where the analysis of long sources stands: in the database, and as a file for people."""

    def __init__(self, db: Database, save_state: SaveState, clock: Clock) -> None:
        self._db = db
        self._save_state = save_state
        self._clock = clock

    async def begin(self, fresh: Checkpoint) -> Checkpoint:
        """Return the stored checkpoint if it is of the very same work, else `fresh`."""
        stored = await self._db.read(ledger.checkpoint, fresh.source_identity)
        found = read(stored) if stored else None
        return found if found and found.resumes(fresh) else fresh

    async def save(self, checkpoint: Checkpoint) -> None:
        """Store a checkpoint and write its file."""
        now = self._clock()
        text = written(checkpoint, milliseconds=int(now.timestamp() * 1000))
        source = checkpoint.source_identity
        await self._db.run(ledger.save_checkpoint, source, text, now=stamp(now))
        name = checkpoint_name(source, checkpoint.source_hash)
        await asyncio.to_thread(self._save_state, name, text.encode("utf-8"))

    async def drop(self, source: SourceText) -> None:
        """Forget the checkpoint of a source that is written, and remove its file."""
        stored = await self._db.read(ledger.checkpoint, source.id)
        found = read(stored) if stored else None
        if stored is None:
            return
        if found is not None:
            name = checkpoint_name(source.id, found.source_hash)
            await asyncio.to_thread(self._save_state, name, None)
        await self._db.run(ledger.drop_checkpoint, source.id)


class Analyst:
    """Asks for analyses."""

    def __init__(self, llm: LlmClient, models: Models, checkpoints: Checkpoints) -> None:
        self._llm = llm
        self._model = models.analysis or models.model
        self._checkpoints = checkpoints

    async def analyse(self, source: SourceText, wiki: WikiContext, progress: Progress) -> Analysis:
        """Read the source in one call, or chunk by chunk with a rolling digest."""
        text = source_text(source)

        async def within(context: int) -> Analysis:
            setting = setting_of(source, wiki, context)
            if len(text) > setting.budget.source:
                chunks = await asyncio.to_thread(
                    split_chunks, text, setting.budget.chunk, setting.budget.overlap
                )
                if len(chunks) > 1:
                    return await self._by_chunks(source, wiki, setting, text, chunks, progress)
            progress("analysis", 0, 1)
            return await self._at_once(source, wiki, setting, text)

        return await fitting(self._llm, self._model, within)

    async def _at_once(
        self, source: SourceText, wiki: WikiContext, setting: Setting, text: str
    ) -> Analysis:
        prompt = AnalysisPrompt(
            language_rule=setting.language_rule,
            wiki_rules=setting.rules,
            listing=setting.listing,
            file=source.id,
            folder=source.folder_context,
            summary_path=wiki.summary_path,
            pages_limit=wiki.pages_limit,
            source=source_frame(text, setting.budget.source),
        )
        request = request_of(
            prompt,
            stage="analysis",
            subject=source.id,
            model=self._model,
            max_tokens=ANALYSIS_MAX_TOKENS,
        )
        reply = await ask_whole(self._llm, request)
        return Analysis(reply.text)

    async def _by_chunks(
        self,
        source: SourceText,
        wiki: WikiContext,
        setting: Setting,
        text: str,
        chunks: list[Chunk],
        progress: Progress,
    ) -> Analysis:
        length, hashed = await asyncio.to_thread(lambda: (len(units(text)), source_hash(text)))
        fresh = Checkpoint(
            source_identity=source.id,
            source_hash=hashed,
            source_length=length,
            source_budget=setting.budget.source,
            target_chars=setting.budget.chunk,
            overlap_chars=setting.budget.overlap,
            chunk_total=len(chunks),
            asked_with=f"{self._model} {version_of(ChunkPrompt)} {setting.language}",
        )
        state = await self._checkpoints.begin(fresh)
        for number, chunk in enumerate(chunks, start=1):
            if number <= state.completed_through:
                continue
            progress("analysis", number - 1, len(chunks))
            reply = await self._chunk(source, wiki, setting, chunk, number, state)
            state = state.after(*chunk_sections(reply, state.global_digest))
            await self._checkpoints.save(state)
        limit = notes_chars(budget_of(setting.budget.context, 0))
        return Analysis(
            consolidated(state.global_digest, state.analyses, limit), state.global_digest
        )

    async def _chunk(
        self,
        source: SourceText,
        wiki: WikiContext,
        setting: Setting,
        chunk: Chunk,
        number: int,
        state: Checkpoint,
    ) -> str:
        prompt = ChunkPrompt(
            language_rule=setting.language_rule,
            wiki_rules=setting.rules,
            listing=setting.listing,
            file=source.id,
            folder=source.folder_context,
            summary_path=wiki.summary_path,
            pages_limit=wiki.pages_limit,
            number=number,
            total=state.chunk_total,
            heading=chunk.heading,
            digest=quoted("digest", state.global_digest or "nothing yet"),
            overlap=quoted("before", chunk.overlap),
            source=quoted("part", chunk.text),
        )
        request = request_of(
            prompt,
            stage="chunk",
            subject=source.id,
            model=self._model,
            max_tokens=ANALYSIS_MAX_TOKENS,
        )
        return (await ask_whole(self._llm, request)).text
