"""`vaultd summarize`: describe a folder or file now, or stop describing it."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated

import typer

from vaultd.cli.options import JsonOption, VaultOption
from vaultd.cli.outcome import DEGRADED
from vaultd.cli.target import Target, target_at
from vaultd.cli.terminal import counted, print_json, say
from vaultd.cli.working import carry_out, end_with
from vaultd.errors import NotFoundError
from vaultd.model.jobs import JobKind, JobState, NewJob
from vaultd.model.paths import VaultPath
from vaultd.store.joblist import JobRow
from vaultd.vault.files import Vault

DEGRADED_FOLDERS = ("fallback", "stale", "failed")  # their numbers in the result of a run


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("summarize")(summarize)


def summarize(
    path: Annotated[
        str,
        typer.Argument(metavar="PATH", help="A folder or file of the vault; left out: all."),
    ] = ".",
    drop: Annotated[
        bool, typer.Option("--drop", help="Drop the summaries there; none is made until asked.")
    ] = False,
    vault: VaultOption = None,
    as_json: JsonOption = False,
) -> None:
    """Describe a folder, with everything below it, or a file now."""
    target = target_at(vault)
    new = _job(target, VaultPath(str(PurePosixPath(path.strip().rstrip("/")))), drop=drop)
    rows = carry_out(target, [new], silent=as_json)
    (row,) = rows
    if as_json:
        document = {"path": row.subject, "state": str(row.state), "reason": row.reason}
        print_json({**document, "result": dict(row.result)})
    elif row.state is JobState.DONE:
        say(_sentence(row))
    else:
        say(f"{row.subject}: {row.state}" + (f" ({row.reason})" if row.reason else ""))
    end_with(rows)
    if any(row.result.get(name) for name in DEGRADED_FOLDERS):
        raise typer.Exit(DEGRADED)


def _job(target: Target, path: VaultPath, *, drop: bool) -> NewJob:
    """Return what has to be done.

    Raises:
        NotFoundError: there is neither a folder nor a file of this name.
        UsageError: the folder is none that is described.
    """
    from vaultd.summarize.tree import Tree  # brings structlog

    files = Vault(target.root, target.state)
    place = files.locate(path)
    if drop:
        return NewJob(JobKind.DROP_SUMMARIES, path, person=True)
    if place.is_dir():
        if path != ".":
            Tree(files, target.settings.summaries.roots).check(path)
        payload = {"asked": True, "full": path == "."}
        return NewJob(JobKind.SUMMARIZE, path, "asked", payload, person=True)
    if place.is_file():
        return NewJob(JobKind.SUMMARIZE_FILE, path, person=True)
    raise NotFoundError(f"There is no folder or file {path} in the vault.")


def _sentence(row: JobRow) -> str:
    result = row.result
    if row.kind is JobKind.DROP_SUMMARIES:
        dropped = counted(result.get("dropped", 0), "summary", "summaries")
        return f"{row.subject}: dropped {dropped}. `vaultd summarize {row.subject}` makes new ones."
    if row.kind is JobKind.SUMMARIZE_FILE:
        return f"{row.subject}: {result.get('abstract') or result.get('state')}"
    told = ", ".join(f"{result[name]} {name}" for name in DEGRADED_FOLDERS if result.get(name))
    described = counted(result.get("records_upserted", 0), "folder")
    about = "the whole vault" if row.subject == "." else row.subject
    return f"{about}: {described} described" + (f" ({told})" if told else "") + "."
