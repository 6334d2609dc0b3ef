"""Which files are sources, which are notes, and why the others are neither."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from pathspec import GitIgnoreSpec

from vaultd.core.block_path import same_path

RAW = "raw/"

# The formats the converters read, and the legacy ones they name clearly as not supported.
_TEXTS = ("md", "mdx", "markdown", "txt", "text", "org", "rst", "rtf", "html", "htm", "xhtml")
_OFFICE = ("doc", "docx", "docm", "ppt", "pps", "pot", "pptx", "pptm", "ppsx", "ppsm")
_TABLES = ("xls", "xlsx", "xlsm", "xlsb", "csv", "tsv", "odt", "odp", "ods")
_BOOKS = ("pdf", "epub", "eml", "mhtml", "mht")
_PICTURES = ("png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "jp2")
_REFUSED = ("tmp", "temp", "bak", "swp", "exe", "dll", "so", "dylib", "bin", "iso", "dmg")

DEFAULT_INCLUDE: tuple[str, ...] = tuple(
    f"*.{suffix}" for suffix in (*_TEXTS, *_OFFICE, *_TABLES, *_BOOKS, *_PICTURES)
)
DEFAULT_EXCLUDE: tuple[str, ...] = (
    *(f"*.{suffix}" for suffix in _REFUSED),
    "*.draft.*",
    "draft-*",
    "*.private.*",
    "node_modules/",
    "__pycache__/",
    "raw/assets/",  # the attachment folder of vaults made by the desktop app
)
DEFAULT_MAX_BYTES = 100 * 1024 * 1024

CONFLICT = re.compile(
    r"\.sync-conflict-\d{8}-\d{6}"  # Syncthing
    r"|conflicted copy"  # Dropbox and Obsidian Sync, any language keeps these words in the file
    r"|^conflict-files-obsidian-git\.md$"
    r"|\(case conflict\b"  # Dropbox
    r"|_conf\(\d+\)"  # Nextcloud of old
    r"|\[conflict\]"  # Google Drive
    r"|-conflict-\d{8}"
)
LEFTOVER_STARTS = (".", "~$", "~syncthing~", "~wrl")
LEFTOVER_SUFFIXES = frozenset(
    {"part", "partial", "crdownload", "filepart", "download", "opdownload", "swp", "swo", "swx"}
    | {"icloud", "!ut", "aria2", "syncthing"}
)
DROPPINGS = frozenset({"desktop.ini", "thumbs.db", "ehthumbs.db", "icon\r"})
FOREIGN_FOLDERS = frozenset({"@eadir", "__macosx", "#recycle", "$recycle.bin", "@tmp"})
STUB = re.compile(r"^\.(?P<name>.+)\.icloud$")  # what iCloud leaves of an evicted file
WILD = re.compile(r"[*?/]|\[.*")  # the parts of a rule that stand for something else
PLAIN_SUFFIX = re.compile(r"\*\.[A-Za-z0-9]+$")


class Fate(StrEnum):
    """What becomes of a file that the scan met."""

    SOURCE = "source"
    NOTE = "note"
    SKIPPED = "skipped"  # below raw/, and not taken
    CONFLICT = "conflict"  # a sync tool's second copy of a note
    NOTHING = "nothing"  # neither a source nor a note


@dataclass(frozen=True, slots=True)
class Verdict:
    """A file's fate; `code` and `reason` say why it is not taken."""

    fate: Fate
    code: str = ""
    reason: str = ""


TAKEN_AS_SOURCE = Verdict(Fate.SOURCE)
TAKEN_AS_NOTE = Verdict(Fate.NOTE)
NOTHING = Verdict(Fate.NOTHING)


def is_leftover(lowered: str) -> bool:
    """Tell whether a file of this name (in lower case) is hidden, temporary or a dropping."""
    return (
        lowered.startswith(LEFTOVER_STARTS)
        or lowered.rpartition(".")[2] in LEFTOVER_SUFFIXES
        or lowered in DROPPINGS
    )


def is_conflict_copy(lowered: str) -> bool:
    """Tell whether a sync tool made this file name (in lower case) out of another."""
    return "conf" in lowered and CONFLICT.search(lowered) is not None


class ExcludedFiles:
    """The "excluded files" of Obsidian: beginnings of paths, and /expressions/ in their midst.

    Case does not matter. An expression that cannot be read here excludes nothing.
    """

    def __init__(self, filters: Iterable[str]) -> None:
        written = [unicodedata.normalize("NFC", each) for each in filters if each]
        expressions = [each[1:-1] for each in written if _is_expression(each)]
        self._begins = tuple(each.casefold() for each in written if not _is_expression(each))
        self._expressions = tuple(filter(None, map(_compiled, expressions)))

    def __bool__(self) -> bool:
        return bool(self._begins or self._expressions)

    def __contains__(self, path: str) -> bool:
        if not path.isascii():
            path = unicodedata.normalize("NFC", path)
        if self._begins and path.casefold().startswith(self._begins):
            return True
        return any(expression.search(path) for expression in self._expressions)


def _is_expression(written: str) -> bool:
    return len(written) > 2 and written[0] == written[-1] == "/"


def _compiled(expression: str) -> re.Pattern[str] | None:
    try:
        return re.compile(expression, re.IGNORECASE)
    except re.error:
        return None


def visible_name(name: str) -> str:
    """Return the file name that Obsidian shows for an entry of a folder, "" for a hidden one.

    The stub of a file that iCloud evicted stands for the file.
    """
    stub = STUB.match(name)
    return stub["name"] if stub else "" if name.startswith(".") else name


class Patterns:
    """Gitignore rules; plain `*.suffix` rules are looked up instead of matched.

    The others are matched only where a path holds the literal part of one of them.
    """

    def __init__(self, rules: Iterable[str]) -> None:
        lines = [line for line in rules if line.strip() and not line.lstrip().startswith("#")]
        negated = any(line.startswith("!") for line in lines)
        plain = [] if negated else [line for line in lines if PLAIN_SUFFIX.match(line)]
        self.suffixes = frozenset(line[2:].lower() for line in plain)
        rest = [line for line in lines if line not in plain]
        self.spec = GitIgnoreSpec.from_lines(rest) if rest else None
        self.hints = _hints(rest)

    def __contains__(self, path: str) -> bool:
        if self.suffixes and path.rpartition(".")[2].lower() in self.suffixes:
            return True
        if self.spec is None:
            return False
        for hint in self.hints:  # a plain loop: this is asked of every file at every look
            if hint in path:
                return self.spec.match_file(path)
        return False


def _hints(rules: Iterable[str]) -> tuple[str, ...]:
    """Return texts of which one is in every path that one of the rules matches."""
    literals = [
        "" if "\\" in rule else max(WILD.split(rule.rstrip()), key=len)
        for rule in rules
        if not rule.startswith("!")  # it only takes back what another matched
    ]
    return tuple(dict.fromkeys(literals)) if all(literals) else ("",)


class Rules:
    """Decides by name and size. Paths are vault paths; `max_bytes` limits sources only.

    `include` and `exclude` (gitignore rules, seen from the vault's root) speak about `raw/`,
    `ignore_file` (the text of `.vaultdignore`) and `templates` (folders) about everything.
    """

    def __init__(
        self,
        *,
        include: Iterable[str] = DEFAULT_INCLUDE,
        exclude: Iterable[str] = DEFAULT_EXCLUDE,
        ignore_file: str = "",
        templates: Iterable[str] = (),
        max_bytes: int = DEFAULT_MAX_BYTES,
    ) -> None:
        self.included = Patterns(include)
        self.excluded = Patterns(exclude)
        self.ignored = Patterns(ignore_file.splitlines())
        self.templates = frozenset(same_path(folder) for folder in templates)
        self.max_bytes = max_bytes

    def enters(self, folder: str) -> bool:
        """Tell whether the scan looks into `folder`."""
        name = folder.rpartition("/")[2]
        if name.startswith(".") or name.lower() in FOREIGN_FOLDERS:
            return False
        if self.templates and same_path(folder) in self.templates:
            return False
        return f"{folder}/" not in self.ignored

    def judge(self, path: str, size: int) -> Verdict:
        """Return the fate of the file at `path` of `size` bytes."""
        name = path.rpartition("/")[2]
        if not path.startswith(RAW):
            return self._judge_note(path, name)
        left_out = self._left_out(path, name, size)
        return Verdict(Fate.SKIPPED, *left_out) if left_out else TAKEN_AS_SOURCE

    def _judge_note(self, path: str, name: str) -> Verdict:
        lowered = name.lower()
        if not lowered.endswith(".md") or is_leftover(lowered) or path in self.ignored:
            return NOTHING
        if is_conflict_copy(lowered):
            return Verdict(Fate.CONFLICT, "conflict", "a sync tool's conflict copy")
        return TAKEN_AS_NOTE

    def _left_out(self, path: str, name: str, size: int) -> tuple[str, str] | None:
        lowered = name.lower()
        if is_leftover(lowered):
            return "leftover", "a hidden or temporary file of another program"
        if is_conflict_copy(lowered):
            return "conflict", "a sync tool's conflict copy; keep the better one and delete it"
        if path in self.ignored or path in self.excluded:
            return "excluded", "left out by the exclude rules"
        if path not in self.included:
            suffix = PurePosixPath(name).suffix.lower()
            kind = f"of type {suffix}" if suffix else "without a suffix"
            return "unsupported", f"files {kind} are not taken"
        if size > self.max_bytes:
            return "too_large", f"larger than {self.max_bytes / 1024**2:g} MB"
        return None
