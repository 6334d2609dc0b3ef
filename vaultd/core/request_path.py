"""Which paths a program may name from outside: below the vault, visible, spelt one way only."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import unquote

from vaultd.errors import OutsideVaultError
from vaultd.model.paths import VaultPath

LONGEST_PATH = 1024  # characters; Obsidian and every system of its kind stay below
LONGEST_NAME = 255  # bytes of one name, the limit of every common file system
ADVICE = "Name it from the vault's root, such as raw/paper.pdf."
UNSEEN = ("Cc", "Cs")  # Unicode categories: controls, lone surrogates
ROUNDS = 2  # of percent-decoding: what a proxy or a careless client may add

_DRIVE = re.compile(r"[A-Za-z]:")


def named_file(written: str) -> VaultPath:
    """Return the vault path of a file as a request names it.

    Raises:
        OutsideVaultError: it is absolute, climbs, is hidden, or would be so after decoding it
            once or twice; or it is no path of this vault's form.
    """
    spelt = written
    for _ in range(ROUNDS + 1):
        if fault := path_fault(spelt):
            raise OutsideVaultError(f"{_shown(written)} is refused: {fault}. {ADVICE}")
        spelt = unquote(spelt)
    return VaultPath(written)


def named_folder(written: str) -> VaultPath:
    """Return the vault path of a folder as a request names it; "", "." and "/" are the vault.

    Raises:
        OutsideVaultError: as for a file.
    """
    if written in ("", ".", "/", "./"):
        return VaultPath(".")
    return named_file(written.removesuffix("/"))


def path_fault(path: str) -> str:
    """Say why `path` is not accepted as it stands; "" when it is."""
    names = path.split("/")
    faults = (
        (not path, "it is empty"),
        (len(path) > LONGEST_PATH, "it is too long"),
        ("\\" in path, "it holds a backslash"),
        (
            any(unicodedata.category(c) in UNSEEN for c in path),
            "it holds a control character",
        ),
        (path.startswith("/"), "it is absolute"),
        (_DRIVE.match(path) is not None, "it names a drive"),
        (".." in names, "it climbs"),
        ("" in names, "it holds an empty name"),
        (any(name.startswith(".") for name in names), "it is hidden"),
        (
            any(len(name.encode("utf-8", "replace")) > LONGEST_NAME for name in names),
            "it holds a name too long",
        ),
    )
    return next((reason for fault, reason in faults if fault), "")


def _shown(written: str) -> str:
    """Return `written` so that it can stand in one line of a message."""
    return repr(written if len(written) <= 80 else f"{written[:80]}…")
