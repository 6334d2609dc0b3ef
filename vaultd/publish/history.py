"""Old versions of pages, and what was refused: kept in the state folder, for people to read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path, PurePosixPath

from vaultd.core.block_path import same_path
from vaultd.core.history import versions_to_drop
from vaultd.core.names import file_stem
from vaultd.core.properties import render_block
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import Refused
from vaultd.vault.files import Vault

HISTORY, QUARANTINE = "page-history", "quarantine"
PAGE = "page.txt"  # in a folder of versions: the path of the page they are of
READABLE = 32  # characters of a page's name in that of the folder; the digest tells pages apart
FORM = "%Y%m%dT%H%M%S.%fZ"  # sorts by time, and every system takes it as a file name
_NAME = re.compile(r"(\d{8}T\d{6}\.\d{6}Z)(?:-[0-9a-f]{6})?\.md$")


@dataclass(frozen=True, slots=True)
class Version:
    """An old version of a page; `name` is the state file that holds it, `when` it was replaced."""

    path: VaultPath
    when: datetime
    name: str
    size: int


def keep_version(vault: Vault, path: VaultPath, content: bytes, when: datetime) -> str:
    """Store the version that is about to be replaced; return its state file.

    Doing it again for one moment gives the same file, unless the content is another.
    """
    folder, stem = folder_of(path), when.astimezone(UTC).strftime(FORM)
    for name in (f"{stem}.md", f"{stem}-{sha256(content).hexdigest()[:6]}.md"):
        there = vault.read_state(f"{folder}/{name}")
        if there is None:
            _put(vault, path, name, content)
            return f"{folder}/{name}"
        if there == content:
            return f"{folder}/{name}"
    return f"{folder}/{stem}.md"


def versions(vault: Vault, path: VaultPath) -> list[Version]:
    """Return the versions kept of a page, newest first."""
    found = [
        Version(path, _moment(file), f"{folder}/{file.name}", file.stat().st_size)
        for folder in _folders(path)
        for file in _kept_in(vault.state_file(folder))
    ]
    return sorted(found, key=lambda version: PurePosixPath(version.name).name, reverse=True)


def move_versions(vault: Vault, old: VaultPath, new: VaultPath) -> None:
    """Let the versions kept of a page follow it to its new path."""
    target = folder_of(new)
    for folder in _folders(old):
        if folder == target:  # another spelling of the same path
            continue
        for file in _kept_in(vault.state_file(folder)):
            content = file.read_bytes()
            if vault.read_state(f"{target}/{file.name}") in (None, content):
                _put(vault, new, file.name, content)
                vault.disk.unlink(file)
        _remove_if_empty(vault, folder)


def thin_history(vault: Vault, now: datetime) -> int:
    """Remove versions that age has made superfluous; return how many."""
    top = vault.state_file(HISTORY)
    removed = 0
    for folder in [path for path in top.rglob("*") if path.is_dir()] if top.is_dir() else []:
        files = _kept_in(folder)
        superfluous = set(versions_to_drop(map(_moment, files), now))
        for file in files:
            if _moment(file) in superfluous:
                vault.disk.unlink(file)
                removed += 1
    return removed


def folder_of(path: VaultPath) -> str:
    """Return where, in the state folder, the versions of a page are kept.

    The name is short however deep the page lies: below a long vault root Windows opens the page,
    but nothing with a much longer path.
    """
    name = same_path(path)
    readable = file_stem(file_stem(PurePosixPath(name).stem)[:READABLE])
    return f"{HISTORY}/{readable}-{sha256(name.encode()).hexdigest()[:12]}"


def _folders(path: VaultPath) -> tuple[str, str]:
    """Return where the versions of a page are kept, and where they once were."""
    return folder_of(path), f"{HISTORY}/{path}"


def _kept_in(folder: Path) -> list[Path]:
    there = sorted(folder.iterdir()) if folder.is_dir() else []
    return [file for file in there if _NAME.fullmatch(file.name)]


def _put(vault: Vault, path: VaultPath, name: str, content: bytes) -> None:
    folder = folder_of(path)
    if vault.read_state(f"{folder}/{PAGE}") is None:
        vault.write_state(f"{folder}/{PAGE}", f"{path}\n".encode())
    vault.write_state(f"{folder}/{name}", content)


def _remove_if_empty(vault: Vault, folder: str) -> None:
    place = vault.state_file(folder)
    if place.is_dir() and [file.name for file in place.iterdir()] == [PAGE]:
        vault.disk.unlink(place / PAGE)
        vault.disk.remove_folder(place)


def keep_refused(vault: Vault, refused: Refused, source: SourceId, when: datetime) -> str:
    """Store a piece that will not be written, with the reason; return its state file."""
    digest = sha256(refused.text.encode("utf-8", "replace")).hexdigest()[:8]
    name = f"{QUARANTINE}/{when.astimezone(UTC).strftime(FORM)}-{digest}"
    label = file_stem(Path(refused.path).stem)[:60] if refused.path else "no path"
    head = render_block(
        [("reason", refused.reason), ("path", refused.path), ("source", source), ("kept", when)]
    )
    text = f"{head}\n{refused.text}"
    vault.write_state(f"{name} {label}.md", text.encode("utf-8", "replace"))
    return f"{name} {label}.md"


def _moment(file: Path) -> datetime:
    written = file.name.removesuffix(file.suffix).partition("-")[0]
    return datetime.strptime(written, FORM).replace(tzinfo=UTC)
