"""Who embeds, built from the settings; apart from the rest, since a search needs nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from vaultd.embed import Embedder
from vaultd.model.paths import Clock
from vaultd.settings import EmbeddingSettings


def make_embedder(settings: EmbeddingSettings, clock: Clock) -> Embedder | None:
    """Return the configured embedder, None if meaning is not searched."""
    if settings.provider == "none":
        return None
    if settings.provider == "builtin":
        from vaultd.embed.builtin import BuiltinEmbedder

        return BuiltinEmbedder()
    from vaultd.embed.endpoint import EndpointEmbedder

    return EndpointEmbedder(
        model=settings.model,
        base_url=settings.base_url,
        api_key_env=settings.api_key_env,
        clock=clock,
    )


def askable_beside(embedder: Embedder | None) -> list[Embedder]:
    """Return who can embed questions: the built-in one too, for vectors made before a change.

    Until the new embedder has every passage, the former one's vectors answer.
    """
    from vaultd.embed.builtin import BuiltinEmbedder

    if embedder is None:
        return []
    return [embedder] if isinstance(embedder, BuiltinEmbedder) else [embedder, BuiltinEmbedder()]


@asynccontextmanager
async def loading(embedder: Embedder | None) -> AsyncIterator[None]:
    """Have the built-in encoder load, a second and more, beside what the caller does.

    A fault is not told here: the first question meets it again.
    """
    from vaultd.embed.builtin import BuiltinEmbedder

    if not isinstance(embedder, BuiltinEmbedder):
        yield
        return
    ready = asyncio.ensure_future(embedder.embed(["ready"]))
    await asyncio.sleep(0)  # now its thread has it
    try:
        yield
    finally:
        await asyncio.wait({ready})
        ready.exception()
