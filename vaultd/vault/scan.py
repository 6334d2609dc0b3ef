"""One look at the whole vault: every file that could be a source or a note."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from vaultd.core.ignore import STUB, Fate, Rules, Verdict
from vaultd.core.settle import ZIP_TAIL, FileStat, looks_complete
from vaultd.errors import PermanentError
from vaultd.model.paths import VaultPath
from vaultd.vault.files import READ_FLAGS, WINDOWS, Vault
from vaultd.vault.obsidian import obsidian_settings

IGNORE_FILE = ".vaultdignore"
BLOCK = 1024 * 1024
OFFLINE_ATTRIBUTES = 0x1000 | 0x40000 | 0x400000  # Windows: offline, recall on open, on access
NO_LOOK = FileStat(0, 0, 0, 0)
DATALESS = 0x40000000  # macOS: SF_DATALESS, the content is in the cloud

CODES = {
    "placeholder": "online only: not on this machine, make it available offline",
    "link": "a link; vaultd reads files where they are",
    "special": "not a file: a pipe, socket or device",
    "bad_name": "the name is not valid UTF-8: rename the file",
    "unreadable": "may not be read: check its permissions",
    "blind": "the folder may not be read: check its permissions",
}


class Sighting(NamedTuple):
    """A file as the scan met it.

    `fate` SOURCE or NOTE: may be taken. SKIPPED or CONFLICT: `code` and `reason` say why not.
    NOTHING with code "blind": a folder whose content is unknown now, and with "placeholder":
    a note whose text is not on this machine. `path` of a name that is not UTF-8 shows the
    odd bytes as \\xNN.
    """

    path: VaultPath
    fate: Fate
    stat: FileStat
    code: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Content:
    """A file's bytes, as far as the watcher needs them: hash, and whether they can be whole."""

    sha256: str
    stat: FileStat
    complete: bool


def rules_of(
    vault: Vault, *, include: tuple[str, ...], exclude: tuple[str, ...], max_bytes: int
) -> Rules:
    """Return the rules of this vault: the settings, its `.vaultdignore`, its template folders."""
    return Rules(
        include=include,
        exclude=exclude,
        ignore_file=_text(vault.root / IGNORE_FILE),
        templates=obsidian_settings(vault.root).templates,
        max_bytes=max_bytes,
    )


def scan(vault: Vault, rules: Rules) -> Iterator[Sighting]:
    """Yield every source, note, skipped file and unreadable folder; reads no file.

    Links are never followed. A folder that vanishes meanwhile yields nothing.
    """
    blocks = _reports_blocks(vault)
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(vault.root / folder) as entries:
                for entry in entries:
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    if entry.is_dir(follow_symlinks=False):
                        if rules.enters(path):
                            waiting.append(path)
                    elif (sighting := _sight(entry, path, rules, blocks=blocks)) is not None:
                        yield sighting
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            yield _refused(_shown(folder), Fate.NOTHING, "blind", NO_LOOK)


def _sight(entry: os.DirEntry[str], path: str, rules: Rules, *, blocks: bool) -> Sighting | None:
    name = entry.name
    raw = path.startswith("raw/") or path == "raw"
    if not raw and not name.endswith((".md", ".MD", ".Md", ".icloud")):
        return None
    try:
        about = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError:
        return _refused(_shown(path), Fate.SKIPPED if raw else Fate.NOTHING, "unreadable", NO_LOOK)
    code = "" if stat.S_ISREG(about.st_mode) and path.isascii() else _oddity(path, about)
    if name[0] == "." and (stub := STUB.match(name)):
        path, code = path[: -len(name)] + stub["name"], "placeholder"
    elif not code and _is_placeholder(about, blocks=blocks):
        code = "placeholder"
    return _judged(rules.judge(path, about.st_size), path, look_of(about), code)


def _judged(verdict: Verdict, path: str, look: FileStat, code: str) -> Sighting | None:
    fate = verdict.fate
    if fate is Fate.NOTHING:
        return None
    if code == "link" and verdict.code == "unsupported":  # a folder elsewhere, most of all
        return _refused(_shown(path), fate, code, look)
    if fate is not Fate.SOURCE and fate is not Fate.NOTE:
        return Sighting(_shown(path), fate, look, verdict.code, verdict.reason)
    if code:
        refusal = Fate.SKIPPED if fate is Fate.SOURCE else Fate.NOTHING
        return _refused(_shown(path), refusal, code, look)
    return Sighting(VaultPath(path), fate, look)


def _oddity(path: str, about: os.stat_result) -> str:
    if not path.isascii():
        try:
            path.encode("utf-8")
        except UnicodeEncodeError:
            return "bad_name"
    if stat.S_ISREG(about.st_mode):
        return ""
    return "link" if stat.S_ISLNK(about.st_mode) else "special"


def _is_placeholder(about: os.stat_result, *, blocks: bool) -> bool:
    if sys.platform == "win32":
        return bool(about.st_file_attributes & OFFLINE_ATTRIBUTES)
    elif blocks and about.st_size > 0 and about.st_blocks == 0:
        return True
    else:
        return sys.platform == "darwin" and bool(about.st_flags & DATALESS)


def _reports_blocks(vault: Vault) -> bool:
    """Tell whether the file system counts blocks at all, by a file that surely has some."""
    try:
        return getattr((vault.state / ".gitignore").stat(), "st_blocks", 0) > 0
    except OSError:
        return False


def look_of(about: os.stat_result) -> FileStat:
    """Return what of a file's status tells a change.

    Windows gives the inode of an open file only: in the listing of a folder it is zero.
    """
    if WINDOWS:
        return FileStat(about.st_size, about.st_mtime_ns, about.st_ctime_ns, 0)
    inode = about.st_ino if about.st_ino < 2**63 else about.st_ino - 2**64  # SQLite's range
    return FileStat(about.st_size, about.st_mtime_ns, about.st_ctime_ns, inode)


def _refused(path: VaultPath, fate: Fate, code: str, look: FileStat) -> Sighting:
    return Sighting(path, fate, look, code, CODES[code])


def _shown(path: str) -> VaultPath:
    return VaultPath(os.fsencode(path).decode("utf-8", "backslashreplace"))


def read_content(vault: Vault, path: VaultPath, stop: Callable[[], bool]) -> Content | None:
    """Read a file once for its hash and its completeness; None if it is gone or was replaced.

    `stop` is asked between blocks of 1 MiB, so that a clean stop does not wait for a large file.

    Raises:
        OutsideVaultError: the path goes through a link out of the vault.
        OSError: it may not be read.
    """
    place = vault.locate(path)
    try:
        descriptor = os.open(place, READ_FLAGS | getattr(os, "O_NOFOLLOW", 0))
    except (FileNotFoundError, NotADirectoryError):
        return None
    with open(descriptor, "rb", buffering=0) as file:  # noqa: PTH123  # a descriptor has no path
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise PermanentError(f"{path} is not a file.")
        digest, head, tail = hashlib.sha256(), b"", b""
        while block := file.read(BLOCK):
            digest.update(block)
            head = head or block[:ZIP_TAIL]
            tail = (tail + block)[-ZIP_TAIL:]
            if stop():
                return None
        look = look_of(os.fstat(descriptor))
    suffix = path.rpartition(".")[2].lower()
    return Content(digest.hexdigest(), look, looks_complete(suffix, head, tail))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
