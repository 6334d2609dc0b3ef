"""A folder's text found again in its note, where the database knows less: no author is asked."""

from __future__ import annotations

import structlog

from vaultd.core.fallback import categories_of
from vaultd.core.folder_note import note_body, note_path_of, texts_in
from vaultd.core.region import Region, RegionState, find_regions, region_body, short_hash
from vaultd.core.staleness import Maker
from vaultd.errors import PermanentError
from vaultd.model.paths import VaultPath
from vaultd.model.summary import DirectorySummary, Node
from vaultd.summarize.child import REGION
from vaultd.summarize.describe import folder_row
from vaultd.summarize.inputs import Inputs
from vaultd.vault.files import Vault

log = structlog.get_logger()


def recovered_row(
    vault: Vault, folder: VaultPath, inputs: Inputs, maker: Maker, digest: str, old: Node | None
) -> Node | None:
    """Return the row that the note of `folder` was written from, None if it cannot be told.

    The note has to be of these very inputs, good, and to the letter what would be written from
    the row. `old` is the row it follows. Blocking.
    """
    region = _region(vault, folder)
    if region is None or region.edited or region.state is not RegionState.OK:
        return None
    if region.inputs != short_hash(digest):
        return None
    abstract, overview = texts_in(region.body)
    if not overview:  # the offline author's stands in no note, and costs nothing to have again
        return None
    children = inputs.children
    summary = DirectorySummary(abstract, overview, len(children), categories_of(children))
    node = folder_row(folder, summary, inputs, maker, digest, old)
    shown = region_body(note_body(node, children))
    if shown.strip("\n") != region.body.strip("\n"):
        return None
    log.info("folder text found in its note", folder=folder)
    return node


def _region(vault: Vault, folder: VaultPath) -> Region | None:
    path = note_path_of(folder)
    if path is None:
        return None
    try:
        content = vault.read(path)
        return find_regions((content or b"").decode("utf-8")).get(REGION)
    except (PermanentError, UnicodeDecodeError):
        return None  # the visit itself tells what is wrong with the note
