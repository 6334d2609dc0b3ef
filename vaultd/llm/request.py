"""What is asked of a model, and what it answered."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vaultd.core.text import tokens_of

PICTURE_TOKENS = 1_100  # what common vision models charge for one picture, about
MESSAGE_TOKENS = 4  # what a chat template adds to each message


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in a message; `extension` without the dot."""

    data: bytes
    extension: str

    @property
    def url(self) -> str:
        """The picture as a data address."""
        kind = {"jpg": "jpeg", "svg": "svg+xml"}.get(self.extension.lower(), self.extension.lower())
        return f"data:image/{kind};base64,{base64.b64encode(self.data).decode('ascii')}"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn; `role` is "system", "user" or "assistant"."""

    role: str
    text: str
    picture: Picture | None = None

    def sent(self) -> dict[str, Any]:
        """Return the message as the protocol wants it."""
        if self.picture is None:
            return {"role": self.role, "content": self.text}
        picture = {"type": "image_url", "image_url": {"url": self.picture.url}}
        return {"role": self.role, "content": [{"type": "text", "text": self.text}, picture]}


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request. `stage` and `subject` are for the ledger, `prompt` is the template's version.

    `cut_allowed`: a reply that met the token limit is still of use, block by block.
    `end_asked`: the prompt asks for the line that marks the end of the reply; a reply without
    it counts as whole only if the model says that it stopped.
    """

    stage: str
    subject: str
    model: str
    messages: Sequence[Message]
    max_tokens: int
    prompt: str
    temperature: float = 0.1
    cut_allowed: bool = False
    end_asked: bool = True

    @property
    def text(self) -> str:
        """All text that is sent."""
        return "\n".join(message.text for message in self.messages)

    @property
    def tokens(self) -> int:
        """An estimate of the tokens that are sent."""
        pictures = sum(message.picture is not None for message in self.messages)
        return (
            tokens_of(self.text) + MESSAGE_TOKENS * len(self.messages) + PICTURE_TOKENS * pictures
        )

    @property
    def digest(self) -> str:
        """SHA-256 over everything that shapes the reply: the key under which it is stored."""
        asked: Mapping[str, Any] = {
            "stage": self.stage,
            "model": self.model,
            "prompt": self.prompt,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "messages": [
                (
                    message.role,
                    message.text,
                    hashlib.sha256(message.picture.data).hexdigest() if message.picture else "",
                )
                for message in self.messages
            ],
        }
        written = json.dumps(asked, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(written.encode("ascii")).hexdigest()


@dataclass(frozen=True, slots=True)
class Completion:
    """A usable reply: thinking and end mark removed. `cut`: it met the token limit."""

    text: str
    cut: bool
    stored: bool


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the endpoint counted them; None where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Received:
    """A reply as it came.

    `choices` tells whether any choice was there at all, `done` whether the answer was ended in
    form.
    """

    text: str
    finish: str | None
    usage: Usage
    choices: bool
    refusal: str = ""
    done: bool = False
