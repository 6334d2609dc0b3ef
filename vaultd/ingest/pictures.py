"""Looks after the pictures of a source whose text made its pages before."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from vaultd.core.page import decode_note, parse_page
from vaultd.core.pictures import gallery
from vaultd.core.region import find_regions, put_region
from vaultd.core.timing import stamp
from vaultd.ingest.aftermath import following_jobs
from vaultd.ingest.desk import Desk
from vaultd.ingest.material import Material
from vaultd.ingest.publication import PICTURES
from vaultd.model.paths import VaultPath
from vaultd.publish.plan import Asset, Plan, Write
from vaultd.publish.publish import publish
from vaultd.store import pages as stored_pages
from vaultd.store import receipt


async def refresh_pictures(
    material: Material, pages: Sequence[VaultPath], summary_path: VaultPath, desk: Desk
) -> Mapping[str, Any]:
    """Bring picture files and the gallery of the source's page up to date; no model for text.

    A gallery that a person edited or took out stays as they left it.
    """
    source, now = material.source, desk.clock()
    writes = await _gallery_write(material, summary_path, desk)
    assets = [Asset(path, data) for path, data in material.picture_files().items()]
    missing = await asyncio.to_thread(
        lambda: tuple(each for each in assets if not desk.vault.locate(each.path).is_file())
    )
    facts = {"source": source.id, "sha256": source.sha256, "pages": list(pages)}
    await publish(
        Plan(
            source=source.id,
            writes=writes,
            assets=missing,
            jobs=following_jobs(writes, source.path, source.sha256) if writes else (),
            dirty=tuple(write.path for write in writes),
            listing=bool(writes),
            note={"at": stamp(now), "ingested": facts},
        ),
        db=desk.db,
        vault=desk.vault,
        clock=desk.clock,
        also=receipt.record,
    )
    return {"pages": list(pages), "reviews": 0, "warnings": [], "unchanged": True}


async def _gallery_write(
    material: Material, summary_path: VaultPath, desk: Desk
) -> tuple[Write, ...]:
    if not material.images:
        return ()
    content = await asyncio.to_thread(desk.vault.read, summary_path)
    written = await desk.db.read(stored_pages.last_written, summary_path)
    if content is None or written is None or written.base is None:
        return ()
    text = decode_note(content, summary_path)
    region = find_regions(parse_page(text).body).get(PICTURES)
    had_one = PICTURES in find_regions(parse_page(written.base).body)
    if (region is None and had_one) or (region is not None and region.edited):
        return ()
    shown = gallery(
        material.images, material.files, note=summary_path, language=material.source.language
    )
    new = put_region(text, PICTURES, shown, inputs=shown)
    if new == text:
        return ()
    base = put_region(written.base, PICTURES, shown, inputs=shown)
    return (Write(summary_path, new.encode(), content, base=base if base != new else None),)
