"""What the offline author asks a person: only what a rule can see."""

from __future__ import annotations

from vaultd.author.offline.labels import labels_for
from vaultd.core.phrase import key_of
from vaultd.model.wiki import Draft, PageDraft, PageRef, ReviewDraft, ReviewKind, WikiContext

MOST = 3  # questions a source may raise


def reviews_for(draft: Draft, wiki: WikiContext) -> tuple[ReviewDraft, ...]:
    """Return a question for each new page that may be a page the wiki has under another name."""
    own = {page.path for page in draft.pages}
    questions = [
        _question(page, other, wiki.language)
        for page in draft.pages
        if page.type != "source"
        for other in wiki.pages
        if other.path not in own and other.type != "source" and _alike(page.title, other.title)
    ]
    return tuple(questions[:MOST])


def _alike(a: str, b: str) -> bool:
    """Tell whether two titles may name one thing: equal but for order, or one word more."""
    first, second = set(key_of(a).split()), set(key_of(b).split())
    smaller, larger = sorted((first, second), key=len)
    return first == second or (
        len(smaller) >= 2 and smaller < larger and len(larger - smaller) == 1
    )


def _question(page: PageDraft, other: PageRef, language: str) -> ReviewDraft:
    labels = labels_for(language)
    return ReviewDraft(
        kind=ReviewKind.DUPLICATE,
        title=f"{page.title}{labels.colon}{other.title}",
        text=labels.duplicate.format(new=page.title, old=other.title),
        options=("Skip",),
        pages=(page.path, other.path),
    )
