"""Durable file operations: the one place where files are created, replaced and removed."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import secrets
import shutil
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from vaultd.core.timing import BUSY_WINDOWS_CODES, storage_fault
from vaultd.crash import crash_point

TEMP_PREFIX = ".vaultd-"
TEMP_SUFFIX = ".tmp"
BUSY_WAITS = (0.05, 0.1, 0.2, 0.4, 0.8, 0.95)  # seconds, 2.5 in all: scanners let go in that time
AT_FDCWD = -100  # "relative to the working folder", fcntl.h
SWAP = 2  # RENAME_EXCHANGE and RENAME_SWAP alike
LEAST_FREE = 200 * 1024 * 1024  # bytes; a page, its history and the database need far less
UNSUPPORTED = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EBADF})
NO_LINKS = UNSUPPORTED | {errno.EPERM, errno.EMLINK}


class Disk:
    """Primitive operations, named so that a test can record, fail, or die after each."""

    def open_new(self, path: Path, mode: int) -> int:
        """Create `path`, which must not exist; return its descriptor."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0), mode)
        crash_point("disk.opened")
        return descriptor

    def write(self, descriptor: int, content: memoryview) -> int:
        """Write some of `content`; return how many bytes."""
        written = os.write(descriptor, content)
        crash_point("disk.written")
        return written

    def fsync(self, descriptor: int) -> None:
        """Make the file's content durable, through the drive's cache where that is possible."""
        if sys.platform == "darwin":
            import fcntl

            with contextlib.suppress(OSError):
                fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
                return
        os.fsync(descriptor)
        crash_point("disk.synced")

    def close(self, descriptor: int) -> None:
        """Close `descriptor`."""
        os.close(descriptor)

    def replace(self, old: Path, new: Path) -> None:
        """Give `old` the name `new`, replacing what is there in one step."""
        os.replace(old, new)  # noqa: PTH105  # the primitive itself
        crash_point("disk.replaced")

    def exchange(self, one: Path, other: Path) -> bool:
        """Swap two files in one step; False where the system cannot."""
        exchanged = _exchange(one, other)
        crash_point("disk.exchanged")
        return exchanged

    def link_new(self, old: Path, new: Path) -> bool:
        """Give `old` the second name `new`, which must not exist; False where links cannot be.

        Raises:
            FileExistsError: there is a file at `new`.
        """
        try:
            os.link(old, new, follow_symlinks=False)
        except FileExistsError:
            raise
        except OSError as error:
            if error.errno in NO_LINKS:
                return False
            raise
        crash_point("disk.linked")
        return True

    def sync_folder(self, folder: Path) -> None:
        """Make the names in `folder` durable, where the system can."""
        if sys.platform != "win32":
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            except OSError as error:
                if error.errno not in UNSUPPORTED:
                    raise
            finally:
                os.close(descriptor)

    def unlink(self, path: Path) -> None:
        """Remove the name `path`."""
        path.unlink()
        crash_point("disk.unlinked")

    def make_folder(self, folder: Path) -> None:
        """Create `folder`; nothing happens if it is there."""
        folder.mkdir(exist_ok=True)
        crash_point("disk.folder_made")

    def remove_folder(self, folder: Path) -> None:
        """Remove the empty `folder`."""
        folder.rmdir()
        crash_point("disk.folder_removed")

    def sleep(self, seconds: float) -> None:
        """Wait before a busy file is tried again."""
        time.sleep(seconds)


def _exchange(one: Path, other: Path) -> bool:
    """Call renameat2 with RENAME_EXCHANGE (Linux 3.15) or renamex_np with RENAME_SWAP (macOS)."""
    failed = -1
    if sys.platform != "win32":
        library = ctypes.CDLL(None, use_errno=True)
        first, second = os.fsencode(one), os.fsencode(other)
        if sys.platform == "linux" and hasattr(library, "renameat2"):
            failed = library.renameat2(AT_FDCWD, first, AT_FDCWD, second, SWAP)
        elif sys.platform == "darwin" and hasattr(library, "renamex_np"):
            failed = library.renamex_np(first, second, SWAP)
        else:
            ctypes.set_errno(errno.ENOSYS)
        code = ctypes.get_errno()
        if failed and code != errno.ENOSYS and code not in NO_LINKS:
            raise OSError(code, os.strerror(code), str(other))
    return not failed


def write_temp(disk: Disk, folder: Path, content: bytes, *, mode: int = 0o666) -> Path:
    """Write `content` durably under a new reserved name in `folder`; leave nothing on failure."""
    temp = folder / f"{TEMP_PREFIX}{secrets.token_hex(8)}{TEMP_SUFFIX}"
    descriptor = disk.open_new(temp, mode)
    try:
        try:
            rest = memoryview(content)
            while rest:
                rest = rest[disk.write(descriptor, rest) :]
            disk.fsync(descriptor)
        finally:
            disk.close(descriptor)
    except BaseException:
        discard(disk, temp)
        raise
    return temp


def sync_file(disk: Disk, place: Path) -> None:
    """Make durable what another program wrote into `place`."""
    descriptor = os.open(place, os.O_RDWR)
    try:
        disk.fsync(descriptor)
    finally:
        disk.close(descriptor)
    disk.sync_folder(place.parent)


def put_in_place(disk: Disk, temp: Path, target: Path) -> None:
    """Replace `target` by `temp` durably; wait up to 2.5 s where another program holds it."""
    try:
        replace_patiently(disk, temp, target)
    except BaseException:
        discard(disk, temp)
        raise
    disk.sync_folder(target.parent)


def replace_patiently(disk: Disk, old: Path, new: Path) -> None:
    """Give `old` the name `new`; wait up to 2.5 s where another program holds either."""
    for wait in BUSY_WAITS:
        try:
            return disk.replace(old, new)
        except PermissionError as error:
            if getattr(error, "winerror", None) not in BUSY_WINDOWS_CODES:
                raise
            disk.sleep(wait)
    return disk.replace(old, new)


def make_folders(disk: Disk, folder: Path) -> None:
    """Create `folder` and what is missing above it, each name made durable."""
    missing = [folder, *folder.parents]
    missing = missing[: next(i for i, each in enumerate(missing) if each.exists())]
    for each in reversed(missing):
        disk.make_folder(each)
        disk.sync_folder(each.parent)


def discard(disk: Disk, temp: Path) -> None:
    """Remove a temporary file as well as possible; the sweep at the next start finds the rest."""
    with contextlib.suppress(OSError):
        disk.unlink(temp)


@contextlib.contextmanager
def sorted_faults() -> Iterator[None]:
    """Turn faults of the operating system into the errors the worker has reactions for."""
    try:
        yield
    except OSError as error:
        raise storage_fault(error) from error


def low_space(folder: Path) -> bool:
    """Tell whether less than 1 % or 200 MB of the disk of `folder` is free, the larger of both."""
    usage = shutil.disk_usage(folder)
    return usage.free < max(usage.total // 100, LEAST_FREE)


def permissions(path: Path) -> int | None:
    """Return the permission bits of `path`, None if it does not exist."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None
