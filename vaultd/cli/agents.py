"""`vaultd mcp`: the vault for AI agents, over standard input and output."""

from __future__ import annotations

import asyncio
import logging
from typing import Annotated

import typer

from vaultd.cli.asking import ask_bridge
from vaultd.cli.looking import figures_of
from vaultd.cli.options import VaultOption
from vaultd.cli.target import now, target_at
from vaultd.errors import UsageError

NOT_INSTALLED = (
    "The package for agents is not installed: install vaultd with its extra `mcp` (docs/agents.md)."
)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("mcp")(mcp)


def mcp(
    allow_write: Annotated[
        bool,
        typer.Option("--allow-write", help="Let the agent hand in files and answer reviews."),
    ] = False,
    vault: VaultOption = None,
) -> None:
    """Let an AI agent read the vault over MCP.

    The agent's program starts this and speaks to it on standard input and output.
    """
    target = target_at(vault)
    try:
        from vaultd.mcp.server import make_server
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise UsageError(NOT_INSTALLED) from error
    from vaultd.cli.logs import write_logs
    from vaultd.daemon.embedding import make_embedder
    from vaultd.daemon.place import database_path
    from vaultd.mcp.shelf import Shelf
    from vaultd.vault.files import Vault

    if target.state.is_dir():
        write_logs(target.state / "logs", terminal=True)  # clients keep standard error, too
        logging.getLogger("mcp").setLevel(logging.WARNING)
    shelf = Shelf(
        Vault(target.root, target.state),
        database_path(target.root, target.settings),
        ask=lambda method, route, body: ask_bridge(target, method, route, body),
        status=lambda: figures_of(target),
        make_embedder=lambda: make_embedder(target.settings.embedding, now),
    )
    asyncio.run(make_server(shelf, allow_write=allow_write).run_stdio_async())
