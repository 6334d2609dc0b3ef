"""`vaultd search` and `vaultd related`: find what stands in the vault."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vaultd.cli.asking import ask_bridge, read_database
from vaultd.cli.naming import not_there
from vaultd.cli.options import JsonOption, PageArgument, VaultOption
from vaultd.cli.outcome import DEGRADED
from vaultd.cli.target import Target, now, target_at
from vaultd.cli.terminal import print_json, remark, say
from vaultd.errors import NotFoundError, UsageError
from vaultd.model.paths import VaultPath
from vaultd.model.search import NO_EMBEDDER, Filters, Mode, Question
from vaultd.store.database import Database
from vaultd.vault.files import is_there
from vaultd.vault.obsidian import excluded_files

if TYPE_CHECKING:
    from vaultd.search import SearchEngine

MOST = 100  # results; more is not an answer any more
NOTHING_INDEXED = "Nothing is indexed yet: run `vaultd run` or `vaultd run --once` first."

Number = Annotated[int, typer.Option("-k", min=1, max=MOST, help="How many results.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("search")(search)
    app.command("related")(related)


def search(
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="What to look for, in words or as a question.")
    ],
    k: Number = 10,
    mode: Annotated[Mode, typer.Option(help="By words, by meaning, or both.")] = Mode.HYBRID,
    under: Annotated[str, typer.Option(help="Only below this folder of the vault.")] = "",
    kind: Annotated[str, typer.Option("--type", help="Only pages of this type.")] = "",
    tag: Annotated[str, typer.Option(help="Only notes with this tag, or one below it.")] = "",
    after: Annotated[str, typer.Option(help="Only what changed on or after YYYY-MM-DD.")] = "",
    before: Annotated[str, typer.Option(help="Only what changed on or before YYYY-MM-DD.")] = "",
    vault: VaultOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find passages of the whole vault by words and by meaning."""
    if not query.strip():
        raise UsageError("The question is empty.")
    for day in (after, before):
        _check_day(day)
    target = target_at(vault)
    if not (target.root / under.strip("/")).is_dir():
        raise NotFoundError(f"There is no folder {under!r} in {target.root}.")
    filters = Filters(under.strip("/"), kind, tag.removeprefix("#"), after, before)
    body = {"query": query, "k": k, "mode": mode.value} | {
        name: value for name, value in asdict(filters).items() if value
    }
    question = Question(query, k, mode, filters)
    answer = ask_bridge(target, "POST", "/v1/search", body)
    if answer is None:
        found = _with_engine(
            target, lambda engine: engine.search(question), embedding=mode is not Mode.WORDS
        )
        answer = found or {"query": query, "lanes": [], "results": []}
        by_meaning = found is None or mode is Mode.VECTORS
        why = _why_nothing(target, found) if by_meaning else ()
        answer["notes"] = [*answer.get("notes", ()), *why]
    if as_json:
        print_json(answer)
    else:
        _tell(answer)
    if not answer["lanes"]:
        raise typer.Exit(DEGRADED)


def _check_day(day: str) -> None:
    try:
        date.fromisoformat(day or "2026-01-01")
    except ValueError as error:
        raise UsageError(f"{day!r} is no day: write it as YYYY-MM-DD.") from error


def _with_engine(
    target: Target, query: Callable[[SearchEngine], Awaitable[Any]], *, embedding: bool
) -> Any:
    """Return what the search engine answers on the database, None if there is none yet.

    `embedding` says whether the question has to be embedded.
    """
    from vaultd.daemon.embedding import loading, make_embedder

    async def opened(db: Database) -> Any:
        embedder = make_embedder(target.settings.embedding, now) if embedding else None
        try:
            async with loading(embedder):
                from vaultd.search import SearchEngine  # meanwhile, the embedder loads

                name = target.root.name
                engine = SearchEngine(
                    db,
                    [embedder] if embedder else [],
                    vault_name=name,
                    excluded=partial(excluded_files, target.root),
                    there=partial(is_there, target.root),
                )
                answer = await query(engine)
        finally:
            if embedder is not None:
                await embedder.close()
        return [asdict(each) for each in answer] if isinstance(answer, tuple) else asdict(answer)

    return read_database(target, opened)


def _tell(answer: Mapping[str, Any]) -> None:
    for number, hit in enumerate(answer["results"], 1):
        where = f", p. {hit['page']}" if hit["page"] is not None else f":{hit['line']}"
        say(f"{number}. {_headline(hit['title'], hit['heading'])}")
        say(f"   {hit['path']}{where}  ({hit['score']:.2f}, {', '.join(hit['via'])})")
        say(f"   {' '.join(hit['snippet'].split())}")
        if hit.get("also"):
            say(f"   also: {'; '.join(map(_place, hit['also']))}")
    if not answer["results"]:
        say("Nothing found.")
    for note in answer.get("notes", ()):
        remark(note)


def _headline(title: str, heading: str) -> str:
    """Return a title and where below it something stands; a document's own title comes once."""
    first, _, rest = heading.partition(" > ")
    below = rest if first == title else heading
    return f"{title} › {below}" if below else title


def _place(standing: Mapping[str, Any]) -> str:
    page = "" if standing["page"] is None else f", p. {standing['page']}"
    return f"{standing['path']}{page}"


def related(
    page: PageArgument,
    k: Number = 10,
    vault: VaultOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the notes nearest in meaning to a page."""
    target = target_at(vault)
    path = _vault_path(target, page)
    answer = ask_bridge(target, "POST", "/v1/related", {"path": path, "k": k})
    if answer is None:
        found = _with_engine(target, lambda engine: engine.related(path, k), embedding=False)
        notes = [] if found else _why_nothing(target, found)
        answer = {"path": path, "results": found or [], "notes": notes}
    if as_json:
        print_json(answer)
        return
    for near in answer["results"]:
        say(f"{near['score']:.2f}  {near['title']}  {near['path']}")
    if not answer["results"]:
        say("Nothing near.")
    for note in answer.get("notes", ()):
        remark(note)


def _why_nothing(target: Target, found: object) -> list[str]:
    """Return why nothing is found by meaning; `found` is None where there is no database yet."""
    if found is None:
        return [NOTHING_INDEXED]
    return [NO_EMBEDDER] if target.settings.embedding.provider == "none" else []


def _vault_path(target: Target, named: str) -> VaultPath:
    """Return the vault path of a file named from the vault's root or the working folder."""
    for place in (target.root / named, target.root / f"{named}.md", Path(named)):
        if place.is_file() and place.resolve().is_relative_to(target.root):
            return VaultPath(place.resolve().relative_to(target.root).as_posix())
    raise not_there(target, f"There is no file {named} in {target.root}.", named)
