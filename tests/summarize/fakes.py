"""An author that counts, waits and misbehaves, and what is needed around it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from vaultd.author.seam import (
    CaptionRequest,
    FileRequest,
    FolderRequest,
    FolderText,
    MergeRequest,
    Turn,
)
from vaultd.embed.seam import Vector
from vaultd.model.jobs import Progress
from vaultd.model.paths import VaultPath
from vaultd.model.wiki import Analysis, Draft, ReviewDraft, SourceText, WikiContext
from vaultd.vault.files import Vault


@dataclass
class FakeAuthor:
    """Writes texts that depend on the inputs; `fault` may raise before every call.

    `latency` in seconds. `same_abstract` gives every folder one abstract for good; `title`
    stands above each overview.
    """

    name: str = "fake-model"
    latency: float = 0.0
    fault: Callable[[str], None] | None = None
    same_abstract: bool = False
    title: str = ""
    offline: bool = False
    sees_pictures: bool = False
    folders: list[FolderRequest] = field(default_factory=list)
    files: list[FileRequest] = field(default_factory=list)
    open: int = 0
    peak: int = 0
    working: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def calls(self) -> int:
        return len(self.folders) + len(self.files)

    def asked(self) -> list[str]:
        """The folders asked for, in order, each as often as it was."""
        return [request.folder for request in self.folders]

    def forget(self) -> None:
        self.folders.clear()
        self.files.clear()

    async def summarise(self, request: FolderRequest) -> FolderText:
        self.folders.append(request)
        await self._work(request.folder)
        if self.same_abstract:
            return FolderText("Always the same.", f"## {len(request.children)}")
        inputs = "|".join(
            [*(child.abstract for child in request.children), *dict(request.partials)]
        )
        mark = f"{hash_of(inputs):08x}"
        names = [f"- [[{child.name}]]" for child in request.children[:5]]
        return FolderText(
            f"About {mark}.", self.title + "\n".join([f"# All of {mark}", "", *names])
        )

    async def summarise_file(self, request: FileRequest) -> str:
        self.files.append(request)
        await self._work(request.path)
        text = " ".join(request.partials or request.passages)
        return f"Summary {hash_of(text):08x} of the file. Its words are {len(text.split())}."

    async def _work(self, subject: str) -> None:
        self.open += 1
        self.working.set()
        self.peak = max(self.peak, self.open)
        try:
            if self.latency:
                await asyncio.sleep(self.latency)
            if self.fault is not None:
                self.fault(subject)
        finally:
            self.open -= 1

    def estimate(self, source: SourceText, wiki: WikiContext) -> int:
        raise NotImplementedError

    async def analyse(self, source: SourceText, wiki: WikiContext, progress: Progress) -> Analysis:
        raise NotImplementedError

    async def generate(
        self,
        source: SourceText,
        analysis: Analysis,
        wiki: WikiContext,
        progress: Progress,
        talk: Sequence[Turn] = (),
    ) -> Draft:
        raise NotImplementedError

    async def review(
        self, source: SourceText, analysis: Analysis, wiki: WikiContext, draft: Draft
    ) -> tuple[ReviewDraft, ...]:
        raise NotImplementedError

    async def merge(self, request: MergeRequest) -> str:
        raise NotImplementedError

    async def rewrite_language(self, path: VaultPath, body: str, language: str) -> str:
        raise NotImplementedError

    async def caption(self, request: CaptionRequest) -> str:
        raise NotImplementedError

    async def transcribe(self, image: bytes, extension: str, language: str) -> str:
        raise NotImplementedError

    def converse(
        self, source: SourceText, wiki: WikiContext, talk: Sequence[Turn]
    ) -> AsyncIterator[str]:
        raise NotImplementedError


@dataclass
class FakeEmbedder:
    """Vectors of eight numbers that depend on the text alone."""

    identity: str = "fake-8"
    batch: int = 16
    fault: Exception | None = None
    texts: list[str] = field(default_factory=list)

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        if self.fault is not None:
            raise self.fault
        self.texts += texts
        return [self._vector(text) for text in texts]

    async def embed_question(self, text: str) -> Vector | None:
        return self._vector(text)

    async def close(self) -> None:
        self.texts.clear()

    def _vector(self, text: str) -> Vector:
        made = np.random.default_rng(hash_of(text)).normal(size=8).astype(np.float32)
        return np.asarray(made / np.linalg.norm(made), dtype=np.float32)


class Reviews(list[ReviewDraft]):
    """What was proposed to the person."""

    async def propose(self, draft: ReviewDraft) -> None:
        self.append(draft)


def hash_of(text: str) -> int:
    """A number that is the same in every process."""
    value = 2166136261
    for byte in text.encode("utf-8", "surrogatepass"):
        value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
    return value


def page(title: str, text: str, kind: str = "concept") -> str:
    """A wiki page whose first paragraph is its abstract."""
    return f'---\ntype: {kind}\ntitle: "{title}"\n---\n\n{text}\n\n## More\n\n- a list\n'


def put(vault: Vault, files: Mapping[str, str]) -> None:
    """Write notes as a person would."""
    for path, text in files.items():
        place = vault.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def tree_of(depth: int, fan: int, notes: int) -> dict[str, str]:
    """A vault of `fan` folders in every folder down to `depth`, with `notes` pages in each."""
    files: dict[str, str] = {}

    def fill(folder: str, level: int) -> None:
        for number in range(notes):
            name = f"{folder.replace('/', ' ')} note {number}"
            files[f"{folder}/{name}.md"] = page(name, f"What {name} says in one sentence.")
        for number in range(fan if level < depth else 0):
            fill(f"{folder}/part {number}", level + 1)

    fill("wiki", 0)
    return files


def snapshot(vault: Vault) -> dict[str, bytes]:
    """Every file of the vault outside the state folder."""
    return {
        str(place.relative_to(vault.root)): place.read_bytes()
        for place in sorted(vault.root.rglob("*"))
        if place.is_file() and vault.state not in place.parents
    }
