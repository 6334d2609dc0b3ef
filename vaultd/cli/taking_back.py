"""`vaultd forget`, `undo` and `restore`: taking back what was written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from vaultd.cli.asking import read_database
from vaultd.cli.naming import not_there
from vaultd.cli.options import JsonOption, PageArgument, SourceArgument, VaultOption
from vaultd.cli.queueing import source_path
from vaultd.cli.target import Target, target_at
from vaultd.cli.terminal import print_json, say
from vaultd.cli.working import carry_out, end_with
from vaultd.errors import NotFoundError
from vaultd.model.jobs import JobKind, JobState, NewJob
from vaultd.model.paths import SourceId, VaultPath
from vaultd.store import sources
from vaultd.store.database import Connection
from vaultd.store.joblist import JobRow

LINES = (  # key of the result, and what it says of each path
    ("removed", "to the trash"),
    ("pictures", "to the trash"),
    ("rewritten", "written anew from the other sources"),
    ("restored", "back to the version before"),
    ("kept", "stays: you wrote on it, or its old version is gone"),
    ("unlinked", "links to deleted pages become text"),
)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("forget")(forget)
    app.command("undo")(undo)
    app.command("restore")(restore)


def forget(
    source: SourceArgument,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would happen, and change nothing.")
    ] = False,
    vault: VaultOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take back what a source gave to the wiki.

    The file itself stays where it is, and is not taken again until you ask for it.
    """
    target = target_at(vault)
    identity = _identity(target, source)
    payload = {"dry_run": dry_run}
    new = NewJob(JobKind.FORGET, identity, "dry_run" if dry_run else "", payload, person=True)
    rows = carry_out(target, [new], silent=as_json)
    if not as_json and dry_run and rows[0].state is JobState.DONE:
        say(f"Forgetting {identity} would mean:")
    _tell(rows, as_json=as_json)


def undo(source: SourceArgument, vault: VaultOption = None, as_json: JsonOption = False) -> None:
    """Take back what the last ingest of a source changed."""
    target = target_at(vault)
    new = NewJob(JobKind.UNDO, _identity(target, source), person=True)
    _tell(carry_out(target, [new], silent=as_json), as_json=as_json)


def restore(
    page: PageArgument,
    version: Annotated[
        str, typer.Argument(metavar="VERSION", help="A version that `vaultd history` lists.")
    ],
    vault: VaultOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put an old version of a page back.

    The one that is there becomes a version itself.
    """
    from vaultd.upkeep.versions import content_of, kept_versions
    from vaultd.vault.files import Vault

    target = target_at(vault)
    path = VaultPath(page if page.endswith(".md") else f"{page}.md")
    files = Vault(target.root, target.state)
    if not files.locate(path).is_file() and not kept_versions(files, path):
        raise not_there(target, f"There is no page {path}.", path)
    content_of(files, path, version)  # refused at once where there is none
    new = NewJob(JobKind.RESTORE, path, version, {"version": version}, person=True)
    rows = carry_out(target, [new], silent=as_json)
    if not as_json and rows[0].state is JobState.DONE:
        changed = rows[0].result.get("changed")
        say(f"{path} is as it was in {version}." if changed else f"{path} is just that already.")
        return
    _tell(rows, as_json=as_json)


def _identity(target: Target, named: str) -> SourceId:
    """Return the identity of the source a person named.

    Raises:
        NotFoundError: there is none; `candidates` are the nearest.
    """

    def query(db: Connection) -> SourceId | None:
        source = sources.find_by_path(db, source_path(db, named))
        return source.identity if source is not None else None

    found = read_database(target, lambda db: db.read(query))
    if found is None:
        raise NotFoundError(f"There is no source {named!r}.")
    return found


def _tell(rows: list[JobRow], *, as_json: bool) -> None:
    """Say what came of the one job, and leave with its exit code."""
    (row,) = rows
    if as_json:
        print_json({"state": str(row.state), "reason": row.reason, **row.result})
    elif row.state is JobState.DONE:
        _tell_result(row.result)
    else:
        say(f"{row.subject}: {row.state}" + (f" ({row.reason})" if row.reason else ""))
    end_with(rows)


def _tell_result(result: Mapping[str, Any]) -> None:
    told = False
    for key, words in LINES:
        for path in result.get(key, ()):
            say(f"{path}: {words}")
            told = True
    if not told:
        say("No page has anything of it.")
