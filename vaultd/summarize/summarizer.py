"""The directory summarizer of spec/000: which folders a run visits, and what it reports."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any

import structlog

from vaultd.author.seam import Author
from vaultd.core.fallback import fallback_abstract, fallback_overview
from vaultd.core.prompt import FilePrompt, FileReducePrompt, FolderPrompt, version_of
from vaultd.core.staleness import folders_to_visit, parent_of, root_of
from vaultd.core.timing import stamp
from vaultd.embed.seam import Embedder
from vaultd.errors import DatabaseError, DiskFullError, UsageError
from vaultd.model.jobs import Job, Progress
from vaultd.model.paths import Clock, VaultPath
from vaultd.model.summary import ChildSummary, DirectorySummary, NodeKind
from vaultd.store import folders, nodes
from vaultd.store.database import Connection, Database
from vaultd.summarize.ask import Asker, Tally
from vaultd.summarize.child import is_directory_uri
from vaultd.summarize.dag import Ascent, Ending, Settled, Visit
from vaultd.summarize.describe import Describer
from vaultd.summarize.file_nodes import FileNodes
from vaultd.summarize.folder import FolderVisits
from vaultd.summarize.gate import Gate
from vaultd.summarize.inputs import InputReader
from vaultd.summarize.note import ProposeReview, accept_edit
from vaultd.summarize.projection import Projection
from vaultd.summarize.tree import Tree
from vaultd.vault.files import Vault

log = structlog.get_logger()

LONGEST_HOLD = timedelta(minutes=5)  # a bulk import shows its folders at least this often
PERSON, DAILY, BULK = 0, 1, 2  # urgency at the gate


@dataclass(frozen=True, slots=True)
class Options:
    """What can be set. `max_children` and `max_concurrent_llm` have the defaults of spec/000.

    `language` is a code or "auto" (that of most children). `prompt_version` names the prompts
    ("" takes those of this program): another one makes every text anew. `first_retry` is the
    first wait after a failure.
    """

    roots: tuple[str, ...] = ("wiki",)
    excluded: tuple[str, ...] = ()
    max_children: int = 50
    max_concurrent_llm: int = 10
    language: str = "auto"
    context_chars: int = 204_800
    prompt_version: str = ""
    first_retry: timedelta = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a run did (spec/000), counted when it was committed.

    `success` is false if a folder failed. `records_upserted` are the folders that have a text
    at its end among those visited, `rows` the rows written. `fallback` and `stale` heal by
    themselves. `skipped` were not due, or vanished. `faults` counts failed calls by code.
    """

    success: bool
    records_upserted: int
    rows: int = 0
    calls: int = 0
    embeddings: int = 0
    notes: int = 0
    fallback: int = 0
    stale: int = 0
    failed: int = 0
    skipped: int = 0
    empty: int = 0
    cancelled: int = 0
    changed_abstracts: int = 0
    faults: Mapping[str, int] = field(default_factory=dict)

    @property
    def degraded(self) -> bool:
        """Whether something has to be repaired (exit code 3)."""
        return bool(self.fallback or self.stale or self.failed)


class DirectorySummarizer:
    """Describes folders from their children, bottom-up; one for the whole process."""

    def __init__(
        self,
        db: Database,
        vault: Vault,
        author: Author,
        embedder: Embedder | None,
        clock: Clock,
        propose_review: ProposeReview,
        options: Options = Options(),
    ) -> None:
        self._db = db
        self._clock = clock
        self._options = options
        prompts = options.prompt_version or ("" if author.offline else prompt_version())
        self.tree = Tree(vault, options.roots, options.excluded)
        self.asker = _asker(db, author, clock, options)
        self.files = FileNodes(
            db,
            self.asker,
            embedder,
            clock,
            prompt_version=prompts,
            language=options.language,
            context_chars=options.context_chars,
        )
        self._describer = Describer(self.asker, prompt_version=prompts, language=options.language)
        inputs = InputReader(db, self.tree, self.files, clock)
        projection = Projection(db, self.tree, embedder, clock, propose_review)
        self._visits = FolderVisits(
            db, self.tree, inputs, self._describer, embedder, clock, projection
        )

    async def generate_summary(
        self, directory_uri: str, child_summaries: Sequence[ChildSummary]
    ) -> DirectorySummary:
        """Return a folder's two texts from its children; by rule where the author fails.

        Raises:
            UsageError: `directory_uri` does not end in "/", or there are no children.
        """
        folder = folder_named(directory_uri)
        if not any(child.abstract for child in child_summaries):
            raise UsageError(f"{directory_uri} has no child to describe.")
        summary, _ = await self._describer.summary(folder, child_summaries, Tally(PERSON))
        return summary

    def fallback_abstract(self, child_summaries: Sequence[ChildSummary]) -> str:
        """Return the abstract that is made without an author."""
        return fallback_abstract(child_summaries, self._language_of(child_summaries))

    def fallback_overview(self, child_summaries: Sequence[ChildSummary]) -> str:
        """Return the overview that is made without an author."""
        return fallback_overview(child_summaries, self._language_of(child_summaries))

    async def refresh_directory(self, directory_uri: str) -> RunResult:
        """Bring the whole tree below a folder up to date, as a person asks for it.

        Raises:
            UsageError: the path does not end in "/" or lies in no described folder.
        """
        folder = folder_named(directory_uri)
        self.tree.check(folder)
        await self._db.run(folders.take_in, folder)
        return await self.refresh_tree(folder, asked=True, urgency=PERSON)

    def accept_edit(self, folder: VaultPath, when: datetime) -> bool:
        """Let the next text replace a person's edit of the region of `folder`. Blocking."""
        return accept_edit(self.tree.vault, folder, when)

    async def summarize(self, job: Job, progress: Progress) -> Mapping[str, Any]:
        """Work on a job: "." looks at what is marked or due, a folder is looked at whole.

        Payload: `full` looks at every folder of every root, `asked` says that a person waits.
        """
        progress("folders")
        asked = bool(job.payload.get("asked"))
        if job.subject != "." and asked:
            result = await self.refresh_directory(f"{job.subject}/")
        elif job.subject != ".":
            result = await self.refresh_tree(VaultPath(job.subject))
        elif job.payload.get("full"):
            result = await self.refresh_all(asked=asked)
        elif await self._holds_back():
            return {"held": True}
        else:
            result = await self.refresh_marked()
        return asdict(result)

    async def refresh_marked(self) -> RunResult:
        """Visit the folders that are marked or whose repair is due, and what changes above."""
        changed = {mark.folder for mark in await self._db.read(nodes.marks)}
        changed |= set(await self._db.read(nodes.nodes_due, self._clock()))
        foreign = {folder for folder in changed if not self._is_described(folder)}
        if foreign:
            await self._db.run(_clear_all, foreign)
        return await self._run(changed - foreign, DAILY)

    async def refresh_all(self, *, asked: bool = False) -> RunResult:
        """Visit every folder of every root: at start, and after a prompt or a model changed."""
        folders: set[VaultPath] = set()
        for root in self.tree.roots:
            folders |= await self._folders_below(root)
        return await self._run(folders, BULK, asked=asked)

    async def refresh_tree(
        self, folder: VaultPath, *, asked: bool = False, urgency: int = DAILY
    ) -> RunResult:
        """Visit `folder` and every folder below it, and what changes above."""
        return await self._run(await self._folders_below(folder), urgency, asked=asked)

    async def _folders_below(self, folder: VaultPath) -> set[VaultPath]:
        found = await asyncio.to_thread(lambda: set(self.tree.folders_below(folder)))
        rows = await self._db.read(nodes.nodes_within, folder, NodeKind.FOLDER)
        return found | {row.path for row in rows if self._is_described(row.path)}

    async def _run(
        self, due: Iterable[VaultPath], urgency: int, *, asked: bool = False
    ) -> RunResult:
        wanted = set(due)
        gone = await asyncio.to_thread(self._missing, wanted)
        present = (wanted - gone) | await asyncio.to_thread(self._holding, gone)
        tally = Tally(urgency)

        async def visit(folder: VaultPath, settled: Settled) -> Visit:
            try:
                return await self._visits.visit(folder, tally, settled, asked=asked)
            except (DiskFullError, DatabaseError):
                raise  # of the whole machine, not of this folder
            except Exception:
                log.exception("folder failed", folder=folder)
                return Visit(Ending.FAILED)

        ascent = Ascent(
            folders_to_visit(present, self.tree.roots),
            present,
            visit,
            width=2 * self._options.max_concurrent_llm,  # some read and embed while others ask
        )
        endings = await ascent.run()
        if gone:
            await self._db.run(self._forget, gone)
        await self._plan_repair()
        result = result_of(endings, tally)
        log.info("folders described", **_figures(result))
        return result

    def _missing(self, folders: Iterable[VaultPath]) -> set[VaultPath]:
        return {folder for folder in folders if not self.tree.exists(folder)}

    def _holding(self, gone: Iterable[VaultPath]) -> set[VaultPath]:
        """Return the folders that still exist, right above those that are gone."""
        found = set()
        for folder in gone:
            above = parent_of(folder)
            while above and not self.tree.exists(above):
                above = parent_of(above)
            if above and self._is_described(above):
                found.add(above)
        return found

    def _forget(self, db: Connection, gone: Iterable[VaultPath]) -> None:
        """Drop the rows of folders that are gone; those that were moved have followed by now."""
        for folder in gone:
            for row in nodes.nodes_within(db, folder):
                nodes.drop_node(db, row.path, asked=False, now=self._clock())
            nodes.clear_marks(db, folder, seen=nodes.newest_mark(db, folder))
            folders.forget_note(db, folder)

    async def _plan_repair(self) -> None:
        """Queue a look for the moment when the next failed folder is due."""
        due = await self._db.read(nodes.next_due)
        if due is None:
            return
        now = self._clock()
        await self._db.run(
            nodes.look_again, digest=f"repair {stamp(due)}", run_at=max(due, now), now=now
        )

    async def _holds_back(self) -> bool:
        """Wait, within limits, while more changes are on their way: one run for the whole burst."""
        now = self._clock()
        since = await self._db.read(nodes.oldest_mark)
        if since is None or since + LONGEST_HOLD <= now:
            return False
        if not await self._db.read(nodes.changes_are_coming, now=now):
            return False
        await self._db.run(nodes.look_again, run_at=now + nodes.QUIET, now=now)
        return True

    def _is_described(self, folder: VaultPath) -> bool:
        return root_of(folder, self.tree.roots) is not None and self.tree.holds(folder)

    def _language_of(self, children: Sequence[ChildSummary]) -> str:
        return self._describer.maker(children).language


def _asker(db: Database, author: Author, clock: Clock, options: Options) -> Asker:
    return Asker(
        db,
        author,
        Gate(options.max_concurrent_llm),
        clock,
        max_children=options.max_children,
        context_chars=options.context_chars,
        first_retry=options.first_retry,
    )


def prompt_version() -> str:
    """Return one name for the prompts that make summaries."""
    return " ".join(version_of(prompt) for prompt in (FolderPrompt, FilePrompt, FileReducePrompt))


def folder_named(directory_uri: str) -> VaultPath:
    """Return the folder that a path at the interface names ("./" is the whole vault).

    Raises:
        UsageError: it does not end in "/".
    """
    if not is_directory_uri(directory_uri):
        raise UsageError(f"{directory_uri!r} names no folder: a folder ends in '/'.")
    return VaultPath(directory_uri.strip("/") or ".")


def result_of(endings: Mapping[Ending, int], tally: Tally) -> RunResult:
    """Return the report of a run."""
    done = sum(endings[end] for end in (Ending.OK, Ending.FALLBACK, Ending.STALE))
    return RunResult(
        success=not endings[Ending.FAILED],
        records_upserted=done,
        rows=tally.rows,
        calls=tally.calls,
        embeddings=tally.embeddings,
        notes=tally.notes,
        fallback=endings[Ending.FALLBACK],
        stale=endings[Ending.STALE],
        failed=endings[Ending.FAILED],
        skipped=endings[Ending.SKIPPED],
        empty=endings[Ending.EMPTY],
        cancelled=endings[Ending.CANCELLED],
        changed_abstracts=tally.changed_abstracts,
        faults=tally.faults,
    )


def _figures(result: RunResult) -> dict[str, int]:
    figures = asdict(result)
    return {name: figures[name] for name in ("records_upserted", "calls", "fallback", "failed")}


def _clear_all(db: Connection, folders: Iterable[VaultPath]) -> None:
    for folder in folders:
        nodes.clear_marks(db, folder, seen=nodes.newest_mark(db, folder))
