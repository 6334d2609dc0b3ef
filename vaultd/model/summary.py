"""The summarizer's words: children in, an abstract and an overview out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChildSummary:
    """What a folder's summary knows of one child.

    `uri` is the vault path, ending in "/" for a folder. `category` is the page's `type`,
    "folder", or "note".
    """

    uri: str
    name: str
    abstract: str
    category: str
    is_directory: bool
    has_abstract: bool


@dataclass(frozen=True, slots=True)
class DirectorySummary:
    """A folder's two texts: `abstract` (at most 200 characters) and `overview` (Markdown).

    `categories` are the children's, sorted, without repeats.
    """

    abstract: str
    overview: str
    child_count: int
    categories: tuple[str, ...]
