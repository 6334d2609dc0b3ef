"""A disk that remembers what a power cut would leave: what was synced, and any part of the rest."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vaultd.vault.disk import Disk

Change = tuple[str, dict[Path, int | None]]  # folder, and which names get which file (None: gone)


@dataclass
class Step:
    """One durable operation, as the disk saw it."""

    kind: str  # "write", "sync", "names" or "sync_folder"
    file: int = 0
    content: bytes = b""
    folder: Path = Path()
    names: dict[Path, int | None] = field(default_factory=dict)


class CuttableDisk(Disk):
    """A real disk that also writes down, file by file, everything a power cut could undo."""

    def __init__(self) -> None:
        self.steps: list[Step | bytes] = []  # bytes: the database as a commit left it
        self._open: dict[int, int] = {}
        self._ids: dict[int, int] = {}  # of inodes made here: a freed number comes again

    def _file(self, path: Path) -> int:
        inode = path.stat().st_ino
        return self._ids.get(inode, inode)

    def open_new(self, path: Path, mode: int) -> int:
        descriptor = super().open_new(path, mode)
        inode = os.fstat(descriptor).st_ino
        file = self._open[descriptor] = self._ids[inode] = -len(self.steps) - 1
        self.steps.append(Step("write", file, b""))
        self._name(path.parent, {path: file})
        return descriptor

    def write(self, descriptor: int, content: memoryview) -> int:
        written = super().write(descriptor, content)
        self.steps.append(Step("write", self._open[descriptor], bytes(content[:written])))
        return written

    def fsync(self, descriptor: int) -> None:
        super().fsync(descriptor)
        self.steps.append(Step("sync", self._open[descriptor]))

    def close(self, descriptor: int) -> None:
        del self._open[descriptor]
        super().close(descriptor)

    def replace(self, old: Path, new: Path) -> None:
        file = self._file(old)
        super().replace(old, new)
        self._name(new.parent, {new: file, old: None})

    def exchange(self, one: Path, other: Path) -> bool:
        files = {one: self._file(other), other: self._file(one)}
        exchanged = super().exchange(one, other)
        if exchanged:
            self._name(one.parent, dict(files))
        return exchanged

    def link_new(self, old: Path, new: Path) -> bool:
        linked = super().link_new(old, new)
        if linked:
            self._name(new.parent, {new: self._file(new)})
        return linked

    def unlink(self, path: Path) -> None:
        super().unlink(path)
        self._name(path.parent, {path: None})

    def sync_folder(self, folder: Path) -> None:
        super().sync_folder(folder)
        self.steps.append(Step("sync_folder", folder=folder))

    def _name(self, folder: Path, names: dict[Path, int | None]) -> None:
        self.steps.append(Step("names", folder=folder, names=names))


@dataclass
class Remains:
    """What lies on the disk after a power cut: files by name, and the database."""

    files: dict[Path, bytes]
    database: bytes

    def lay_out(self, root: Path, at: Path) -> None:
        """Write the files of the tree `root` to `at`/vault, the database beside it."""
        if at.exists():
            shutil.rmtree(at)
        for path, content in self.files.items():
            place = at / "vault" / path.relative_to(root)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        (at / "vaultd.db").write_bytes(self.database)


def cut(
    before: dict[Path, tuple[int, bytes]],
    steps: Sequence[Step | bytes],
    end: int,
    chance: random.Random,
) -> Remains:
    """Return one state that a power cut after `end` steps may leave.

    A file's unsynced content is there, torn, zeros or nothing; of the unsynced changes of names
    any part is there, each change whole.
    """
    names: dict[Path, int | None] = {path: file for path, (file, _) in before.items()}
    contents = dict(before.values())
    synced = set(contents)
    pending: list[Step] = []
    database = b""
    for step in steps[:end]:
        if isinstance(step, bytes):
            database = step
        elif step.kind == "write":
            contents[step.file] = contents.get(step.file, b"") + step.content
            synced.discard(step.file)
        elif step.kind == "sync":
            synced.add(step.file)
        elif step.kind == "names":
            pending.append(step)
        else:
            for change in [each for each in pending if each.folder == step.folder]:
                names.update(change.names)
                pending.remove(change)
    for change in pending:
        if chance.random() < 0.5:
            names.update(change.names)
    left = {
        path: contents[file] if file in synced else _torn(contents[file], chance)
        for path, file in names.items()
        if file is not None
    }
    return Remains(left, database)


def _torn(content: bytes, chance: random.Random) -> bytes:
    part = chance.randrange(len(content) + 1)
    return chance.choice([content, content[:part], bytes(len(content)), b""])
