"""Publishing killed by the operating system at every named crash point."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes import FakeClock
from tests.publish.test_publish import FailingDisk, Wiki, finished, make_wiki, plan
from vaultd.crash import CRASH_VARIABLE
from vaultd.store.database import Database
from vaultd.vault.files import Vault
from vaultd.vault.layout import make_layout

ROOT = Path(__file__).resolve().parents[2]
CHILD = "import sys; from tests.publish.test_kill import publish_in; publish_in(sys.argv[1])"
EARLY = ("publish.asset", "publish.planned")  # before the plan is stored: nothing is left of it
LATE = (
    "publish.stored",
    "publish.file#3",
    "publish.history",
    "file.written#2",
    "file.replaced#3",
    "publish.written",
    "publish.recorded",
)


def opened(root: Path) -> Wiki:
    """Open what `make_wiki` made, as another process."""
    disk = FailingDisk()
    vault = Vault(root / "vault", make_layout(root / "vault"), disk)
    return Wiki(root, disk, FakeClock(), Database(root / "vaultd.db"), vault)


def publish_in(root: str) -> None:
    """Run in the child, which does not outlive it."""
    asyncio.run(opened(Path(root)).publish(plan()))


def killed_at(point: str, root: Path) -> Wiki:
    make_wiki(root).db.close()
    child = subprocess.run(
        [sys.executable, "-c", CHILD, str(root)],
        cwd=ROOT,
        env=os.environ | {CRASH_VARIABLE: point},
        capture_output=True,
        check=False,
    )
    assert child.returncode == -signal.SIGKILL, child.stderr.decode()
    return opened(root)


def check(points: tuple[str, ...], tmp_path: Path) -> None:
    whole_wiki = make_wiki(tmp_path / "whole")
    untouched = whole_wiki.files()
    whole = asyncio.run(finished(whole_wiki))
    whole_wiki.db.close()
    for point in points:
        wiki = killed_at(point, tmp_path / point)
        wiki.vault.sweep()
        asyncio.run(wiki.recover())
        if point in EARLY:
            left = {path: text for path, text in wiki.files().items() if "media" not in path}
            assert left == untouched
            asyncio.run(wiki.publish(plan()))
        assert wiki.files() == whole, point
        assert asyncio.run(wiki.recover()) == 0
        wiki.db.close()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_kill_in_the_middle_is_rolled_forward(tmp_path: Path) -> None:
    check(("publish.file#3",), tmp_path)


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_kill_at_every_crash_point_leaves_all_or_nothing(tmp_path: Path) -> None:
    check((*EARLY, *LATE), tmp_path)
