"""Everything that is asked in one call: merging, summaries, pictures, reviews."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import structlog

from vaultd.author.model.asking import (
    Models,
    ask_whole,
    request_of,
    setting_of,
    source_frame,
    with_picture,
)
from vaultd.author.seam import (
    CaptionRequest,
    FileRequest,
    FolderRequest,
    FolderText,
    MergeRequest,
)
from vaultd.core.budget import (
    CAPTION_MAX_TOKENS,
    generation_tokens,
    review_section_chars,
    review_tokens,
    trimmed,
    wants_review_stage,
)
from vaultd.core.draft import body_of
from vaultd.core.folder_reply import folder_reply
from vaultd.core.prompt import (
    CaptionPrompt,
    FilePrompt,
    FileReducePrompt,
    FolderPrompt,
    LanguagePrompt,
    MergePrompt,
    Prompt,
    ReviewPrompt,
    TranscribePrompt,
    language_name,
    language_rule,
)
from vaultd.core.quoted import quoted, source_text
from vaultd.core.reply import parse_reply
from vaultd.errors import BadReplyError, CapacityError, PermanentError
from vaultd.llm.client import LlmClient
from vaultd.llm.request import Message, ModelRequest, Picture
from vaultd.model.paths import VaultPath
from vaultd.model.summary import ChildSummary
from vaultd.model.wiki import Analysis, Draft, ReviewDraft, SourceText, WikiContext

log = structlog.get_logger()

REVIEWS_PER_STAGE = 5
FOLDER_MAX_TOKENS = 2_048  # an abstract, and an overview of 3,000 characters in any script
SUMMARY_MAX_TOKENS = 1_024
REPAIR_EXCERPT = 4_000  # characters of a reply that go back to the model with what is wrong


class Describer:
    """Asks for everything but analyses and pages."""

    def __init__(self, llm: LlmClient, models: Models) -> None:
        self._llm = llm
        self._models = models

    async def review(
        self, source: SourceText, analysis: Analysis, wiki: WikiContext, draft: Draft
    ) -> tuple[ReviewDraft, ...]:
        """Ask what a person should look at, if the generation gives cause; at most five items.

        A reply that cannot be used means no items: an ingest never fails for its reviews.
        """
        if not wants_review_stage(draft.raw_length, len(draft.pages), asked=draft.asked_review):
            return ()
        model = self._models.generation or self._models.model
        context = await self._llm.context_chars(model)
        section, listed = review_section_chars(context)
        setting = setting_of(source, wiki, context)
        pages = "\n\n".join(f"{page.path}: {page.title}\n{page.body}" for page in draft.pages)
        evidence = "" if analysis.digest else source_frame(source_text(source), section)
        prompt = ReviewPrompt(
            language_rule=setting.language_rule,
            wiki_rules=setting.rules,
            listing=trimmed(setting.listing, listed),
            file=source.id,
            analysis=quoted("analysis", trimmed(analysis.text, section)),
            pages=quoted("pages", trimmed(pages, section)),
            source=evidence,
        )
        request = request_of(
            prompt,
            stage="review",
            subject=source.id,
            model=model,
            max_tokens=review_tokens(context),
        )
        try:
            reply = await self._llm.ask(replace(request, cut_allowed=True))
        except (BadReplyError, CapacityError) as error:
            log.warning("review stage without a result", source=source.id, code=error.code)
            return ()
        return parse_reply(reply.text).reviews[:REVIEWS_PER_STAGE]

    async def merge(self, request: MergeRequest) -> str:
        """Return one body from two; properties and markers are taken off.

        Raises:
            BadReplyError: no body came.
        """
        prompt = MergePrompt(
            language_rule=language_rule(request.language),
            path=request.path,
            title=request.title,
            existing_sources=", ".join(request.existing_sources) or "earlier sources",
            existing=quoted("standing text", request.existing),
            incoming_source=request.incoming_source,
            incoming=quoted("new text", request.incoming),
        )
        return await self._body(prompt, "merge", request.path)

    async def rewrite_language(self, path: VaultPath, body: str, language: str) -> str:
        """Return `body` in `language`.

        Raises:
            BadReplyError: no body came.
        """
        prompt = LanguagePrompt(
            language_rule=language_rule(language),
            language_name=language_name(language),
            path=path,
            body=quoted("page", body),
        )
        return await self._body(prompt, "language", path)

    async def _body(self, prompt: Prompt, stage: str, path: VaultPath) -> str:
        model = self._models.generation or self._models.model
        context = await self._llm.context_chars(model)
        request = request_of(
            prompt,
            stage=stage,
            subject=path,
            model=model,
            max_tokens=generation_tokens(context),
        )
        reply = await ask_whole(self._llm, request, _has_body)
        return _page_body(reply.text)

    async def summarise(self, request: FolderRequest) -> FolderText:
        """Return a folder's texts from one structured call; a misshapen reply is repaired once.

        Raises:
            BadReplyError: the repair did not fit either.
        """
        asked = self._folder_request(request)
        names = [child.name for child in request.children]
        names += [child.uri for child in request.children]
        names += [child.title for child in request.children if child.title]
        if request.partials:
            names += [name for _, overview in request.partials for name in _linked(overview)]
        try:
            return await self._folder_text(asked, names)
        except _MisshapenError as error:
            again = replace(
                asked,
                messages=(
                    *asked.messages,
                    Message("assistant", error.reply[:REPAIR_EXCERPT]),
                    Message(
                        "user",
                        f"{error} Answer with the JSON object only, with both keys. "
                        + language_rule(request.language),
                    ),
                ),
            )
            return await self._folder_text(again, names)

    async def _folder_text(self, asked: ModelRequest, names: Collection[str]) -> FolderText:
        def check(text: str) -> None:
            try:
                folder_reply(text, names)
            except BadReplyError as error:
                raise _MisshapenError(str(error), text) from error

        reply = await ask_whole(self._llm, asked, check)
        return FolderText(*folder_reply(reply.text, names))

    def _folder_request(self, request: FolderRequest) -> ModelRequest:
        previous = ""
        if request.previous:
            told = f"abstract: {request.previous[0]}\n\noverview:\n{request.previous[1]}"
            previous = "The texts of last time:\n" + quoted("last time", told)
        parts = [_child_line(child) for child in request.children]
        content = "What the folder holds:\n" + quoted("content", "\n".join(parts))
        if request.partials:
            told = "\n\n".join(f"{abstract}\n{overview}" for abstract, overview in request.partials)
            content = (
                "Descriptions of its parts:\n"
                + quoted("parts", told)
                + ("\n\n" + content if request.children else "")
            )
        prompt = FolderPrompt(
            language_rule=language_rule(request.language),
            name=request.name,
            total=request.total or len(request.children),
            previous=previous,
            children=content,
        )
        return request_of(
            prompt,
            stage="folder",
            subject=request.folder,
            model=self._models.summary or self._models.model,
            max_tokens=FOLDER_MAX_TOKENS,
        )

    async def summarise_file(self, request: FileRequest) -> str:
        """Return the summary of a window of passages, or of partial summaries."""
        description = f"Described by its owner as: {request.description}"
        told = description if request.description else ""
        rule = language_rule(request.language)
        prompt: Prompt
        if request.partials:
            united = quoted("summaries", "\n\n".join(request.partials))
            prompt = FileReducePrompt(rule, request.path, told, united)
        else:
            text = quoted("passages", "\n\n".join(request.passages))
            prompt = FilePrompt(rule, request.path, told, text)
        asked = request_of(
            prompt,
            stage=prompt.template,
            subject=request.path,
            model=request.model or self._models.summary or self._models.model,
            max_tokens=request.max_tokens or SUMMARY_MAX_TOKENS,
        )
        reply = await ask_whole(self._llm, replace(asked, temperature=request.temperature))
        return " ".join(reply.text.split())

    async def caption(self, request: CaptionRequest) -> str:
        """Describe a picture in one line.

        Raises:
            PermanentError: no model that sees pictures is configured.
        """
        prompt = CaptionPrompt(
            language_rule=language_rule(request.language),
            before=quoted("before", request.before),
            after=quoted("after", request.after),
        )
        picture = Picture(request.data, request.extension)
        return " ".join((await self._seen(prompt, picture)).split())

    async def transcribe(self, image: bytes, extension: str, language: str) -> str:
        """Return the text a scanned page shows.

        Raises:
            PermanentError: no model that sees pictures is configured.
        """
        prompt = TranscribePrompt(
            language_rule="The text stays in the language of the page.",
            language_name=language_name(language),
        )
        return await self._seen(prompt, Picture(image, extension))

    async def _seen(self, prompt: Prompt, picture: Picture) -> str:
        if not self._models.vision:
            raise PermanentError("No model that sees pictures is set: llm.vision_model.")
        request = request_of(
            prompt,
            stage=prompt.template,
            subject=prompt.template,
            model=self._models.vision,
            max_tokens=CAPTION_MAX_TOKENS,
        )
        asked = with_picture(replace(request, temperature=0.0), picture)
        return (await ask_whole(self._llm, asked)).text.strip()


class _MisshapenError(BadReplyError):
    """A folder's reply of the wrong shape, kept for the repair."""

    def __init__(self, message: str, reply: str) -> None:
        super().__init__(message)
        self.reply = reply


def _page_body(text: str) -> str:
    """Return the body of a page given as Markdown, as a whole file, or as a FILE block."""
    blocks = parse_reply(text).files
    return body_of(blocks[0].text if len(blocks) == 1 else text)


def _has_body(text: str) -> None:
    if not _page_body(text).strip():
        raise BadReplyError("The model gave no text for the page.")


def _child_line(child: ChildSummary) -> str:
    name = f"{child.name}/" if child.is_directory else child.name
    title = f", “{child.title}”" if child.title else ""
    about = f" ({child.category})" if child.category not in ("", "folder") else ""
    abstract = " ".join(child.abstract.split())
    return f"- {name}{title}{about}" + (f": {abstract}" if abstract else "")


def _linked(overview: str) -> list[str]:
    """Return the targets of the wikilinks in an overview of ours."""
    return [part.split("]]")[0].split("|")[0] for part in overview.split("[[")[1:]]
