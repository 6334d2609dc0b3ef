"""Review items: which of them are new, and the notes that put them to the person."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from vaultd.core.block_path import same_path
from vaultd.core.link import Targets, link_to, passage_link
from vaultd.core.names import distinct_path
from vaultd.core.properties import render_block
from vaultd.core.review import note_body, review_id
from vaultd.core.sanitise import sanitise
from vaultd.model.paths import SourceId, VaultPath
from vaultd.model.wiki import PageRef, ReviewDraft
from vaultd.publish.plan import Removal, Write
from vaultd.store import reviews
from vaultd.store.database import Database
from vaultd.store.reviews import ReviewItem
from vaultd.vault.files import Vault

REVIEWS_FOLDER = VaultPath("wiki/reviews")
KEPT = "reviews"  # folder of the state folder that keeps the notes of questions that are over


@dataclass(frozen=True, slots=True)
class Question:
    """A review draft on its way to the person; `proposal` is what we would write instead."""

    draft: ReviewDraft
    proposal: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """Notes to be written and rows to be stored with the plan's receipt."""

    writes: tuple[Write, ...] = ()
    rows: tuple[dict[str, Any], ...] = field(default=())


async def asked(
    questions: Iterable[tuple[Question, SourceId]],
    *,
    targets: Targets,
    today: date,
    db: Database,
    vault: Vault,
) -> Asked:
    """Return the note and the row of every question, each with its source, that is not known yet.

    A question that was answered stays answered; one that is open gains what is new about it,
    without a second note.
    """
    taken = await asyncio.to_thread(_taken, vault)
    writes: list[Write] = []
    rows: list[dict[str, Any]] = []
    for question, source in questions:
        item = review_id(question.draft.kind, question.draft.title)
        known = await db.read(reviews.review, item)
        pages = _pages(question.draft, targets)
        note: VaultPath | None = None
        is_new = known is None or reviews.comes_again(known)
        if is_new and item not in {row["id"] for row in rows}:
            note = distinct_path(REVIEWS_FOLDER, question.draft.title, taken)
            taken.add(same_path(note))
            text = _note_text(question.draft, item, pages, source, today)
            writes.append(Write(note, text.encode(), None))
        rows.append(_row(question, item, pages, source, note))
    return Asked(tuple(writes), tuple(rows))


async def note_settled(item: ReviewItem, vault: Vault) -> tuple[Removal, ...]:
    """Keep the note of a question that is over in the state folder; return its removal."""
    content = await asyncio.to_thread(vault.read, item.note) if item.note else None
    if item.note is None or content is None:
        return ()
    name = f"{KEPT}/{item.note.removeprefix(f'{REVIEWS_FOLDER}/')}"
    await asyncio.to_thread(vault.write_state, name, content)
    return (Removal(item.note, content, trashed=False),)


def _taken(vault: Vault) -> set[str]:
    folder = vault.root / REVIEWS_FOLDER
    names = (place.name for place in folder.iterdir()) if folder.is_dir() else ()
    return {same_path(f"{REVIEWS_FOLDER}/{name}") for name in names}


def _pages(draft: ReviewDraft, targets: Targets) -> tuple[PageRef, ...]:
    found = (targets.find(page, "wiki") for page in draft.pages)
    return tuple({page.path: page for page in found if page is not None}.values())


def _note_text(
    draft: ReviewDraft, item: str, pages: tuple[PageRef, ...], source: SourceId, today: date
) -> str:
    block = render_block(
        (
            ("type", "review"),
            ("title", draft.title),
            ("kind", draft.kind.value),
            ("review", item),
            ("created", today),
            ("sources", (source,) if source else ()),
        )
    )
    links = [link_to(page.path, page.title) for page in pages]
    if source:
        links.append(passage_link(VaultPath(f"raw/{source}"), None, source))
    body = note_body(sanitise(draft.text).body, draft.options, tuple(links), draft.searches)
    return f"{block}\n{body}"


def _row(
    question: Question,
    item: str,
    pages: tuple[PageRef, ...],
    source: SourceId,
    note: VaultPath | None,
) -> dict[str, Any]:
    draft = question.draft
    return {
        "id": item,
        "kind": draft.kind.value,
        "title": draft.title,
        "text": draft.text,
        "options": list(draft.options),
        "pages": [page.path for page in pages],
        "searches": list(draft.searches),
        "sources": [source] if source else [],
        "proposal": dict(question.proposal) if question.proposal else None,
        "note": note,
    }
