from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.reliability.places import SharedConverter
from vaultd.daemon import parts


@pytest_asyncio.fixture
async def converter(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """One converter for all runs of a test: starting its child takes a second."""
    shared = SharedConverter()
    monkeypatch.setattr(parts, "Converter", lambda **_: shared)
    yield
    await shared.really_close()
