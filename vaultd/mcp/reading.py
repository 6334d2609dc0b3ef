"""Tools that read notes, pages, documents and folders."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import Field

from vaultd.core.citation import citations_in
from vaultd.core.listing import OVERVIEW
from vaultd.core.markdown import abstract_of
from vaultd.core.page import page_ref
from vaultd.core.request_path import named_file, named_folder
from vaultd.errors import NotFoundError
from vaultd.mcp.answers import (
    Claim,
    Document,
    FolderView,
    PageLine,
    PageView,
    Place,
    SourcesOfPage,
)
from vaultd.mcp.places import (
    Name,
    Note,
    documents_of,
    is_folder,
    no_folder,
    note_at,
    note_named,
    piece_of,
    places_named,
    source_place,
)
from vaultd.mcp.shelf import Shelf
from vaultd.model.document import Extraction
from vaultd.model.paths import VaultPath
from vaultd.search.hits import link_to
from vaultd.store import extractions, finding, nodes, passages
from vaultd.store.database import Connection
from vaultd.store.finding import Found
from vaultd.summarize.tree import WIKI, Tree

MOST_ENTRIES = 150  # folders and pages in one overview, about 10,000 tokens
DEEPEST = 3
BEGIN = "Begin with `wiki`; `wiki/sources` mirrors what is in `raw`."

Id = Annotated[str, Field(description="A result's id, or the path of a file in the vault.")]
Start = Annotated[int, Field(ge=0, description="Where to go on: `next_start` of the part before.")]
Folder = Annotated[str, Field(description='Folder of the vault, e.g. "wiki"; "." is all of it.')]
Depth = Annotated[int, Field(ge=0, le=DEEPEST, description="Levels of sub-folders to show.")]


class Reading:
    """The tools that read what stands in the vault."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    async def fetch(self, id: Id, start: Start = 0) -> Document:
        """Get the text behind a search result or a path: a whole note, one page of a document,
        or a folder's overview. Long texts come in parts."""
        if id.startswith("s:"):
            return await self._summary(id, named_folder(id.removeprefix("s:")), start)
        if id.startswith("p") and id[1:].isdigit():
            return await self._passage(id, int(id[1:]), start)
        path = named_file(id)
        if await is_folder(self._shelf, path):
            return await self._summary(id, path, start)
        note = await note_at(self._shelf, path) if path.lower().endswith(".md") else None
        if note is not None:
            return self._note(id, note, "", None, start)
        return await self._file(id, path, None, start)

    async def wiki_overview(self, folder: Folder = "wiki", depth: Depth = 1) -> FolderView:
        """Learn what a folder is about without reading its files: its abstract and overview, and
        the abstracts of its sub-folders and pages. Start here."""
        path = named_folder(folder)
        tree = Tree(self._shelf.vault)
        if not tree.holds(path) or not await is_folder(self._shelf, path):
            raise await no_folder(
                self._shelf, path, f"{path} is no folder with an overview. {BEGIN}"
            )
        view = await self._folder(tree, path, depth, _Room(MOST_ENTRIES))
        node = await self._shelf.read(nodes.node, path)
        return replace(view, overview=node.overview if node else "")

    async def wiki_page(self, name: Name, start: Start = 0) -> PageView:
        """Read one page: properties, abstract, the documents it was written from, and its text,
        in which every claim links the passage it rests on. Long texts come in parts."""
        note = await note_named(self._shelf, name)
        page, piece = note.page, piece_of(note.page.body.strip("\n"), start)
        return PageView(
            path=note.path,
            title=note.title,
            type=page.type,
            abstract=abstract_of(page.body),
            author=page.word("author"),
            updated=page.word("updated"),
            tags=list(page.tags),
            aliases=list(page.aliases),
            link=link_to(self._shelf.name, note.path),
            sources=documents_of(self._shelf, page),
            text=piece.text,
            characters=piece.characters,
            next_start=piece.next_start,
        )

    async def wiki_sources(self, name: Name) -> SourcesOfPage:
        """List a page's claims, each with the document and the physical page it rests on."""
        note = await note_named(self._shelf, name)
        return SourcesOfPage(
            path=note.path,
            link=link_to(self._shelf.name, note.path),
            documents=documents_of(self._shelf, note.page),
            claims=[
                Claim(
                    claim=each.claim,
                    heading=each.heading,
                    line=each.line,
                    link=link_to(self._shelf.name, note.path, heading=each.heading),
                    source=source_place(self._shelf, each.source, each.page),
                )
                for each in citations_in(note.text)
            ],
        )

    # --- texts -----------------------------------------------------------------------------------

    async def _passage(self, id: str, passage: int, start: int) -> Document:
        found = (await self._shelf.read(finding.found_rows, [passage])).get(passage)
        if found is None:
            raise NotFoundError(f"There is no passage {id} any more: search again.")
        if found.path.lower().endswith(".md"):
            note = await note_at(self._shelf, found.path)
            if note is not None:
                return self._note(id, note, found.heading, found.line, start)
        return await self._file(id, found.path, found, start)

    def _note(self, id: str, note: Note, heading: str, line: int | None, start: int) -> Document:
        piece = piece_of(note.text, start)
        return Document(
            id=id,
            title=note.title,
            text=piece.text,
            url=link_to(self._shelf.name, note.path, heading=heading),
            metadata=Place(
                path=note.path,
                heading=heading,
                line=line,
                page=None,
                characters=piece.characters,
                next_start=piece.next_start,
                sources=places_named(self._shelf, note.text)
                or documents_of(self._shelf, note.page),
            ),
        )

    async def _file(self, id: str, path: VaultPath, found: Found | None, start: int) -> Document:
        """Return a document's text as the converter saw it; of a passage, its page's."""
        extraction = await self._shelf.read(_extracted, path)
        if extraction is None:
            raise NotFoundError(f"There is no text of {path}: no such file, or not read yet.")
        page = found.page if found else None
        piece = piece_of(_text_of(extraction, page), start)
        return Document(
            id=id,
            title=found.title if found else PurePosixPath(path).stem,
            text=piece.text,
            url=link_to(self._shelf.name, path, page=page),
            metadata=Place(
                path=path,
                heading=found.heading if found else "",
                line=found.line if found else None,
                page=page,
                characters=piece.characters,
                next_start=piece.next_start,
                sources=[source_place(self._shelf, path, page)],
            ),
        )

    async def _summary(self, id: str, path: VaultPath, start: int) -> Document:
        node = await self._shelf.read(nodes.node, path)
        if node is None:
            raise NotFoundError(f"{path} is not described: `wiki_overview` lists what it holds.")
        piece = piece_of("\n\n".join(filter(None, (node.abstract, node.overview))), start)
        shown = await asyncio.to_thread(self._note_of, path)
        return Document(
            id=id,
            title=PurePosixPath(path).name or self._shelf.name,
            text=piece.text,
            url=link_to(self._shelf.name, shown) if shown else "",
            metadata=Place(path, "", None, None, piece.characters, piece.next_start, []),
        )

    # --- folders ---------------------------------------------------------------------------------

    async def _folder(self, tree: Tree, path: VaultPath, depth: int, room: _Room) -> FolderView:
        listing = await asyncio.to_thread(tree.children, path)
        node = await self._shelf.read(nodes.node, path)
        note = await asyncio.to_thread(self._note_of, path)
        notes = [each for each in listing.notes if each != note]
        folders = room.taken(listing.folders) if depth else ()
        pages = room.taken(notes) if depth else ()
        below = [await self._folder(tree, each, depth - 1, room) for each in folders]
        return FolderView(
            path=path,
            abstract=node.abstract if node else "",
            overview="",
            link=link_to(self._shelf.name, note) if note else "",
            folders=[each for each in below if each.pages or each.folders or each.left_out],
            pages=await asyncio.to_thread(self._lines, pages),
            left_out=len(listing.folders) + len(notes) - len(folders) - len(pages),
        )

    def _lines(self, paths: Sequence[VaultPath]) -> list[PageLine]:
        lines = []
        for path in paths:
            content = self._shelf.vault.read(path)
            if content is None:
                continue
            ref = page_ref(path, content.decode("utf-8", "replace"))
            address = link_to(self._shelf.name, path)
            lines.append(PageLine(path, ref.title, ref.type, ref.abstract, address))
        return lines

    def _note_of(self, folder: VaultPath) -> VaultPath | None:
        """Return the note that shows a folder's overview, None if there is none."""
        if folder == ".":
            return None  # the vault as a whole has none
        name = PurePosixPath(folder).name
        note = OVERVIEW if folder == WIKI else VaultPath(f"{folder}/{name}.md")
        return note if self._shelf.vault.locate(note).is_file() else None


class _Room:
    """How many entries an overview still holds."""

    def __init__(self, left: int) -> None:
        self._left = left

    def taken(self, wanted: Sequence[VaultPath]) -> Sequence[VaultPath]:
        """Return as many of `wanted` as there is room for, which is then theirs."""
        shown = wanted[: self._left]
        self._left -= len(shown)
        return shown


def _extracted(db: Connection, path: VaultPath) -> Extraction | None:
    state = passages.file_state(db, path)
    return extractions.newest(db, state.content_hash) if state else None


def _text_of(extraction: Extraction, page: int | None) -> str:
    """Return the text of one page, or of all, each behind its number."""
    if page is not None:
        return "\n\n".join(each.text for each in extraction.pages if each.number == page)
    return "\n\n".join(
        f"[p. {each.number}]\n{each.text}" if each.number is not None else each.text
        for each in extraction.pages
        if each.text
    )
