"""The words of searching: what is indexed, what is asked, what is answered."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from vaultd.model.paths import VaultPath

NO_EMBEDDER = "Nothing is found by meaning: `[embedding] provider` is set to `none`."


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file as search knows it.

    `content_hash` is of its bytes, `made_by` names the splitter and the converter that read
    it, `changed` is a day "YYYY-MM-DD" or "". `type` is the page's own, "note" or "source".
    """

    path: VaultPath
    content_hash: str
    made_by: str
    title: str
    type: str = "note"
    changed: str = ""
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexedPassage:
    """A passage ready to be stored; `windows` are the texts to embed, without a title."""

    text: str
    heading: str
    line: int
    start: int
    end: int
    page: int | None
    language: str
    windows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredEmbedder:
    """One maker of vectors, as stored. `active` tells the one that answers."""

    id: int
    identity: str
    dimensions: int
    active: bool


class Mode(StrEnum):
    """Which lanes may answer; hybrid includes the summaries."""

    HYBRID = "hybrid"
    WORDS = "words"
    VECTORS = "vectors"


@dataclass(frozen=True, slots=True)
class Filters:
    """What a result must satisfy; "" lets everything pass.

    `under` is a folder or a file, `tag` also matches the tags below it, `after` and `before`
    are days "YYYY-MM-DD", both inclusive.
    """

    under: str = ""
    type: str = ""
    tag: str = ""
    after: str = ""
    before: str = ""

    def __bool__(self) -> bool:
        """Tell whether anything is asked for."""
        return bool(self.under or self.type or self.tag or self.after or self.before)


@dataclass(frozen=True, slots=True)
class Question:
    """A question as asked. `typing` says that its last word may be unfinished."""

    text: str
    k: int = 10
    mode: Mode = Mode.HYBRID
    filters: Filters = Filters()
    typing: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """A place where something stands: a file, with its page where it has any."""

    path: VaultPath
    title: str
    page: int | None
    link: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One result; its fields are those of the JSON answer.

    `id` is "p<number>" for a passage, "s:<path>" for a folder or file found by its summary.
    `path` is the file the text stands in; `start` and `end` are character offsets in that
    file, or in its page `page` (physical, from 1). `snippet` is plain text with the words
    found between "**" marks, which occur nowhere else in it. `via` names the lanes. `also`
    are other places that say what is shown: those of sources that a page cites for it, and
    pages that repeat it.
    """

    id: str
    path: VaultPath
    title: str
    heading: str
    line: int
    start: int
    end: int
    page: int | None
    score: float
    snippet: str
    via: tuple[str, ...]
    link: str
    also: tuple[Standing, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found, best first. `lanes` ran; `notes` say in sentences what did not, and why."""

    query: str
    lanes: tuple[str, ...]
    results: tuple[Hit, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Related:
    """A note near in meaning to another one."""

    path: VaultPath
    title: str
    score: float
    link: str


@dataclass(frozen=True, slots=True)
class Title:
    """A file found by its name; `alias` is the name that matched, "" when it is the title."""

    path: VaultPath
    title: str
    alias: str
    type: str
