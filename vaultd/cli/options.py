"""Options and arguments that many commands share.

`--vault` and `--json` may also stand before the command's name.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vaultd.errors import UsageError


def _inherited_path(ctx: typer.Context, value: Path | None) -> Path | None:
    outer = ctx.parent
    while value is None and outer is not None:
        named, outer = outer.params.get("vault"), outer.parent
        value = Path(named) if named else None
    return value


def _inherited_flag(ctx: typer.Context, value: bool) -> bool:
    return value or bool(ctx.find_root().params.get("as_json"))


VaultOption = Annotated[
    Path | None,
    typer.Option(
        "--vault",
        metavar="PATH",
        callback=_inherited_path,
        help="The vault. Else $VAULTD_VAULT, else the nearest one around the working folder.",
    ),
]
JsonOption = Annotated[
    bool,
    typer.Option(
        "--json", callback=_inherited_flag, help="Print one JSON document and nothing else."
    ),
]
SourceArgument = Annotated[
    str, typer.Argument(metavar="SOURCE", help="Path below raw/ of the source.")
]
PageArgument = Annotated[
    str, typer.Argument(metavar="PAGE", help="Path of a note or page in the vault.")
]


def document(file: Path) -> Path:
    """Return the whole path of a document that a person named.

    Raises:
        UsageError: it is no file.
    """
    if file.is_dir():
        raise UsageError(f"{file} is a folder: name the documents in it.")
    if not file.is_file():
        raise UsageError(f"There is no file {file}.")
    return file.resolve()
