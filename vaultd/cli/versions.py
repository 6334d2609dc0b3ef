"""`vaultd history`: the versions of a page that vaultd replaced."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated

import typer

from vaultd.cli.naming import not_there
from vaultd.cli.options import JsonOption, PageArgument, VaultOption
from vaultd.cli.target import target_at
from vaultd.cli.terminal import print_json, say, say_columns
from vaultd.errors import NotFoundError
from vaultd.model.paths import VaultPath
from vaultd.vault.files import Vault

if TYPE_CHECKING:
    from vaultd.publish.history import Version


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("history")(history)


def history(
    page: PageArgument,
    show: Annotated[
        str, typer.Option(metavar="VERSION", help="Print this version instead of the list.")
    ] = "",
    vault: VaultOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the versions of a page that vaultd replaced, newest first."""
    from vaultd.publish.history import versions  # brings all that publishing needs

    target = target_at(vault)
    files = Vault(target.root, target.state)
    path = VaultPath(page if page.endswith(".md") else f"{page}.md")
    is_there = files.locate(path).is_file()
    kept = versions(files, path)
    if not is_there and not kept:
        raise not_there(target, f"There is no page {path}.", path)
    if show:
        say(_text(files, kept, path, show))
        return
    rows = [(version_name(each), each.when.isoformat(), each.size) for each in kept]
    if as_json:
        listed = [{"version": name, "at": at, "size": size} for name, at, size in rows]
        print_json({"path": path, "versions": listed})
    elif not rows:
        say(f"vaultd has never replaced {path}.")
    else:
        say_columns(
            [
                version_name(each),
                f"{each.when.astimezone():%Y-%m-%d %H:%M:%S}",
                f"{each.size:,} bytes",
            ]
            for each in kept
        )


def version_name(version: Version) -> str:
    """Return what a person calls the version: the name of its file without the ending."""
    return PurePosixPath(version.name).stem


def _text(files: Vault, kept: list[Version], path: VaultPath, wanted: str) -> str:
    for version in kept:
        if version_name(version) == wanted:
            content = files.read_state(version.name) or b""
            return content.decode("utf-8", "replace").rstrip("\n")
    names = tuple(version_name(version) for version in kept)
    raise NotFoundError(f"There is no version {wanted!r} of {path}.", names)
