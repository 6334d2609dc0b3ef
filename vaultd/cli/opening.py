"""`vaultd open` and `vaultd token`: the page of a running daemon, and the key to its bridge."""

from __future__ import annotations

import webbrowser
from typing import Annotated

import typer

from vaultd.cli.asking import ask_bridge, way_to
from vaultd.cli.options import JsonOption, VaultOption
from vaultd.cli.target import Target, now, target_at
from vaultd.cli.terminal import print_json, remark, say
from vaultd.errors import VaultdError
from vaultd.vault.files import Vault
from vaultd.vault.layout import make_layout


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("open")(open_page)
    app.command("token")(token)


def open_page(
    only_print: Annotated[
        bool, typer.Option("--print", help="Print the address instead of opening it.")
    ] = False,
    vault: VaultOption = None,
    as_json: JsonOption = False,
) -> None:
    """Open the page of the running daemon in a browser.

    The address holds a code that works once, for two minutes; the page trades it for the key.
    """
    from vaultd.bridge.keys import new_code

    target = target_at(vault)
    address = _address(target)
    code = new_code(Vault(target.root, target.state), now())
    url = f"{address}/#code={code}"
    if as_json:
        print_json({"url": url})
    elif only_print or not webbrowser.open(url):
        say(url)
    else:
        remark(f"Opened {address}/ in your browser.")


def _address(target: Target) -> str:
    """Return where the daemon listens.

    Raises:
        VaultdError: none does.
    """
    way = way_to(target)
    if way is None or ask_bridge(target, "GET", "/health") is None:
        raise VaultdError("No daemon answers for this vault: start it with `vaultd run`.")
    return way.address


def token(
    rotate: Annotated[
        bool, typer.Option("--rotate", help="Make a new key; the old one opens nothing any more.")
    ] = False,
    vault: VaultOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the key to the bridge, for other programs.

    Only those on this machine can use it.
    """
    from vaultd.bridge.keys import new_token, token_of

    target = target_at(vault)
    files = Vault(target.root, make_layout(target.root))
    key = new_token(files) if rotate else token_of(files)
    if as_json:
        print_json({"token": key})
    else:
        say(key)
