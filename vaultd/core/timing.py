"""When: moments as text, waits between tries, and what becomes of a job that failed."""

from __future__ import annotations

import errno
from datetime import UTC, datetime, timedelta
from pathlib import PurePath

from vaultd.errors import (
    DatabaseError,
    DiskFullError,
    EndpointClosedError,
    PermanentError,
    TransientError,
    UsageError,
    VaultdError,
    WaitingError,
)
from vaultd.model.jobs import Outcome, Parked, Paused, RetryAt, Waiting

MAX_ATTEMPTS = 3  # counted tries; a fault that outlives three is not passing
RETRY_FACTOR = 4  # 30 s, 2 min, 8 min: outlives a restart of a model server
LONGEST_WAIT = timedelta(minutes=10)
LONGEST_RETRY_AFTER = timedelta(hours=1)  # servers ask for absurd waits at times
JITTER = 0.2  # share of the wait; keeps jobs that failed together apart
CLOSED_PROBES = (timedelta(minutes=1), timedelta(minutes=2), timedelta(minutes=5))
DISK_PROBE = timedelta(seconds=30)  # work goes on within a minute of space being freed

PARTS_TOLD = 2  # of a file's path: it and its folder
FULL_CODES = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
PASSING_CODES = frozenset(
    {
        errno.EIO,
        errno.EBUSY,
        errno.ESTALE,
        errno.EDEADLK,
        errno.EMFILE,
        errno.ENFILE,
        errno.EAGAIN,
        errno.EINTR,
        errno.ETIMEDOUT,
        errno.ENOMEM,
        errno.ETXTBSY,
    }
)
BUSY_WINDOWS_CODES = frozenset({5, 32, 33})  # denied, shared, locked: a scanner or sync client


def stamp(when: datetime) -> str:
    """Return `when` as UTC text of fixed width, so that text order is time order."""
    return when.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def moment(text: str) -> datetime:
    """Return the moment that `stamp` wrote."""
    return datetime.fromisoformat(text)


def retry_wait(attempt: int, first: timedelta, chance: float) -> timedelta:
    """Return the wait after the `attempt`-th counted failure (from 1).

    `first` × 4^(attempt-1), at most 10 minutes, spread by 20 % either way; `chance` in [0, 1)
    chooses where in that spread.
    """
    plain = min(first * int(RETRY_FACTOR ** min(attempt - 1, 10)), LONGEST_WAIT)
    return min(plain * (1 - JITTER + 2 * JITTER * chance), LONGEST_WAIT)


def probe_wait(code: str, probes: int) -> timedelta:
    """Return the wait before the next probe of a paused queue, after `probes` failed ones."""
    if code == DiskFullError.code:
        return DISK_PROBE
    return CLOSED_PROBES[min(probes, len(CLOSED_PROBES) - 1)]


def storage_fault(error: OSError) -> VaultdError:
    """Sort a fault of the operating system by the reaction it asks for.

    A full disk or quota pauses the queue, a busy or failing device may work later, and
    anything else (denied, read-only, is a folder, name too long) waits for a person.
    """
    place = PurePath(str(error.filename or "")).parts[-PARTS_TOLD:]  # not where the vault is
    where = f" ({'/'.join(place)})" if place else ""
    what = f"{error.strerror or type(error).__name__}{where}"
    if error.errno in FULL_CODES:
        return DiskFullError(f"The disk is full: {what}.")
    if error.errno in PASSING_CODES or getattr(error, "winerror", None) in BUSY_WINDOWS_CODES:
        return TransientError(f"The disk did not answer: {what}.")
    return PermanentError(f"The file system refused: {what}.")


def cause_of(error: Exception) -> Exception:
    """Return the error that decides, where several works failed at once.

    A fault of vaultd before what pauses the queue, that before what passes, and that before
    what stays: the least hopeful cause must not park what another one would have saved.
    """
    if not isinstance(error, ExceptionGroup):
        return error
    leaves = [cause_of(each) for each in error.exceptions]
    return min(leaves, key=_weight)


def _weight(error: Exception) -> int:
    match error:
        case DatabaseError():
            return 0
        case EndpointClosedError() | DiskFullError():
            return 2
        case WaitingError():
            return 3
        case TransientError() | OSError():
            return 4
        case PermanentError() | UsageError():
            return 5
        case _:
            return 1


def outcome_of(
    error: Exception, *, attempt: int, now: datetime, first: timedelta, chance: float
) -> Outcome:
    """Decide what happens to a job that raised `error` on its `attempt`-th try (from 1).

    Transient errors wait and are parked after `MAX_ATTEMPTS` counted tries; a closed endpoint
    or a full disk pauses the queue. Everything unknown is a bug and parked at once: trying
    again would only hide it.
    """
    match error:
        case TransientError():
            return _again(error, attempt=attempt, now=now, wait=retry_wait(attempt, first, chance))
        case EndpointClosedError() | DiskFullError():
            return Paused(str(error), error.code)
        case WaitingError():
            return Waiting(str(error), error.code, error.until)
        case PermanentError() | UsageError():
            return Parked(str(error), error.code)
        case OSError():
            return outcome_of(
                storage_fault(error), attempt=attempt, now=now, first=first, chance=chance
            )
        case _:
            return Parked(f"A fault of vaultd: {type(error).__name__}: {error}", "bug")


def _again(error: TransientError, *, attempt: int, now: datetime, wait: timedelta) -> Outcome:
    if error.counted and attempt >= MAX_ATTEMPTS:
        return Parked(f"{error} (tried {attempt} times)", error.code)
    if error.retry_after is not None:
        wait = min(error.retry_after, LONGEST_RETRY_AFTER)
    return RetryAt(now + wait, str(error), error.code, counted=error.counted)
