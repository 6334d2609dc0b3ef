"""`vaultd reviews` and `review`: the questions to the person, listed and answered."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from vaultd.cli.asking import ask_bridge, read_database
from vaultd.cli.options import JsonOption, VaultOption
from vaultd.cli.target import Target, target_at
from vaultd.cli.terminal import print_json, say
from vaultd.cli.working import carry_out, end_with
from vaultd.errors import ConflictError, NotFoundError
from vaultd.model.jobs import JobKind, JobState, NewJob
from vaultd.store import reviews as stored
from vaultd.store.reviews import ReviewItem

SHOWN_LINES = 8  # of a question; a whole folder's note may be proposed


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("reviews")(reviews)
    app.command("review")(review)


def reviews(vault: VaultOption = None, as_json: JsonOption = False) -> None:
    """List the questions that wait for you, with their answers."""
    target = target_at(vault)
    document = ask_bridge(target, "GET", "/v1/reviews") or _beside(target)
    if as_json:
        print_json(document)
        return
    if not document["reviews"]:
        say("No question waits for you.")
    for item in document["reviews"]:
        say(f"{item['id']}  {item['kind']}: {item['title']}")
        for line in shown_lines(item["text"], item["note"]):
            say(f"    {line}".rstrip())
        for page in item["pages"]:
            say(f"    see {page}")
        say(f"    answers: {', '.join(item['options'])}, or your own words")


def shown_lines(text: str, note: str | None) -> list[str]:
    """Return the first lines of a question, and where the rest of a long one stands."""
    lines = text.strip().splitlines()
    if len(lines) <= SHOWN_LINES + 1:
        return lines
    rest = f"… {len(lines) - SHOWN_LINES} lines more"
    return [*lines[:SHOWN_LINES], f"{rest} in {note}" if note else rest]


def review(
    item: Annotated[str, typer.Argument(metavar="ID", help="Id of the question.")],
    action: Annotated[
        str, typer.Option("--action", help='One of its answers, or "answer" with --text.')
    ],
    text: Annotated[str, typer.Option("--text", help="Your own words.")] = "",
    vault: VaultOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a question that waits for you.

    The same as ticking a line of its note in wiki/reviews/.
    """
    from vaultd.review.answers import checked_answer  # brings all that publishing needs

    target = target_at(vault)
    known = read_database(target, lambda db: db.read(stored.review, item))
    if known is None:
        raise NotFoundError(f"There is no review {item!r}. `vaultd reviews` lists them.")
    if known.state != "open":
        raise ConflictError(f"{item} is {known.state} already: {known.action}.")
    answer = checked_answer(known, {"action": action, "text": text})
    payload = {"action": answer.action, "text": answer.text}
    new = NewJob(JobKind.REVIEW, item, payload=payload, person=True)
    rows = carry_out(target, [new], silent=as_json)
    (row,) = rows
    if as_json:
        print_json({"state": str(row.state), "reason": row.reason, **row.result})
    elif row.state is JobState.DONE:
        pages = ", ".join(row.result.get("pages", ()))
        say(f"{known.title}: {answer.action}." + (f" Written: {pages}." if pages else ""))
    else:
        say(f"{known.title}: {row.state}" + (f" ({row.reason})" if row.reason else ""))
    end_with(rows)


def _beside(target: Target) -> dict[str, Any]:
    found = read_database(target, lambda db: db.read(stored.reviews)) or []
    return {"reviews": [_document(item) for item in found]}


def _document(item: ReviewItem) -> dict[str, Any]:
    return {
        "id": item.id,
        "kind": item.kind.value,
        "title": item.title,
        "text": item.text,
        "options": list(item.options),
        "pages": list(item.pages),
        "searches": list(item.searches),
        "sources": list(item.sources),
        "note": item.note,
        "state": item.state,
    }
