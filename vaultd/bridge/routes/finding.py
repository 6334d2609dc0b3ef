"""Finding what stands in the vault."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import PurePosixPath

from vaultd.bridge.answers import RelatedFiles, Titles
from vaultd.bridge.asked import RelatedTo, SearchFor, TitlesLike, folder_filter
from vaultd.bridge.operation import operation
from vaultd.bridge.program import Program
from vaultd.errors import NotFoundError
from vaultd.model.paths import VaultPath
from vaultd.model.search import NO_EMBEDDER, Answer, Filters, Mode, Question
from vaultd.store import joblist, passages

CANDIDATES = 5  # near names shown with "there is no such file"
FEW = 10  # files to be read anew that no answer mentions which found something
NONE = "none"  # the embedder's name where there is none
NOTHING_YET = "Nothing is indexed yet: a note is read some seconds after it was written."


async def search(program: Program, asked: SearchFor) -> Answer:
    """Find passages of the whole vault by words and by meaning, best first."""
    filters = Filters(
        folder_filter(asked.under),
        asked.type,
        asked.tag.removeprefix("#"),
        asked.after,
        asked.before,
    )
    question = Question(asked.query, asked.k, asked.mode, filters, asked.typing)
    answer = await program.engine.search(question)
    return replace(answer, notes=await _notes(program, asked, answer))


async def _notes(program: Program, asked: SearchFor, answer: Answer) -> tuple[str, ...]:
    """Return the notes of an answer, and why there may be less in it than there is."""
    if await program.db.read(passages.is_empty):
        return (NOTHING_YET,)
    notes, unread = answer.notes, await program.db.read(joblist.unread)
    if asked.mode is Mode.VECTORS and program.embedding == NONE:
        notes = (*notes, NO_EMBEDDER)
    if unread > (FEW if answer.results else 0):
        said = "1 file is" if unread == 1 else f"{unread} files are"
        notes = (*notes, f"{said} not indexed yet: there may be more to find.")
    if asked.under and not answer.results:
        place = await asyncio.to_thread(program.vault.locate, VaultPath(asked.under))
        if not await asyncio.to_thread(place.exists):
            notes = (*notes, f"There is no folder {asked.under}.")
    return notes


async def related(program: Program, asked: RelatedTo) -> RelatedFiles:
    """List the files nearest in meaning to one."""
    path = VaultPath(asked.path)
    await check_there(program, path)
    near = await program.engine.related(path, asked.k)
    notes = [] if near or program.embedding != NONE else [NO_EMBEDDER]
    return RelatedFiles(path=path, results=list(near), notes=notes)


async def titles(program: Program, asked: TitlesLike) -> Titles:
    """List files whose title, alias or name begins with `q`, or holds it."""
    return Titles(titles=list(await program.engine.titles(asked.q, asked.k)))


async def check_there(program: Program, path: VaultPath) -> None:
    """Refuse a file that does not exist, and name others that may be meant.

    Raises:
        NotFoundError: there is no such file.
    """
    place = await asyncio.to_thread(program.vault.locate, path)
    if await asyncio.to_thread(place.is_file):
        return
    if await asyncio.to_thread(place.is_dir):
        raise NotFoundError(f"{path} is a folder: a file is wanted.")
    raise await not_there(program, f"There is no file {path}.", path)


async def not_there(program: Program, message: str, path: VaultPath) -> NotFoundError:
    """Return the error that says so, with files of like names."""
    near = await program.engine.titles(PurePosixPath(path).stem, CANDIDATES)
    advice = "" if near else " Name it from the vault's root, such as raw/paper.pdf."
    return NotFoundError(message + advice, tuple(each.path for each in near))


OPERATIONS = (
    operation("POST", "/v1/search", search),
    operation("POST", "/v1/related", related, fails=(404,)),
    operation("GET", "/v1/titles", titles),
)
