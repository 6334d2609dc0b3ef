"""Where things are: the vault, its folders, its state folder, and who writes."""

from __future__ import annotations

import re
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path

from vaultd.errors import UsageError
from vaultd.vault.disk import Disk, make_folders, put_in_place, sorted_faults, write_temp

STATE = ".llm-wiki"
OWN_STATE = "vaultd"  # below a state folder that belongs to the desktop app
RAW = "raw"
WIKI = "wiki"
FOLDERS = (RAW, WIKI, "wiki/sources", "wiki/entities", "wiki/concepts")
SETTINGS, DATABASE = "config.toml", "vaultd.db"
RUNTIME, TOKEN = "bridge.json", "token"  # names of files, not a secret
OWN_FILES = (SETTINGS, DATABASE, "lock", RUNTIME, TOKEN, "vault-id")
FOREIGN_FILES = (  # of the desktop app LLMWiki, none of which we write
    "ingest-cache.json",
    "ingest-queue.json",
    "ingest-warnings.log",
    "review.json",
    "lint.json",
    "lint-config.json",
    "dedup-queue.json",
    "file-snapshot.json",
    "file-change-queue.json",
    "scheduled-import-db.json",
)
VAULT_VARIABLE = "VAULTD_VAULT"
INDEX = "wiki/index.md"
HEAD_CHARS = 4096  # the property block of the index is a few lines
_WRITER = re.compile(r"""^vaultd_writer:[ \t]*["']?([\w-]+)""", re.MULTILINE)


def find_vault(named: Path | None, environ: Mapping[str, str], folder: Path) -> Path:
    """Return the vault: `named`, else `$VAULTD_VAULT`, else the nearest vault around `folder`.

    Raises:
        UsageError: there is none, or what was named is no folder.
    """
    chosen = named or (Path(environ[VAULT_VARIABLE]) if environ.get(VAULT_VARIABLE) else None)
    if chosen is not None:
        if not chosen.is_dir():
            raise UsageError(f"There is no folder {chosen}: name the vault with --vault.")
        return chosen.resolve()
    for candidate in (folder.resolve(), *folder.resolve().parents):
        if (candidate / STATE).is_dir() or (candidate / ".obsidian").is_dir():
            return candidate
    raise UsageError(
        f"No vault found in or above {folder}: use --vault PATH, set {VAULT_VARIABLE}, or run "
        "the command inside a folder that holds .llm-wiki/ or .obsidian/."
    )


def state_folder(root: Path) -> Path:
    """Return the state folder inside the vault; beside the desktop app's files it is a folder
    of its own below theirs.
    """
    state = root / STATE
    ours = any((state / name).exists() for name in OWN_FILES)
    theirs = any((state / name).exists() for name in FOREIGN_FILES)
    if (state / OWN_STATE).is_dir() or (theirs and not ours):
        return state / OWN_STATE
    return state


def database_folder(root: Path, state_dir: str) -> Path:
    """Return where the database goes: the state folder, or `state_dir` if one was set."""
    return Path(state_dir).expanduser().resolve() if state_dir else state_folder(root)


def make_layout(root: Path, disk: Disk | None = None) -> Path:
    """Make the folders of a vault and its state folder; return the latter. Repeatable."""
    disk = disk or Disk()
    state = state_folder(root)
    with sorted_faults():
        for folder in (*(root / name for name in FOLDERS), state):
            make_folders(disk, folder)
        ignore = state / ".gitignore"
        if not ignore.exists():
            put_in_place(disk, write_temp(disk, state, b"*\n"), ignore)
    return state


def vault_id(state: Path, disk: Disk | None = None) -> str:
    """Return the vault's id, made at the first call and kept in its state folder."""
    return _kept_id(state / "vault-id", disk or Disk())


def machine_id(environ: Mapping[str, str], disk: Disk | None = None) -> str:
    """Return this machine's id, kept outside every vault so that no sync tool copies it."""
    return _kept_id(user_folder(environ) / "machine-id", disk or Disk())


def writer_named(root: Path) -> str:
    """Return the id of the machine that writes the vault, as `wiki/index.md` names it, or "".

    Read without a parser of properties: it is asked for at every start of every command.
    """
    try:
        with (root / INDEX).open(encoding="utf-8", errors="replace") as file:
            beginning = file.read(HEAD_CHARS)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    block = beginning.lstrip("\ufeff").partition("---\n")[2].partition("\n---")[0]
    found = _WRITER.search(block)
    return found[1] if found else ""


def user_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder of vaultd's own files on this machine, by the system's custom."""
    home = Path(environ.get("HOME") or Path.home())
    if sys.platform == "win32":
        place = Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        place = home / "Library" / "Application Support"
    else:
        place = Path(environ.get("XDG_STATE_HOME") or home / ".local" / "state")
    return place / "vaultd"


def _kept_id(place: Path, disk: Disk) -> str:
    with sorted_faults():
        if place.exists() and (kept := place.read_text(encoding="ascii").strip()):
            return kept
        made = secrets.token_hex(8)
        make_folders(disk, place.parent)
        put_in_place(disk, write_temp(disk, place.parent, f"{made}\n".encode()), place)
        return made
