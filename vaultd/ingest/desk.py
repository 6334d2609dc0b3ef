"""What an ingest works with: everything it touches, handed in once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Literal

from vaultd.author.seam import Author
from vaultd.ingest.captions import CaptionCache
from vaultd.ingest.turns import PublishOrder
from vaultd.model.paths import Clock
from vaultd.model.wiki import PageRef
from vaultd.reading import Reader
from vaultd.store.database import Database
from vaultd.vault.files import Vault

READ_AHEAD = 2  # one that is read and one that is published, while the author is kept busy

NearPages = Callable[[str, int], Awaitable[tuple[PageRef, ...]]]
"""Gives the pages nearest in meaning to a text, best first, at most as many as asked for."""


@dataclass(frozen=True, slots=True)
class IngestRules:
    """What a person set about ingest.

    `language` is an ISO code or "auto"; `multimodal` False leaves every picture out, "auto"
    keeps them and describes them where the author sees pictures; above `confirm_above_tokens`
    a source waits for a person's word.
    """

    language: str = "auto"
    multimodal: Literal["auto"] | bool = "auto"
    pages_per_source: int = 15
    confirm_above_tokens: int = 500_000


@dataclass(frozen=True, slots=True)
class Desk:
    """The collaborators of one vault's ingest.

    `asking` is entered while the author is at work on a dropped source, so that no more than so
    many are written about at once, while others are read ahead or published.
    """

    vault: Vault
    db: Database
    reader: Reader
    author: Author
    captions: CaptionCache
    order: PublishOrder
    near_pages: NearPages
    clock: Clock
    rules: IngestRules
    asking: AbstractAsyncContextManager[object] = field(default_factory=nullcontext)
