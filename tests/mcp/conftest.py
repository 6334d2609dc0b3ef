"""A small vault, read and indexed once, and the SDK's own client in front of it."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

from mcp import Client, StdioServerParameters, stdio_client
from mcp_types import TextContent

from tests.reliability.zygote import FOLDERS_REST, Zygote
from vaultd.mcp.server import make_server
from vaultd.mcp.shelf import Ask, Shelf
from vaultd.status import status_of
from vaultd.store.database import Database
from vaultd.store.standing import Part
from vaultd.vault.files import Vault
from vaultd.vault.layout import state_folder

ROOT = Path(__file__).resolve().parent.parent.parent
SAMPLE = ROOT / "sample-vault"
PDF = "raw/bread/Sourdough, what happens in the dough.pdf"

Connected = Callable[..., AbstractAsyncContextManager[Client]]


def surroundings(**more: str) -> dict[str, str]:
    """Return the environment for a vaultd that needs no model and waits for nothing."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VAULTD_")}
    quick = {"VAULTD_EMBEDDING__PROVIDER": "none", "VAULTD_INGEST__SETTLE_SECONDS": "0.05"}
    return kept | quick | more


def run_vaultd(zygote: Zygote, root: Path, *arguments: str, **more: str) -> None:
    """Run a command on the vault to its end."""
    more |= {"XDG_STATE_HOME": str(root.parent / "state"), FOLDERS_REST: "0.1"}
    output = root.parent / "command"
    output.touch()
    done = zygote.start(["--vault", str(root), *arguments], surroundings(**more), output)
    assert done.wait(120) == 0, output.read_text()


@pytest.fixture(scope="session")
def made(zygote: Zygote, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault that vaultd has worked on; nobody changes it."""
    root = tmp_path_factory.mktemp("agents") / "Bread & koji"
    for folder in ("raw/bread", "Journal"):
        shutil.copytree(SAMPLE / folder, root / folder)
    shutil.copy(SAMPLE / "raw" / "Koji for beginners.md", root / "raw")
    run_vaultd(zygote, root, "run", "--once", VAULTD_BRIDGE__ENABLED="false")
    return root


@pytest.fixture
def world(made: Path, tmp_path: Path) -> Path:
    """A copy of that vault, to be changed."""
    return Path(shutil.copytree(made, tmp_path / made.name))


def shelf_of(root: Path, ask: Ask) -> Shelf:
    """Return the vault at `root` as the tools read it."""
    database = state_folder(root) / "vaultd.db"

    def told(query: Callable[..., Any]) -> Any:
        db = Database(database, readonly=True)
        try:
            return db.read_sync(query)
        finally:
            db.close()

    status = partial(
        status_of,
        vault=str(root),
        running=False,
        chat="offline",
        embedding="none",
        part=Part(limit=0),
    )
    return Shelf(
        Vault(root, state_folder(root)),
        database,
        ask=ask,
        status=lambda: told(status),
        make_embedder=lambda: None,
    )


def nobody(method: str, route: str, body: Mapping[str, Any] | None = None) -> None:
    """Answer as where no daemon runs."""


@pytest.fixture
def connected(made: Path) -> Connected:
    """Connect the SDK's client to a server in this process."""

    @asynccontextmanager
    async def connect(
        root: Path = made, *, ask: Ask = nobody, allow_write: bool = False
    ) -> AsyncIterator[Client]:
        server = make_server(shelf_of(root, ask), allow_write=allow_write)
        async with Client(server) as client:
            yield client

    return connect


@asynccontextmanager
async def over_stdio(root: Path, *arguments: str, mode: str = "auto") -> AsyncIterator[Client]:
    """Connect the SDK's client to `vaultd mcp` as a desktop application does."""
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "vaultd", "--vault", str(root), "mcp", *arguments],
        env=surroundings(),
    )
    async with Client(stdio_client(command), mode=mode) as client:
        yield client


async def answer(client: Client, tool: str, **arguments: Any) -> Any:
    """Call a tool and return the document it answers."""
    said = await client.call_tool(tool, arguments)
    assert isinstance(said.content[0], TextContent)
    assert not said.is_error, said.content[0].text
    return json.loads(said.content[0].text)


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    """Call a tool that has to refuse and return what it says."""
    said = await client.call_tool(tool, arguments)
    assert isinstance(said.content[0], TextContent)
    assert said.is_error, said.content[0].text
    return said.content[0].text
