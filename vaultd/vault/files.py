"""The vault's files: read, compare and replace, move to the trash, never outside the vault."""

from __future__ import annotations

import asyncio
import os
import stat
from contextlib import suppress
from pathlib import Path, PurePosixPath

from vaultd.crash import crash_point
from vaultd.errors import OnlineOnlyError, OutsideVaultError, PageChangedError, PermanentError
from vaultd.model.paths import VaultPath
from vaultd.vault.disk import (
    TEMP_PREFIX,
    TEMP_SUFFIX,
    Disk,
    discard,
    make_folders,
    permissions,
    put_in_place,
    replace_patiently,
    sorted_faults,
    sync_file,
    write_temp,
)
from vaultd.vault.handover import MARK, handed_over, noted
from vaultd.vault.layout import STATE
from vaultd.vault.obsidian import obsidian_settings
from vaultd.vault.pen import Pen

TRASH = "trash"
LOCAL_TRASH = ".trash"  # Obsidian's own, in the vault
WINDOWS = os.name == "nt"
LONGEST_PLACE = 250  # characters: Windows opens 259, and a number may be added
SHORT_NAME = 60  # characters that are left to the name of a file whose place would be longer
READ_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a FIFO must not hang us
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class Vault:
    """A vault's files and its state folder, reached by vault path.

    Every write is: temporary file in the same folder, all bytes, fsync, compare, replace,
    fsync of the folder. Blocking; call from a thread. All methods raise `OutsideVaultError`
    for a path that leaves the vault, and the errors of `core.timing.storage_fault`.
    """

    def __init__(
        self, root: Path, state: Path, disk: Disk | None = None, *, writer: str = ""
    ) -> None:
        self.root = root.resolve()
        self.writer = writer  # id of this machine, to be named as the one that writes
        self.state = state.resolve()
        self.disk = disk or Disk()
        self.pen = Pen()  # writes the notes that a person has open
        self.publishing = asyncio.Lock()  # held while a plan is published: one at a time

    def locate(self, path: VaultPath) -> Path:
        """Return where `path` is on the disk.

        Raises:
            OutsideVaultError: it is absolute, climbs, enters a dot folder, names a dot file,
                or goes through a link that leads out of the vault.
        """
        parts = PurePosixPath(path).parts
        if path != "." and (
            not parts
            or path.startswith("/")
            or "\0" in path
            or (WINDOWS and set(path) & set("\\:"))
        ):
            raise OutsideVaultError(f"{path!r} is not a path inside the vault.")
        if any(part.startswith(".") for part in parts):
            raise OutsideVaultError(f"{path} enters a hidden folder or climbs out of the vault.")
        place = self.root.joinpath(*parts)
        try:
            real = place.resolve()
        except (OSError, RuntimeError) as error:
            raise OutsideVaultError(f"{path} is a link that leads nowhere.") from error
        if not real.is_relative_to(self.root) or real.is_relative_to(self.state):
            raise OutsideVaultError(f"{path} is a link that leaves the vault.")
        return place

    def read(self, path: VaultPath) -> bytes | None:
        """Return the file's bytes, None if there is no file.

        Raises:
            PermanentError: it is a folder, a pipe or a device.
            OnlineOnlyError: its content is in the cloud, and a stub stands in its place.
        """
        place = self.locate(path)
        with sorted_faults():
            content = read_file(place, self.root)
        if content is None:
            _not_evicted(path, place)
        return content

    def write(self, path: VaultPath, content: bytes, *, expect: bytes | None) -> bool:
        """Replace `path` by `content` if it still holds `expect` (None: it must not exist).

        Returns False, and writes nothing, where the file already holds `content`. Missing
        folders are made. The file's permissions are kept.

        Raises:
            PageChangedError: the file holds something else by now; it was left alone.
            OnlineOnlyError: its content is in the cloud, and a stub stands in its place.
        """
        place = self.locate(path)
        with sorted_faults():
            current = read_file(place, self.root)
            if current == content:
                return False
            if current is None:
                _not_evicted(path, place)
            self._compare(path, current, expect)
            if expect is not None and self.pen.shows(path):
                expect = self._hand_over(path, place, expect, content)
            if expect != content:
                make_folders(self.disk, place.parent)
                temp = self._temp(place, content)
                self._swap(path, temp, place, expect)
        return True

    def trash(self, path: VaultPath, *, expect: bytes) -> Path | None:
        """Move a file into the trash; return where it went, None if it is gone.

        That is the state folder's, or `.trash/` where Obsidian is set to use that.

        Raises:
            PageChangedError: the file holds something else by now; it was left alone.
        """
        place = self.locate(path)
        with sorted_faults():
            current = read_file(place, self.root)
            if current is None:
                return None
            self._compare(path, current, expect)
            kept = _free_name(self._trash_folder(), path)
            make_folders(self.disk, kept.parent)
            put_in_place(self.disk, write_temp(self.disk, kept.parent, current), kept)
            crash_point("trash.copied")
            self._compare(path, read_file(place, self.root), expect)
            self.disk.unlink(place)
            self.disk.sync_folder(place.parent)
        return kept

    def remove(self, path: VaultPath, *, expect: bytes) -> bool:
        """Remove a file whose content stands elsewhere by now; False if it is gone.

        Raises:
            PageChangedError: the file holds something else by now; it was left alone.
        """
        place = self.locate(path)
        with sorted_faults():
            current = read_file(place, self.root)
            if current is None:
                return False
            self._compare(path, current, expect)
            self.disk.unlink(place)
            self.disk.sync_folder(place.parent)
        return True

    def move(self, old: VaultPath, new: VaultPath) -> None:
        """Rename a file inside the vault; nothing happens if it was moved already.

        Raises:
            PageChangedError: there is a file at `new`; both were left alone.
        """
        source, target = self.locate(old), self.locate(new)
        with sorted_faults():
            if not source.exists() and target.exists():
                return
            if target.exists() and not target.samefile(source):
                raise PageChangedError(f"{new} exists already, {old} was not moved there.")
            make_folders(self.disk, target.parent)
            replace_patiently(self.disk, source, target)
            self.disk.sync_folder(target.parent)
            if source.parent != target.parent:
                self.disk.sync_folder(source.parent)

    def remove_empty_folder(self, path: VaultPath) -> bool:
        """Remove the folder `path` if nothing is in it; tell whether it was removed."""
        place = self.locate(path)
        with sorted_faults():
            if path == "." or not place.is_dir() or any(place.iterdir()):
                return False
            self.disk.remove_folder(place)
            return True

    def state_file(self, name: str) -> Path:
        """Return where the file `name` ("/" separates folders) of the state folder is."""
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or ".." in parts or "\0" in name:
            raise OutsideVaultError(f"{name!r} is not a name inside the state folder.")
        return self.state.joinpath(*parts)

    def read_state(self, name: str) -> bytes | None:
        """Return the bytes of a state file, None if there is none."""
        with sorted_faults():
            return read_file(self.state_file(name), self.state)

    def write_state(self, name: str, content: bytes, *, mode: int = 0o666) -> Path:
        """Replace a state file whole; return where it is."""
        place = self.state_file(name)
        with sorted_faults():
            make_folders(self.disk, place.parent)
            put_in_place(self.disk, write_temp(self.disk, place.parent, content, mode=mode), place)
        return place

    def sweep(self) -> int:
        """Remove temporary files that a dead process left; return how many. Needs the lock.

        A note that another program was writing for it, and got half, gets its old text back.
        """
        self._take_back()
        swept = 0
        for top in (self.root / "wiki", self.state):
            for folder, _, names in os.walk(top):
                for name in names:
                    if name.startswith(TEMP_PREFIX) and name.endswith(TEMP_SUFFIX):
                        discard(self.disk, Path(folder) / name)
                        swept += 1
        return swept

    def _hand_over(self, path: VaultPath, place: Path, expect: bytes, content: bytes) -> bytes:
        """Let the program that shows the note write it; return the bytes to be replaced now.

        Those are `content` itself where it did, else `expect`: what a person wrote meanwhile
        is found by the comparison that follows.
        """
        handed = handed_over(path, expect, content)
        if handed is None:
            return expect
        mark = self.write_state(MARK, handed.to_bytes())
        crash_point("file.handed_over")
        self.pen.offer(path, handed.before, handed.after)
        current = read_file(place, self.root)
        if current == content:
            sync_file(self.disk, place)
        elif not handed.is_torn(current):
            current = expect
        self.disk.unlink(mark)
        return current or b""

    def _take_back(self) -> None:
        mark = self.read_state(MARK)
        if mark is None:
            return
        handed = noted(mark)
        if handed is not None:
            # what a person put there meanwhile stays
            with suppress(PermanentError, PageChangedError):
                if handed.is_torn(current := self.read(handed.path)):
                    self.write(handed.path, handed.before.encode(), expect=current)
        with sorted_faults():
            self.disk.unlink(self.state_file(MARK))

    def _trash_folder(self) -> Path:
        """Return the trash a person chose in Obsidian, as far as files can be had back from it.

        The system's trash and "delete for good" are not: what vaultd removes stays in the vault.
        """
        if obsidian_settings(self.root).local_trash:
            return self.root / LOCAL_TRASH
        return self.state / TRASH

    def _temp(self, place: Path, content: bytes) -> Path:
        mode = permissions(place)
        temp = write_temp(self.disk, place.parent, content)
        if mode is not None and not WINDOWS:  # where a read-only file could not be renamed
            temp.chmod(mode)
        crash_point("file.written")
        return temp

    def _swap(self, path: VaultPath, temp: Path, place: Path, expect: bytes | None) -> None:
        """Put `temp` at `place` if that still holds `expect`, in one step where possible."""
        try:
            self._compare(path, read_file(place, self.root), expect)
            if expect is None:
                swapped = self._link(path, temp, place)
            else:
                swapped = self._exchange(path, temp, place, expect)
        except BaseException:
            discard(self.disk, temp)
            raise
        if swapped:
            crash_point("file.swapped")
            self.disk.unlink(temp)
            self.disk.sync_folder(place.parent)
        else:
            put_in_place(self.disk, temp, place)
        crash_point("file.replaced")

    def _link(self, path: VaultPath, temp: Path, place: Path) -> bool:
        try:
            return self.disk.link_new(temp, place)
        except FileExistsError as error:
            raise PageChangedError(f"{path} was made by somebody else meanwhile.") from error

    def _exchange(self, path: VaultPath, temp: Path, place: Path, expect: bytes) -> bool:
        """Swap, look at what came out, and swap back if a person saved in the last instant."""
        ours = temp.stat().st_ino
        if not self.disk.exchange(temp, place):
            return False
        if read_file(temp, self.root) == expect:
            return True
        self.disk.exchange(temp, place)
        if temp.stat().st_ino != ours:  # and saved once more: the newest stays in place
            self.disk.exchange(temp, place)
            self._keep(path, temp)
        raise PageChangedError(f"{path} was changed by somebody else meanwhile.")

    def _keep(self, path: VaultPath, file: Path) -> None:
        """Move a version that found no place into the trash."""
        kept = _free_name(self.state / TRASH, path)
        make_folders(self.disk, kept.parent)
        self.disk.link_new(file, kept)

    def _compare(self, path: VaultPath, current: bytes | None, expect: bytes | None) -> None:
        if current != expect:
            raise PageChangedError(f"{path} was changed by somebody else meanwhile.")


def read_file(place: Path, inside: Path) -> bytes | None:
    """Return the bytes of the regular file at `place`, None if there is none.

    The opened file itself is checked to lie below `inside`, so that a link put there between
    a check and the opening gives nothing away.
    """
    try:
        descriptor = os.open(place, READ_FLAGS)
    except (FileNotFoundError, NotADirectoryError):
        return None
    with open(descriptor, "rb") as file:  # noqa: PTH123  # a descriptor has no path
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            raise PermanentError(f"{place.name} is not a file.")
        if not place.resolve().is_relative_to(inside):
            raise OutsideVaultError(f"{place.name} is a link that leaves the vault.")
        return file.read()


def is_there(root: Path, path: VaultPath) -> bool:
    """Tell whether the vault at `root` has something at `path`, be it in the cloud.

    A vault that is away as a whole (not mounted), or a disk that does not answer, has everything.
    """
    place = root / path
    try:
        return place.exists() or _is_evicted(place) or not (root / STATE).is_dir()
    except OSError:
        return True


def _is_evicted(place: Path) -> bool:
    return place.with_name(f".{place.name}.icloud").exists()


def _not_evicted(path: VaultPath, place: Path) -> None:
    if _is_evicted(place):
        raise OnlineOnlyError(f"{path} is online only: make it available on this machine.")


def _free_name(trash: Path, path: VaultPath) -> Path:
    """Return a new place in the trash for the file at `path`, in the same folders there.

    Where that would be longer than Windows opens, it is at the top, by the beginning of its name.
    """
    place = trash / Path(*PurePosixPath(path).parts)
    if len(str(place)) > LONGEST_PLACE:
        place = trash / f"{place.stem[:SHORT_NAME].rstrip(' .')}{place.suffix}"
    candidate, number = place, 1
    while candidate.exists():
        number += 1
        candidate = place.with_name(f"{place.stem} ({number}){place.suffix}")
    return candidate
