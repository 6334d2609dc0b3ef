"""Looks over the whole wiki, and writes what it found into a note."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vaultd.core.lint import REPORT, Facts, as_document, findings, is_looked_at, report
from vaultd.core.page import parse_page
from vaultd.core.timing import stamp
from vaultd.errors import OnlineOnlyError, VaultdError
from vaultd.model.jobs import Job, Progress
from vaultd.model.paths import Clock, VaultPath
from vaultd.publish.catalog import read_wiki
from vaultd.publish.links import LinkMap
from vaultd.publish.plan import Plan, Write
from vaultd.publish.publish import publish
from vaultd.store import receipt, sources
from vaultd.store.database import Database
from vaultd.vault.files import Vault


@dataclass(frozen=True, slots=True)
class Linter:
    """Looks over one wiki."""

    vault: Vault
    db: Database
    clock: Clock
    links: LinkMap

    async def lint(self, job: Job, progress: Progress) -> Mapping[str, Any]:
        """Look over the wiki and write the report note: the workflow of `JobKind.LINT`.

        A report that a person changed is replaced all the same: its old text is a version.
        """
        del job
        progress("looking")
        found = findings(await self._facts())
        text = report(found).encode()
        there = await asyncio.to_thread(self.vault.read, REPORT)
        if there != text:
            await publish(
                Plan(
                    writes=(Write(REPORT, text, there),),
                    listing=False,
                    note={"at": stamp(self.clock())},
                ),
                db=self.db,
                vault=self.vault,
                clock=self.clock,
                also=receipt.record,
            )
        return {**as_document(found), "report": REPORT}

    async def _facts(self) -> Facts:
        wiki = await read_wiki(self.db, self.vault)
        await asyncio.to_thread(self.links.look)
        stored = await self.db.read(sources.all_sources)
        behind = [
            source.identity
            for source in stored
            if source.ingested_sha256 and source.sha256 != source.ingested_sha256
        ]
        files = set(self.links.files)
        known = [source.identity for source in stored if source.path in files]
        notes = [path for path in self.links.notes if is_looked_at(path)]
        return Facts(
            pages=wiki.pages,
            targets={path: self.links.notes[path].targets for path in sorted(notes)},
            files=self.links.files,
            unreadable=await asyncio.to_thread(self._unreadable, notes),
            behind=behind,
            known=known,
        )

    def _unreadable(self, notes: list[VaultPath]) -> list[VaultPath]:
        found: list[VaultPath] = []
        for path in notes:
            try:
                content = self.vault.read(path) or b""
                readable = parse_page(content.decode("utf-8")).readable
            except OnlineOnlyError:
                continue
            except (UnicodeDecodeError, VaultdError):
                readable = False
            if not readable:
                found.append(path)
        return sorted(found)
