"""A daemon that has worked does not keep the memory it worked with."""

from __future__ import annotations

import gc
import platform
import subprocess
import sys

import pytest

from vaultd.daemon.memory import give_back, settle

PROBE = """
from pathlib import Path
from vaultd.daemon.memory import give_back

def resident():
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if "VmRSS" in line)

pieces = [bytearray(2_000) for _ in range(30_000)]
last = pieces.pop()
pieces.clear()
before = resident()
give_back()
print(before - resident())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries give it back")
def test_freed_memory_goes_back_though_something_above_it_lives_on() -> None:
    probe = subprocess.run(
        [sys.executable, "-c", PROBE], capture_output=True, text=True, check=True
    )

    assert int(probe.stdout) > 40_000  # kilobytes, of 60,000


def test_where_it_cannot_be_asked_for_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: None) -> object:
        return object()

    monkeypatch.setattr("vaultd.daemon.memory.ctypes.CDLL", absent)

    give_back()


def test_what_is_loaded_at_the_start_is_not_looked_through_again() -> None:
    settle()
    try:
        assert gc.get_freeze_count() > 10_000
        assert len(gc.get_objects()) < 10_000
    finally:
        gc.unfreeze()
