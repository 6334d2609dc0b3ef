"""The wiki made in milliseconds that the tests of a wiki's life use."""

from __future__ import annotations

from tests.life.conftest import world

__all__ = ["world"]
