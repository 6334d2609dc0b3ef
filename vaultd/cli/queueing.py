"""`vaultd ingest`, `retry` and `cancel`: what a person wants done with sources."""

from __future__ import annotations

import asyncio
import difflib
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

import typer

from vaultd.cli.options import JsonOption, SourceArgument, VaultOption, document
from vaultd.cli.target import Target, now, target_at
from vaultd.cli.terminal import counted, print_json, say
from vaultd.cli.working import carry_out, end_with
from vaultd.errors import NotFoundError, UsageError, VaultLockedError
from vaultd.ingest.submission import copied, handed_in, see
from vaultd.model.jobs import JobKind, JobState, NewJob
from vaultd.model.paths import SourceId, VaultPath
from vaultd.store import joblist, pauses, sources
from vaultd.store import jobs as queue
from vaultd.store.database import Connection
from vaultd.store.joblist import JobRow
from vaultd.store.release import HELD, release, release_all, written_offline
from vaultd.vault.files import Vault
from vaultd.vault.layout import RAW, make_layout


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("ingest")(ingest)
    app.command("retry")(retry)
    app.command("cancel")(cancel)


def ingest(
    documents: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Documents; outside raw/ they are copied into it."),
    ],
    chat: Annotated[
        bool, typer.Option("--chat", help="Talk about the one document before it is written.")
    ] = False,
    vault: VaultOption = None,
    as_json: JsonOption = False,
) -> None:
    """Turn documents into pages now, and wait for it."""
    from vaultd.cli.logs import write_logs

    if chat and len(documents) != 1:
        raise UsageError("A conversation is about one document.")
    target = target_at(vault)
    state = make_layout(target.root)
    inside = Vault(target.root, state)
    taken = [_taken(inside, file) for file in documents]
    write_logs(target.state / "logs", terminal=False)
    new = asyncio.run(_seen(target, taken))
    if chat:
        new = _talked_about(target, taken)
        if not new:
            return
    rows = carry_out(target, new, silent=as_json)
    _report(rows, as_json=as_json)


def _talked_about(target: Target, taken: Sequence[tuple[VaultPath, str]]) -> list[NewJob]:
    """Return the job that writes what the conversation led to, none if the person left it."""
    from vaultd.cli.chatting import talk_about

    job = talk_about(target, taken[0][0])
    return [job] if job else []


def _taken(vault: Vault, file: Path) -> tuple[VaultPath, str]:
    """Return the vault path and the hash of `file`, copied below `raw/` if it is elsewhere.

    Raises:
        UsageError: it is no file, or one that vaultd wrote.
    """
    place = document(file)
    if place.is_relative_to(vault.root):
        return handed_in(vault, VaultPath(place.relative_to(vault.root).as_posix()))
    return copied(vault, file.name, file.read_bytes())


async def _seen(target: Target, taken: Sequence[tuple[VaultPath, str]]) -> list[NewJob]:
    """Record the files as sources, in a database that this may be the first to need."""
    from vaultd.daemon.place import open_beside, open_for_work

    try:
        async with open_for_work(target.root, target.settings, now) as place:
            return await place.db.run(see, taken, now=now())
    except VaultLockedError:
        db = open_beside(target.root, target.settings)
        try:
            return await db.run(see, taken, now=now())
        finally:
            db.close()


def retry(
    source: Annotated[
        str | None,
        typer.Argument(metavar="SOURCE", help="Path below raw/ of the source to try again."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Everything that is parked, paused or waiting.")
    ] = False,
    offline: Annotated[
        bool, typer.Option("--offline", help="Have the model rewrite what was written offline.")
    ] = False,
    vault: VaultOption = None,
    as_json: JsonOption = False,
) -> None:
    """Try again what is held back, and wait for it.

    That is what is parked, paused, or waits for your word that it may cost what it would.
    """
    if [bool(source), every, offline].count(True) != 1:
        raise UsageError("Name a source, or use --all or --offline.")
    target = target_at(vault)
    if offline:
        if not target.settings.llm.model:
            raise UsageError("No model is configured: set llm.model first.")
        wanted = with_database(target, written_offline)
    else:
        wanted = with_database(target, _released, source)
    if not wanted and not as_json:
        say("There is nothing to try again.")
        return
    _report(carry_out(target, wanted, silent=as_json) if wanted else [], as_json=as_json)


def _released(db: Connection, source: str | None) -> list[NewJob]:
    """Put what is held back into the queue, and return it as it is found there."""
    if source is None:
        ids = release_all(db, now=now())
    else:
        ids = [row.id for row in _held(db, source)]
        for job in ids:
            release(db, job, now=now())
    rows = [joblist.find(db, job) for job in ids]
    return [NewJob(row.kind, row.subject, row.digest) for row in rows if row is not None]


def _held(db: Connection, source: str) -> list[JobRow]:
    newest = joblist.of_subject(db, source_path(db, source), JobKind.INGEST)[:1]
    states = {*HELD, JobState.CANCELLED}
    if pauses.all_pauses(db):
        states.add(JobState.QUEUED)  # behind the job that met the closed endpoint
    return [row for row in newest if row.state in states or row.reason]


def cancel(
    source: SourceArgument,
    vault: VaultOption = None,
    as_json: JsonOption = False,
) -> None:
    """Stop the work on a source, until it changes or you retry it."""
    target = target_at(vault)
    stopped = with_database(target, _cancelled, source)
    if as_json:
        print_json({"cancelled": stopped})
    elif stopped:
        say(f"Cancelled {counted(len(stopped), 'job')}: {', '.join(stopped)}.")
    else:
        say(f"Nothing is under way for {source}.")


def _cancelled(db: Connection, source: str) -> list[str]:
    path = source_path(db, source)
    return [
        str(row.kind)
        for row in joblist.of_subject(db, path)
        if queue.cancel(db, row.id, now=now(), reason="cancelled by a person")
    ]


def source_path(db: Connection, named: str) -> VaultPath:
    """Return the vault path of the source that a person named, with or without `raw/`.

    Raises:
        NotFoundError: there is none; `candidates` are the nearest.
    """
    wanted = unicodedata.normalize("NFC", named.removeprefix("./").removeprefix(f"{RAW}/"))
    if (found := sources.find(db, SourceId(wanted))) is not None:
        return found.path
    known = [source.identity for source in sources.all_sources(db)]
    same_name = [each for each in known if PurePosixPath(each).name == PurePosixPath(wanted).name]
    if len(same_name) == 1:
        return VaultPath(f"{RAW}/{same_name[0]}")
    near = difflib.get_close_matches(wanted, known, n=3)
    raise NotFoundError(f"There is no source {named!r}.", tuple(near))


def with_database(target: Target, query: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Run a writing `query` on the database, whoever holds the vault's lock."""
    from vaultd.daemon.place import open_beside

    async def opened() -> Any:
        db = open_beside(target.root, target.settings)
        try:
            return await db.run(query, *args, **kwargs)
        finally:
            db.close()

    return asyncio.run(opened())


def _report(rows: list[JobRow], *, as_json: bool) -> None:
    """Say what came of each job, and leave with the exit code."""
    from vaultd.cli.watching import named  # which brings rich

    if as_json:
        print_json(
            {
                "jobs": [
                    {
                        "id": row.id,
                        "subject": row.subject,
                        "state": str(row.state),
                        "reason": row.reason,
                        "result": dict(row.result),
                    }
                    for row in rows
                ]
            }
        )
    else:
        for row in rows:
            pages = row.result.get("pages")
            wrote = f", {counted(len(pages), 'page')}" if isinstance(pages, list) else ""
            about = named(row.kind, row.subject)
            say(f"{about}: {row.state}{wrote}" + (f" ({row.reason})" if row.reason else ""))
    end_with(rows)
