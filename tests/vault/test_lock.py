from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from vaultd.errors import VaultLockedError
from vaultd.vault.lock import VaultLock

HOLD = """
import sys, time
from pathlib import Path
from vaultd.vault.lock import VaultLock
lock = VaultLock(Path(sys.argv[1]))
lock.take()
print("held", flush=True)
time.sleep(60)
"""


def test_second_start_is_refused_until_the_first_dies_w36_w37(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        try:
            assert holder.stdout.readline() == b"held\n"
            with pytest.raises(VaultLockedError, match="Another vaultd"):
                VaultLock(tmp_path).take()
        finally:
            holder.kill()

    with VaultLock(tmp_path) as lock:
        assert lock.held


def test_lock_file_of_a_dead_process_is_no_obstacle_w36(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("1")  # the number of a living process

    with VaultLock(tmp_path) as lock:
        assert lock.held
    assert not lock.held


def test_two_locks_of_one_process_exclude_each_other(tmp_path: Path) -> None:
    with VaultLock(tmp_path), pytest.raises(VaultLockedError):
        VaultLock(tmp_path).take()


def test_a_lock_that_is_freed_in_a_moment_is_waited_for(tmp_path: Path) -> None:
    """A child about to start when its parent was killed holds its files until it has started."""
    first = VaultLock(tmp_path)
    first.take()
    freed = threading.Timer(0.1, first.release)
    freed.start()

    with VaultLock(tmp_path) as second:
        assert second.held
    freed.join()
