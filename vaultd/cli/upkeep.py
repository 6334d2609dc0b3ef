"""`vaultd lint`, `rebuild`, `doctor`, `take-over` and `estimate`: checking and repairing."""

from __future__ import annotations

import asyncio
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vaultd.cli.asking import read_database
from vaultd.cli.options import JsonOption, VaultOption, document
from vaultd.cli.outcome import DEGRADED, FAILED
from vaultd.cli.target import Target, now, target_at
from vaultd.cli.terminal import counted, print_json, say, say_columns
from vaultd.cli.working import carry_out, end_with
from vaultd.errors import SettingsError, UsageError
from vaultd.model.jobs import JobKind, JobState, NewJob
from vaultd.vault.layout import machine_id

if TYPE_CHECKING:
    from vaultd.daemon.estimating import Estimate
    from vaultd.upkeep.doctor import Check

TAKEN = ("pages", "sources", "questions")
MARKS = {"ok": "ok", "warning": "look", "failed": "FAULT"}


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("lint")(lint)
    app.command("rebuild")(rebuild)
    app.command("doctor")(doctor)
    app.command("take-over")(take_over)
    app.command("estimate")(estimate)


def lint(vault: VaultOption = None, as_json: JsonOption = False) -> None:
    """Look over the wiki for what is not as it should be.

    Broken links, orphans, unlisted and stale pages, duplicates, conflict copies. The same stands
    in wiki/reviews/lint.md. Exit code 3 if there is anything to look at.
    """
    from vaultd.core.lint import HEADINGS

    target = target_at(vault)
    rows = carry_out(target, [NewJob(JobKind.LINT, ".", person=True)], silent=as_json)
    (row,) = rows
    end_with(rows)
    found = row.result["findings"]
    if as_json:
        print_json(dict(row.result))
    elif not found:
        say("Nothing to look at.")
    for kind, heading in HEADINGS.items() if not as_json else ():
        of_kind = [each for each in found if each["kind"] == kind]
        if of_kind:
            say(f"{heading}:")
        for each in of_kind:
            meant = " or ".join(each["suggestions"])
            say(f"  {each['path']}: {each['text']}" + (f" Perhaps {meant}?" if meant else ""))
    if found:
        raise typer.Exit(DEGRADED)


def rebuild(vault: VaultOption = None, as_json: JsonOption = False) -> None:
    """Make records, indexes and listings anew from the files.

    No model is asked, and no page is written anew.
    """
    target = target_at(vault)
    rows = carry_out(target, [NewJob(JobKind.REBUILD, ".", person=True)], silent=as_json)
    (row,) = rows
    if as_json:
        print_json({"state": str(row.state), "reason": row.reason, **row.result})
    elif row.state is JobState.DONE:
        known = [counted(number, name[:-1]) for name, number in row.result["known"].items()]
        say(f"Known: {', '.join(known)}.")
        taken = [counted(row.result[name], name[:-1]) for name in TAKEN if row.result[name]]
        if taken:
            say(f"Taken in anew: {', '.join(taken)}.")
        say(f"Words filled from {counted(row.result['passages'], 'passage')}.")
        say(f"To be compared with the index: {counted(row.result['files_queued'], 'file')}.")
    else:
        say(f"rebuild: {row.state}" + (f" ({row.reason})" if row.reason else ""))
    end_with(rows)


def doctor(vault: VaultOption = None, as_json: JsonOption = False) -> None:
    """Check whether everything is sound, and say what helps.

    Program, model, embedder and, if there is one, the vault with its database.
    Exit code 1 if something does not work, 3 if something is worth a look.
    """
    checks = _checks(vault)
    if as_json:
        print_json({"checks": [asdict(check) for check in checks]})
    else:
        for check in checks:
            say_columns([[MARKS[check.state], check.name, check.text]])
            if check.remedy:
                say(f"      -> {check.remedy}")
    states = {check.state for check in checks}
    if "failed" in states:
        raise typer.Exit(FAILED)
    if "warning" in states:
        raise typer.Exit(DEGRADED)


def _checks(named: Path | None) -> list[Check]:
    from vaultd.daemon.checking import checks_of_all, checks_of_program
    from vaultd.settings import Settings
    from vaultd.upkeep.doctor import Check

    try:
        target = target_at(named)
    except SettingsError as error:
        fault = Check("settings", "failed", str(error), "Correct .llm-wiki/config.toml.")
        return [fault, *checks_of_program(Settings())]
    except UsageError as error:
        if named is not None:
            raise
        none = Check("vault", "ok", f"No vault was looked at: {error}")
        return [*checks_of_program(Settings()), none]
    return list(checks_of_all(target.root, target.state, target.settings))


def take_over(vault: VaultOption = None, as_json: JsonOption = False) -> None:
    """Make this machine the one that writes the vault.

    The other one then only reads it.
    """
    from vaultd.daemon.place import take_over as taken_over

    target = target_at(vault)
    before = asyncio.run(taken_over(target.root, target.settings, now))
    machine = machine_id(os.environ)
    if as_json:
        print_json({"writer": machine, "before": before})
    elif before == machine:
        say(f"This machine ({machine}) writes the vault already.")
    else:
        say(f"This machine ({machine}) writes the vault from now on.")


def estimate(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="Documents; left out: those not taken yet."),
    ] = None,
    vault: VaultOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say how many tokens documents would take with a model.

    None is asked, and nothing is written.
    """
    target = target_at(vault)
    wanted = [document(file) for file in files] if files else _not_taken(target)
    found = asyncio.run(_estimated(target, wanted))
    total = sum(each.tokens for each in found)
    limit = target.settings.ingest.confirm_above_tokens
    if as_json:
        listed = [{"file": str(e.file), "tokens": e.tokens, "reason": e.reason} for e in found]
        print_json({"files": listed, "tokens": total, "confirm_above_tokens": limit})
        return
    if not found:
        say("There is no document that was not taken yet.")
        return
    say_columns([f"{e.tokens:,}", _shown(target, e.file), _remark(e, limit)] for e in found)
    say(f"About {total:,} tokens for {counted(len(found), 'document')}.")


async def _estimated(target: Target, files: list[Path]) -> list[Estimate]:
    from vaultd.daemon.estimating import estimates
    from vaultd.daemon.place import Place
    from vaultd.store.database import Database
    from vaultd.vault.files import Vault

    unwritten = Database(":memory:")  # whoever works on the vault meanwhile is not disturbed
    try:
        place = Place(Vault(target.root, target.state), unwritten, target.settings, now)
        return [each async for each in estimates(place, files)]
    finally:
        unwritten.close()


def _not_taken(target: Target) -> list[Path]:
    """Return the sources whose present content has not been ingested."""
    from vaultd.daemon.estimating import Taken, not_taken, taken_of
    from vaultd.vault.files import Vault

    taken = read_database(target, lambda db: db.read(taken_of)) or Taken()
    return not_taken(Vault(target.root, target.state), target.settings.ingest, taken)


def _shown(target: Target, file: Path) -> str:
    return (
        file.relative_to(target.root).as_posix() if file.is_relative_to(target.root) else str(file)
    )


def _remark(found: Estimate, limit: int) -> str:
    return found.reason or ("waits for your word" if found.tokens > limit else "")
