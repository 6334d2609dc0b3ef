"""A model endpoint's failures, as ours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from vaultd.errors import (
    BadReplyError,
    CapacityError,
    EndpointClosedError,
    ModelUnavailableError,
    PermanentError,
    RateLimitedError,
    VaultdError,
)

OVERFLOW = re.compile(
    r"context.{0,12}(?:length|size|window)|prompt is too long|too many (?:input )?tokens"
    r"|exceeds? the (?:model'?s? )?(?:available |maximum )?(?:context|input)|input is too long"
    r"|n_ctx|maximum.{0,20}tokens.{0,40}(?:prompt|messages|input)|reduce the length",
    re.IGNORECASE | re.DOTALL,
)
QUOTA = re.compile(
    r"insufficient[_ ](?:quota|balance|credit|funds)|exceeded your (?:current|monthly) quota"
    r"|billing|credit balance|out of credits|payment|quota (?:has been )?exhausted|arrear|overdue",
    re.IGNORECASE,
)
SHORTEST_PAUSE = timedelta(seconds=1)  # "at once" is answered with the same again
EXCERPT = 200  # characters of an endpoint's own words that a person gets to see


class PromptTooLongError(CapacityError):
    """The model cannot take this prompt; its context is taken as half from here on."""


class ReplyCutError(BadReplyError):
    """The reply met the token limit; `text` is what came."""

    def __init__(self, message: str, text: str) -> None:
        super().__init__(message)
        self.text = text


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error as the endpoint words it; `status` is the HTTP status, or what stands for it."""

    status: int
    message: str
    code: str = ""
    parameter: str = ""
    retry_after: str = ""

    @property
    def excerpt(self) -> str:
        """The message on one line, cut."""
        return " ".join(self.message.split())[:EXCERPT]

    @property
    def overflows(self) -> bool:
        """Whether the prompt was too long."""
        words = f"{self.code} {self.message}"
        return self.status == 413 or (
            self.status in (400, 422, 500) and bool(OVERFLOW.search(words))
        )

    @property
    def quota(self) -> bool:
        """Whether money or an allowance is used up."""
        return self.status == 402 or bool(QUOTA.search(f"{self.code} {self.message}"))


def refusal_of(status: int, body: Any, headers: Mapping[str, str]) -> Refusal:
    """Read the body of an error, whatever its shape."""
    error = body.get("error", body) if isinstance(body, Mapping) else body
    if not isinstance(error, Mapping):
        return Refusal(status, str(error or ""), retry_after=headers.get("retry-after", ""))
    return Refusal(
        status=status,
        message=str(error.get("message") or error.get("detail") or ""),
        code=str(error.get("code") or error.get("type") or ""),
        parameter=str(error.get("param") or ""),
        retry_after=headers.get("retry-after", ""),
    )


def refusal_in_reply(error: Any) -> Refusal:
    """Read an error that came inside a reply that said 200."""
    code = str(error.get("code") or "") if isinstance(error, Mapping) else ""
    status = int(code) if code.isdigit() and 400 <= int(code) < 600 else 500
    return refusal_of(status, {"error": error}, {})


def fault_of(refusal: Refusal, *, model: str, now: datetime) -> VaultdError:
    """Sort an endpoint's error by the reaction it asks for."""
    said = f" ({refusal.excerpt})" if refusal.excerpt else ""
    status = refusal.status
    if refusal.overflows:
        return PromptTooLongError(f"The model {model} cannot take so long a prompt{said}.")
    closed = _closed(refusal, model)
    if closed:
        return EndpointClosedError(f"{closed}{said}.")
    if status == 429 or (status in (503, 529) and refusal.retry_after):
        wait = retry_after(refusal.retry_after, now)
        return RateLimitedError(f"The model endpoint asks to wait{said}.", retry_after=wait)
    if status >= 500 or status in (408, 409, 425):
        return ModelUnavailableError(f"The model endpoint answered {status}{said}.")
    return PermanentError(f"The model endpoint refuses the request ({status}){said}.")


def _closed(refusal: Refusal, model: str) -> str:
    """Say why no call can succeed until somebody changes something; "" where one may."""
    if refusal.status in (400, 402, 429) and refusal.quota:
        return "The quota of the model endpoint is used up"
    if refusal.status in (401, 403):
        return "The model endpoint refuses the key"
    if refusal.status in (404, 405, 410):
        return f"The model endpoint does not know the model {model}"
    return ""


def retry_after(written: str, now: datetime) -> timedelta | None:
    """Read a Retry-After header: seconds (at least one), or a date; None where it says neither."""
    text = written.strip()
    if re.fullmatch(r"\d{1,9}(?:\.\d+)?", text):
        return max(SHORTEST_PAUSE, timedelta(seconds=float(text)))
    try:
        when = parsedate_to_datetime(text)
    except ValueError:
        return None
    if when.tzinfo is None:
        return None
    return max(SHORTEST_PAUSE, when - now)
