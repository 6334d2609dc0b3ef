"""An author with its scripted server, and what it is given to read."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from tests.model_replies import page
from tests.model_server import ModelServer
from vaultd.author.model import LedgerBook, ModelAuthor, Models
from vaultd.llm.client import LlmClient
from vaultd.llm.endpoint import Endpoint
from vaultd.llm.gate import Gate
from vaultd.model.document import ExtractedPage
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import PageRef, SourceText, WikiContext
from vaultd.store.database import Database

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
SUMMARY = VaultPath("wiki/sources/paper.md")


def nothing(stage: str, done: int = 0, total: int = 0) -> None:
    """Tell nobody."""


@dataclass
class Steps:
    """Remembers what progress was reported."""

    seen: list[tuple[str, int, int]] = field(default_factory=list)

    def __call__(self, stage: str, done: int = 0, total: int = 0) -> None:
        self.seen.append((stage, done, total))


@dataclass
class World:
    """An author with its server, its database and the files it wrote."""

    server: ModelServer
    db: Database
    endpoint: Endpoint
    state: dict[str, bytes] = field(default_factory=dict)
    context_chars: int = 204_800
    daily_limit: int = 0

    @property
    def author(self) -> ModelAuthor:
        """A new author, as after a restart."""
        book = LedgerBook(self.db, clock=lambda: NOW, daily_token_limit=self.daily_limit)
        llm = LlmClient(
            self.endpoint,
            book,
            gate=Gate(4),
            clock=lambda: NOW,
            context_chars=self.context_chars,
        )
        return ModelAuthor(
            llm,
            Models("scripted", vision="scripted-vision"),
            db=self.db,
            save_state=self.save,
            clock=lambda: NOW,
        )

    def save(self, name: str, content: bytes | None) -> None:
        if content is None:
            self.state.pop(name, None)
        else:
            self.state[name] = content


def source_of(*pages: str, name: str = "paper.pdf", language: str = "en") -> SourceText:
    texts = pages or ("The whole paper speaks about traces. " * 40,)
    return SourceText(
        id=SourceId(name),
        path=VaultPath(f"raw/{name}"),
        sha256="0" * 64,
        title="Paper",
        language=language,
        pages=tuple(ExtractedPage(n, text) for n, text in enumerate(texts, start=1)),
        folder_context="ml",
    )


def wiki_of(*pages: PageRef, count: int = 0, limit: int = 15, schema: str = "") -> WikiContext:
    return WikiContext(
        purpose="To learn.",
        schema=schema,
        pages=pages,
        page_count=count or len(pages),
        summary_path=SUMMARY,
        language="",
        today=date(2026, 11, 29),
        pages_limit=limit,
    )


def plan_of(*names: str) -> str:
    entries = "\n".join(f"- wiki/concepts/{name}.md: central" for name in names)
    return f"## Key concepts\n\nSome.\n\n## Pages\n\n- {SUMMARY}: its own\n{entries}\n"


def pages_of(*paths: str) -> str:
    return "\n\n".join(page(path, "paper.pdf", "Text about it.") for path in paths)
