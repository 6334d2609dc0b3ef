"""Places in the vault as tools answer them: paths, addresses, and what a note names as proof."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import Field

from vaultd.core.citation import citations_in
from vaultd.core.link import Targets
from vaultd.core.page import Page, parse_page
from vaultd.core.request_path import path_fault
from vaultd.core.searchable import stem_of
from vaultd.errors import NotFoundError
from vaultd.mcp.answers import SourcePlace
from vaultd.mcp.shelf import Shelf
from vaultd.model.paths import VaultPath
from vaultd.model.summary import NodeKind
from vaultd.search.hits import link_to
from vaultd.store import nodes, pages, passages, titles
from vaultd.store.database import Connection

CANDIDATES = 5  # near names shown with "there is no such page"
LONGEST_TEXT = 20_000  # characters of one answer, about 5,000 tokens; the rest is fetched after it


Name = Annotated[str, Field(description="Path, title or alias of a page or note.")]


@dataclass(frozen=True, slots=True)
class Note:
    """A Markdown file of the vault as it stands on the disk."""

    path: VaultPath
    text: str
    page: Page

    @property
    def title(self) -> str:
        """Its title; without one, its file's name."""
        return self.page.title or PurePosixPath(self.path).stem


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a long text; `next_start` is where the next one begins, None at the end."""

    text: str
    characters: int
    next_start: int | None


def piece_of(text: str, start: int) -> Piece:
    """Return the part of `text` from `start` that fits one answer."""
    end = min(len(text), start + LONGEST_TEXT)
    return Piece(text[start:end], len(text), end if end < len(text) else None)


def source_place(shelf: Shelf, path: VaultPath, page: int | None) -> SourcePlace:
    """Return a place in a document with the address that opens it there."""
    return SourcePlace(path, page, link_to(shelf.name, path, page=page))


def places_named(shelf: Shelf, text: str) -> list[SourcePlace]:
    """Return the places in documents that `text` names, each once, in order."""
    named = dict.fromkeys((each.source, each.page) for each in citations_in(text))
    return [source_place(shelf, path, page) for path, page in named]


def documents_of(shelf: Shelf, page: Page) -> list[SourcePlace]:
    """Return the documents that a page was written from."""
    return [source_place(shelf, VaultPath(f"raw/{each}"), None) for each in page.sources]


async def note_at(shelf: Shelf, path: VaultPath) -> Note | None:
    """Return the note at `path`, None if there is no such file."""
    content = await asyncio.to_thread(shelf.vault.read, path)
    if content is None:
        return None
    text = content.decode("utf-8", "replace")
    return Note(path, text, parse_page(text))


async def note_named(shelf: Shelf, name: str) -> Note:
    """Return the note that a path, a title, an alias or a link's target means.

    Raises:
        NotFoundError: there is none; `candidates` are the nearest.
    """
    wanted = name.strip().removeprefix("[[").removesuffix("]]").partition("|")[0].partition("#")[0]
    for path in (wanted, f"{wanted}.md"):
        is_note = path.lower().endswith(".md") and not path_fault(path)
        if is_note and (found := await note_at(shelf, VaultPath(path))):
            return found
    path_meant = await shelf.read(_page_called, wanted)
    if path_meant and (found := await note_at(shelf, path_meant)):
        return found
    if document := await document_at(shelf, wanted):
        raise NotFoundError(f"{document} is a document, not a page: `fetch` gets its text.")
    near = tuple(await shelf.read(_pages_like, wanted.rpartition("/")[2]))
    advice = "" if near else " `search` finds what there is."
    raise NotFoundError(f"There is no page {name!r}.{advice}", near)


async def document_at(shelf: Shelf, name: str) -> VaultPath | None:
    """Return the path of the document that is named by it, None if there is none."""
    path = VaultPath(name.strip())
    if path.lower().endswith(".md") or path_fault(path):
        return None
    return path if await asyncio.to_thread(lambda: shelf.vault.locate(path).is_file()) else None


async def is_folder(shelf: Shelf, path: VaultPath) -> bool:
    """Tell whether there is a folder at `path`."""
    return await asyncio.to_thread(lambda: shelf.vault.locate(path).is_dir())


async def no_folder(shelf: Shelf, path: VaultPath, message: str) -> NotFoundError:
    """Return the error that says so, with folders which may have been meant."""
    known = await shelf.read(nodes.nodes_within, VaultPath("."), NodeKind.FOLDER)
    name = PurePosixPath(path).name.casefold()
    alike = [each.path for each in known if PurePosixPath(each.path).name.casefold() == name]
    return NotFoundError(message, tuple(alike))


def _page_called(db: Connection, name: str) -> VaultPath | None:
    refs = [each.ref for each in pages.listing(db).values() if each.ref is not None]
    meant = Targets.over(refs).find(name, "wiki")
    if meant is not None:
        return meant.path
    notes = [
        each
        for each in titles.titles_like(db, name, CANDIDATES)
        if each.path.lower().endswith(".md")
        and name.casefold() in (each.title.casefold(), each.alias.casefold())
    ]
    return notes[0].path if notes else None


def _pages_like(db: Connection, name: str) -> list[VaultPath]:
    found = [each.path for each in titles.titles_like(db, name, CANDIDATES)]
    if found:
        return found
    by_name = {stem_of(path).casefold(): path for path in passages.paths(db)}
    return [by_name[each] for each in get_close_matches(name.casefold(), by_name, CANDIDATES)]
