"""Reviews: answers that people tick or write in notes, and what follows from them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from vaultd.core.link import link_to, passage_link
from vaultd.core.names import distinct_path
from vaultd.core.page import NewProperties, decode_note, new_page_text
from vaultd.core.review import HAND_BACK, RETRY, Answer, answer_in
from vaultd.core.sanitise import sanitise
from vaultd.core.schema import parse_schema, route
from vaultd.core.timing import stamp
from vaultd.errors import NotFoundError, PageChangedError, UsageError
from vaultd.model.jobs import Job, JobKind, NewJob, Progress
from vaultd.model.paths import Clock, SourceId, VaultPath
from vaultd.model.wiki import PageRef, ReviewKind
from vaultd.publish.catalog import read_wiki
from vaultd.publish.plan import Plan, Removal, Write
from vaultd.publish.publish import publish
from vaultd.publish.questions import note_settled
from vaultd.store import jobs, pages, receipt, reviews
from vaultd.store.database import Database
from vaultd.store.reviews import ReviewItem
from vaultd.vault.files import Vault

FOLDER = "wiki/reviews/"
CREATE, ACCEPT, ANSWER = "Create Page", "Accept", "answer"
STUB_TYPE = "concept"


@dataclass(frozen=True, slots=True)
class Reviews:
    """The open questions of one vault."""

    vault: Vault
    db: Database
    clock: Clock
    author: str

    async def take_answer(self, note: VaultPath) -> Mapping[str, Any]:
        """Read the review note at `note` and queue what its answer asks for, if it has one."""
        item = await self.db.read(reviews.by_note, note)
        if item is None or item.state != "open":
            return {"state": "unknown"}
        content = await asyncio.to_thread(self.vault.read, note)
        if content is None:
            return {"state": "gone"}
        answer = answer_in(content.decode("utf-8", "replace"), item.options)
        if answer is None:
            return {"state": "open"}
        job = NewJob(
            JobKind.REVIEW,
            item.id,
            payload={"action": answer.action, "text": answer.text},
            person=True,
        )
        await self.db.run(jobs.enqueue_all, [job], now=self.clock())
        return {"state": "answered", "action": answer.action}

    async def act(self, job: Job, progress: Progress) -> Mapping[str, Any]:
        """Carry out an answer: the workflow of `JobKind.REVIEW`.

        Raises:
            NotFoundError: there is no such item.
            UsageError: the action is none of its options.
        """
        progress("review")
        item = await self.db.read(reviews.review, job.subject)
        if item is None:
            raise NotFoundError(f"There is no review {job.subject}.")
        if item.state != "open":
            return {"id": item.id, "state": item.state}
        answer = checked_answer(item, job.payload)
        writes, follow = await self._consequences(item, answer)
        removals = await self.note_away(item)
        decision = {"id": item.id, "action": answer.action, "answer": answer.text}
        await publish(
            Plan(
                writes=writes,
                removals=removals,
                jobs=(*follow, *_following(writes)),
                dirty=tuple(write.path for write in writes),
                events=(("review.answered", {"id": item.id, "action": answer.action}),),
                log=item.title if writes else "",
                action="review",
                listing=bool(writes),
                note={"at": stamp(self.clock()), "answered": [decision]},
            ),
            db=self.db,
            vault=self.vault,
            clock=self.clock,
            also=receipt.record,
        )
        return {"id": item.id, "action": answer.action, "pages": [each.path for each in writes]}

    async def note_away(self, item: ReviewItem) -> tuple[Removal, ...]:
        """Keep the answered note in the state folder and take it out of the vault's graph."""
        return await note_settled(item, self.vault)

    async def _consequences(
        self, item: ReviewItem, answer: Answer
    ) -> tuple[tuple[Write, ...], tuple[NewJob, ...]]:
        if answer.action == CREATE:
            return (await self._new_page(item),), ()
        if answer.action == ACCEPT and item.proposal:
            return (await self._proposed(item),), ()
        if answer.action == HAND_BACK:
            return (), tuple(_handing_back(page) for page in item.pages)
        if answer.action == RETRY:
            again = {"again": True}
            paths = [f"raw/{source}" for source in item.sources]
            return (), tuple(
                NewJob(JobKind.INGEST, path, payload=again, person=True) for path in paths
            )
        if answer.action == ANSWER:
            writes = [await self._settled(item, page, answer.text) for page in item.pages]
            return tuple(write for write in writes if write is not None), ()
        return (), ()

    async def _new_page(self, item: ReviewItem) -> Write:
        """Write a page from the review's text, linked to where the question came from."""
        schema = await asyncio.to_thread(self.vault.read, VaultPath("schema.md"))
        known = parse_schema(schema.decode("utf-8", "replace") if schema else "")
        wiki = await read_wiki(self.db, self.vault, known)
        title = page_title(item)
        place = route(known, STUB_TYPE, f"wiki/concepts/{title}.md")
        path = distinct_path(place.folder, title, wiki.taken)
        by_path = {page.path: page for page in wiki.pages}
        named = [by_path.get(page, PageRef(page, page, "")) for page in item.pages]
        links = [link_to(page.path, page.title) for page in named]
        today = self.clock().date()
        properties = NewProperties(
            type=place.type,
            title=title,
            created=today,
            updated=today,
            author=self.author,
            related=tuple(links),
            sources=item.sources,
        )
        parts = [f"# {title}", sanitise(item.text).body.strip()]
        parts.append("\n".join(f"- {each}" for each in _origins(links, item.sources)))
        return Write(path, new_page_text(properties, "\n\n".join(parts)).encode(), None)

    async def _proposed(self, item: ReviewItem) -> Write:
        proposal = item.proposal or {}
        path = VaultPath(proposal["path"])
        content = await asyncio.to_thread(self.vault.read, path)
        if content is not None and proposal.get("over") not in (None, _digest(content)):
            raise PageChangedError(f"{path} was changed since the proposal was made.")
        written = await self.db.read(pages.last_written, path)
        base = written.base if written else None  # the rest of the page may be the person's
        known = base is not None or content is None
        return Write(path, str(proposal["text"]).encode(), content, base=base, known=known)

    async def _settled(self, item: ReviewItem, page: VaultPath, words: str) -> Write | None:
        """Put a person's own answer on a page it concerns, as their words and not as ours."""
        content = await asyncio.to_thread(self.vault.read, page)
        if content is None:
            return None
        text = decode_note(content, page)
        quoted = "\n".join(f"> {line}".rstrip() for line in words.splitlines())
        day = self.clock().date().isoformat()
        box = f"> [!note] {item.title} ({day})\n{quoted}\n"
        if box in text:
            return None
        written = await self.db.read(pages.last_written, page)
        base = written.base if written else None
        joined = f"{text.rstrip()}\n\n{box}"
        return Write(page, joined.encode(), content, base=base, known=base is not None)


def _handing_back(note: VaultPath) -> NewJob:
    folder = note.rpartition("/")[0]
    payload = {"asked": True, "hand_back": True}
    return NewJob(JobKind.SUMMARIZE, folder, payload=payload, person=True)


def page_title(item: ReviewItem) -> str:
    """Return the title of the page that a review asks for."""
    title = item.title.strip()
    if item.kind is ReviewKind.MISSING_PAGE and ":" in title:
        title = title.split(":", 1)[1].strip() or title
    return title


def checked_answer(item: ReviewItem, payload: Mapping[str, Any]) -> Answer:
    """Return the answer in a job's payload.

    Raises:
        UsageError: it is none of the item's options, or own words without words.
    """
    action, text = str(payload.get("action", "")), str(payload.get("text", "")).strip()
    if action == ANSWER and text:
        return Answer(ANSWER, text)
    for option in item.options:
        if option.casefold() == action.casefold():
            return Answer(option, text)
    options = ", ".join(item.options)
    raise UsageError(f"{action!r} does not answer {item.id}. Possible: {options}, or own words.")


def _origins(links: list[str], sources: tuple[SourceId, ...]) -> list[str]:
    named = [passage_link(VaultPath(f"raw/{source}"), None, source) for source in sources]
    return [*links, *named]


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def _following(writes: tuple[Write, ...]) -> tuple[NewJob, ...]:
    return tuple(NewJob(JobKind.INDEX, each.path, _digest(each.content)) for each in writes)
