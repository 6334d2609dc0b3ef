"""Every failure as problem details (RFC 9457), by one table from errors to status codes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any

import structlog
from pydantic import ValidationError
from pydantic_core import ErrorDetails
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from vaultd import errors
from vaultd.errors import VaultdError

SPECIFIED = "/kb_summary_api/"  # routes whose form is given by the summary specification
MEDIA_TYPE = "application/problem+json"
LATE = "That took too long and was given up: ask again. `GET /v1/jobs` tells what goes on."
BUG = "A fault of vaultd: `vaultd.log` in the folder `logs` beside its database has the traceback."

log = structlog.get_logger()

STATUSES: tuple[tuple[type[VaultdError], int], ...] = (
    (errors.NotFoundError, 404),
    (errors.ConflictError, 409),
    (errors.UsageError, 422),
    (errors.VaultLockedError, 503),
    (errors.DatabaseError, 500),
    (errors.PageChangedError, 409),
    (errors.TransientError, 503),
    (errors.EndpointClosedError, 503),
    (errors.DiskFullError, 507),
    (errors.WaitingError, 409),
    (errors.OutsideVaultError, 400),
    (errors.PermanentError, 422),
    (VaultdError, 500),
)  # the first that fits


class RefusedError(VaultdError):
    """The request itself is refused, before anything was asked of the program."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.headers = status, code, dict(headers or {})
        self.more = more


@dataclass(frozen=True, slots=True)
class Problem:
    """One failure: `code` is for programs, `detail` for the person; `more` by kind of failure."""

    status: int
    code: str
    detail: str
    more: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """Return the members of RFC 9457 and ours."""
        return {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
            **self.more,
        }

    def response(self) -> Response:
        """Return it as an HTTP answer."""
        text = json.dumps(self.document(), ensure_ascii=False)
        return Response(
            text.encode("utf-8", "replace"),
            status_code=self.status,
            media_type=MEDIA_TYPE,
            headers=dict(self.headers),
        )


def problem_of(error: VaultdError) -> Problem:
    """Return what an error raised on purpose means to the one who asked."""
    if isinstance(error, RefusedError):
        return Problem(error.status, error.code, str(error), error.more, error.headers)
    status = next(status for kind, status in STATUSES if isinstance(error, kind))
    more: dict[str, Any] = {}
    headers: dict[str, str] = {}
    if isinstance(error, errors.NotFoundError) and error.candidates:
        more["candidates"] = list(error.candidates)
    if isinstance(error, errors.ConflictError):
        more["current"] = error.current
    if isinstance(error, errors.TransientError) and error.retry_after is not None:
        headers["Retry-After"] = str(max(1, round(error.retry_after.total_seconds())))
    return Problem(status, error.code, str(error), more, headers)


def misfit(error: ValidationError, known: Iterable[str]) -> RefusedError:
    """Return what is wrong with the fields of a request, each named; `known` are those it has."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    fields = [{"field": _name(each), "message": _message(each, known)} for each in found]
    first = fields[0]
    named = f"{first['field']}: {first['message']}" if first["field"] else first["message"]
    return RefusedError(422, "fields", f"The request does not fit: {named}.", errors=fields)


def _name(fault: ErrorDetails) -> str:
    return ".".join(str(part) for part in fault["loc"])


def _message(fault: ErrorDetails, known: Iterable[str]) -> str:
    if fault["type"] == "extra_forbidden":
        return f"there is no such field; there are: {', '.join(known) or 'none'}"
    if fault["type"] == "missing":
        return "it is missing"
    if fault["type"] == "too_short":
        return "at least one is wanted"
    message = fault["msg"].removeprefix("Value error, ").partition(", unable to parse")[0]
    return message[:1].lower() + message[1:]


# --- what Starlette calls ------------------------------------------------------------------------


async def answer_error(request: Request, error: Exception) -> Response:
    """Answer an error that was raised on purpose."""
    assert isinstance(error, VaultdError)
    return _in_its_words(request, problem_of(error)).response()


def _in_its_words(request: Request, problem: Problem) -> Problem:
    """Return the problem with the numeric `code` and the `msg` of the summary specification."""
    if not request.url.path.startswith(SPECIFIED):
        return problem
    said = {"code": problem.status, "msg": problem.detail}
    return replace(problem, more={**problem.more, **said})


async def answer_http(request: Request, error: Exception) -> Response:
    """Answer what the router refuses: no such route, or not with this method."""
    assert isinstance(error, HTTPException)
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        headers = error.headers or {}
        possible = ", ".join(sorted(headers.get("Allow", "").split(", ")))
        text = f"{request.method} is not possible here, but {possible}."
        return Problem(405, "method", text, headers=headers).response()
    text = "There is no such route: /openapi.json describes all."
    return Problem(error.status_code, "no_route", text).response()


async def answer_late(request: Request, _: Exception) -> Response:
    """Answer what did not end within its deadline."""
    log.warning("request took too long", route=request.url.path)
    return Problem(504, "deadline", LATE).response()


async def answer_bug(request: Request, error: Exception) -> Response:
    """Answer a fault of vaultd; its traceback is in the log."""
    log.error("bridge fault", route=request.url.path, error=type(error).__name__, exc_info=error)
    return Problem(500, "bug", BUG).response()
