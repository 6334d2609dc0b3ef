"""Folders and files: what they are about, and describing them anew."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace

from vaultd.bridge.answers import Dropped, Job, PassagesSummary, SummaryStep
from vaultd.bridge.asked import (
    DropSummaries,
    FolderWanted,
    OneFolder,
    RebuildSummaries,
    SummariseFile,
    SummarisePassages,
    SummaryWish,
)
from vaultd.bridge.operation import operation
from vaultd.bridge.program import Program
from vaultd.bridge.queue import followed
from vaultd.bridge.routes.finding import check_there
from vaultd.model.jobs import JobKind, NewJob
from vaultd.model.paths import VaultPath
from vaultd.summarize.browse import FolderView, folder_view
from vaultd.summarize.files import Wish


async def folder(program: Program, asked: FolderWanted) -> FolderView:
    """Return a folder's abstract and overview, and what stands in it, folders first."""
    view = await program.db.read(folder_view, VaultPath(asked.path))
    return replace(view, children=view.children[: asked.children])


async def refresh_folder(program: Program, asked: OneFolder) -> AsyncIterator[Job]:
    """Describe a folder anew, with all below it; streams the job until it is over or held."""
    await program.db.read(folder_view, VaultPath(asked.path))
    payload = {"asked": True, "full": asked.path == "."}
    new = NewJob(JobKind.SUMMARIZE, asked.path, "asked", payload, person=True)
    async for job in followed(program, new):
        yield job


async def summarise_file(program: Program, asked: SummariseFile) -> AsyncIterator[SummaryStep]:
    """Make or refresh the summary of one file; streams one event."""
    wish = wish_of(asked)
    program.summaries.check(wish)
    await check_there(program, VaultPath(asked.path))
    async with aclosing(program.summaries.summarise_file(VaultPath(asked.path), wish)) as steps:
        async for step in steps:
            yield SummaryStep(**step)


async def summarise_passages(program: Program, asked: SummarisePassages) -> PassagesSummary:
    """Summarise named passages; nothing is stored."""
    program.summaries.check(wish_of(asked))
    made = await program.summaries.summarise_passages(passage_ids(asked.ids), wish_of(asked))
    return PassagesSummary(
        summary=made.summary, steps=made.steps, ids=made.ids, description=made.description
    )


async def rebuild_summaries(
    program: Program, asked: RebuildSummaries
) -> AsyncIterator[SummaryStep]:
    """Make all file summaries of a root anew; streams an event for each file.

    The old ones are found until each is replaced. Closing the stream stops the work.
    """
    wish = wish_of(asked)
    program.summaries.check(wish)
    root = program.summaries.knowledge_base(asked.root, allow_empty=False)
    async with aclosing(program.summaries.recreate(root, wish)) as steps:
        async for step in steps:
            yield SummaryStep(**step)


async def drop_summaries(program: Program, asked: DropSummaries) -> Dropped:
    """Drop the summaries of a folder or file, and of all below; none is made until asked for."""
    path = VaultPath(asked.path)
    return Dropped(path=path, dropped=await program.summaries.drop(path))


def wish_of(asked: SummaryWish) -> Wish:
    """Return how to summarise, in the summarizer's words."""
    return Wish(asked.description, asked.model, asked.temperature, asked.max_tokens)


def passage_ids(ids: tuple[str, ...]) -> list[int]:
    """Return the numbers in ids such as "p12" or "12"."""
    return [int(each.removeprefix("p")) for each in ids]


OPERATIONS = (
    operation("GET", "/v1/folders", folder, fails=(404,)),
    operation("POST", "/v1/folders/refresh", refresh_folder, fails=(404,)),
    operation("POST", "/v1/summaries/file", summarise_file, fails=(404,)),
    operation("POST", "/v1/summaries/passages", summarise_passages, fails=(404,)),
    operation("POST", "/v1/summaries/rebuild", rebuild_summaries, fails=(404,)),
    operation("DELETE", "/v1/summaries", drop_summaries),
)
