"""A summarizer on a temporary vault."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.fakes import FakeClock
from tests.summarize.fakes import FakeAuthor, FakeEmbedder, Reviews
from vaultd.store.database import Database
from vaultd.summarize.summarizer import DirectorySummarizer, Options
from vaultd.vault.files import Vault


@pytest.fixture
def author() -> FakeAuthor:
    """An author that works."""
    return FakeAuthor()


@pytest.fixture
def embedder() -> FakeEmbedder:
    """An embedder of eight numbers."""
    return FakeEmbedder()


@pytest.fixture
def reviews() -> Reviews:
    """What was proposed."""
    return Reviews()


MakeSummarizer = Callable[..., DirectorySummarizer]


@pytest.fixture
def make(
    db: Database,
    vault: Vault,
    author: FakeAuthor,
    embedder: FakeEmbedder,
    clock: FakeClock,
    reviews: Reviews,
) -> MakeSummarizer:
    """Build a summarizer; keyword arguments are those of `Options`."""

    def build(**options: Any) -> DirectorySummarizer:
        return DirectorySummarizer(
            db, vault, author, embedder, clock, reviews.propose, Options(**options)
        )

    return build


@pytest.fixture
def summarizer(make: MakeSummarizer) -> DirectorySummarizer:
    """A summarizer with the default options."""
    return make()
