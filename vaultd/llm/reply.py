"""When a reply may be used."""

from __future__ import annotations

from collections import deque

from vaultd.core.budget import fewest_tokens
from vaultd.core.reply import REPLY_ENDS
from vaultd.core.thinking import without_thinking
from vaultd.errors import BadReplyError
from vaultd.llm.faults import PromptTooLongError, ReplyCutError
from vaultd.llm.request import Completion, ModelRequest, Received

WHOLE = frozenset({"stop", "end_turn", "stop_sequence"})
CUT = frozenset({"length", "max_tokens"})
REMEMBERED = 50  # prompts whose token counts are compared with the next one
DIFFERENT = 1.5  # estimates further apart than this cannot give the same count by chance
FEW_TOKENS = 512  # below, equal counts are common


def spoken(text: str) -> tuple[str, bool, bool]:
    """Return a reply without thinking and end mark, whether the mark stood, whether it was cut."""
    said = without_thinking(text)
    lines = said.text.split("\n")
    ends = [number for number, line in enumerate(lines) if REPLY_ENDS.match(line)]
    kept = lines[: ends[-1]] if ends else lines
    text = "\n".join(line for number, line in enumerate(kept) if number not in ends)
    return text.strip("\n"), bool(ends), said.cut


def usable(received: Received, request: ModelRequest) -> Completion:
    """Return the reply if it may be used.

    It may if there is text besides thinking and the model said that it stopped, or said nothing
    and the end mark stands. A reply that met the token limit may where whole blocks count.

    Raises:
        BadReplyError: it may not; asking again may help.
        ReplyCutError: it met the token limit.
    """
    text, marked, thinking = spoken(received.text)
    if not received.choices:
        raise BadReplyError("The reply of the model holds no text.")
    if not text.strip():
        if received.refusal:
            raise BadReplyError("The model refused to answer.")
        raise BadReplyError("The reply of the model is empty, or nothing but thinking.")
    finish = (received.finish or "").lower()
    spent = received.usage.output_tokens
    at_limit = spent is not None and spent >= request.max_tokens and not marked
    if thinking or finish in CUT or (finish in WHOLE and at_limit):
        if not request.cut_allowed:
            raise ReplyCutError("The reply of the model met its token limit.", text)
        return Completion(text, cut=True, stored=False)
    ended = marked or (not request.end_asked and not finish and received.done)
    if finish not in WHOLE and not ended:
        reason = "was filtered" if finish == "content_filter" else "came to no end"
        raise BadReplyError(f"The reply of the model {reason}.")
    return Completion(text, cut=False, stored=False)


def suspect_context(received: Received, request: ModelRequest, context_chars: int) -> None:
    """Take a stream that ends in form without a word for what some servers mean by it.

    Raises:
        PromptTooLongError: the prompt filled more than half of the context.
    """
    wordless = received.done and not received.choices and not received.text
    if wordless and 2 * len(request.text) > context_chars:
        raise PromptTooLongError(
            f"The model {request.model} answers so long a prompt with nothing."
        )


class PromptWatch:
    """Notices a server that cuts prompts in silence, by the tokens it says it has read."""

    def __init__(self) -> None:
        self._seen: deque[tuple[int, int]] = deque(maxlen=REMEMBERED)

    def check(self, request: ModelRequest, counted: int | None) -> None:
        """Compare the server's count with what the prompt must have.

        Raises:
            PromptTooLongError: fewer than half of the least possible, or the same count for a
                prompt of quite another length.
        """
        if not counted or any(message.picture for message in request.messages):
            return
        text = request.text
        if counted < fewest_tokens(text) / 2:
            raise PromptTooLongError(f"The model {request.model} read only a part of the prompt.")
        expected = request.tokens
        same = [seen for tokens, seen in self._seen if tokens == counted >= FEW_TOKENS]
        self._seen.append((counted, expected))
        if any(max(seen, expected) > DIFFERENT * min(seen, expected) for seen in same):
            raise PromptTooLongError(f"The model {request.model} reads only so much of a prompt.")
