"""The summarizer's words: children in, an abstract and an overview out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from vaultd.model.paths import VaultPath


class NodeKind(StrEnum):
    """What a summary describes."""

    FOLDER = "folder"
    FILE = "file"


class NodeState(StrEnum):
    """How good a stored summary is."""

    OK = "ok"  # made from the inputs named by its digest
    FALLBACK = "fallback"  # made by rule because the model failed; healed by itself
    STALE = "stale"  # a good text of earlier inputs, kept because the refresh failed
    FAILED = "failed"  # there is no text, and the last try failed


@dataclass(frozen=True, slots=True)
class ChildSummary:
    """What a folder's summary knows of one child.

    `uri` is the vault path, ending in "/" for a folder. `category` is the page's `type`,
    "folder", or "note". `title` is the note's own where it differs from its `name`.
    """

    uri: str
    name: str
    abstract: str
    category: str
    is_directory: bool
    has_abstract: bool
    title: str = ""

    @property
    def shown(self) -> str:
        """What people read for its name."""
        return self.title or self.name


@dataclass(frozen=True, slots=True)
class DirectorySummary:
    """A folder's two texts: `abstract` (at most 200 characters) and `overview` (Markdown).

    `categories` are the children's, sorted, without repeats.
    """

    abstract: str
    overview: str
    child_count: int
    categories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """The stored summary of one folder or file.

    `listing` names the children in one line; a parent reads it in place of a fallback text.
    `partial` counts children that could not be read. `generation` grows with every replacement.
    `next_try` is set while something is to be repaired; `attempts` counts failures in a row.
    `description` is what a person said about a file, "" for folders.
    """

    path: VaultPath
    kind: NodeKind
    state: NodeState
    input_digest: str
    abstract: str = ""
    overview: str = ""
    listing: str = ""
    child_count: int = 0
    categories: tuple[str, ...] = ()
    partial: int = 0
    language: str = ""
    author: str = ""
    prompt_version: str = ""
    description: str = ""
    generation: int = 0
    attempts: int = 0
    next_try: datetime | None = None
    error_code: str = ""
