"""The offline author: the seam's methods over pure functions, run in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from vaultd.author.offline.folder import file_summary, folder_text
from vaultd.author.offline.labels import labels_for
from vaultd.author.offline.pages import TermPage, source_draft, term_draft, term_pages
from vaultd.author.offline.quote import place_of, quoted
from vaultd.author.offline.reviews import reviews_for
from vaultd.author.offline.study import Study, study_of
from vaultd.author.offline.union import united
from vaultd.author.seam import (
    CaptionRequest,
    FileRequest,
    FolderRequest,
    FolderText,
    MergeRequest,
    Turn,
)
from vaultd.core.extractive import chosen, terms_of_sentence
from vaultd.errors import PermanentError
from vaultd.model.jobs import Progress
from vaultd.model.paths import VaultPath
from vaultd.model.wiki import OFFLINE, Analysis, Draft, ReviewDraft, SourceText, WikiContext

ANSWER_SENTENCES = 5


class OfflineAuthor:
    """Writes by quoting: deterministic, no network, no cost. Implements `Author`."""

    name = OFFLINE
    offline = True
    sees_pictures = False

    def __init__(self) -> None:
        self._studied: Study | None = None  # the last source, for the stage that follows

    def estimate(self, source: SourceText, wiki: WikiContext) -> int:
        """Return 0: no model is asked."""
        del source, wiki
        return 0

    async def analyse(self, source: SourceText, wiki: WikiContext, progress: Progress) -> Analysis:
        """Return the key sentences and terms as text; `generate` does not need it."""
        progress("analysis", 0, 1)
        study = await self._study(source)
        text = await asyncio.to_thread(_analysis, study, wiki)
        progress("analysis", 1, 1)
        return Analysis(text)

    async def generate(
        self,
        source: SourceText,
        analysis: Analysis,
        wiki: WikiContext,
        progress: Progress,
        talk: Sequence[Turn] = (),
    ) -> Draft:
        """Draft the source's page and the pages of its terms; `talk` draws the choice."""
        del analysis
        progress("generation", 0, 1)
        study = await self._study(source, _focus(talk))
        draft = await asyncio.to_thread(_draft, study, wiki)
        progress("generation", 1, 1)
        return draft

    async def review(
        self, source: SourceText, analysis: Analysis, wiki: WikiContext, draft: Draft
    ) -> tuple[ReviewDraft, ...]:
        """Ask about pages that look like one and the same; nothing else can be known by rule."""
        del source, analysis
        return await asyncio.to_thread(reviews_for, draft, wiki)

    async def merge(self, request: MergeRequest) -> str:
        """Return the union of both bodies, the existing one's words and order kept."""
        return united(request.existing, request.incoming)

    async def rewrite_language(self, path: VaultPath, body: str, language: str) -> str:
        """Return `body` as it is: quotations stay in the language of their source."""
        del path, language
        return body

    async def summarise(self, request: FolderRequest) -> FolderText:
        """Return a folder's texts from its children's abstracts."""
        return await asyncio.to_thread(folder_text, request)

    async def summarise_file(self, request: FileRequest) -> str:
        """Return the most telling sentences of a window."""
        return await asyncio.to_thread(file_summary, request)

    async def caption(self, request: CaptionRequest) -> str:
        """Refuse: `sees_pictures` is False.

        Raises:
            PermanentError: always.
        """
        del request
        raise PermanentError("Pictures cannot be described without a vision model.")

    async def transcribe(self, image: bytes, extension: str, language: str) -> str:
        """Refuse: `sees_pictures` is False.

        Raises:
            PermanentError: always.
        """
        del image, extension, language
        raise PermanentError("A scanned page cannot be read without a vision model.")

    async def converse(
        self, source: SourceText, wiki: WikiContext, talk: Sequence[Turn]
    ) -> AsyncIterator[str]:
        """Stream the analysis, or the sentences of the source that answer the last turn."""
        if talk:
            text = await asyncio.to_thread(_answer, source, wiki, talk[-1].text)
        else:
            text = await asyncio.to_thread(_analysis, await self._study(source), wiki)
        for line in text.splitlines(keepends=True):
            yield line

    async def _study(self, source: SourceText, focus: str = "") -> Study:
        last = self._studied
        if focus or last is None or last.source != source:
            last = await asyncio.to_thread(study_of, source, focus)
            self._studied = None if focus else last
        return last


def _focus(talk: Sequence[Turn]) -> str:
    return " ".join(turn.text for turn in talk if turn.role == "user")


def _draft(study: Study, wiki: WikiContext) -> Draft:
    pages = term_pages(study, wiki)
    drafts = (
        source_draft(study, wiki, pages),
        *(term_draft(page, study, wiki, pages) for page in pages),
    )
    return Draft(
        pages=drafts, log=study.source.title, raw_length=sum(len(draft.body) for draft in drafts)
    )


def _analysis(study: Study, wiki: WikiContext) -> str:
    labels = labels_for(wiki.language or study.source.language)
    pages = term_pages(study, wiki)
    proposed = [f"- {page.title} ({page.type}): {quoted(_lead(page))}" for page in pages]
    body = source_draft(study, replace(wiki, pages=()), ()).body
    return body + (f"\n## {labels.related}\n\n" + "\n".join(proposed) + "\n" if proposed else "")


def _lead(page: TermPage) -> str:
    return page.lead.statement.text


def _answer(source: SourceText, wiki: WikiContext, question: str) -> str:
    labels = labels_for(wiki.language or source.language)
    study = study_of(source, question)
    asked = terms_of_sentence(question)
    fitting = [one for one in study.ranked if one.terms & asked]
    fitting.sort(key=lambda one: -len(one.terms & asked) * one.worth)
    lines = [
        f"- {quoted(one.statement.text)} {place_of(source, one.statement, labels)}\n"
        for one in chosen(fitting, ANSWER_SENTENCES)
    ]
    return "".join(lines) or f"{labels.nothing}\n"
