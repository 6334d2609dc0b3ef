from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultd.core.settle import FileStat, Trace, follow, looks_complete, settled

FILE = FileStat(size=100, mtime=1, ctime=1, inode=7)


def test_quiet_file_settles() -> None:
    trace = follow(None, FILE, 10.0)

    assert not settled(follow(trace, FILE, 14.9), 14.9, 5)
    assert settled(follow(trace, FILE, 15.0), 15.0, 5)


@pytest.mark.parametrize(
    "changed", [FILE._replace(size=99), FILE._replace(mtime=0), FILE._replace(inode=8)]
)
def test_any_change_restarts_the_quiet_time_w12(changed: FileStat) -> None:
    trace = follow(follow(None, FILE, 0.0), changed, 4.5)

    assert not settled(trace, 9.0, 5)
    assert settled(trace, 9.5, 5)


def test_scanner_that_pauses_just_too_short_gives_one_file_w12() -> None:
    trace: Trace | None = None
    now = 0.0
    for size in range(1, 31):
        trace = follow(trace, FILE._replace(size=size, mtime=size), now)
        assert not settled(trace, now, 5)
        now += 4.5
    assert trace is not None
    assert settled(trace, now + 0.5, 5)
    assert trace.stat.size == 30


def test_change_of_permissions_does_not_restart_it() -> None:
    assert follow(Trace(FILE, 0.0), FILE._replace(ctime=9), 3.0).since == 0.0


def test_empty_file_never_settles() -> None:
    assert not settled(Trace(FILE._replace(size=0), 0.0), 1e9, 5)


@given(times=st.lists(st.floats(0, 100), min_size=1, max_size=20).map(sorted))
def test_time_since_the_last_change_is_what_counts(times: list[float]) -> None:
    trace: Trace | None = None
    for number, now in enumerate(times):
        trace = follow(trace, FILE._replace(size=number + 1), now)
    assert trace is not None
    assert trace.since == times[-1]


@pytest.mark.parametrize(
    ("suffix", "head", "tail", "whole"),
    [
        ("pdf", b"%PDF-1.7", b"x\n%%EOF\n", True),
        ("pdf", b"%PDF-1.7", b"x", False),
        ("pdf", b"%PDF-1.7", b"%%EOF" + bytes(600), False),
        ("pdf", b"", bytes(2000), False),
        ("docx", b"PK\x03\x04", b"PK\x05\x06" + bytes(18), True),
        ("docx", b"PK\x03\x04", b"half", False),
        ("docx", bytes(100), bytes(100), False),
        ("docx", b"{\\rtf1 not a zip", b"end", True),
        ("txt", b"", b"", True),
    ],
)
def test_incomplete_containers_are_known_d39(
    suffix: str, head: bytes, tail: bytes, whole: bool
) -> None:
    assert looks_complete(suffix, head, tail) is whole
