"""Old versions of pages, and what was refused: kept in the state folder, for people to read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from vaultd.core.history import versions_to_drop
from vaultd.core.names import file_stem
from vaultd.core.properties import render_block
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import Refused
from vaultd.vault.files import Vault

HISTORY, QUARANTINE = "page-history", "quarantine"
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
    stem = f"{HISTORY}/{path}/{when.astimezone(UTC).strftime(FORM)}"
    for name in (f"{stem}.md", f"{stem}-{sha256(content).hexdigest()[:6]}.md"):
        there = vault.read_state(name)
        if there is None:
            vault.write_state(name, content)
            return name
        if there == content:
            return name
    return f"{stem}.md"


def versions(vault: Vault, path: VaultPath) -> list[Version]:
    """Return the versions kept of a page, newest first."""
    folder = vault.state_file(f"{HISTORY}/{path}")
    if not folder.is_dir():
        return []
    found = [
        Version(path, _moment(match[1]), f"{HISTORY}/{path}/{file.name}", file.stat().st_size)
        for file in folder.iterdir()
        if (match := _NAME.fullmatch(file.name))
    ]
    return sorted(found, key=lambda version: version.name, reverse=True)


def move_versions(vault: Vault, old: VaultPath, new: VaultPath) -> None:
    """Let the versions kept of a page follow it to its new path."""
    source, target = (vault.state_file(f"{HISTORY}/{path}") for path in (old, new))
    if not source.is_dir():
        return
    for file in sorted(source.iterdir()):
        content = file.read_bytes()
        if file.is_file() and _NAME.fullmatch(file.name) and not (target / file.name).exists():
            vault.write_state(f"{HISTORY}/{new}/{file.name}", content)
            vault.disk.unlink(file)


def thin_history(vault: Vault, now: datetime) -> int:
    """Remove versions that age has made superfluous; return how many."""
    top = vault.state_file(HISTORY)
    removed = 0
    for folder in [path for path in top.rglob("*") if path.is_dir()] if top.is_dir() else []:
        files = {file: match for file in folder.iterdir() if (match := _NAME.fullmatch(file.name))}
        superfluous = set(versions_to_drop((_moment(m[1]) for m in files.values()), now))
        for file, match in files.items():
            if _moment(match[1]) in superfluous:
                vault.disk.unlink(file)
                removed += 1
    return removed


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


def _moment(name: str) -> datetime:
    return datetime.strptime(name, FORM).replace(tzinfo=UTC)
