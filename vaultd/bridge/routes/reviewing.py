"""Questions to the person, and their answers."""

from __future__ import annotations

from vaultd.bridge.answers import Job, Reviews
from vaultd.bridge.asked import AnswerReview, ListReviews
from vaultd.bridge.operation import job_operation, operation
from vaultd.bridge.program import Program
from vaultd.bridge.queue import settled
from vaultd.errors import ConflictError, NotFoundError
from vaultd.model.jobs import JobKind, NewJob
from vaultd.review.answers import checked_answer
from vaultd.store import reviews as stored


async def reviews(program: Program, asked: ListReviews) -> Reviews:
    """List the questions to the person, oldest first."""
    return Reviews(reviews=await program.db.read(stored.reviews, state=asked.state))


async def answer_review(program: Program, asked: AnswerReview) -> Job:
    """Answer a question: `action` is one of its options, or "answer" with `text`.

    Answers once it is carried out, or with the job under way (202).
    """
    item = await program.db.read(stored.review, asked.id)
    if item is None:
        raise NotFoundError(f"There is no review {asked.id}: `GET /v1/reviews` lists them.")
    if item.state != "open":
        raise ConflictError(f"The review {item.id} is {item.state} already.")
    answer = checked_answer(item, {"action": asked.action, "text": asked.text})
    payload = {"action": answer.action, "text": answer.text}
    return await settled(program, NewJob(JobKind.REVIEW, item.id, payload=payload, person=True))


OPERATIONS = (
    operation("GET", "/v1/reviews", reviews),
    job_operation("/v1/reviews/{id}", answer_review),
)
