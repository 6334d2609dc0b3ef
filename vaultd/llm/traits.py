"""What one model needs: parameters dropped or renamed, limits, its own switch for reasoning."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from vaultd.llm.request import ModelRequest

DROP, RENAME, LIMIT, CONTEXT = "drop:", "rename:", "limit:", "context_chars"
NO_THINKING: dict[str, Any] = {"chat_template_kwargs": {"enable_thinking": False}}
SWITCHES: tuple[tuple[str, dict[str, Any]], ...] = (  # host ends with, parameters
    ("openrouter.ai", {"reasoning": {"enabled": False}}),
    ("googleapis.com", {"reasoning_effort": "none"}),
    ("aliyuncs.com", {"enable_thinking": False}),
    ("siliconflow.cn", {"enable_thinking": False}),
    ("deepseek.com", {"thinking": {"type": "disabled"}}),
    ("bigmodel.cn", {"thinking": {"type": "disabled"}}),
    ("z.ai", {"thinking": {"type": "disabled"}}),
    ("volces.com", {"thinking": {"type": "disabled"}}),
    ("moonshot.cn", {"thinking": {"type": "disabled"}}),
    ("moonshot.ai", {"thinking": {"type": "disabled"}}),
)
HOSTS_WITHOUT_SWITCH = ("anthropic.com", "mistral.ai", "cohere.ai", "cohere.com", "groq.com")
OPENAI_REASONING = re.compile(r"(?:o\d|gpt-5)", re.IGNORECASE)
OLLAMA_PORT = 11434
AT_MOST = re.compile(
    r"(?:at most|less than or equal to|maximum(?: value)? (?:of|is)|<=)\D{0,20}(\d+)"
)


@dataclass(frozen=True, slots=True)
class Traits:
    """What was found out about a model; empty for a model never met."""

    dropped: frozenset[str] = frozenset()
    renamed: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)
    context_chars: int | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """One thing to remember of a model, as the store keeps it."""

    trait: str
    value: str


def traits_of(rows: Mapping[str, str]) -> Traits:
    """Read what the store remembers of a model."""
    context = rows.get(CONTEXT, "")
    return Traits(
        dropped=frozenset(name[len(DROP) :] for name in rows if name.startswith(DROP)),
        renamed={n[len(RENAME) :]: value for n, value in rows.items() if n.startswith(RENAME)},
        limits={
            n[len(LIMIT) :]: int(value)
            for n, value in rows.items()
            if n.startswith(LIMIT) and value.isdigit()
        },
        context_chars=int(context) if context.isdigit() else None,
    )


def reasoning_off(base_url: str, model: str) -> dict[str, Any]:
    """Return the parameters by which an endpoint is told not to reason.

    An unknown host is taken for a local server: llama.cpp, vLLM and SGLang read the template's
    switch, others ignore it, and one that refuses it is remembered.
    """
    parts = urlsplit(base_url or "https://api.openai.com/v1")
    host = (parts.hostname or "").lower()
    for ending, parameters in SWITCHES:
        if host == ending or host.endswith(f".{ending}"):
            return dict(parameters)
    if host.endswith(("openai.com", "openai.azure.com")):
        name = model.rsplit("/", 1)[-1]
        return {"reasoning_effort": "minimal"} if OPENAI_REASONING.match(name) else {}
    if any(host.endswith(ending) for ending in HOSTS_WITHOUT_SWITCH):
        return {}
    return {"reasoning_effort": "none"} if parts.port == OLLAMA_PORT else dict(NO_THINKING)


def parameters(request: ModelRequest, traits: Traits, base_url: str) -> dict[str, Any]:
    """Return everything that is sent for `request` to a model with these traits."""
    wanted: dict[str, Any] = {
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
        "stream_options": {"include_usage": True},
        **reasoning_off(base_url, request.model),
    }
    sent: dict[str, Any] = {
        "model": request.model,
        "messages": [message.sent() for message in request.messages],
        "stream": True,
    }
    for name, value in wanted.items():
        if name in traits.limits and isinstance(value, int):
            value = min(value, traits.limits[name])
        used = traits.renamed.get(name, name)
        if name not in traits.dropped and used not in traits.dropped:
            sent[used] = value
    return sent


def lesson_of(message: str, parameter: str, sent: Mapping[str, Any]) -> Lesson | None:
    """Return what a 400 teaches about one parameter that was sent; None if it names none.

    `parameter` is the one the endpoint blames, "" when it only says so in words.
    """
    named = [
        name
        for name in sent
        if name not in ("model", "messages", "stream")
        and (name == parameter or re.search(rf"\b{re.escape(name)}\b", message))
    ]
    if not named:
        return None
    name = max(named, key=lambda each: (each == parameter, len(each)))
    if name == "max_tokens" and "max_completion_tokens" in message:
        return Lesson(f"{RENAME}max_tokens", "max_completion_tokens")
    bound = AT_MOST.search(message)
    if name in ("max_tokens", "max_completion_tokens") and bound and int(bound[1]) < sent[name]:
        return Lesson(f"{LIMIT}max_tokens", bound[1])
    return Lesson(f"{DROP}{name}", "1")
