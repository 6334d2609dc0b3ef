"""Options that many commands share. Both may also stand before the command's name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def _inherited_path(ctx: typer.Context, value: Path | None) -> Path | None:
    outer = ctx.find_root().params.get("vault")
    return value or (Path(outer) if outer else None)


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
