"""What follows a publication: files to be indexed, questions where a person stood against us."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from vaultd.core.update import Updated
from vaultd.model.jobs import JobKind, NewJob
from vaultd.model.paths import VaultPath
from vaultd.model.wiki import ReviewDraft, ReviewKind
from vaultd.publish.plan import Write
from vaultd.publish.questions import Question


def following_jobs(
    writes: Sequence[Write], source: VaultPath | None = None, digest: str = ""
) -> tuple[NewJob, ...]:
    """Return what has to follow a publication: the files indexed (marks bring the folders)."""
    jobs = [
        NewJob(JobKind.INDEX, write.path, sha256(write.content).hexdigest()) for write in writes
    ]
    if source is not None:
        jobs.append(NewJob(JobKind.INDEX, source, digest))
    return tuple(jobs)


def conflict(title: str, path: VaultPath, updated: Updated) -> Question:
    """Return the question about a page on which a person's words stand against ours."""
    places = "\n\n".join(
        f"Yours:\n\n{_quote(each.theirs)}\n\n{_ours(each.ours)}" for each in updated.conflicts
    )
    text = (
        f"vaultd would change this page, but you wrote on it too. Your text stands as it is.\n\n"
        f"{places or 'The proposal adds to what you have.'}"
    )
    draft = ReviewDraft(
        ReviewKind.CONFLICT,
        f"Proposed change to {title}",
        text,
        options=("Accept", "Keep mine"),
        pages=(path,),
    )
    over = sha256(updated.text.encode()).hexdigest()
    return Question(draft, {"path": path, "text": updated.proposal, "over": over})


def _ours(text: str) -> str:
    if not text.strip():
        return "vaultd would take this away: no source says it any more."
    return f"Ours:\n\n{_quote(text)}"


def _quote(text: str) -> str:
    lines = text.strip().splitlines() or [""]
    return "\n".join(f"> {line}".rstrip() for line in lines)
