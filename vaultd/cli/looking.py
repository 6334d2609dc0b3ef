"""`vaultd status`, `jobs` and `usage`: what is where, why, and what it cost."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import groupby, islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vaultd.cli.asking import ask_bridge, read_database
from vaultd.cli.options import JsonOption, VaultOption
from vaultd.cli.outcome import DEGRADED
from vaultd.cli.target import Target, is_free, now, target_at
from vaultd.cli.terminal import counted, print_json, say, say_columns
from vaultd.core.timing import stamp
from vaultd.model.jobs import JobState
from vaultd.model.wiki import OFFLINE
from vaultd.store import joblist
from vaultd.store.database import Connection, Database
from vaultd.store.standing import ALL, Part
from vaultd.vault.layout import machine_id, writer_named

if TYPE_CHECKING:
    from vaultd.settings import Settings

QUIET_STATES = ("done", "skipped")
NO_FILES = Part(limit=0)
MOST_JOBS = 1_000  # in one list
MOST_FILES = 25  # in one state, to a person
STATES = ("running", "waiting", "parked", "skipped", "cancelled", "queued", "done")


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("status")(status)
    app.command("jobs")(jobs)
    app.command("usage")(usage)


def status(vault: VaultOption = None, as_json: JsonOption = False) -> None:
    """Say what is where, and why."""
    target = target_at(vault)
    document = ask_bridge(target, "GET", "/v1/status") or status_beside(target)
    if as_json:
        print_json(document)
    else:
        _tell_status(document)
    if _is_degraded(document):
        raise typer.Exit(DEGRADED)


def figures_of(target: Target) -> Mapping[str, Any]:
    """Return the status without the files."""
    found: Mapping[str, Any] | None = ask_bridge(target, "GET", "/v1/status?files=0")
    return found or status_beside(target, NO_FILES)


def status_beside(target: Target, part: Part = ALL) -> dict[str, Any]:
    """Return the status as the database tells it, without a daemon's help."""
    from vaultd.status import status_of

    chat, embedding = model_names(target.settings)

    def query(db: Connection) -> dict[str, Any]:
        return status_of(
            db,
            vault=str(target.root),
            running=not is_free(target),
            chat=chat,
            embedding=embedding,
            part=part,
        )

    found = read_database(target, lambda db: db.read(query))
    if found is None:
        nothing = Database(":memory:")
        try:
            found = nothing.read_sync(query)
        finally:
            nothing.close()
    found["problems"] += _other_writer(target)
    return found


def _other_writer(target: Target) -> list[dict[str, str]]:
    """Return the problem that another machine writes the vault, if it does."""
    writer = writer_named(target.root)
    if not writer or writer == machine_id(os.environ):
        return []
    text = f"Another machine ({writer}) writes this vault; this one only reads it."
    return [{"code": "other_machine", "text": f"{text} `vaultd take-over` changes that."}]


def model_names(settings: Settings) -> tuple[str, str]:
    """Return what writes and what embeds, in the words of the status."""
    embedding = settings.embedding
    return settings.llm.model or OFFLINE, embedding.model or embedding.provider


def _is_degraded(document: Mapping[str, Any]) -> bool:
    from vaultd.status import NO_FAULT

    counts, folders = document["counts"], document["folders"]
    held = counts["waiting"] + counts["parked"]
    faults = [each for each in document["problems"] if each["code"] not in NO_FAULT]
    return bool(held or folders["fallback"] or folders["stale"] or faults)


def _tell_status(document: Mapping[str, Any]) -> None:
    counts, folders, used = document["counts"], document["folders"], document["usage"]
    say(f"{document['vault']}: {'running' if document['state'] == 'running' else 'stopped'}")
    shown = [f"{number:,} {state}" for state, number in counts.items() if number]
    say(f"Sources: {', '.join(shown) or 'none yet'}")
    shown = [f"{number:,} {state}" for state, number in folders.items() if number]
    if shown:
        say(f"Folders: {', '.join(shown)}")
    say(f"Writes: {document['model']['chat']}. Embeds: {document['model']['embedding']}.")
    if used["calls"]:
        tokens = used["input_tokens"] + used["output_tokens"]
        say(f"Calls: {used['calls']:,}, {tokens:,} tokens")
    if document["reviews_open"]:
        say(f"Reviews: {counted(document['reviews_open'], 'question')} for you")
    listed = [f for f in document["files"] if f["state"] not in QUIET_STATES or f["reason"]]
    shown_files = list(_by_state(listed))
    say_columns([file["state"], file["path"], file["reason"]] for file in shown_files)
    if len(listed) > len(shown_files):
        say(f"… and {len(listed) - len(shown_files):,} more: `vaultd status --json` has them all.")
    for problem in document["problems"]:
        say(f"Problem: {problem['text']}")


def _by_state(files: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Give the first files in each state, those that need a person before those that do not."""
    order = {state: at for at, state in enumerate(STATES)}
    ranked = sorted(files, key=lambda file: order.get(file["state"], len(order)))
    for _, group in groupby(ranked, key=lambda file: file["state"]):
        yield from islice(group, MOST_FILES)


def jobs(
    state: Annotated[
        list[JobState] | None,
        typer.Option(help="Only those in this state; may be given more than once."),
    ] = None,
    vault: VaultOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what is queued, running, waiting, paused or parked.

    Of very many only the first 1,000 in the order of the queue, and how many there are.
    """
    target = target_at(vault)
    document = _jobs_in(target, state or ())
    if as_json:
        print_json(document)
        return
    listed, total = document["jobs"], document["total"]
    if not listed:
        say("Nothing to do.")
    say_columns(
        [str(job["id"]), job["state"], job["kind"], job["subject"], job["reason"] or _step(job)]
        for job in listed
    )
    if total > len(listed):
        say(f"… and {counted(total - len(listed), 'job')} more. Name a `--state` to see fewer.")


def _jobs_in(target: Target, states: Collection[JobState]) -> dict[str, Any]:
    """Return the jobs in one of `states` (none named: all that are not over), and their number.

    There may be more of them than are listed.
    """
    chosen = f"?state={','.join(map(str, states))}" if states else ""
    document: dict[str, Any] | None = ask_bridge(target, "GET", f"/v1/jobs{chosen}")
    listed = (document or _jobs_beside(target, states))["jobs"]
    total = len(listed)
    if total >= MOST_JOBS:
        counts = read_database(target, lambda db: db.read(joblist.counts)) or {}
        wanted = states or joblist.OPEN
        total = max(total, sum(n for (_, state), n in counts.items() if state in wanted))
    return {"jobs": listed, "total": total}


def _jobs_beside(target: Target, states: Collection[JobState]) -> dict[str, Any]:
    """Return the jobs as the database has them."""
    from vaultd.status import jobs_of

    running = not is_free(target)
    found = read_database(target, lambda db: db.read(jobs_of, states, running=running))
    return found or {"jobs": []}


def usage(
    days: Annotated[int, typer.Option(min=1, max=3660, help="Days (UTC) to look back.")] = 30,
    vault: VaultOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what calls to models have cost, by day, model and stage."""
    target = target_at(vault)
    document = ask_bridge(target, "GET", f"/v1/usage?days={days}") or usage_beside(target, days)
    if as_json:
        print_json(document)
        return
    if not document["days"]:
        say(f"No model was called within {counted(days, 'day')}.")
    say_columns(
        [
            each["day"],
            each["stage"],
            counted(each["calls"], "call"),
            f"{each['input_tokens']:,} in",
            f"{each['output_tokens']:,} out",
            each["model"] + (f", {each['failed']:,} failed" if each["failed"] else ""),
        ]
        for each in document["days"]
    )


def usage_beside(target: Target, days: int) -> dict[str, Any]:
    """Return what calls cost as the ledger has it."""
    from vaultd.status import usage_of

    first = (now() - timedelta(days=days - 1)).replace(hour=0, minute=0, second=0, microsecond=0)
    nothing = {"calls": 0, "input_tokens": 0, "output_tokens": 0}
    found = read_database(target, lambda db: db.read(usage_of, stamp(first)))
    return found or {"days": [], "totals": nothing}


def _step(job: Mapping[str, Any]) -> str:
    return f"{job['stage']} {job['done']}/{job['total']}" if job["total"] else str(job["stage"])
