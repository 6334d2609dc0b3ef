"""Stage two: an analysis becomes page proposals, every promised page among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from vaultd.author.model.asking import (
    Models,
    Setting,
    fitting,
    lines,
    request_of,
    setting_of,
    source_frame,
)
from vaultd.author.seam import Turn
from vaultd.core.block_path import same_path
from vaultd.core.budget import (
    generation_tokens,
    notes_chars,
    pages_a_reply,
    repair_section_chars,
    trimmed,
)
from vaultd.core.draft import page_draft
from vaultd.core.promise import batches, missing_pages, promised_pages
from vaultd.core.prompt import AgainPrompt, GenerationPrompt
from vaultd.core.quoted import citation, quoted, source_text
from vaultd.core.reply import Reply, parse_reply
from vaultd.errors import BadReplyError
from vaultd.llm.client import LlmClient
from vaultd.model.jobs import Progress
from vaultd.model.paths import VaultPath
from vaultd.model.wiki import (
    Analysis,
    Draft,
    PageDraft,
    Refused,
    ReviewDraft,
    SourceText,
    WikiContext,
)

TALK_SHARE = 10  # percent of the context that a conversation may take in the prompt


@dataclass(slots=True)
class _Work:
    """What has come so far of one source's pages."""

    source: SourceText
    wiki: WikiContext
    analysis: Analysis
    talk: Sequence[Turn]
    setting: Setting
    pages: dict[str, PageDraft] = field(default_factory=dict)
    reviews: list[ReviewDraft] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    log: str = ""
    length: int = 0
    asked_review: bool = False

    @property
    def written(self) -> list[VaultPath]:
        return [page.path for page in self.pages.values()]

    def take(self, text: str, wanted: Sequence[VaultPath] = ()) -> tuple[VaultPath, ...]:
        """Take the pages of a reply, with `wanted` only those; return paths whose block was cut."""
        reply = parse_reply(text)
        self.length += len(text)
        self.asked_review |= reply.asked_review
        self.refused += reply.refused
        self.warnings += reply.warnings
        self.log = self.log or reply.log
        self.reviews += reply.reviews
        empty = self._take_pages(reply, wanted)
        return (*reply.truncated, *empty)

    def _take_pages(self, reply: Reply, wanted: Sequence[VaultPath]) -> list[VaultPath]:
        empty: list[VaultPath] = []
        for block in reply.files:
            key = same_path(block.path)
            asked = not wanted or not missing_pages([block.path], wanted, self.wiki.summary_path)
            drafted = page_draft(block)
            if key in self.pages:
                self._refuse(block.path, block.text, "second block for the path")
            elif not asked:
                self._refuse(block.path, block.text, "page that was not asked for")
            elif drafted.page is None:
                empty.append(block.path)
                self.warnings += drafted.warnings
            elif len(self.pages) >= self.wiki.pages_limit and not self._is_own(block.path):
                self._refuse(block.path, block.text, "more pages than one source may have")
            else:
                self.pages[key] = drafted.page
                self.warnings += drafted.warnings
        return empty

    def _is_own(self, path: VaultPath) -> bool:
        return not missing_pages([self.wiki.summary_path], [path], self.wiki.summary_path)

    def _refuse(self, path: VaultPath, text: str, reason: str) -> None:
        self.refused.append(Refused(path, text, reason))
        self.warnings.append(f"{reason}: {path}")


class Writer:
    """Asks for pages."""

    def __init__(self, llm: LlmClient, models: Models) -> None:
        self._llm = llm
        self._model = models.generation or models.model

    async def generate(
        self,
        source: SourceText,
        analysis: Analysis,
        wiki: WikiContext,
        progress: Progress,
        talk: Sequence[Turn] = (),
    ) -> Draft:
        """Ask for the pages: one call, or batches where the plan does not fit into one reply.

        What was cut or promised and did not come is asked for once more, by path.

        Raises:
            BadReplyError: a page is missing still.
        """

        async def within(context: int) -> Draft:
            setting = setting_of(source, wiki, context)
            work = _Work(source, wiki, analysis, talk, setting)
            plan = promised_pages(analysis.text, wiki.summary_path, wiki.pages_limit)
            groups = batches(plan, pages_a_reply(generation_tokens(context))) or [()]
            progress("generation", 0, len(groups))
            cut = await self._first(work, groups[0])
            for number, group in enumerate(groups[1:], start=1):
                progress("generation", number, len(groups))
                cut += await self._more(work, group, whole=False)
            await self._repair(work, plan, cut)
            return _draft(work)

        return await fitting(self._llm, self._model, within)

    async def _first(self, work: _Work, paths: Sequence[VaultPath]) -> tuple[VaultPath, ...]:
        setting = work.setting
        prompt = GenerationPrompt(
            language_rule=setting.language_rule,
            wiki_rules=setting.rules,
            listing=setting.listing,
            file=work.source.id,
            folder=work.source.folder_context,
            summary_path=work.wiki.summary_path,
            pages_limit=work.wiki.pages_limit,
            citation=citation(work.source),
            wanted=f"Pages to write:\n{lines(paths)}" if paths else "",
            analysis=quoted("analysis", trimmed(work.analysis.text, notes_chars(setting.budget))),
            talk=_talk(work),
            source=_evidence(work, setting.budget.source),
        )
        request = request_of(
            prompt,
            stage="generation",
            subject=work.source.id,
            model=self._model,
            max_tokens=generation_tokens(setting.budget.context),
        )
        reply = await self._llm.ask(replace(request, cut_allowed=True), _holds_pages)
        return work.take(reply.text)

    async def _more(
        self, work: _Work, paths: Sequence[VaultPath], *, whole: bool
    ) -> tuple[VaultPath, ...]:
        """Ask for exactly these pages; with `whole`, a reply that lacks one is not accepted."""
        section = repair_section_chars(work.setting.budget.context)
        prompt = AgainPrompt(
            language_rule=work.setting.language_rule,
            wiki_rules=work.setting.rules,
            listing=trimmed(work.setting.listing, section),
            file=work.source.id,
            folder=work.source.folder_context,
            summary_path=work.wiki.summary_path,
            citation=citation(work.source),
            paths=lines(paths),
            written=lines(work.written) or "- nothing",
            analysis=quoted("analysis", trimmed(work.analysis.text, section)),
            talk=_talk(work),
            source=_evidence(work, work.setting.budget.source if not whole else section),
        )
        request = request_of(
            prompt,
            stage="again",
            subject=work.source.id,
            model=self._model,
            max_tokens=generation_tokens(work.setting.budget.context),
        )

        def check(text: str) -> None:
            came = _whole_pages(text)
            lacking = missing_pages(paths, came, work.wiki.summary_path)
            if lacking and (whole or len(lacking) == len(paths)):
                raise BadReplyError(f"The model left out {', '.join(lacking)}.")

        reply = await self._llm.ask(replace(request, cut_allowed=True), check)
        return work.take(reply.text, paths)

    async def _repair(
        self, work: _Work, plan: Sequence[VaultPath], cut: Sequence[VaultPath]
    ) -> None:
        summary = work.wiki.summary_path
        promised = dict.fromkeys((summary, *plan, *cut))
        room = max(1, work.wiki.pages_limit - len(work.pages))
        lacking = missing_pages(tuple(promised), work.written, summary)[:room]
        size = pages_a_reply(generation_tokens(work.setting.budget.context))
        for group in batches(lacking, size):
            await self._more(work, group, whole=True)


def _holds_pages(text: str) -> None:
    reply = parse_reply(text)
    if not reply.files and not reply.truncated:
        raise BadReplyError("The model gave no page.")


def _whole_pages(text: str) -> list[VaultPath]:
    drafts = (page_draft(block) for block in parse_reply(text).files)
    return [draft.page.path for draft in drafts if draft.page is not None]


def _evidence(work: _Work, limit: int) -> str:
    """Return the document's text; the notes of a long one stand for it."""
    if work.analysis.digest:
        return "The document is too long to be given whole: the analysis above stands for it."
    return source_frame(source_text(work.source), limit)


def _talk(work: _Work) -> str:
    """Return the conversation, its end if it is too long for its share."""
    if not work.talk:
        return ""
    told = "\n\n".join(f"{turn.role}: {turn.text}" for turn in work.talk)
    limit = work.setting.budget.context * TALK_SHARE // 100
    return "What the person and you said about the document; the person's wishes count:\n" + quoted(
        "conversation", told[-limit:]
    )


def _draft(work: _Work) -> Draft:
    title = next((line for line in work.log.split("\n") if line.startswith("#")), "")
    return Draft(
        pages=tuple(work.pages.values()),
        reviews=tuple(work.reviews),
        log=title.rsplit("|", 1)[-1].strip() if "|" in title else "",
        refused=tuple(work.refused),
        warnings=tuple(work.warnings),
        raw_length=work.length,
        asked_review=work.asked_review,
    )
