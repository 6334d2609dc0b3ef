"""The author that asks a language model, behind the seam that every author has."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace

from vaultd.author.model.analysing import Analyst, Checkpoints, SaveState
from vaultd.author.model.asking import Models, request_of, setting_of, source_frame
from vaultd.author.model.describing import Describer
from vaultd.author.model.generating import Writer
from vaultd.author.seam import (
    CaptionRequest,
    FileRequest,
    FolderRequest,
    FolderText,
    MergeRequest,
    Turn,
)
from vaultd.core.budget import ANALYSIS_MAX_TOKENS, PAGE_TOKENS, generation_tokens, notes_chars
from vaultd.core.prompt import ConversePrompt
from vaultd.core.quoted import source_text
from vaultd.core.text import tokens_of
from vaultd.llm.client import LlmClient
from vaultd.llm.request import Message, ModelRequest
from vaultd.model.jobs import Progress
from vaultd.model.paths import Clock, VaultPath
from vaultd.model.wiki import Analysis, Draft, ReviewDraft, SourceText, WikiContext
from vaultd.store.database import Database

ANALYSIS_TOKENS = 1_500  # what an analysis usually takes in a reply; its limit is 4,096
INSTRUCTION_TOKENS = 1_200  # what the longest template takes
USUAL_PAGES = 6  # what a source gives where it may give fifteen


class ModelAuthor:
    """Writes with a model; every reply is stored before it is used."""

    def __init__(
        self,
        llm: LlmClient,
        models: Models,
        *,
        db: Database,
        save_state: SaveState,
        clock: Clock,
    ) -> None:
        self._llm = llm
        self._models = models
        self._checkpoints = Checkpoints(db, save_state, clock)
        self._analyst = Analyst(llm, models, self._checkpoints)
        self._writer = Writer(llm, models)
        self._describer = Describer(llm, models)

    @property
    def name(self) -> str:
        """The model that writes the pages."""
        return self._models.generation or self._models.model

    @property
    def offline(self) -> bool:
        """A model is involved."""
        return False

    @property
    def sees_pictures(self) -> bool:
        """Whether a vision model is set."""
        return bool(self._models.vision)

    def estimate(self, source: SourceText, wiki: WikiContext) -> int:
        """Return the tokens of analysis, generation and review, in and out, about."""
        context = self._llm.context_now(self._models.analysis or self._models.model)
        setting = setting_of(source, wiki, context)
        text = source_text(source)
        around = INSTRUCTION_TOKENS + tokens_of(setting.rules + setting.listing)
        reading = tokens_of(text)
        pages = min(wiki.pages_limit, USUAL_PAGES) * PAGE_TOKENS
        if len(text) <= setting.budget.source:
            analysing = reading + around + ANALYSIS_TOKENS
            writing = reading + around + ANALYSIS_TOKENS + pages
            reviewing = min(reading, context * 15 // 100 // 3) + around + pages + 500
        else:
            chunks = -(-len(text) // setting.budget.chunk)
            each = around + 3 * ANALYSIS_TOKENS
            analysing = reading + chunks * (each + tokens_of(text[: setting.budget.overlap]))
            notes = min(chunks * ANALYSIS_TOKENS, notes_chars(setting.budget) // 3)
            writing = notes + around + pages
            reviewing = around + pages + 2_000
        return analysing + writing + reviewing

    async def analyse(self, source: SourceText, wiki: WikiContext, progress: Progress) -> Analysis:
        """Read the source, in chunks where it is too long for one prompt."""
        return await self._analyst.analyse(source, wiki, progress)

    async def generate(
        self,
        source: SourceText,
        analysis: Analysis,
        wiki: WikiContext,
        progress: Progress,
        talk: Sequence[Turn] = (),
    ) -> Draft:
        """Draft the pages; every promised one is there, or `BadReplyError` is raised."""
        draft = await self._writer.generate(source, analysis, wiki, progress, talk)
        await self._checkpoints.drop(source)
        return draft

    async def review(
        self, source: SourceText, analysis: Analysis, wiki: WikiContext, draft: Draft
    ) -> tuple[ReviewDraft, ...]:
        """Name what a person should look at; no call where the draft gives no cause."""
        return await self._describer.review(source, analysis, wiki, draft)

    async def merge(self, request: MergeRequest) -> str:
        """Return one body that keeps every claim of both."""
        return await self._describer.merge(request)

    async def rewrite_language(self, path: VaultPath, body: str, language: str) -> str:
        """Return `body` in `language`."""
        return await self._describer.rewrite_language(path, body, language)

    async def summarise(self, request: FolderRequest) -> FolderText:
        """Return a folder's abstract and overview from one call."""
        return await self._describer.summarise(request)

    async def summarise_file(self, request: FileRequest) -> str:
        """Return the summary of one window of a file, or of its partial summaries."""
        return await self._describer.summarise_file(request)

    async def caption(self, request: CaptionRequest) -> str:
        """Describe a picture in two to four sentences."""
        return await self._describer.caption(request)

    async def transcribe(self, image: bytes, extension: str, language: str) -> str:
        """Return the text a scanned page shows."""
        return await self._describer.transcribe(image, extension, language)

    async def converse(
        self, source: SourceText, wiki: WikiContext, talk: Sequence[Turn]
    ) -> AsyncIterator[str]:
        """Stream the analysis (`talk` empty) or the answer to the last turn, piece by piece."""
        model = self._models.analysis or self._models.model
        context = await self._llm.context_chars(model)
        asked = _conversation(source, wiki, talk, model=model, context=context)
        async with aclosing(self._llm.stream(asked)) as pieces:
            async for piece in pieces:
                yield piece


def _conversation(
    source: SourceText, wiki: WikiContext, talk: Sequence[Turn], *, model: str, context: int
) -> ModelRequest:
    """Return the request for the next answer; a long talk keeps its beginning's last turns."""
    setting = setting_of(source, wiki, context)
    prompt = ConversePrompt(
        language_rule=setting.language_rule,
        wiki_rules=setting.rules,
        listing=setting.listing,
        file=source.id,
        folder=source.folder_context,
        source=source_frame(source_text(source), setting.budget.source),
    )
    request = request_of(
        prompt,
        stage="converse",
        subject=source.id,
        model=model,
        max_tokens=max(ANALYSIS_MAX_TOKENS, generation_tokens(context) // 2),
    )
    turns = [Message(turn.role, turn.text) for turn in _recent(talk, setting.budget.response)]
    return replace(request, messages=(*request.messages, *turns))


def _recent(talk: Sequence[Turn], limit: int) -> list[Turn]:
    """Return the last turns that fit into `limit` characters, at least the very last."""
    kept: list[Turn] = []
    for turn in reversed(talk):
        if kept and sum(len(each.text) for each in kept) + len(turn.text) > limit:
            break
        kept.append(turn)
    return kept[::-1]
