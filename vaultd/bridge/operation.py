"""One operation of the interface: its route, what it asks for, what it answers.

A route is a function `async def name(program, asked) -> Answer`, or an async generator for a
stream. Its annotations are the contract: requests are checked against them and the description
at `/openapi.json` is made from them, so neither can say anything else than the code.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, TypeAdapter

from vaultd.model.jobs import JobState
from vaultd.store.events import Event

UNDER_WAY = (JobState.QUEUED, JobState.RUNNING)
OPEN = frozenset({("GET", "/health"), ("POST", "/v1/pair")})  # routes that need no token

Label = Callable[[Any], tuple[str, str]]
"""Gives the `event` and `id` lines of one item of a stream ("" = none)."""
StatusOf = Callable[[Any], int]


class Asked(BaseModel):
    """What a request holds: frozen, and a field it does not know is refused by name."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Answer(BaseModel):
    """What is answered; fields may be added, none is renamed."""

    model_config = ConfigDict(frozen=True, extra="allow")


class Nothing(Asked):
    """A request without fields."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One route. `statuses` are those of success, `fails` those beside the usual ones.

    A stream that `opens` answers at once, any other with its first item, or with what failed.
    """

    method: str
    path: str
    run: Callable[..., Any]
    asks: type[Asked]
    answers: TypeAdapter[Any]
    streams: bool
    statuses: tuple[int, ...]
    status_of: StatusOf
    fails: tuple[int, ...]
    label: Label
    opens: bool = False

    @property
    def name(self) -> str:
        """The function's name, which is the operation's id."""
        return str(getattr(self.run, "__name__", ""))

    @property
    def open(self) -> bool:
        """Whether no token is needed."""
        return (self.method, self.path) in OPEN

    @property
    def has_body(self) -> bool:
        """Whether what is asked stands in the body, not in the address."""
        return self.method == "POST"


def job_operation(path: str, run: Callable[..., Any]) -> Operation:
    """Describe a `run` that answers with a job: 200 once that is over or held, else 202."""
    return operation(
        "POST",
        path,
        run,
        statuses=(HTTPStatus.OK, HTTPStatus.ACCEPTED),
        status_of=lambda job: HTTPStatus.ACCEPTED if job.state in UNDER_WAY else HTTPStatus.OK,
        fails=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
    )


def operation(
    method: str,
    path: str,
    run: Callable[..., Any],
    *,
    statuses: tuple[int, ...] = (HTTPStatus.OK,),
    status_of: StatusOf | None = None,
    fails: tuple[int, ...] = (),
    label: Label | None = None,
) -> Operation:
    """Describe `run` as an operation; what it asks and answers comes from its annotations."""
    hints = get_type_hints(run)
    returned = hints.pop("return")
    asks = next((hint for name, hint in hints.items() if name == "asked"), Nothing)
    streams = inspect.isasyncgenfunction(run)
    if streams:
        assert get_origin(returned) is AsyncIterator, f"{run} has to say what it yields"
        (returned,) = get_args(returned)
    first = statuses[0]
    return Operation(
        method=method,
        path=path,
        run=run,
        asks=asks,
        answers=TypeAdapter(returned),
        streams=streams,
        statuses=statuses,
        status_of=status_of or (lambda _: first),
        fails=fails,
        label=label or _label,
    )


def _label(item: Any) -> tuple[str, str]:
    """Label what is stored as an event by its kind and cursor, anything else not at all."""
    return (item.kind, str(item.id)) if isinstance(item, Event) else ("", "")
