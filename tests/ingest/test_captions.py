"""Captions: one question per picture and language, saved at once."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.fakes import FakeClock
from vaultd.author.seam import CaptionRequest
from vaultd.errors import ModelUnavailableError
from vaultd.ingest.captions import CACHE_NAME, CaptionCache
from vaultd.vault.files import Vault

REQUEST = CaptionRequest(b"picture", "jpg", "before", "after", "en")


class Describer:
    """Stands in for an author that sees pictures; counts what it is asked."""

    name = "eye"

    def __init__(self) -> None:
        self.asked = 0
        self.fails = False

    async def caption(self, request: CaptionRequest) -> str:
        self.asked += 1
        await asyncio.sleep(0.005)
        if self.fails:
            raise ModelUnavailableError("no answer")
        return f"A picture\nseen in {request.language}."


def _cache(vault: Vault, author: Describer, clock: FakeClock) -> CaptionCache:
    return CaptionCache(vault, author, clock, concurrency=2)  # type: ignore[arg-type]


async def test_a_picture_met_twice_at_once_is_described_once(
    vault: Vault, clock: FakeClock
) -> None:
    author = Describer()
    cache = _cache(vault, author, clock)

    captions = await asyncio.gather(*(cache.caption("abc", REQUEST) for _ in range(5)))

    assert set(captions) == {"A picture seen in en."}
    assert author.asked == 1


async def test_a_caption_is_on_disk_before_the_next_one_is_asked_for(
    vault: Vault, clock: FakeClock
) -> None:
    await _cache(vault, Describer(), clock).caption("abc", REQUEST)

    entries = json.loads(vault.state_file(CACHE_NAME).read_text("utf-8"))
    again = Describer()

    assert entries["abc::language:en"]["mimeType"] == "image/jpeg"
    assert await _cache(vault, again, clock).caption("abc", REQUEST) == "A picture seen in en."
    assert again.asked == 0


async def test_a_failed_caption_is_not_stored(vault: Vault, clock: FakeClock) -> None:
    author = Describer()
    author.fails = True
    cache = _cache(vault, author, clock)

    with pytest.raises(ModelUnavailableError):
        await cache.caption("abc", REQUEST)

    author.fails = False
    assert await cache.caption("abc", REQUEST) == "A picture seen in en."


async def test_who_waits_for_a_cancelled_question_asks_it(vault: Vault, clock: FakeClock) -> None:
    author = Describer()
    cache = _cache(vault, author, clock)
    first = asyncio.create_task(cache.caption("abc", REQUEST))
    second = asyncio.create_task(cache.caption("abc", REQUEST))
    await asyncio.sleep(0.001)

    first.cancel()

    assert await second == "A picture seen in en."


async def test_a_damaged_cache_is_kept_aside_and_starts_anew(
    vault: Vault, clock: FakeClock
) -> None:
    vault.write_state(CACHE_NAME, b"{broken")

    caption = await _cache(vault, Describer(), clock).caption("abc", REQUEST)

    assert caption == "A picture seen in en."
    assert vault.state_file(f"{CACHE_NAME}.damaged").read_bytes() == b"{broken"
