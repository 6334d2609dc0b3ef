"""From a folder's children to its row: the author's text, or the one made by rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache

from vaultd.author.seam import FolderRequest
from vaultd.core.fallback import categories_of, fallback_summary, listing_of
from vaultd.core.language import language_of
from vaultd.core.staleness import Maker
from vaultd.errors import VaultdError
from vaultd.model.paths import VaultPath
from vaultd.model.summary import ChildSummary, DirectorySummary, Node, NodeKind, NodeState
from vaultd.summarize.ask import Asker, Tally
from vaultd.summarize.child import MOST_KNOWN
from vaultd.summarize.file_nodes import is_good
from vaultd.summarize.inputs import Inputs
from vaultd.summarize.note import title_of

_language = lru_cache(MOST_KNOWN)(language_of)  # of abstracts, looked at again at every visit


class Describer:
    """Turns children into an abstract and an overview."""

    def __init__(self, asker: Asker, *, prompt_version: str, language: str) -> None:
        self._asker = asker
        self._prompt_version = prompt_version
        self._language = language

    def maker(self, children: Sequence[ChildSummary]) -> Maker:
        """Return what a folder's text depends on besides its children."""
        language = self._language
        if language in ("", "auto"):
            found = Counter(_language(child.abstract) for child in children)
            found.pop("", None)
            language = max(sorted(found), key=lambda code: found[code], default="en")
        return Maker(
            self._asker.author.name, self._prompt_version, language, self._asker.max_children
        )

    def next_try(self, attempts: int, error: VaultdError) -> tuple[int, datetime | None]:
        """As `Asker.next_try`."""
        return self._asker.next_try(attempts, error)

    async def summary(
        self,
        folder: VaultPath,
        children: Sequence[ChildSummary],
        tally: Tally,
        *,
        maker: Maker | None = None,
        previous: Node | None = None,
    ) -> tuple[DirectorySummary, VaultdError | None]:
        """Return both texts; with an error, they are those made by rule."""
        maker = maker or self.maker(children)
        request = FolderRequest(
            folder=folder,
            name=title_of(folder),
            language=maker.language,
            children=tuple(child for child in children if child.has_abstract),
            previous=(previous.abstract, previous.overview)
            if previous is not None and is_good(previous)
            else None,
            total=len(children),
        )
        try:
            text = await self._asker.folder(request, maker, tally)
        except VaultdError as error:
            return fallback_summary(children, maker.language), error
        categories = categories_of(children)
        return DirectorySummary(text.abstract, text.overview, len(children), categories), None

    async def row(
        self,
        folder: VaultPath,
        old: Node | None,
        inputs: Inputs,
        maker: Maker,
        digest: str,
        tally: Tally,
    ) -> Node:
        """Return the new row of `folder`. A good text outlives a failure, marked stale."""
        summary, error = await self.summary(
            folder, inputs.children, tally, maker=maker, previous=old
        )
        made = folder_row(folder, summary, inputs, maker, digest, old)
        return made if error is None else self._failed(made, old, error)

    def _failed(self, made: Node, old: Node | None, error: VaultdError) -> Node:
        attempts, at = self._asker.next_try(old.attempts if old else 0, error)
        failed = replace(
            made, state=NodeState.FALLBACK, attempts=attempts, next_try=at, error_code=error.code
        )
        if old is None or not is_good(old):
            return failed
        return replace(
            failed,
            state=NodeState.STALE,
            abstract=old.abstract,
            overview=old.overview,
            author=old.author,
            language=old.language,
        )


def folder_row(
    folder: VaultPath,
    summary: DirectorySummary,
    inputs: Inputs,
    maker: Maker,
    digest: str,
    old: Node | None,
) -> Node:
    """Return the row that follows `old` when `maker` described `inputs`, which have `digest`."""
    return Node(
        path=folder,
        kind=NodeKind.FOLDER,
        state=NodeState.OK,
        input_digest=digest,
        abstract=summary.abstract,
        overview=summary.overview,
        listing=listing_of(inputs.children),
        child_count=summary.child_count,
        categories=summary.categories,
        partial=inputs.unreadable,
        language=maker.language,
        author=maker.author,
        prompt_version=maker.prompt_version,
        generation=old.generation + 1 if old else 1,
    )
