"""Tools that search, say how things stand, and (if allowed) hand in files and answer reviews."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any, TypeVar
from urllib.parse import quote

from pydantic import Field

from vaultd.core.request_path import named_file, named_folder
from vaultd.errors import NotFoundError, UsageError, VaultdError
from vaultd.mcp.answers import (
    Decided,
    Found,
    IngestState,
    Near,
    NearNotes,
    OpenReview,
    OpenReviews,
    SearchAnswer,
    SourcePlace,
    SourceState,
    Submitted,
    Work,
)
from vaultd.mcp.places import (
    Name,
    document_at,
    is_folder,
    no_folder,
    note_at,
    note_named,
    places_named,
    source_place,
)
from vaultd.mcp.shelf import Shelf
from vaultd.model.paths import VaultPath
from vaultd.model.search import Filters, Question
from vaultd.search.hits import link_to
from vaultd.status import job_document, told_state
from vaultd.store import joblist, reviews
from vaultd.store.database import Connection
from vaultd.store.joblist import JobRow
from vaultd.store.standing import Part, Standing, standing, standings

MOST = 20  # results; more fills an agent's context without answering better
MOST_FILES = 50  # of those that are not simply done

T = TypeVar("T")

Query = Annotated[str, Field(min_length=1, description="A question or words, in any language.")]
Count = Annotated[int, Field(ge=1, le=MOST, description="How many results.")]
Under = Annotated[str, Field(description='Only below this folder, e.g. "wiki" or "raw/ml".')]
Kind = Annotated[str, Field(description='Only pages of this type, e.g. "concept".')]
Tag = Annotated[str, Field(description="Only notes with this tag.")]
Source = Annotated[str, Field(description='Path of a file below "raw/".')]
Review = Annotated[str, Field(description="Id of an open review.")]
Action = Annotated[str, Field(description='One of its options, or "answer" with `text`.')]
Words = Annotated[str, Field(description="The person's own words, with the action `answer`.")]


class Asking:
    """The tools that ask the search and the daemon."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    async def search(
        self, query: Query, k: Count = 8, under: Under = "", type: Kind = "", tag: Tag = ""
    ) -> SearchAnswer:
        """Search the whole vault (pages, the person's notes, documents) by words and by meaning.
        Results name their place; `fetch` gets the text."""
        folder = named_folder(under)
        if not await is_folder(self._shelf, folder):
            raise await no_folder(self._shelf, folder, f"There is no folder {folder}.")
        filters = Filters("" if folder == "." else folder, type, tag.lstrip("#"))
        asked = {"query": query, "k": k} | {
            name: value for name, value in asdict(filters).items() if value
        }
        answer = await self._shelf.ask("POST", "/v1/search", asked)
        if answer is None:
            engine = await self._shelf.engine()
            answer = asdict(await engine.search(Question(query, k, filters=filters)))
        found = [await self._found(hit) for hit in answer["results"]]
        return SearchAnswer(found, [str(each) for each in answer.get("notes", ())])

    async def wiki_related(self, name: Name, k: Count = 8) -> NearNotes:
        """List the notes and pages nearest in meaning to one."""
        path = await document_at(self._shelf, name) or (await note_named(self._shelf, name)).path
        answer = await self._shelf.ask("POST", "/v1/related", {"path": path, "k": k})
        if answer is None:
            engine = await self._shelf.engine()
            answer = {"results": [asdict(each) for each in await engine.related(path, k)]}
        near = [_of(Near, each) for each in answer["results"]]
        return NearNotes(path, near, list(answer.get("notes", ())))

    async def ingest_status(self, path: Source = "") -> IngestState:
        """Say what the daemon is doing: counts, jobs under way, and what is held back and why.
        With a path: how that one file stands and which pages were written from it."""
        files, jobs = await self._shelf.read(_under_way, named_file(path) if path else None)
        if path and not files:
            raise NotFoundError(
                f"{path} is no file below raw/ that vaultd has seen: `search` with `under` set to "
                '"raw" finds documents.'
            )
        status = await self._shelf.status()
        running = status["state"] == "running"
        return IngestState(
            state=status["state"],
            counts=dict(status["counts"]),
            files=[
                SourceState(f.path, told_state(f.state, running=running), f.reason, list(f.pages))
                for f in files
            ],
            jobs=[_of(Work, job_document(each, running=running)) for each in jobs],
            reviews_open=status["reviews_open"],
            problems=[each["text"] for each in status["problems"]],
        )

    async def review_list(self) -> OpenReviews:
        """List the questions that wait for a person's decision, with their options."""
        return OpenReviews(
            [
                OpenReview(
                    id=each.id,
                    kind=each.kind.value,
                    title=each.title,
                    text=each.text,
                    options=list(each.options),
                    pages=list(each.pages),
                    sources=[f"raw/{source}" for source in each.sources],
                    link=link_to(self._shelf.name, each.note) if each.note else "",
                )
                for each in await self._shelf.read(reviews.reviews)
            ]
        )

    async def ingest_submit(self, path: Source) -> Submitted:
        """Have a file of the vault turned into pages now. Needs a running vaultd."""
        job = await self._told("POST", "/v1/ingest", {"path": named_file(path)})
        return Submitted(job["id"], job["subject"], job["state"])

    async def review_decide(self, id: Review, action: Action, text: Words = "") -> Decided:
        """Answer an open review as the person told you to. Needs a running vaultd."""
        if action == "answer" and not text.strip():
            raise UsageError("The action `answer` needs the person's own words in `text`.")
        body = {"action": action} | ({"text": text} if text else {})
        try:
            job = await self._told("POST", f"/v1/reviews/{quote(id, safe='')}", body)
        except NotFoundError as error:
            raise NotFoundError(f"There is no review {id}: `review_list` lists them.") from error
        return Decided(id, action, str(job["state"]))

    async def _told(self, method: str, route: str, body: Mapping[str, Any]) -> Any:
        answer = await self._shelf.ask(method, route, body)
        if answer is None:
            raise VaultdError(
                "Nothing was changed: no running vaultd answers, and without it this server can "
                "only read. Start `vaultd run` with its bridge enabled."
            )
        return answer

    async def _found(self, hit: Mapping[str, Any]) -> Found:
        path, page = VaultPath(hit["path"]), hit["page"]
        return Found(
            id=hit["id"],
            title=hit["title"],
            url=hit["link"],
            path=path,
            heading=hit["heading"],
            line=hit["line"],
            page=page,
            score=hit["score"],
            snippet=hit["snippet"],
            sources=await self._proof(path, page, hit["start"], hit["end"]),
            also=[each["path"] for each in hit["also"]],
        )

    async def _proof(
        self, path: VaultPath, page: int | None, start: int, end: int
    ) -> list[SourcePlace]:
        """Return where a result comes from: a document itself, or the places a passage names."""
        if path.startswith("raw/"):
            return [source_place(self._shelf, path, page)]
        note = await note_at(self._shelf, path) if path.lower().endswith(".md") else None
        return places_named(self._shelf, note.text[start:end]) if note else []


def _under_way(db: Connection, path: VaultPath | None) -> tuple[list[Standing], list[JobRow]]:
    """Return the files that are not simply done, and the open jobs; or those of one file."""
    if path is None:
        files = standings(db, Part(limit=MOST_FILES, unsettled=True))
        return files, list(joblist.listed(db, limit=MOST_FILES))
    found = standing(db, path)
    jobs = [each for each in joblist.of_subject(db, path) if each.state in joblist.OPEN]
    return [] if found is None else [found], jobs


def _of(kind: type[T], found: Mapping[str, Any]) -> T:
    """Return the fields of `found` that `kind` has."""
    return kind(**{name: found[name] for name in kind.__dataclass_fields__})  # type: ignore[attr-defined]
