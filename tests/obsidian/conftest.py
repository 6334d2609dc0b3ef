"""A wiki made in milliseconds, and a summarizer on a temporary vault."""

from __future__ import annotations

from tests.life.conftest import world
from tests.summarize.conftest import author, embedder, make, reviews

__all__ = ["author", "embedder", "make", "reviews", "world"]
