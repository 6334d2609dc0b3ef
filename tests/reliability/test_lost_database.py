"""A database that is lost or older knows everything again from the Markdown (A8)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.model_server import ModelServer
from tests.reliability.places import FastClock
from vaultd.daemon.place import database_path
from vaultd.daemon.run import run_jobs, run_once
from vaultd.model.jobs import JobKind, NewJob
from vaultd.settings import EmbeddingSettings, IngestSettings, LlmSettings, Settings
from vaultd.store import jobs, problems
from vaultd.store.database import Connection, Database

TEXT = "# {0}\n\n{0} flows from warm to cold bodies. Nobody has ever seen it flow back.\n"
TABLES = {
    "pages": "select path, sha256, type, title, aliases, sources from pages"
    " where path not like '%log.md' order by 1",
    "sources": "select identity, path, sha256, ingested_sha256, pages from sources order by 1",
    "folders": "select path, state, input_digest, abstract, child_count, categories, author"
    " from nodes where kind = 'folder' order by 1",
    "files": "select path, content_hash, title, type from indexed_files order by 1",
    "passages": "select f.path, p.ordinal, p.heading, p.text from passages p"
    " join indexed_files f on f.id = p.file order by 1, 2",
    "words": "select term, doc, cnt from word_counts order by 1",
    "embedders": "select identity, dimensions, active from embedders order by 1",
    "windows": "select f.path, p.ordinal, w.ordinal, w.text_hash from windows w"
    " join passages p on p.id = w.passage join indexed_files f on f.id = p.file order by 1, 2, 3",
    "summary vectors": "select path, level from summary_vectors order by 1, 2",
    "reviews": "select id, kind, title, options, sources, note, state from reviews order by 1",
}


VECTORS = (
    "select w.vector from windows w join passages p on p.id = w.passage"
    " join indexed_files f on f.id = p.file order by f.path, p.ordinal, w.ordinal",
    "select vector from summary_vectors order by path, level",
)
NEAR = 1e-3  # the last digits of a vector depend on what was embedded along with it


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def what_is_known(path: Path) -> dict[str, list[Any]]:
    db = Database(path, readonly=True)

    def tables(connection: Connection) -> dict[str, list[Any]]:
        return {name: connection.execute(sql).fetchall() for name, sql in TABLES.items()}

    try:
        return db.read_sync(tables)
    finally:
        db.close()


def vectors_of(path: Path) -> NDArray[np.float32]:
    db = Database(path, readonly=True)

    def all_of_them(connection: Connection) -> NDArray[np.float32]:
        blobs = [blob for sql in VECTORS for (blob,) in connection.execute(sql)]
        return np.array([np.frombuffer(blob, "<f2") for blob in blobs], np.float32)

    try:
        return db.read_sync(all_of_them)
    finally:
        db.close()


def queue(path: Path, root: Path, source: str, clock: FastClock) -> None:
    db = Database(path)
    digest = sha256((root / source).read_bytes()).hexdigest()
    db.run_sync(jobs.enqueue_all, [NewJob(JobKind.INGEST, source, digest)], now=clock())
    db.close()


def problems_of(path: Path) -> list[str]:
    db = Database(path, readonly=True)
    try:
        return [each.code for each in db.read_sync(problems.all_problems)]
    finally:
        db.close()


def pages_of(root: Path) -> dict[str, bytes]:
    return {
        place.relative_to(root).as_posix(): place.read_bytes()
        for place in sorted((root / "wiki").rglob("*.md"))
    }


@pytest.mark.parametrize("provider", ["openai", pytest.param("builtin", marks=pytest.mark.full)])
async def test_a_lost_or_older_database_knows_everything_again_without_a_call_a8(
    tmp_path: Path,
    converter: None,
    server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    provider: Literal["builtin", "openai"],
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    clock = FastClock()
    root = tmp_path / "vault"
    (root / "raw/physics").mkdir(parents=True)
    settings = Settings(
        ingest=IngestSettings(settle_seconds=0.05),
        embedding=EmbeddingSettings(provider=provider, base_url=server.url, model="scripted"),
        llm=LlmSettings(model="scripted", base_url=server.url),
    )
    path = database_path(root, settings)

    def asked() -> int:
        return sum(stage != "embedding" for stage in server.stages())

    (root / "raw/physics/Heat.md").write_text(TEXT.format("Heat") * 3)
    await run_once(root, settings, clock)
    backup = path.read_bytes()
    (root / "raw/physics/Heat.md").write_text(TEXT.format("Heat") * 4)
    (root / "raw/Steam.md").write_text(TEXT.format("Steam") * 3)
    await run_once(root, settings, clock)
    known, calls, before = what_is_known(path), asked(), pages_of(root)
    vectors = vectors_of(path)
    assert calls > 0
    assert known["windows"]
    assert known["summary vectors"]

    path.write_bytes(backup)
    queue(path, root, "raw/Steam.md", clock)  # before the backup, say
    await run_once(root, settings, clock)
    assert (asked(), what_is_known(path), pages_of(root)) == (calls, known, before)
    np.testing.assert_allclose(vectors_of(path), vectors, atol=NEAR)
    assert problems_of(path) == ["database_behind"]

    path.unlink()
    shutil.rmtree(path.with_name("page-history"), ignore_errors=True)
    await run_once(root, settings, clock)
    assert (asked(), what_is_known(path), pages_of(root)) == (calls, known, before)
    np.testing.assert_allclose(vectors_of(path), vectors, atol=NEAR)

    (job,) = await run_jobs(root, settings, clock, [NewJob(JobKind.REBUILD, ".")], lambda _: None)
    assert job.state == "done"
    assert (asked(), what_is_known(path), pages_of(root)) == (calls, known, before)
    np.testing.assert_allclose(vectors_of(path), vectors, atol=NEAR)
