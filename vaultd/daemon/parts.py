"""Everything that does work, built once; and which workflow does which kind of job."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from vaultd.author.seam import Author
from vaultd.daemon.embedding import askable_beside, make_embedder
from vaultd.daemon.place import Place
from vaultd.daemon.writing import make_author, make_desk, make_operations, make_summarizer
from vaultd.embed import Embedder
from vaultd.extract import Converter
from vaultd.index import Indexer
from vaultd.ingest.desk import READ_AHEAD, Desk
from vaultd.ingest.moving import Mover
from vaultd.ingest.session import write_session
from vaultd.ingest.source import ingest_source
from vaultd.ingest.undoing import Undoing
from vaultd.ingest.withdrawal import Withdrawal
from vaultd.model.jobs import Job, JobKind, Progress
from vaultd.model.paths import VaultPath
from vaultd.publish.links import LinkMap
from vaultd.publish.publish import recover
from vaultd.reading import Reader
from vaultd.review import Reviews, Sweep
from vaultd.search import SearchEngine
from vaultd.store import receipt
from vaultd.summarize.operations import SummaryOperations
from vaultd.summarize.summarizer import DirectorySummarizer
from vaultd.upkeep.housekeeping import tidy
from vaultd.upkeep.lint import Linter
from vaultd.upkeep.rebuild import Rebuild
from vaultd.upkeep.versions import restore_page
from vaultd.vault.disk import low_space
from vaultd.vault.files import is_there
from vaultd.vault.mounts import is_network, mount_type
from vaultd.vault.notices import Notices
from vaultd.vault.obsidian import excluded_files
from vaultd.vault.scan import rules_of
from vaultd.watcher import Watcher
from vaultd.worker import Worker, Workflow

REVIEW_NOTES = "wiki/reviews/"


@dataclass(frozen=True, slots=True)
class Parts:
    """The built parts of a running vaultd."""

    place: Place
    reader: Reader
    embedder: Embedder | None
    indexer: Indexer
    engine: SearchEngine
    author: Author
    desk: Desk
    sweep: Sweep
    summarizer: DirectorySummarizer
    operations: SummaryOperations
    worker: Worker
    watcher: Watcher


@asynccontextmanager
async def build(place: Place) -> AsyncIterator[Parts]:
    """Build the parts and close what has to be closed at the end."""
    settings = place.settings
    async with AsyncExitStack() as closing:
        converter = Converter(parallel=settings.ingest.parallel)
        closing.push_async_callback(converter.close)
        reader = Reader(place.vault, place.db, converter)
        embedder = make_embedder(settings.embedding, place.clock)
        askable = askable_beside(embedder)
        for one in askable:
            closing.push_async_callback(one.close)
        indexer = Indexer(place.vault, place.db, reader, embedder, place.clock)
        author = make_author(place, closing)
        engine = make_engine(place, askable)
        desk = make_desk(place, reader, author, engine)
        sweep = Sweep(Reviews(place.vault, place.db, place.clock, author.name))
        summarizer = make_summarizer(place, author, embedder, sweep)
        operations = make_operations(place, summarizer, embedder)
        await recover(db=place.db, vault=place.vault, clock=place.clock, also=receipt.record)
        done = workflows(place, indexer, desk, sweep.of, summarizer, operations)
        worker = make_worker(place, done)
        yield Parts(
            place=place,
            reader=reader,
            embedder=embedder,
            indexer=indexer,
            engine=engine,
            author=author,
            desk=desk,
            sweep=sweep,
            summarizer=summarizer,
            operations=operations,
            worker=worker,
            watcher=make_watcher(place, worker),
        )


def workflows(
    place: Place,
    indexer: Indexer,
    desk: Desk,
    reviews: Reviews,
    summarizer: DirectorySummarizer,
    operations: SummaryOperations,
) -> dict[JobKind, Workflow]:
    """Return which workflow does which kind of job; kinds without one stay queued."""
    links = LinkMap(place.vault)
    mover = Mover(place.vault, place.db, place.clock, desk.order, links)
    undoing = Undoing(place.vault, place.db, place.clock, desk.order, links)
    withdrawal = Withdrawal(place.vault, place.db, place.clock, desk.author, desk.order, links)
    restoring = partial(restore_page, vault=place.vault, db=place.db, clock=place.clock)
    whole = partial(_once_recovered, place)
    return {
        JobKind.INGEST: partial(ingest_source, desk=desk),
        JobKind.INDEX: _indexing(indexer, reviews),
        JobKind.SUMMARIZE: _summarizing(summarizer, operations),
        JobKind.SUMMARIZE_FILE: operations.summarise_file_job,
        JobKind.DROP_SUMMARIES: operations.drop_job,
        JobKind.REVIEW: whole(reviews.act),
        JobKind.WRITE_SESSION: partial(write_session, desk=desk),
        JobKind.RESTORE: whole(restoring),
        JobKind.MOVE: whole(mover.move),
        JobKind.RETRACT: whole(withdrawal.retract),
        JobKind.FORGET: whole(withdrawal.forget),
        JobKind.UNDO: whole(undoing.undo),
        JobKind.LINT: Linter(place.vault, place.db, place.clock, links).lint,
        JobKind.REBUILD: Rebuild(place.vault, place.db, place.clock).rebuild,
        JobKind.UPKEEP: partial(tidy, place.db, place.vault, place.clock),
    }


def _indexing(indexer: Indexer, reviews: Reviews) -> Workflow:
    """Return what indexes a file; in a note that asks something, the answer is looked for."""

    async def index(job: Job, progress: Progress) -> Mapping[str, Any]:
        if job.subject.startswith(REVIEW_NOTES):
            return await reviews.take_answer(VaultPath(job.subject))
        return await indexer.run(job, progress)

    return index


def _summarizing(summarizer: DirectorySummarizer, operations: SummaryOperations) -> Workflow:
    """Return what describes folders, after dropped summaries were handed back where asked."""

    async def summarize(job: Job, progress: Progress) -> Mapping[str, Any]:
        if job.payload.get("hand_back"):
            await operations.hand_back(VaultPath(job.subject))
        return await summarizer.summarize(job, progress)

    return summarize


def _once_recovered(place: Place, workflow: Workflow) -> Workflow:
    """Let what an earlier attempt left half written be finished first: it may be this work."""

    async def begun(job: Job, progress: Progress) -> Mapping[str, Any]:
        await recover(db=place.db, vault=place.vault, clock=place.clock, also=receipt.record)
        return await workflow(job, progress)

    return begun


def make_engine(place: Place, embedders: Sequence[Embedder]) -> SearchEngine:
    """Return what answers questions; `embedders` are those that can embed one."""
    root = place.vault.root
    return SearchEngine(
        place.db,
        embedders,
        vault_name=root.name,
        excluded=partial(excluded_files, root),
        there=partial(is_there, root),
    )


def make_worker(place: Place, done: Mapping[JobKind, Workflow]) -> Worker:
    """Return what runs the jobs that `done` has a workflow for."""
    ingest = place.settings.ingest
    return Worker(
        place.db,
        done,
        place.clock,
        parallel=ingest.parallel + READ_AHEAD,
        retry_first=timedelta(seconds=ingest.retry_first_seconds),
        low_space=partial(low_space, place.vault.root),
    )


def make_watcher(place: Place, worker: Worker) -> Watcher:
    """Return the watcher of the vault; it uses notices where the mount type delivers them."""
    ingest, watch = place.settings.ingest, place.settings.watch
    watcher = Watcher(
        place.vault,
        place.db,
        partial(
            rules_of,
            place.vault,
            include=ingest.include,
            exclude=ingest.exclude,
            max_bytes=ingest.max_file_mb * 1024 * 1024,
        ),
        place.clock,
        settle=ingest.settle_seconds,
        rescan=watch.rescan_seconds,
        tell=worker.ring,
    )
    remote = is_network(mount_type(place.vault.root))
    if watch.mode == "native" or (watch.mode == "auto" and not remote):
        watcher.watch_natively(partial(Notices, place.vault.root))
    return watcher
