"""Disks that fail at any moment of a whole ingest: nothing torn, nothing lost, it goes on alone."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.fakes import FailingDisk, RecordingDisk
from tests.reliability.places import Home
from vaultd.daemon import parts
from vaultd.daemon.place import open_for_work
from vaultd.daemon.run import _pass, _working
from vaultd.errors import DiskFullError
from vaultd.vault.disk import Disk

PASSING = ("ENOSPC", "EDQUOT", "EIO", "EBUSY", "ESTALE", "EDEADLK", "EMFILE")  # over by themselves
LASTING = ("EROFS", "EACCES")  # wait for a person
NAMES = ("Anemometer", "Barograph")
AT_ONCE = 6
Undisturbed: TypeAlias = tuple[dict[str, bytes], int]


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "low_space", lambda _: False)  # as full as the test says
    monkeypatch.setattr("vaultd.worker.DISK_PROBE", timedelta(seconds=0.3))
    monkeypatch.setattr("vaultd.worker.SPACE_SECONDS", 0.3)


async def checked(
    folder: Path, whole: dict[str, bytes], steps: Iterable[int], code: str, how: str
) -> list[str]:
    """Check many steps, a few at once: most of it is waiting."""
    room = asyncio.Semaphore(AT_ONCE)

    async def one(at: int) -> list[str]:
        async with room:
            return await check(folder, whole, at, code, how)

    return [fault for faults in await asyncio.gather(*map(one, steps)) for fault in faults]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """Return what a run without faults leaves, and how many durable steps it took."""
    disk = RecordingDisk()
    home = Home(tmp_path_factory.mktemp("undisturbed") / "whole", disk)
    home.drop(*NAMES)
    asyncio.run(home.work())
    assert asyncio.run(home.states()) == {}
    return home.files(), len(disk.log)


async def failing(home: Home, at: int, code: str, *, forever: bool) -> bool:
    """Work on a vault whose disk fails at its `at`-th step; tell whether it came to that."""
    number = getattr(errno, code)
    disk = FailingDisk(at, OSError(number, os.strerror(number)), forever=forever)
    home.disk = disk
    home.drop(*NAMES)
    try:
        async with asyncio.timeout(30):
            await home.work()
    except* OSError as errors:
        raise AssertionError(f"{code} at step {at} came through") from errors
    home.disk = Disk()
    return disk.failed


def whole_or_absent(home: Home, whole: dict[str, bytes]) -> Iterator[str]:
    """Give the pages that are neither as they will be nor as they were: torn ones."""
    for path, content in home.files().items():
        if path.endswith(".md") and not content.endswith(b"\n"):
            yield f"{path} is torn: {content[-40:]!r}"
        if path not in whole and "/reviews/" not in path:
            yield f"{path} should not be there"


def _read(path: str, files: dict[str, bytes]) -> list[bytes]:
    """Return a file's lines; those of the log sorted: what was paused goes on behind the rest."""
    lines = files.get(path, b"").splitlines()
    return sorted(lines) if path == "wiki/log.md" else lines


async def check(folder: Path, whole: dict[str, bytes], at: int, code: str, how: str) -> list[str]:
    """Fail once or for ever, look, let the disk be well again, and compare."""
    home = Home(folder / f"{code} {how} {at}")
    await failing(home, at, code, forever=how == "for ever")
    broken = list(whole_or_absent(home, whole))
    home.clock.skip(120)  # a note that could not be written is written again then
    await home.again()
    broken += [f"{path} is left over" for path in home.temps()]
    broken += [f"{subject}: {state}" for subject, state in (await home.states()).items()]
    found = {path: text for path, text in home.files().items() if "/reviews/" not in path}
    broken += [f"{path} differs" for path in whole if _read(path, found) != _read(path, whole)]
    return [f"{code} {how} at step {at}: {each}" for each in broken]


@pytest.mark.parametrize("how", ["once", "for ever"])
async def test_full_disk_at_some_steps_of_an_ingest_e8(
    tmp_path: Path, converter: None, undisturbed: Undisturbed, how: str
) -> None:
    whole, steps = undisturbed

    assert await checked(tmp_path, whole, range(1, steps, steps // 4), "ENOSPC", how) == []


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("how", ["once", "for ever"])
@pytest.mark.parametrize("code", [*PASSING, *LASTING])
async def test_every_fault_at_every_step_of_an_ingest_e8_e9(
    tmp_path: Path, converter: None, undisturbed: Undisturbed, code: str, how: str
) -> None:
    whole, steps = undisturbed

    assert await checked(tmp_path, whole, range(1, steps + 1), code, how) == []


@pytest.mark.parametrize("code", ["EACCES", "EIO"])
async def test_other_faults_hurt_their_source_only_e9(
    tmp_path: Path, converter: None, undisturbed: Undisturbed, code: str
) -> None:
    whole, steps = undisturbed
    places = (3, steps // 2)

    once, ever = await asyncio.gather(
        *(checked(tmp_path, whole, places, code, how) for how in ("once", "for ever"))
    )

    assert once + ever == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of four megabytes, where this machine lets us mount one."""
    place = tmp_path / "small"
    place.mkdir()
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("mounting needs root on Linux")
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


async def test_a_disk_that_is_really_full_e8(small_disk: Path, converter: None) -> None:
    home = Home(small_disk / "vault")
    home.drop(*NAMES)
    ballast = small_disk / "ballast"
    async with home.open() as built, _working(built):
        with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))
        with contextlib.suppress(DiskFullError):
            await built.watcher.look()
        await asyncio.sleep(0.3)
        assert set(home.files()) == {f"raw/{name}.md" for name in NAMES}

        ballast.unlink()
        async with asyncio.timeout(30):
            await _pass(built)
            while await home.states():
                await asyncio.sleep(0.2)
                await built.worker.tick()

    assert {f"wiki/sources/{name}.md" for name in NAMES} <= home.files().keys()
    assert home.temps() == []


async def test_a_start_on_a_full_disk_keeps_the_database_e8(small_disk: Path) -> None:
    home = Home(small_disk / "vault")
    home.drop(*NAMES)
    await home.work()
    database = home.root / ".llm-wiki/vaultd.db"
    before, pages = database.read_bytes(), home.files()
    ballast = small_disk / "ballast"
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))

    with pytest.raises(DiskFullError):
        async with open_for_work(home.root, home.settings, home.clock):
            raise AssertionError("there is no space to open it")
    assert database.read_bytes() == before
    assert not list(database.parent.glob("*damaged*"))

    ballast.unlink()
    await home.work()
    assert home.files() == pages
    assert await home.states() == {}
