"""Looks over the whole wiki, and writes what it found into a note."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vaultd.core.lint import REPORT, Facts, as_document, findings, is_looked_at, report
from vaultd.core.page import parse_page
from vaultd.core.timing import stamp
from vaultd.errors import OnlineOnlyError, VaultdError
from vaultd.extract import CONVERTER_VERSION
from vaultd.extract.verdict import INSTALL
from vaultd.model.jobs import Job, JobState, Progress
from vaultd.model.paths import Clock, SourceId, VaultPath
from vaultd.publish.catalog import read_wiki
from vaultd.publish.links import LinkMap
from vaultd.publish.plan import Plan, Write
from vaultd.publish.publish import publish
from vaultd.store import receipt, sources, standing
from vaultd.store.database import Database
from vaultd.store.standing import Part
from vaultd.vault.files import Vault

MOST_PARKED = 1_000


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
        paths = {source.identity: source.path for source in stored}
        unreadable, unread = await asyncio.to_thread(self._looked_into, notes, paths)
        parked = await self.db.read(standing.standings, Part(limit=MOST_PARKED, unsettled=True))
        unread |= {each.path: each.reason for each in parked if each.state == JobState.PARKED}
        return Facts(
            pages=wiki.pages,
            targets={path: self.links.notes[path].targets for path in sorted(notes)},
            files=self.links.files,
            unreadable=unreadable,
            behind=behind,
            known=known,
            unread=unread,
        )

    def _looked_into(
        self, notes: list[VaultPath], paths: Mapping[SourceId, VaultPath]
    ) -> tuple[list[VaultPath], dict[VaultPath, str]]:
        """Return the notes whose properties cannot be read, and what those of others miss."""
        unreadable: list[VaultPath] = []
        unread: dict[VaultPath, str] = {}
        for path in notes:
            try:
                page = parse_page((self.vault.read(path) or b"").decode("utf-8"))
            except OnlineOnlyError:
                continue
            except (UnicodeDecodeError, VaultdError):
                unreadable.append(path)
                continue
            if not page.readable:
                unreadable.append(path)
            elif missing := page.word("unread"):
                unread[path] = f"{missing} could not be read. {_help(page.sources, paths)}"
        return sorted(unreadable), unread


def _help(identities: Sequence[SourceId], paths: Mapping[SourceId, VaultPath]) -> str:
    """Return what helps where pages of a page's document are pictures."""
    files = " ".join(f'"{paths[each]}"' for each in identities if each in paths)
    is_installed = "ocr" in CONVERTER_VERSION.split("+")
    again = f"`vaultd ingest {files}`"
    return f"{again} reads it again." if is_installed else f"{INSTALL} Then: {again}."
