"""Vectors of summaries: what a question is compared with before any passage is."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import structlog

from vaultd.core.passage import windows_of
from vaultd.core.staleness import name_of
from vaultd.embed.seam import Embedder, Vector
from vaultd.errors import VaultdError
from vaultd.model.summary import Node, NodeState

log = structlog.get_logger()

ABSTRACT, OVERVIEW = 0, 1  # L0 and L1
MOST_WINDOWS = 12  # of an overview: about two screens


def embedded_text(node: Node) -> tuple[str, str]:
    """Return what is embedded of a summary: its short text with the name, and its overview."""
    if node.state is NodeState.FAILED:
        return "", ""
    short = node.listing if node.state is NodeState.FALLBACK and node.listing else node.abstract
    name = name_of(node.path).removesuffix(".md")
    return f"{name}. {node.description} {short}".strip(), node.overview


async def levels_of(embedder: Embedder, node: Node) -> Mapping[int, Vector]:
    """Return the vectors of a summary by level; empty where the embedder gave none.

    A fallback is found by the names and first words of its children, never by its prose. A
    person's words about a file stand before both texts.
    """
    named, overview = embedded_text(node)
    if not named:
        return {}
    windows = windows_of(overview)[:MOST_WINDOWS]
    if node.description:
        windows.append(node.description)
    try:
        found = await embedder.embed([named, *windows])
    except VaultdError as error:
        log.warning("summary not embedded", path=node.path, reason=str(error), code=error.code)
        return {}
    levels = {}
    if found[0] is not None:
        levels[ABSTRACT] = found[0]
    pieces = [vector for vector in found[1:] if vector is not None]
    if pieces and float(np.linalg.norm(mean := np.mean(pieces, axis=0))) > 0:
        levels[OVERVIEW] = (mean / np.linalg.norm(mean)).astype(np.float32)
    return levels
