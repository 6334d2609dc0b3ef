"""Everything that does work, built once; and which workflow does which kind of job."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from vaultd.author.seam import Author
from vaultd.daemon.place import Place
from vaultd.daemon.writing import make_author, make_desk
from vaultd.embed import Embedder
from vaultd.embed.builtin import BuiltinEmbedder
from vaultd.embed.endpoint import EndpointEmbedder
from vaultd.extract import Converter
from vaultd.index import Indexer
from vaultd.ingest.desk import Desk
from vaultd.ingest.source import ingest_source
from vaultd.model.jobs import JobKind
from vaultd.model.paths import Clock
from vaultd.publish.publish import recover
from vaultd.reading import Reader
from vaultd.search import SearchEngine
from vaultd.settings import EmbeddingSettings
from vaultd.store import receipt
from vaultd.upkeep.housekeeping import tidy
from vaultd.vault.disk import low_space
from vaultd.vault.mounts import is_network, mount_type
from vaultd.vault.notices import Notices
from vaultd.vault.scan import rules_of
from vaultd.watcher import Watcher
from vaultd.worker import Worker, Workflow


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
        if embedder is not None:
            closing.push_async_callback(embedder.close)
        indexer = Indexer(place.vault, place.db, reader, embedder, place.clock)
        author = make_author(place, closing)
        engine = SearchEngine(
            place.db, [embedder] if embedder else [], vault_name=place.vault.root.name
        )
        desk = make_desk(place, reader, author, engine)
        await recover(db=place.db, vault=place.vault, clock=place.clock, also=receipt.record)
        worker = Worker(
            place.db,
            workflows(place, indexer, desk),
            place.clock,
            parallel=settings.ingest.parallel,
            retry_first=timedelta(seconds=settings.ingest.retry_first_seconds),
            low_space=partial(low_space, place.vault.root),
        )
        watcher = make_watcher(place, worker)
        yield Parts(place, reader, embedder, indexer, engine, author, desk, worker, watcher)


def workflows(place: Place, indexer: Indexer, desk: Desk) -> dict[JobKind, Workflow]:
    """Return which workflow does which kind of job; kinds without one stay queued."""
    return {
        JobKind.INGEST: partial(ingest_source, desk=desk),
        JobKind.INDEX: indexer.run,
        JobKind.UPKEEP: partial(tidy, place.db, place.clock),
    }


def make_embedder(settings: EmbeddingSettings, clock: Clock) -> Embedder | None:
    """Return the configured embedder, None if meaning is not searched."""
    if settings.provider == "none":
        return None
    if settings.provider == "builtin":
        return BuiltinEmbedder()
    return EndpointEmbedder(
        model=settings.model,
        base_url=settings.base_url,
        api_key_env=settings.api_key_env,
        clock=clock,
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
