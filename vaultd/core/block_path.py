"""Which paths a model may name for a page, on every system alike."""

from __future__ import annotations

import unicodedata

from vaultd.model.paths import VaultPath

FORBIDDEN = frozenset('<>:"|?*')  # no file name on Windows can hold them
DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"]
)
OWN_FOLDERS = frozenset({"media", "reviews"})  # below wiki/; written by code only
LOG = VaultPath("wiki/log.md")
LISTINGS = frozenset({"wiki/index.md", "wiki/overview.md"})


def clean_path(written: str) -> str:
    """Return `written` with "/" and in normal form C, without quoting marks around it."""
    path = written.strip()
    for mark in ("**", "`", '"', "'"):
        if len(path) > 2 * len(mark) and path.startswith(mark) and path.endswith(mark):
            path = path[len(mark) : -len(mark)].strip()
    return unicodedata.normalize("NFC", path.replace("\\", "/"))


def path_fault(path: str) -> str:
    """Say why a page may not be written at the cleaned `path`; "" when it may.

    Source: the path rules of the ingest format, plus: only Markdown, no hidden names, and not
    the folders and listings that code writes.
    """
    segments = path.split("/")
    faults = (
        (not path, "block without a path"),
        (any(unicodedata.category(char) in ("Cc", "Cs") for char in path), "control character"),
        (path.startswith("/"), "absolute path"),
        (path[1:2] == ":", "drive letter"),
        (any(char in FORBIDDEN for char in path), "character that no file name may hold"),
        (".." in segments, "path leaves the vault"),
        ("" in segments or "." in segments, "empty folder name"),
        (any(part[-1:] in (" ", ".") for part in segments), "name ends in a space or a dot"),
        (any(_is_device(part) for part in segments), "device name of Windows"),
        (segments[0] != "wiki" or len(segments) < 2, "not below wiki/"),
        (any(part.startswith(".") for part in segments), "hidden name"),
        (not path.lower().endswith(".md"), "not a Markdown page"),
        (segments[-1].lower() == ".md", "page without a name"),
        (segments[1:2] and segments[1].lower() in OWN_FOLDERS, "folder that code writes"),
        (path.casefold() in LISTINGS, "listing that code writes"),
    )
    return next((reason for fault, reason in faults if fault), "")


def same_path(path: str) -> str:
    """Return the key under which two spellings of a path meet on any disk."""
    return unicodedata.normalize("NFC", path).casefold()


def _is_device(segment: str) -> bool:
    return segment.split(".", 1)[0].strip().casefold() in DEVICES
