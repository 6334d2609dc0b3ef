"""The store's ledger as the model client wants it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from vaultd.core.timing import stamp
from vaultd.errors import WaitingError
from vaultd.llm.client import Ended, spent
from vaultd.llm.request import ModelRequest
from vaultd.llm.traits import Lesson
from vaultd.model.paths import Clock
from vaultd.store import jobs, ledger
from vaultd.store.database import Connection, Database


class LedgerBook:
    """Records every call in the ledger; `daily_token_limit` 0 means none. Days are UTC."""

    def __init__(self, db: Database, *, clock: Clock, daily_token_limit: int) -> None:
        self._db = db
        self._clock = clock
        self._limit = daily_token_limit
        self._open: dict[int, ModelRequest] = {}

    async def stored(self, digest: str) -> tuple[str, str] | None:
        """Return text and finish reason of the usable reply to exactly this request."""
        reply = await self._db.read(ledger.stored_reply, digest)
        return (reply.text, reply.finish) if reply else None

    async def begin(self, request: ModelRequest) -> int:
        """Record that a call is about to be sent."""
        call = ledger.StartedCall(
            digest=request.digest,
            stage=request.stage,
            subject=request.subject,
            model=request.model,
            prompt=request.prompt,
            started=stamp(self._clock()),
            input_tokens=request.tokens,
        )
        number = await self._db.run(ledger.begin_call, call)
        self._open[number] = request
        return number

    async def end(self, number: int, ended: Ended) -> None:
        """Record how a call ended and keep its reply."""
        received = ended.received
        request = self._open.pop(number)
        tokens_in, tokens_out, estimated = spent(ended, request)
        end = ledger.EndedCall(
            ended=stamp(self._clock()),
            outcome=ended.outcome,
            finish=(received.finish or "") if received else "",
            input_tokens=tokens_in,
            output_tokens=tokens_out,
            estimated=estimated,
            reply=received.text if received and received.text else None,
        )
        await self._db.run(_end, number, end, request.subject)

    async def within_limit(self) -> None:
        """Raise `WaitingError` until the next day (UTC) when the day's tokens are used up."""
        if self._limit <= 0:
            return
        now = self._clock().astimezone(UTC)
        midnight = datetime(now.year, now.month, now.day, tzinfo=UTC)
        used = await self._db.read(ledger.tokens_since, stamp(midnight))
        if used >= self._limit:
            raise WaitingError(
                f"The daily limit of {self._limit:,} tokens is used up ({used:,} today).",
                until=midnight + timedelta(days=1),
            )

    async def traits(self, model: str) -> Mapping[str, str]:
        """Return what is remembered of a model."""
        return await self._db.read(ledger.traits, model)

    async def learn(self, model: str, lesson: Lesson) -> None:
        """Remember something of a model."""
        await self._db.run(ledger.remember_trait, model, lesson.trait, lesson.value)


def _end(db: Connection, number: int, end: ledger.EndedCall, subject: str) -> None:
    ledger.end_call(db, number, end)
    if end.reply is not None:
        jobs.step_stored(db, subject)
