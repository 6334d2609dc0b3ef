"""The prompts: one frozen value per template, filled once, with a version."""

from __future__ import annotations

import hashlib
import importlib.resources
from dataclasses import dataclass, fields
from functools import cache
from string import Template
from typing import ClassVar

USER = "=== user ==="  # parts what is the same for every call from what is not
LANGUAGES = {
    "ar": "Arabic",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "hu": "Hungarian",
    "id": "Indonesian",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sv": "Swedish",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "vi": "Vietnamese",
    "zh": "Chinese",
}
TRADITIONAL = frozenset({"hant", "tw", "hk", "mo"})  # how Chinese is written there


@dataclass(frozen=True, slots=True)
class Rendered:
    """A filled prompt; `version` is the hash of its template."""

    system: str
    user: str
    version: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """The input of a template; `template` names its file."""

    template: ClassVar[str]

    language_rule: str

    def render(self) -> Rendered:
        """Fill the template. What is filled in is never expanded again."""
        system, user, version = parts_of(self.template)
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return Rendered(
            _tidy(Template(system).substitute(values)),
            _tidy(Template(user).substitute(values)),
            version,
        )


@cache
def parts_of(name: str) -> tuple[str, str, str]:
    """Return the system part, the user part and the version of a template."""
    file = importlib.resources.files("vaultd") / "prompts" / f"{name}.md"
    text = file.read_text(encoding="utf-8")
    system, _, user = text.partition(USER)
    version = hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]
    return system.strip("\n"), user.strip("\n"), f"{name}-{version}"


def version_of(prompt: type[Prompt]) -> str:
    """Return the version of a template."""
    return parts_of(prompt.template)[2]


def language_name(code: str) -> str:
    """Return what a language is called in English; the code itself where it is not known."""
    language, *more = code.replace("_", "-").lower().split("-")
    name = LANGUAGES.get(language, code or "the language of the document")
    if language == "zh" and more:
        spelling = "Traditional" if TRADITIONAL.intersection(more) else "Simplified"
        return f"{spelling} {name}"
    return name


def language_rule(code: str) -> str:
    """Return the sentences that stand at both ends of a prompt."""
    name = language_name(code)
    spelling = " Use traditional or simplified characters as the text does."
    how = spelling if name == LANGUAGES["zh"] else ""
    return f"Write in {name}.{how} Names, identifiers, code and quotations stay as they are."


def _tidy(text: str) -> str:
    """Return `text` without the gaps that empty inputs leave."""
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.strip("\n")


@dataclass(frozen=True, slots=True)
class AnalysisPrompt(Prompt):
    """Stage one."""

    template: ClassVar[str] = "analysis"

    wiki_rules: str
    listing: str
    file: str
    folder: str
    summary_path: str
    pages_limit: int
    source: str


@dataclass(frozen=True, slots=True)
class ChunkPrompt(Prompt):
    """Stage one, for one part of a long source."""

    template: ClassVar[str] = "chunk"

    wiki_rules: str
    listing: str
    file: str
    folder: str
    summary_path: str
    pages_limit: int
    number: int
    total: int
    heading: str
    digest: str
    overlap: str
    source: str


@dataclass(frozen=True, slots=True)
class GenerationPrompt(Prompt):
    """Stage two."""

    template: ClassVar[str] = "generation"

    wiki_rules: str
    listing: str
    file: str
    folder: str
    summary_path: str
    pages_limit: int
    citation: str
    wanted: str
    analysis: str
    talk: str
    source: str


@dataclass(frozen=True, slots=True)
class AgainPrompt(Prompt):
    """Stage two, for pages that did not come, or for the next batch of them."""

    template: ClassVar[str] = "again"

    wiki_rules: str
    listing: str
    file: str
    folder: str
    summary_path: str
    citation: str
    paths: str
    written: str
    analysis: str
    talk: str
    source: str


@dataclass(frozen=True, slots=True)
class ReviewPrompt(Prompt):
    """What a person should look at after an ingest."""

    template: ClassVar[str] = "review"

    wiki_rules: str
    listing: str
    file: str
    analysis: str
    pages: str
    source: str


@dataclass(frozen=True, slots=True)
class MergePrompt(Prompt):
    """Two bodies of one page."""

    template: ClassVar[str] = "merge"

    path: str
    title: str
    existing_sources: str
    existing: str
    incoming_source: str
    incoming: str


@dataclass(frozen=True, slots=True)
class LanguagePrompt(Prompt):
    """A page in the wrong language."""

    template: ClassVar[str] = "language"

    language_name: str
    path: str
    body: str


@dataclass(frozen=True, slots=True)
class FolderPrompt(Prompt):
    """A folder's abstract and overview."""

    template: ClassVar[str] = "folder"

    name: str
    total: int
    previous: str
    children: str


@dataclass(frozen=True, slots=True)
class FilePrompt(Prompt):
    """One window of a note."""

    template: ClassVar[str] = "file"

    path: str
    description: str
    passages: str


@dataclass(frozen=True, slots=True)
class FileReducePrompt(Prompt):
    """The partial summaries of a note."""

    template: ClassVar[str] = "file-reduce"

    path: str
    description: str
    partials: str


@dataclass(frozen=True, slots=True)
class CaptionPrompt(Prompt):
    """A picture."""

    template: ClassVar[str] = "caption"

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class TranscribePrompt(Prompt):
    """A scanned page, whose text keeps its own language."""

    template: ClassVar[str] = "transcribe"

    language_name: str


@dataclass(frozen=True, slots=True)
class ConversePrompt(Prompt):
    """The opening of a talk about a source."""

    template: ClassVar[str] = "converse"

    wiki_rules: str
    listing: str
    file: str
    folder: str
    source: str


PROMPTS: tuple[type[Prompt], ...] = (
    AnalysisPrompt,
    ChunkPrompt,
    GenerationPrompt,
    AgainPrompt,
    ReviewPrompt,
    MergePrompt,
    LanguagePrompt,
    FolderPrompt,
    FilePrompt,
    FileReducePrompt,
    CaptionPrompt,
    TranscribePrompt,
    ConversePrompt,
)
