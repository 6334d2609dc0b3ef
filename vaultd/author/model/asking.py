"""What the stages share: the client, the models, how a prompt becomes a request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from vaultd.core.budget import INDEX_MAX_CHARS, Budget, budget_of, trimmed
from vaultd.core.prompt import Prompt, language_rule
from vaultd.core.quoted import listing, quoted, wiki_rules
from vaultd.core.reply import END_OF_REPLY
from vaultd.llm.client import Check, LlmClient, anything
from vaultd.llm.faults import PromptTooLongError, ReplyCutError
from vaultd.llm.request import Completion, Message, ModelRequest, Picture
from vaultd.model.wiki import SourceText, WikiContext

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Models:
    """Which model does what; "" means `model`, for `vision` none."""

    model: str
    analysis: str = ""
    generation: str = ""
    summary: str = ""
    vision: str = ""


@dataclass(frozen=True, slots=True)
class Setting:
    """What the prompts about one source have in common, within one budget."""

    budget: Budget
    language: str
    rules: str
    listing: str

    @property
    def language_rule(self) -> str:
        """The sentence for both ends of the prompt."""
        return language_rule(self.language)


def setting_of(source: SourceText, wiki: WikiContext, context_chars: int) -> Setting:
    """Share out a context for one source: the wiki's part never grows with the wiki."""
    section = max(1_000, context_chars * 8 // 100)
    rules = wiki_rules(wiki.purpose, wiki.schema, section)
    listed = listing(wiki.pages, wiki.page_count, min(INDEX_MAX_CHARS, section))
    return Setting(
        budget=budget_of(context_chars, len(rules) + len(listed)),
        language=wiki.language or source.language,
        rules=rules,
        listing=listed,
    )


def source_frame(text: str, limit: int) -> str:
    """Return the document's text as quoted data, within `limit` characters."""
    return "The text of the document:\n" + quoted("document", trimmed(text, limit))


def request_of(
    prompt: Prompt, *, stage: str, subject: str, model: str, max_tokens: int
) -> ModelRequest:
    """Return the request that a prompt makes."""
    rendered = prompt.render()
    return ModelRequest(
        stage=stage,
        subject=subject,
        model=model,
        messages=(Message("system", rendered.system), Message("user", rendered.user)),
        max_tokens=max_tokens,
        prompt=rendered.version,
        end_asked=END_OF_REPLY in rendered.system,
    )


def with_picture(request: ModelRequest, picture: Picture) -> ModelRequest:
    """Return the request with a picture in its last message."""
    *before, last = request.messages
    return replace(request, messages=(*before, replace(last, picture=picture)))


async def ask_whole(llm: LlmClient, request: ModelRequest, check: Check = anything) -> Completion:
    """Ask for a reply that has to be whole; one that was cut gets twice the room, once."""
    try:
        return await llm.ask(request, check)
    except ReplyCutError:
        return await llm.ask(replace(request, max_tokens=2 * request.max_tokens), check)


async def fitting(llm: LlmClient, model: str, work: Callable[[int], Awaitable[T]]) -> T:
    """Run `work` with the model's context, again with a smaller one while prompts are too long.

    Raises:
        PromptTooLongError: the context cannot be taken as any smaller.
    """
    while True:
        context = await llm.context_chars(model)
        try:
            return await work(context)
        except PromptTooLongError:
            if await llm.context_chars(model) >= context:
                raise


def lines(entries: Sequence[str]) -> str:
    """Return entries as a list."""
    return "\n".join(f"- {entry}" for entry in entries)
