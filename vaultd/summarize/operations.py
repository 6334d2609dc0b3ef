"""The operations of spec/004 on file summaries: make, make all anew, ask without storing, drop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, TypedDict

import structlog

from vaultd.core.staleness import is_within
from vaultd.core.text import tokens_of
from vaultd.errors import ConflictError, NotFoundError, UsageError, VaultdError
from vaultd.model.jobs import Job, Progress
from vaultd.model.paths import Clock, VaultPath
from vaultd.model.summary import Node, NodeKind, NodeState
from vaultd.store import folders, nodes, summaries
from vaultd.store.database import Connection, Database
from vaultd.summarize.ask import Tally
from vaultd.summarize.child import is_folder_note_name
from vaultd.summarize.file_nodes import FileText
from vaultd.summarize.files import Wish
from vaultd.summarize.note import remove_text
from vaultd.summarize.summarizer import BULK, PERSON, DirectorySummarizer
from vaultd.summarize.tree import NEVER, OWN_NOTES, WIKI

log = structlog.get_logger()

DONE, FAILED = 200, 500
WISHES = ("description", "model", "temperature", "max_tokens")
VECTOR_STORE = "sqlite-vec"  # what `vs_type` is answered with


class Event(TypedDict):
    """One step of an operation as spec/004 reports it; `finished` of `total` files are done."""

    code: int
    msg: str
    total: int
    finished: int
    doc: str


Events = AsyncGenerator[Event, None]


@dataclass(frozen=True, slots=True)
class PassageSummary:
    """A summary of named passages, which is stored nowhere."""

    summary: str
    steps: tuple[str, ...]
    ids: tuple[int, ...]
    description: str

    def document(self) -> dict[str, Any]:
        """Return the summary in the form of spec/004."""
        return {
            "page_content": self.summary,
            "metadata": {
                "file_description": self.description,
                "summary_intermediate_steps": list(self.steps),
                "doc_ids": ",".join(map(str, self.ids)),
            },
        }


@dataclass(frozen=True, slots=True)
class Estimate:
    """What making every file summary of a root anew would take, at most."""

    files: int
    calls: int
    input_tokens: int


class SummaryOperations:
    """What people and programs ask of summaries. A knowledge base is one of the roots."""

    def __init__(
        self,
        db: Database,
        summarizer: DirectorySummarizer,
        clock: Clock,
        *,
        embed_model: str,
        width: int = 10,
    ) -> None:
        self._db = db
        self._summarizer = summarizer
        self._clock = clock
        self._embed_model = embed_model
        self._width = width

    def check(self, wish: Wish, *, embed_model: str = "") -> None:
        """Refuse what cannot be carried out.

        Raises:
            UsageError: the temperature is not from 0 to 1, or the limit is negative.
            ConflictError: the index holds vectors of another model.
        """
        if not 0.0 <= wish.temperature <= 1.0:
            raise UsageError("temperature has to be from 0 to 1.")
        if wish.max_tokens is not None and wish.max_tokens < 0:
            raise UsageError("max_tokens has to be positive, or 0 for the model's own limit.")
        names = {"", self._embed_model, *self._embed_model.replace("/", ":").split(":")}
        if embed_model not in names:
            raise ConflictError(
                f"The index is made with {self._embed_model or 'no model'}, not {embed_model}."
            )

    def knowledge_base(self, name: str, *, allow_empty: bool = True) -> VaultPath | None:
        """Return the root called `name`; None for an unknown one that may be empty.

        Raises:
            NotFoundError: there is no such root, and `allow_empty` is false.
        """
        roots = self._summarizer.tree.roots
        for root in roots:
            if root == name.strip("/"):
                return root
        if not allow_empty:
            raise NotFoundError(f"There is no knowledge base {name!r}.", tuple(roots))
        return None

    async def create_kb_summary(self, root: VaultPath) -> None:
        """Make room for summaries of `root`: what a person dropped there may be made again."""
        await self._db.run(folders.take_in, root)

    async def add_kb_summary(self, path: VaultPath, wish: Wish) -> bool:
        """Make or refresh the summary of one file; tell whether an author wrote it.

        Raises:
            NotFoundError: the file is not in the index.
            VaultdError: it has no text, or cannot be read.
        """
        node = await self._summarise(path, wish, anew=False)
        return node.state is NodeState.OK

    async def summarise_file(self, path: VaultPath, wish: Wish) -> Events:
        """Make the summary of one file and yield one event, also where it fails."""
        try:
            node = await self._summarise(path, wish, anew=False)
        except VaultdError as error:
            yield Event(code=FAILED, msg=f"{path}: {error}", total=1, finished=1, doc=path)
            return
        yield _ended(node, f"{PurePosixPath(path).name} 总结完成", 1, 1)

    async def summarise_passages(self, ids: Sequence[int], wish: Wish) -> PassageSummary:
        """Return a summary of the passages with these ids; nothing is stored.

        Raises:
            NotFoundError: some do not exist; the message lists them.
            VaultdError: the author gave nothing usable.
        """
        found = await self._db.read(summaries.passages_named, ids)
        missing = sorted(set(ids) - set(found))
        if missing or not found:
            raise NotFoundError(
                f"There are no passages {', '.join(map(str, missing)) or '(none)'}: search names "
                "those there are."
            )
        path = next(iter(found.values()))[0]
        file = FileText(path, "", tuple(text for _, text in found.values()), tuple(found))
        texts = await self._summarizer.files.texts(file, wish, Tally(PERSON))
        return PassageSummary(texts.summary, texts.steps, file.ids, wish.description)

    async def summarise_file_job(self, job: Job, progress: Progress) -> Mapping[str, Any]:
        """Work on a job whose subject is a file; payload: the fields of `Wish` that are set."""
        progress("summary", 0, 1)
        fields = {name: job.payload[name] for name in WISHES if name in job.payload}
        node = await self._summarise(VaultPath(job.subject), Wish(**fields), anew=False)
        progress("summary", 1, 1)
        return {"path": node.path, "state": node.state.value, "abstract": node.abstract}

    async def drop_job(self, job: Job, progress: Progress) -> Mapping[str, Any]:
        """Work on a job whose subject is a folder or file; payload `back` takes the drop back."""
        progress("summaries")
        path = VaultPath(job.subject)
        if job.payload.get("back"):
            return {"restored": await self.take_back(path)}
        return {"dropped": await self.drop(path)}

    async def estimate(self, root: VaultPath) -> Estimate:
        """Return what `recreate` would cost, without asking anybody."""
        files = calls = tokens = 0
        for path in await self._paths(root):
            file = await self._summarizer.files.indexed(path)
            windows = self._summarizer.files.windows_of(file)
            files += 1
            calls += windows + (windows > 1)
            tokens += sum(map(tokens_of, file.passages))
        return Estimate(files, calls, tokens)

    async def recreate(self, root: VaultPath | None, wish: Wish) -> Events:
        """Make every file summary of `root` anew, and yield an event for each file.

        The old ones are found until each is replaced, and stay where a file fails. Closing the
        generator stops the calls under way.
        """
        paths = [] if root is None else await self._paths(root)
        if root is None or not paths:
            yield Event(code=DONE, msg="(0/0)", total=0, finished=0, doc="")
            return
        await self.create_kb_summary(root)
        waiting = iter(paths)
        running: dict[asyncio.Task[Node], VaultPath] = {}
        finished = 0
        try:
            while True:
                for path in waiting:
                    work = self._summarise(path, wish, anew=True, urgency=BULK)
                    running[asyncio.create_task(work)] = path
                    if len(running) >= self._width:
                        break
                if not running:
                    return
                done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    finished += 1
                    yield _event_of(task, running.pop(task), finished, len(paths))
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def drop_kb_summary(self, root: VaultPath) -> int:
        """Drop the file summaries of a root with their vectors; return how many. See `drop`."""
        return await self._drop(root, NodeKind.FILE)

    async def drop(self, path: VaultPath) -> int:
        """Drop the summaries of a folder or file and of everything below; return how many.

        None is made there again until a person asks. `take_back` undoes it until upkeep.
        """
        return await self._drop(path, None)

    async def take_back(self, path: VaultPath) -> int:
        """Undo a drop at or below `path`; return how many summaries are back, without a call."""

        def restore(db: Connection) -> int:
            now = self._clock()
            folders.take_in(db, path)
            return sum(
                summaries.take_back_drop(db, dropped, now=now)
                for dropped in nodes.former_within(db, path)
            )

        return await self._db.run(restore)

    async def hand_back(self, folder: VaultPath) -> None:
        """Let vaultd write the note of `folder` again, over a person's edit of its region."""
        await asyncio.to_thread(self._summarizer.accept_edit, folder, self._clock())

        def forget(db: Connection) -> None:
            folders.forget_note(db, folder)
            nodes.mark_folder(db, folder, "", reason="handed back", now=self._clock())
            nodes.look_again(db, run_at=self._clock(), now=self._clock())

        await self._db.run(forget)

    async def _summarise(
        self, path: VaultPath, wish: Wish, *, anew: bool, urgency: int = PERSON
    ) -> Node:
        self.check(wish)
        file = await self._summarizer.files.indexed(path)
        if not file.content:
            raise NotFoundError(f"{path} is not in the index (yet).")
        await self._db.run(folders.take_in, path)
        return await self._summarizer.files.refresh(
            file, wish, Tally(urgency), asked=True, anew=anew
        )

    async def _paths(self, root: VaultPath) -> list[VaultPath]:
        return [path for path in await self._db.read(summaries.files_within, root) if _is_own(path)]

    async def _drop(self, path: VaultPath, kind: NodeKind | None) -> int:
        def drop(db: Connection) -> list[Node]:
            now = self._clock()
            found = nodes.nodes_within(db, path, kind)
            for node in found:
                nodes.drop_node(db, node.path, asked=True, now=now)
                folders.leave_out(db, node.path)
            if kind is None:
                folders.leave_out(db, path)
            nodes.mark_dirty(db, [node.path for node in found], reason="dropped", now=now)
            return found

        dropped = await self._db.run(drop)
        for node in dropped:
            if node.kind is NodeKind.FOLDER:
                await asyncio.to_thread(remove_text, self._summarizer.tree.vault, node.path)
        return len(dropped)


def _event_of(task: asyncio.Task[Node], path: VaultPath, finished: int, total: int) -> Event:
    step = f"({finished}/{total}): {path}"
    error = task.exception()
    if error is None:
        return _ended(task.result(), step, finished, total)
    if not isinstance(error, VaultdError):
        log.error("file summary failed", path=path, error=type(error).__name__)
    return Event(code=FAILED, msg=f"{step}: {error}", total=total, finished=finished, doc=path)


def _ended(node: Node, step: str, finished: int, total: int) -> Event:
    code = DONE if node.state is NodeState.OK else FAILED
    msg = step if code == DONE else f"{step}: {node.error_code}"
    return Event(code=code, msg=msg, total=total, finished=finished, doc=node.path)


def _is_own(path: VaultPath) -> bool:
    """Tell whether a file has its own words: no folder note, index or log."""
    pure = PurePosixPath(path)
    if any(is_within(path, folder) for folder in NEVER if folder != "raw"):
        return False
    if str(pure.parent) == WIKI and pure.name in OWN_NOTES:
        return False
    return not (pure.suffix.casefold() == ".md" and is_folder_note_name(path))
