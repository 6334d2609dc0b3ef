from __future__ import annotations

import errno
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultd.core.timing import (
    LONGEST_WAIT,
    cause_of,
    moment,
    outcome_of,
    probe_wait,
    retry_wait,
    stamp,
    storage_fault,
)
from vaultd.errors import (
    BadReplyError,
    DiskFullError,
    EndpointClosedError,
    ModelUnavailableError,
    NotFoundError,
    PropertiesError,
    RateLimitedError,
    UnreadableSourceError,
    WaitingError,
)
from vaultd.model.jobs import Outcome, Parked, Paused, RetryAt, Waiting

NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
FIRST = timedelta(seconds=30)
MOMENTS = st.datetimes(
    timezones=st.just(UTC),
    min_value=datetime(1, 1, 2),  # noqa: DTZ001  # the strategy wants them bare
    max_value=datetime(9999, 1, 1),  # noqa: DTZ001
)


def outcome(error: Exception, attempt: int = 1) -> Outcome:
    return outcome_of(error, attempt=attempt, now=NOON, first=FIRST, chance=0.5)


@given(one=MOMENTS, other=MOMENTS)
def test_text_order_is_time_order(one: datetime, other: datetime) -> None:
    assert (stamp(one) < stamp(other)) == (one < other)
    assert moment(stamp(one)) == one


def test_stamps_are_utc() -> None:
    assert stamp(datetime(2026, 1, 1, 12, tzinfo=timezone(timedelta(hours=2)))) == (
        "2026-01-01T10:00:00.000000Z"
    )


@pytest.mark.parametrize(("attempt", "seconds"), [(1, 30), (2, 120), (3, 480), (4, 600), (99, 600)])
def test_waits_grow_fourfold_up_to_ten_minutes(attempt: int, seconds: int) -> None:
    assert retry_wait(attempt, FIRST, 0.5) == timedelta(seconds=seconds)


@given(attempt=st.integers(1, 50), chance=st.floats(0, 1, exclude_max=True))
def test_waits_spread_by_a_fifth_and_never_exceed_the_longest(attempt: int, chance: float) -> None:
    wait, plain = retry_wait(attempt, FIRST, chance), retry_wait(attempt, FIRST, 0.5)

    assert plain * 0.8 - timedelta(seconds=1) <= wait <= min(plain * 1.2, LONGEST_WAIT)


def test_passing_faults_are_tried_three_times() -> None:
    error = ModelUnavailableError("timed out")

    assert outcome(error, 1) == RetryAt(NOON + FIRST, "timed out", "model_unavailable")
    assert outcome(error, 2) == RetryAt(NOON + 4 * FIRST, "timed out", "model_unavailable")
    assert isinstance(outcome(error, 3), Parked)


def test_requested_pauses_are_kept_and_do_not_count() -> None:
    asked = RateLimitedError("slow down", retry_after=timedelta(seconds=77))
    absurd = RateLimitedError("slow down", retry_after=timedelta(days=9))

    assert outcome(asked, 9) == RetryAt(
        NOON + timedelta(seconds=77), "slow down", "rate_limited", counted=False
    )
    found = outcome(absurd)
    assert isinstance(found, RetryAt)
    assert found.at == NOON + timedelta(hours=1)


@pytest.mark.parametrize("error", [EndpointClosedError("no"), DiskFullError("full")])
def test_closed_endpoint_and_full_disk_pause(error: Exception) -> None:
    assert isinstance(outcome(error, 99), Paused)


def test_waiting_keeps_its_moment() -> None:
    tomorrow = NOON + timedelta(days=1)

    assert outcome(WaitingError("limit", until=tomorrow)) == Waiting("limit", "waiting", tomorrow)
    assert outcome(WaitingError("ask")) == Waiting("ask", "waiting", None)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UnreadableSourceError("no text", "needs_ocr"), "needs_ocr"),
        (PropertiesError("line 3"), "fix_properties"),
        (NotFoundError("no such version"), "not_found"),
        (ZeroDivisionError("x"), "bug"),
    ],
)
def test_what_stays_is_parked_at_once(error: Exception, code: str) -> None:
    found = outcome(error)

    assert isinstance(found, Parked)
    assert found.code == code


@pytest.mark.parametrize(
    ("code", "kind"),
    [(errno.ENOSPC, Paused), (errno.EIO, RetryAt), (errno.EACCES, Parked), (errno.EISDIR, Parked)],
)
def test_faults_of_the_system_are_sorted_by_reaction(code: int, kind: type) -> None:
    assert isinstance(outcome(OSError(code, "x")), kind)


def test_a_fault_names_the_file_but_not_where_the_vault_is() -> None:
    fault = storage_fault(OSError(errno.EACCES, "Permission denied", "/home/me/vault/wiki/a/x.md"))

    assert str(fault) == "The file system refused: Permission denied (a/x.md)."
    assert str(storage_fault(OSError(errno.EIO, "Input/output error"))).endswith("error.")


def test_the_most_hopeful_of_several_causes_decides() -> None:
    closed, bad = EndpointClosedError("no"), BadReplyError("half")
    parked = UnreadableSourceError("no text")

    assert cause_of(ExceptionGroup("x", [parked, ExceptionGroup("y", [bad, closed])])) is closed
    assert cause_of(ExceptionGroup("x", [parked, bad])) is bad
    assert cause_of(parked) is parked


def test_probes_come_after_one_two_and_then_every_five_minutes() -> None:
    waits = [probe_wait("endpoint_closed", probes).total_seconds() / 60 for probes in range(5)]

    assert waits == [1, 2, 5, 5, 5]
    assert probe_wait("disk_full", 7) == timedelta(seconds=30)
