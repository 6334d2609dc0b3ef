"""Every call to a model: what it cost, what came back, and what the model was found to need."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from vaultd.model.paths import SourceId
from vaultd.model.wiki import PageRef
from vaultd.store.database import Connection


@dataclass(frozen=True, slots=True)
class StartedCall:
    """A call about to be sent; `started` is a time stamp as the database writes them."""

    digest: str
    stage: str
    subject: str
    model: str
    prompt: str
    started: str
    input_tokens: int


@dataclass(frozen=True, slots=True)
class EndedCall:
    """How a call ended. `outcome` is "ok" or the code of an error; `reply` None if none came."""

    ended: str
    outcome: str
    finish: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    estimated: bool = True
    reply: str | None = None


@dataclass(frozen=True, slots=True)
class StoredReply:
    """A reply that was whole and fit what was asked."""

    text: str
    finish: str


@dataclass(frozen=True, slots=True)
class DayUsage:
    """What one day (UTC) cost with one model at one stage."""

    day: str
    model: str
    stage: str
    calls: int
    failed: int
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Totals:
    """What all calls cost; calls whose process died count with the tokens of their prompt."""

    calls: int
    input_tokens: int
    output_tokens: int


def begin_call(db: Connection, call: StartedCall) -> int:
    """Record that a call is about to be sent; return its number."""
    db.execute(
        "insert into model_calls (digest, stage, subject, model, prompt, started, input_tokens)"
        " values (?, ?, ?, ?, ?, ?, ?)",
        (
            call.digest,
            call.stage,
            call.subject,
            call.model,
            call.prompt,
            call.started,
            call.input_tokens,
        ),
    )
    return db.last_insert_rowid()


def end_call(db: Connection, number: int, end: EndedCall) -> None:
    """Record how a call ended; the reply can be used from here on, whatever dies."""
    db.execute(
        "update model_calls set ended = ?, outcome = ?, finish = ?, reply = ?, estimated = ?,"
        " input_tokens = coalesce(?, input_tokens), output_tokens = coalesce(?, output_tokens)"
        " where id = ?",
        (
            end.ended,
            end.outcome,
            end.finish,
            end.reply,
            int(end.estimated),
            end.input_tokens,
            end.output_tokens,
            number,
        ),
    )


def stored_reply(db: Connection, digest: str) -> StoredReply | None:
    """Return the newest usable reply to exactly this request."""
    row = db.execute(
        "select reply, finish from model_calls"
        " where digest = ? and outcome = 'ok' and reply is not null order by id desc limit 1",
        (digest,),
    ).fetchone()
    return StoredReply(row[0], row[1]) if row else None


def newest_reply(db: Connection) -> int:
    """Return the number of the newest call that was answered, 0 if none was."""
    found = db.execute("select max(id) from model_calls where outcome = 'ok'").get
    return int(found or 0)


def tokens_since(db: Connection, start: str) -> int:
    """Return the tokens, in and out, of all calls started at or after `start`."""
    return int(
        db.execute(
            "select coalesce(sum(input_tokens + output_tokens), 0) from model_calls"
            " where started >= ?",
            (start,),
        ).get
    )


def usage(db: Connection, *, since: str) -> list[DayUsage]:
    """Return what calls cost by day, model and stage, newest day first."""
    rows = db.execute(
        "select substr(started, 1, 10) as day, model, stage, count(*),"
        " sum(outcome <> 'ok'), sum(input_tokens), sum(output_tokens) from model_calls"
        " where started >= ? group by day, model, stage order by day desc, model, stage",
        (since,),
    )
    return [DayUsage(*row) for row in rows]


def totals(db: Connection) -> Totals:
    """Return what all calls cost so far."""
    row = db.execute(
        "select count(*), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0)"
        " from model_calls"
    ).fetchone()
    return _totals(row)


def _totals(row: Any) -> Totals:
    calls, input_tokens, output_tokens = row
    return Totals(int(calls), int(input_tokens), int(output_tokens))


def prune_replies(db: Connection, *, before: str) -> int:
    """Drop the texts of replies older than `before`, keep their costs; return how many.

    What an unfinished source has been answered stays: it is asked for no part twice.
    """
    db.execute(
        """
        update model_calls as c set reply = null where reply is not null and started < ?
        and subject not in (select source from checkpoints)
        and not exists (
            select 1 from jobs as j where j.subject in (c.subject, 'raw/' || c.subject)
            and j.state not in ('done', 'cancelled')
        )
        """,
        (before,),
    )
    return db.changes()


def traits(db: Connection, model: str) -> dict[str, str]:
    """Return what is known of a model, by the name of the trait."""
    rows = db.execute("select trait, value from model_traits where model = ?", (model,))
    return {str(trait): str(value) for trait, value in rows}


def remember_trait(db: Connection, model: str, trait: str, value: str) -> None:
    """Remember a trait of a model, in place of what was known."""
    db.execute(
        "insert into model_traits (model, trait, value) values (?, ?, ?)"
        " on conflict (model, trait) do update set value = excluded.value",
        (model, trait, value),
    )


def keep_listing(
    db: Connection, source: SourceId, job: int, pages: Sequence[PageRef], total: int, *, now: str
) -> None:
    """Keep what a job lists of the wiki; the listing of the source's earlier job is replaced."""
    text = json.dumps({"total": total, "pages": [asdict(page) for page in pages]})
    db.execute(
        "insert into listings (source, job, pages, kept) values (?, ?, ?, ?)"
        " on conflict (source) do update set job = excluded.job, pages = excluded.pages,"
        " kept = excluded.kept",
        (source, job, text, now),
    )


def kept_listing(
    db: Connection, source: SourceId, job: int
) -> tuple[tuple[PageRef, ...], int] | None:
    """Return what this very job listed before: the pages, and how many the wiki had."""
    row = db.execute(
        "select pages from listings where source = ? and job = ?", (source, job)
    ).fetchone()
    if row is None:
        return None
    document = json.loads(str(row[0]))
    pages = tuple(
        PageRef(
            path=page["path"],
            title=page["title"],
            type=page["type"],
            abstract=page["abstract"],
            aliases=tuple(page["aliases"]),
            sources=tuple(page["sources"]),
        )
        for page in document["pages"]
    )
    return pages, int(document["total"])


def save_checkpoint(db: Connection, source: str, fields: str, *, now: str) -> None:
    """Store how far a long source's analysis has come, as JSON."""
    db.execute(
        "insert into checkpoints (source, fields, updated) values (?, ?, ?)"
        " on conflict (source) do update set fields = excluded.fields, updated = excluded.updated",
        (source, fields, now),
    )


def checkpoint(db: Connection, source: str) -> str | None:
    """Return the stored checkpoint of a source as JSON."""
    row = db.execute("select fields from checkpoints where source = ?", (source,)).fetchone()
    return str(row[0]) if row else None


def drop_checkpoint(db: Connection, source: str) -> None:
    """Forget the checkpoint of a finished source."""
    db.execute("delete from checkpoints where source = ?", (source,))
